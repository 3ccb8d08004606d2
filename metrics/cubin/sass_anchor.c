#include "metrics/cubin/sass_anchor.h"

#include <math.h>

const SassAnchorInfo sass_anchors[SASS_ANCHORS] = {
#define SASS_ANCHOR(constant, name, weight, least) {name, weight, least},
#include "metrics/cubin/sass_anchor.def"
#undef SASS_ANCHOR
};

/* `first`: the landmark for 1 byte. */
static SassAnchor by_width(SassAnchor first, int bytes)
{
    for (int i = 0; i < 6; i++)
        if (bytes == 1 << i)
            return first + (SassAnchor)i;
    return SASS_NO_ANCHOR;
}

/* Opcodes that are landmarks. */
static const struct {
    uint8_t anchor; /* + 1; for accesses by width, that of 1 byte */
    int8_t amount;  /* 0: the bytes of the access */
} marks[SASS_OPCODES] = {
#define MARK(op, anchor, amount) [SASS_OP_##op] = {SASS_ANCHOR_##anchor + 1, amount}
    MARK(FADD, FP32, 1),        MARK(FMUL, FP32, 1),    MARK(FFMA, FP32, 2),
    MARK(FADD2, FP32, 2),       MARK(FMUL2, FP32, 2),   MARK(FFMA2, FP32, 4),
    MARK(DADD, FP64, 1),        MARK(DMUL, FP64, 1),    MARK(DFMA, FP64, 2),
    MARK(LOP3, LOGIC, 1),       MARK(ULOP3, LOGIC, 1),  MARK(LDL, LOCAL, 0),
    MARK(STL, LOCAL, 0),        MARK(MUFU, SPECIAL, 1), MARK(BAR, BARRIER, 1),
    MARK(SHFL, SHUFFLE, 1),     MARK(LDGSTS, COPY, 1),  MARK(LDG, LOAD_1, 1),
    MARK(LDG_17E, LOAD_1, 1),   MARK(LD, LOAD_1, 1),    MARK(STG, STORE_1, 1),
    MARK(STG_17F, STORE_1, 1),  MARK(ST, STORE_1, 1),   MARK(LDS, SHARED_LOAD, 0),
    MARK(STS, SHARED_STORE, 0), MARK(ATOM, ATOMIC, 1),  MARK(ATOM_18B, ATOMIC, 1),
    MARK(ATOM_1A2, ATOMIC, 1),  MARK(ATOMG, ATOMIC, 1), MARK(ATOMG_1A8, ATOMIC, 1),
    MARK(ATOMG_1A9, ATOMIC, 1), MARK(ATOMS, ATOMIC, 1), MARK(ATOMS_18D, ATOMIC, 1),
    MARK(RED, ATOMIC, 1),       MARK(REDG, ATOMIC, 1),  MARK(UBLKCP, BULK, 1),
    MARK(UBLKRED, BULK, 1),     MARK(UTMALDG, BULK, 1), MARK(UTMASTG, BULK, 1),
    MARK(UTMAREDG, BULK, 1),    MARK(SYNCS, TEST, 1),
#undef MARK
};

SassAnchor sass_anchor_of(SassInstr w, double *amount)
{
    const int op = sass_opcode(w), bytes = sass_access_bytes(w);
    const bool arrives = op == SASS_OP_SYNCS && sass_form(w) == SASS_FORM_NUMBER_SECOND;
    const SassAnchor k = marks[op].anchor && !arrives ? marks[op].anchor - 1u : SASS_NO_ANCHOR;
    *amount = k == SASS_NO_ANCHOR ? 1 : marks[op].amount ? marks[op].amount : bytes;
    return k == SASS_ANCHOR_LOAD_1 || k == SASS_ANCHOR_STORE_1 ? by_width(k, bytes) : k;
}

static int ptx_bytes(const PtxForm *f)
{
    const PtxType t = f->type_count ? f->types[f->type_count - 1] : PTX_NO_TYPE;
    return ptx_types[t].bits / 8 * (f->vector ? f->vector : 1);
}

static SassAnchor of_access(const PtxForm *f, double *amount, SassAnchor global, SassAnchor shared)
{
    if (f->space == PTX_SHARED || f->space == PTX_LOCAL) {
        *amount = ptx_bytes(f);
        return f->space == PTX_LOCAL ? SASS_ANCHOR_LOCAL : shared;
    }
    return f->space == PTX_GLOBAL || f->space == PTX_GENERIC ? by_width(global, ptx_bytes(f))
                                                             : SASS_NO_ANCHOR;
}

static SassAnchor of_arithmetic(const PtxForm *f, double *amount)
{
    if (f->class != PTX_CLASS_FP32 && f->class != PTX_CLASS_FP64)
        return SASS_NO_ANCHOR;
    const bool single = f->class == PTX_CLASS_FP32;
    switch (f->op) {
    case PTX_FMA:
    case PTX_MAD:
        *amount = 2;
        return single ? SASS_ANCHOR_FP32 : SASS_ANCHOR_FP64;
    case PTX_ADD:
    case PTX_SUB:
    case PTX_MUL:
        return single ? SASS_ANCHOR_FP32 : SASS_ANCHOR_FP64;
    case PTX_DIV:
    case PTX_SQRT:
    case PTX_RCP:
    case PTX_RSQRT: /* the initial approximation */
        return SASS_ANCHOR_SPECIAL;
    default:
        return SASS_NO_ANCHOR;
    }
}

/* True for a logic operation that the code may have, too.  Widening a byte or a half word from memory, which loads do
 * themselves, is none. */
static bool is_logic(const PtxInstr *in)
{
    const PtxForm *f = in->form;
    if (f->types[0] == PTX_PRED || (f->op != PTX_AND && f->op != PTX_OR && f->op != PTX_XOR))
        return false;
    const PtxOperand *by = &in->operands[2];
    return f->op != PTX_AND || in->count < 3 || by->kind != PTX_OPERAND_IMMEDIATE ||
           (by->value != 0xff && by->value != 0xffff);
}

SassAnchor sass_anchor_of_ptx(const PtxInstr *in, double *amount)
{
    const PtxForm *f = in->form;
    *amount = 1;
    switch (f->class) {
    case PTX_CLASS_SFU:
        return SASS_ANCHOR_SPECIAL;
    case PTX_CLASS_BARRIER:
        return f->op == PTX_MBARRIER_TRY || f->op == PTX_MBARRIER_TEST      ? SASS_ANCHOR_TEST
               : f->op == PTX_MBARRIER || f->op == PTX_BARRIER_CLUSTER_WAIT ? SASS_NO_ANCHOR
                                                                            : SASS_ANCHOR_BARRIER;
    case PTX_CLASS_ATOMIC:
        return SASS_ANCHOR_ATOMIC;
    case PTX_CLASS_WARP:
        return f->op == PTX_SHFL ? SASS_ANCHOR_SHUFFLE : SASS_NO_ANCHOR;
    case PTX_CLASS_ASYNC:
        return f->op == PTX_CP_ASYNC                                        ? SASS_ANCHOR_COPY
               : f->op == PTX_CP_ASYNC_BULK || f->op == PTX_CP_REDUCE_ASYNC ? SASS_ANCHOR_BULK
                                                                            : SASS_NO_ANCHOR;
    case PTX_CLASS_LOAD:
        return f->op == PTX_LD ? of_access(f, amount, SASS_ANCHOR_LOAD_1, SASS_ANCHOR_SHARED_LOAD)
                               : SASS_NO_ANCHOR;
    case PTX_CLASS_STORE:
        return f->op == PTX_ST ? of_access(f, amount, SASS_ANCHOR_STORE_1, SASS_ANCHOR_SHARED_STORE)
                               : SASS_NO_ANCHOR;
    case PTX_CLASS_INT:
        return is_logic(in) ? SASS_ANCHOR_LOGIC : SASS_NO_ANCHOR;
    default:
        return of_arithmetic(f, amount);
    }
}

/* Operations on the fast path of the code of CUDA 13.0 for sm_90, with some margin: div.rn.f32 takes 5
 * multiply-adds, sqrt.rn.f32 2 and 2 products, div.rn.f64 7.  Approximations scale their argument or their
 * result: sin and cos once, the others where a number may be denormal.  Each div.rn.f64 has exactly one
 * multiply-add in single precision, of high halves, which tells whether the quotient is a normal number. */
enum {
    ROUNDED_OPS = 20,
    ROUNDED_OPS_64 = 24,
    HIGH_HALF_OPS = 2,
    APPROXIMATE_OPS = 4,
    PERIOD_OPS = 1,
    SIGN_OPS = 1
};

static double expanded_ops(const PtxForm *f)
{
    const bool approximate = f->flags & PTX_FLAG_APPROX;
    switch (f->op) {
    case PTX_DIV:
    case PTX_SQRT:
    case PTX_RCP:
    case PTX_RSQRT:
        return approximate ? APPROXIMATE_OPS : ROUNDED_OPS;
    case PTX_EX2:
    case PTX_LG2:
        return APPROXIMATE_OPS;
    case PTX_SIN:
    case PTX_COS:
        return PERIOD_OPS;
    case PTX_NEG: /* added to -0 */
    case PTX_ABS:
    case PTX_CVT:
        return SIGN_OPS;
    default:
        return 0;
    }
}

static bool divides(PtxOp op)
{
    return op == PTX_DIV || op == PTX_REM || op == PTX_SQRT || op == PTX_RCP || op == PTX_RSQRT;
}

static void add_expansion(const PtxInstr *in, double times, double more[SASS_ANCHORS])
{
    const PtxForm *f = in->form;
    const PtxType t = f->type_count ? f->types[0] : PTX_NO_TYPE;
    if (t == PTX_F32)
        more[SASS_ANCHOR_FP32] += expanded_ops(f) * times;
    else if (f->class == PTX_CLASS_SFU && (t == PTX_F16X2 || t == PTX_BF16X2))
        more[SASS_ANCHOR_SPECIAL] += times; /* one for each half */
    else if (divides(f->op) && t != PTX_F64)
        more[SASS_ANCHOR_SPECIAL] += times; /* of an integer the reciprocal */
    if (t == PTX_F64 && divides(f->op))
        more[SASS_ANCHOR_FP64] += ROUNDED_OPS_64 * times;
}

/* True if ptxas may fuse it into a multiply-add, which an explicit rounding forbids. */
static bool may_fuse(const PtxInstr *in)
{
    const PtxForm *f = in->form;
    return (f->class == PTX_CLASS_FP32 || f->class == PTX_CLASS_FP64) &&
           f->rounding == PTX_NO_ROUNDING;
}

/* True if the value of a register is that of all iterations of the innermost loop around an instruction;
 * `writer`: the instruction that writes it. */
static bool is_invariant(const WalkFunction *f, size_t instr, size_t writer)
{
    const LoopTree *t = f->flow->loops;
    const int loop = t->loop_of[f->flow->cfg->block_of[instr]];
    return loop != CFG_NONE && !loop_contains(t, loop, f->flow->cfg->block_of[writer]);
}

/* By instruction of a function: true for a division whose reciprocal need not be computed there, since the
 * divisor is a constant, that of an earlier division, or the same in each iteration. */
static bool *find_divided(Arena *a, const WalkFunction *w)
{
    const PtxFunction *f = w->function;
    bool *divided = ARENA_ARRAY(a, bool, f->instrs.count + 1);
    bool *seen = ARENA_ARRAY(a, bool, f->registers.count + 1);
    for (size_t i = 0; i < f->instrs.count; i++) {
        const PtxInstr *in = &f->instrs.at[i];
        if (in->form->op != PTX_DIV || in->form->class != PTX_CLASS_FP32 || in->count < 3)
            continue;
        const PtxOperand *by = &in->operands[2];
        divided[i] = by->kind == PTX_OPERAND_FLOAT;
        const FlowWrites *writes =
            by->kind == PTX_OPERAND_REGISTER ? &w->flow->writes[by->index] : NULL;
        if (!writes || writes->count != 1)
            continue;
        divided[i] = seen[by->index] || is_invariant(w, i, writes->at[0]);
        seen[by->index] = true;
    }
    return divided;
}

/* By register of a function: how often sums are executed with it as a term that a product could be fused with. */
static double *count_sums(Arena *a, const WalkFunction *f)
{
    const PtxFunction *text = f->function;
    double *sums = ARENA_ARRAY(a, double, text->registers.count + 1);
    for (size_t i = 0; i < text->instrs.count; i++) {
        const PtxInstr *in = &text->instrs.at[i];
        const PtxOp op = in->form->op;
        for (size_t k = 1; k < in->count && may_fuse(in) && (op == PTX_ADD || op == PTX_SUB); k++)
            if (in->operands[k].kind == PTX_OPERAND_REGISTER)
                sums[in->operands[k].index] += (double)f->blocks[f->flow->cfg->block_of[i]].visits;
    }
    return sums;
}

/* A product that is fused with several sums, or with one in a loop that it is outside of, is computed in each. */
static void add_copies(const PtxInstr *in, const double *sums, double times,
                       double more[SASS_ANCHORS])
{
    if (in->form->op != PTX_MUL || !may_fuse(in) || !in->count ||
        in->operands[0].kind != PTX_OPERAND_REGISTER)
        return;
    more[in->form->class == PTX_CLASS_FP32 ? SASS_ANCHOR_FP32 : SASS_ANCHOR_FP64] +=
        fmax(0, sums[in->operands[0].index] - times);
}

static bool is_constant_load(const PtxInstr *in)
{
    return in->form->op == PTX_LD && (in->form->flags & PTX_FLAG_NC);
}

/* True if nothing but the results is left of an instruction, which may then be executed later. */
static bool may_sink(const PtxInstr *in)
{
    switch (in->form->class) {
    case PTX_CLASS_FP32:
    case PTX_CLASS_INT:
    case PTX_CLASS_FP64:
    case PTX_CLASS_HALF:
    case PTX_CLASS_SFU:
    case PTX_CLASS_COMPARE:
    case PTX_CLASS_MOVE:
    case PTX_CLASS_CONVERT:
    case PTX_CLASS_ADDRESS:
        return true;
    default:
        return is_constant_load(in);
    }
}

/* Of a bulk copy each lane counts. */
static double visits_of(const WalkFunction *f, size_t instr)
{
    double amount;
    const WalkBlock *b = &f->blocks[f->flow->cfg->block_of[instr]];
    const bool bulk =
        sass_anchor_of_ptx(&f->function->instrs.at[instr], &amount) == SASS_ANCHOR_BULK;
    return (double)(bulk ? b->lanes : b->visits);
}

/* Of a result that nobody reads; what gives no others is there for something else. */
enum { NOT_READ = -1 };

/* How often an instruction is needed: as often as what reads its results, if it does nothing else. */
static double needed_here(const WalkFunction *f, size_t instr, const double *needed)
{
    const PtxInstr *in = &f->function->instrs.at[instr];
    const double visits = visits_of(f, instr);
    double most = may_sink(in) ? NOT_READ : visits;
    for (size_t k = 0; k < in->writes.count; k++)
        most = fmax(most, needed[in->writes.at[k]]);
    return most == NOT_READ ? visits : fmin(most, visits);
}

/* True for a landmark that ptxas may move to where its result is needed: a load of what no one writes, a special function. */
static bool is_movable(const PtxInstr *in)
{
    double amount;
    return is_constant_load(in) || sass_anchor_of_ptx(in, &amount) == SASS_ANCHOR_SPECIAL;
}

/* By register of a function: how often its value is needed.  NULL if there are no landmarks that ptxas may sink
 * into a branch. */
static double *count_needed(Arena *a, const WalkFunction *f)
{
    const PtxFunction *text = f->function;
    double *needed = ARENA_ARRAY(a, double, text->registers.count + 1);
    bool any = false;
    for (size_t r = 0; r < text->registers.count; r++)
        needed[r] = NOT_READ;
    for (size_t i = 0; i < text->instrs.count; i++) {
        const PtxInstr *in = &text->instrs.at[i];
        any |= is_movable(in);
        for (size_t k = 0; k < in->reads.count; k++)
            needed[in->reads.at[k]] = 0;
    }
    for (bool changed = any; changed;) {
        changed = false;
        for (size_t i = text->instrs.count; i-- > 0;) {
            const PtxInstr *in = &text->instrs.at[i];
            const double here = needed_here(f, i, needed);
            for (size_t k = 0; k < in->reads.count; k++)
                if (needed[in->reads.at[k]] < here) {
                    needed[in->reads.at[k]] = here;
                    changed = true;
                }
        }
    }
    return any ? needed : NULL;
}

/* How often the code executes an instruction at least: what may be moved is moved to where it is needed, but not out of a
 * loop. */
static double executed_least(const WalkFunction *f, size_t instr, const double *needed)
{
    const bool in_loop = f->flow->loops->loop_of[f->flow->cfg->block_of[instr]] != CFG_NONE;
    return needed && !in_loop && is_movable(&f->function->instrs.at[instr])
               ? needed_here(f, instr, needed)
               : visits_of(f, instr);
}

/* Where paths join, ptxas may duplicate what follows, and then knows a result on one of them; not so in a
 * loop.  `least`: of `times`, those that the code is sure to have. */
static void count_instruction(SassLandmarks *l, const PtxInstr *in, const double *sums,
                              bool in_loop, double least, double times)
{
    double amount;
    const SassAnchor k = sass_anchor_of_ptx(in, &amount);
    if (k != SASS_NO_ANCHOR) {
        l->in_ptx[k] += amount * least;
        l->expanded[k] += amount * (times - least);
    }
    if (in->form->op == PTX_DIV && in->form->class == PTX_CLASS_FP64)
        l->in_ptx[SASS_ANCHOR_FP32] += HIGH_HALF_OPS * times;
    if ((k == SASS_ANCHOR_FP32 || k == SASS_ANCHOR_FP64) && amount < 2 && !in_loop)
        l->folded[k] += times;
    add_expansion(in, times, l->expanded);
    add_copies(in, sums, times, l->expanded);
}

SassLandmarks sass_anchor_count(Arena *a, const Walk *w)
{
    SassLandmarks l = {.in_ptx = {0}};
    for (size_t i = 0; i < w->functions.count; i++) {
        const WalkFunction *f = w->functions.at[i];
        const double *sums = count_sums(a, f);
        const bool *divided = find_divided(a, f);
        const double *needed = count_needed(a, f);
        for (size_t k = 0; k < f->function->instrs.count; k++) {
            const int b = f->flow->cfg->block_of[k];
            if (f->blocks[b].visits)
                count_instruction(&l, &f->function->instrs.at[k], sums,
                                  f->flow->loops->loop_of[b] != CFG_NONE,
                                  divided[k] ? 0 : executed_least(f, k, needed), visits_of(f, k));
        }
    }
    return l;
}

double sass_anchor_lanes(const Walk *w)
{
    double lanes = 0, amount;
    for (size_t i = 0; i < w->functions.count; i++) {
        const WalkFunction *f = w->functions.at[i];
        for (size_t k = 0; k < f->function->instrs.count; k++) {
            const WalkBlock *b = &f->blocks[f->flow->cfg->block_of[k]];
            if (sass_anchor_of_ptx(&f->function->instrs.at[k], &amount) != SASS_ANCHOR_BULK ||
                !b->visits)
                continue;
            const double each = (double)b->lanes / (double)b->visits;
            if (lanes > 0 && each != lanes)
                return 0;
            lanes = each;
        }
    }
    return lanes;
}
