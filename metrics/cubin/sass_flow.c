#include "metrics/cubin/sass_flow.h"

#include <stdlib.h>

/* What opcodes do: end a block, and lead only elsewhere if unconditional (LEAVES); write a predicate by the
 * first or second of two fields, which have another meaning in most instructions. */
enum { ENDS = 1, LEAVES = 3, FIRST = 4, SECOND = 8, BOTH = 12 };

static const uint8_t does[SASS_OPCODES] = {
#define DOES(op, what) [SASS_OP_##op] = what
    DOES(BRA, LEAVES),      DOES(BRX, LEAVES),     DOES(EXIT, LEAVES),     DOES(RET, LEAVES),
    DOES(CALL, ENDS),       DOES(CALL_144, ENDS),  DOES(BSYNC, ENDS),      DOES(IMAD, FIRST),
    DOES(IMAD_WIDE, FIRST), DOES(IMAD_HI, FIRST),  DOES(LEA, FIRST),       DOES(LOP3, FIRST),
    DOES(FLO, FIRST),       DOES(FCHK, FIRST),     DOES(IADD3, BOTH),      DOES(VIMNMX, BOTH),
    DOES(ISETP, BOTH),      DOES(FSETP, BOTH),     DOES(DSETP, BOTH),      DOES(HSETP2, BOTH),
    DOES(PLOP3, BOTH),      DOES(PLOP3_01D, BOTH), DOES(PLOP3_01E, BOTH),  DOES(PLOP3_01F, BOTH),
    DOES(CSMTEST, BOTH),    DOES(SYNCS, FIRST),    DOES(SYNCS_1B1, FIRST), DOES(SYNCS_1B2, FIRST),
    DOES(B2R, FIRST),       DOES(ELECT, FIRST),
#undef DOES
};

/* Whose instructions write a predicate in the first field; an unknown one may do so in both. */
static const uint8_t class_does[SASS_CLASSES] = {
    [SASS_UNKNOWN] = BOTH,        [SASS_SHUFFLE] = FIRST,       [SASS_GLOBAL_LOAD] = FIRST,
    [SASS_GLOBAL_ATOMIC] = FIRST, [SASS_SHARED_ATOMIC] = FIRST, [SASS_GENERIC] = FIRST,
    [SASS_TEXTURE] = FIRST};

/* A call of another function has an offset that the linker fills in; until then it points behind itself. */
static bool target_of(const SassFlow *f, size_t i, size_t *target)
{
    const SassInstr w = f->instrs[i];
    return sass_branch_target(w, f->arch, i, f->count, target) &&
           (sass_opcode(w) == SASS_OP_BRA || *target != i + 1);
}

/* The targets of the jump at an instruction, by byte offset; NULL when the cubin lists none. */
static const uint32_t *jump_targets(const CubinKernel *k, size_t i, size_t *count)
{
    for (size_t at = 0; at + 3 <= k->jump_words; at += 3 + k->jumps[at + 2]) {
        *count = k->jumps[at + 2];
        if (*count > k->jump_words - at - 3)
            break;
        if (k->jumps[at] == i * SASS_BYTES)
            return k->jumps + at + 3;
    }
    return NULL;
}

static void mark_targets(const SassFlow *f, const CubinKernel *k, size_t i, bool *leads)
{
    size_t count = 0;
    const uint32_t *targets = jump_targets(k, i, &count);
    for (size_t t = 0; targets && t < count; t++)
        if (targets[t] / SASS_BYTES < f->count)
            leads[targets[t] / SASS_BYTES] = true;
}

static void cut_blocks(Arena *a, SassFlow *f, const CubinKernel *k)
{
    bool *leads = ARENA_ARRAY(a, bool, f->count + 1);
    for (size_t i = 0; i < f->count; i++) {
        size_t target;
        if (does[sass_opcode(f->instrs[i])] & ENDS)
            leads[i + 1] = true;
        if (target_of(f, i, &target))
            leads[target] = true;
        if (sass_opcode(f->instrs[i]) == SASS_OP_BRX)
            mark_targets(f, k, i, leads);
    }
    cfg_cut(a, f->cfg, leads, f->count, false);
}

SassInstr sass_flow_last(const SassFlow *f, int block)
{
    return f->instrs[f->cfg->blocks[block].end - 1];
}

static void link_block(Arena *a, SassFlow *f, int i)
{
    CfgBlock *b = &f->cfg->blocks[i];
    const int behind = i + 1 < f->cfg->count ? i + 1 : CFG_NONE;
    size_t target;
    b->taken = b->fall = f->callee[i] = CFG_NONE;
    if (b->end == b->first) {
        b->ends_thread = true;
        return;
    }
    const SassInstr w = sass_flow_last(f, i);
    const int op = sass_opcode(w);
    b->succs = ARENA_ARRAY(a, int, 2);
    b->fall = does[op] != LEAVES || sass_conditional(w) ? behind : CFG_NONE;
    if (target_of(f, b->end - 1, &target))
        b->taken = f->cfg->block_of[target];
    if (op == SASS_OP_CALL_144)
        f->callee[i] = b->taken;
    f->returns[i] = op == SASS_OP_RET;
    f->reconverges[i] = op == SASS_OP_BSYNC;
    cfg_add_successor(b, b->taken);
    cfg_add_successor(b, b->fall);
    b->ends_thread = op == SASS_OP_EXIT || op == SASS_OP_RET || b->succ_count == 0;
}

static bool is_table_jump(const SassFlow *f, int i)
{
    const CfgBlock *b = &f->cfg->blocks[i];
    return b->end > b->first && sass_opcode(sass_flow_last(f, i)) == SASS_OP_BRX;
}

/* Links a table jump at the end of a block to its listed targets, after the fall-through if any. */
static bool link_listed(Arena *a, SassFlow *f, const CubinKernel *k, int i)
{
    CfgBlock *b = &f->cfg->blocks[i];
    size_t count = 0;
    const uint32_t *targets = is_table_jump(f, i) ? jump_targets(k, b->end - 1, &count) : NULL;
    if (!targets)
        return false;
    b->succs = ARENA_ARRAY(a, int, count + 2);
    b->succ_count = 0;
    cfg_add_successor(b, b->fall);
    for (size_t t = 0; t < count; t++)
        if (targets[t] / SASS_BYTES < f->count)
            cfg_add_successor(b, f->cfg->block_of[targets[t] / SASS_BYTES]);
    b->ends_thread = b->succ_count == 0;
    return true;
}

/* Links other table jumps to all blocks that nothing leads to, except the jump to itself at the end of the
 * code. */
static void link_tables(Arena *a, SassFlow *f, const CubinKernel *k)
{
    Cfg *c = f->cfg;
    bool *listed = ARENA_ARRAY(a, bool, (size_t)c->count);
    bool *led_to = ARENA_ARRAY(a, bool, (size_t)c->count);
    int *targets = ARENA_ARRAY(a, int, (size_t)c->count), count = 0;
    for (int i = 0; i < c->count; i++) {
        listed[i] = link_listed(a, f, k, i);
        f->tables += is_table_jump(f, i) && !listed[i];
        for (int s = 0; s < c->blocks[i].succ_count; s++)
            led_to[c->blocks[i].succs[s]] = true;
    }
    for (int i = 1; f->tables && i < c->count; i++)
        if (!led_to[i])
            targets[count++] = i;
    /* All share the list: which table has which target is not known. */
    for (int i = 0, used = 0; i < c->count && count; i++) {
        CfgBlock *b = &c->blocks[i];
        if (!is_table_jump(f, i) || listed[i] || used++ >= 64)
            continue;
        int *succs = ARENA_ARRAY(a, int, (size_t)count + 1);
        if (b->fall != CFG_NONE)
            succs[0] = b->fall;
        memcpy(succs + (b->fall != CFG_NONE), targets, (size_t)count * sizeof *targets);
        b->succs = succs;
        b->succ_count = count + (b->fall != CFG_NONE);
        b->ends_thread = false;
    }
}

/* True if some path from the start of a block reaches a RET; calls on it must return. */
static bool way_returns(const SassFlow *f, const bool *comes_back, int block)
{
    const CfgBlock *b = &f->cfg->blocks[block];
    const int callee = f->callee[block];
    if (f->returns[block])
        return true;
    if (callee != CFG_NONE)
        return b->fall != CFG_NONE && comes_back[b->fall] &&
               (comes_back[callee] || sass_conditional(sass_flow_last(f, block)));
    for (int k = 0; k < b->succ_count; k++)
        if (comes_back[b->succs[k]])
            return true;
    return false;
}

/* ptxas also encodes a long jump as a CALL of what never reaches a RET. */
static void find_jumps_among_calls(Arena *a, SassFlow *f)
{
    bool *comes_back = ARENA_ARRAY(a, bool, (size_t)f->cfg->count);
    for (bool changed = true; changed;) {
        changed = false;
        for (int i = f->cfg->count - 1; i >= 0; i--)
            if (!comes_back[i] && way_returns(f, comes_back, i))
                changed = comes_back[i] = true;
    }
    for (int i = 0; i < f->cfg->count; i++) {
        CfgBlock *b = &f->cfg->blocks[i];
        if (f->callee[i] == CFG_NONE || comes_back[f->callee[i]])
            continue;
        f->callee[i] = CFG_NONE;
        b->fall = sass_conditional(sass_flow_last(f, i)) ? b->fall : CFG_NONE;
        b->succ_count = 0;
        cfg_add_successor(b, b->taken);
        cfg_add_successor(b, b->fall);
    }
}

static const SassInstr *decode(Arena *a, int arch, const uint8_t *code, size_t count)
{
    SassInstr *instrs = ARENA_ARRAY(a, SassInstr, count + 1);
    for (size_t i = 0; i < count; i++)
        instrs[i] = sass_at(code, i, arch);
    return instrs;
}

/* A subroutine comes back, so ways of its caller do not end in it. */
static DomTree *build_post(Arena *a, const SassFlow *f)
{
    Cfg own = *f->cfg;
    own.blocks = ARENA_ARRAY(a, CfgBlock, (size_t)own.count);
    for (int b = 0; b < own.count; b++) {
        own.blocks[b] = f->cfg->blocks[b];
        if (f->callee[b] != CFG_NONE) {
            own.blocks[b].succs = &own.blocks[b].fall;
            own.blocks[b].succ_count = own.blocks[b].fall != CFG_NONE;
        }
    }
    cfg_finish(a, &own);
    return dom_build_post(a, &own);
}

void sass_flow_finish(Arena *a, SassFlow *f)
{
    cfg_finish(a, f->cfg);
    f->dom = dom_build(a, f->cfg);
    f->post = build_post(a, f);
    f->loops = loop_build(a, f->cfg, f->dom);
}

SassFlow *sass_flow_build(Arena *a, int arch, const CubinKernel *k)
{
    SassFlow *f = ARENA_NEW(a, SassFlow);
    *f = (SassFlow){
        .arch = arch, .count = sass_count(k->code, k->code_bytes), .cfg = ARENA_NEW(a, Cfg)};
    f->instrs = decode(a, arch, k->code, f->count);
    cut_blocks(a, f, k);
    f->callee = ARENA_ARRAY(a, int, (size_t)f->cfg->count);
    f->returns = ARENA_ARRAY(a, bool, (size_t)f->cfg->count);
    f->reconverges = ARENA_ARRAY(a, bool, (size_t)f->cfg->count);
    for (int i = 0; i < f->cfg->count; i++)
        link_block(a, f, i);
    link_tables(a, f, k);
    find_jumps_among_calls(a, f);
    sass_flow_finish(a, f);
    return f;
}

/* --- reconvergence ---------------------------------------------------------------------------- */

/* Further ones are ignored: the linear program would be too large anyway. */
enum { SASS_RECONVERGENCES_MOST = 256 };

/* The point of a BSYNC, added for the first BSSY that names it; NULL when there are too many. */
static SassReconvergence *point_at(Arena *a, SassReconvergences *all, const SassFlow *f, int block)
{
    for (size_t i = 0; i < all->count; i++)
        if (all->at[i].block == block)
            return &all->at[i];
    if (all->count == SASS_RECONVERGENCES_MOST)
        return NULL;
    SassReconvergence *m = VEC_ADD(a, all);
    *m = (SassReconvergence){.block = block, .within = ARENA_ARRAY(a, bool, (size_t)f->cfg->count)};
    return m;
}

/* Marks what is reachable from a block, up to the BSYNC, without subroutines: what diverges there reconverges
 * there. */
static void mark_within(Arena *a, SassReconvergence *m, const SassFlow *f, int from)
{
    if (from == m->block || m->within[from])
        return;
    m->within[from] = m->within[m->block] = true;
    cfg_reach(a, f->cfg, from, f->callee, m->within);
    m->within[m->block] = false;
}

static void close_point(SassReconvergence *m, const SassFlow *f)
{
    m->closed = true;
    for (int b = 0; b < f->cfg->count; b++) {
        const CfgBlock *block = &f->cfg->blocks[b];
        m->size += m->within[b];
        for (int k = 0; m->within[b] && k < block->succ_count; k++)
            m->closed &= m->within[block->succs[k]] || block->succs[k] == m->block ||
                         block->succs[k] == f->callee[b];
        m->closed &= !m->within[b] || (block->succ_count > 0 && !block->ends_thread);
    }
}

static int fewer_within(const void *x, const void *y)
{
    const SassReconvergence *a = x, *b = y;
    return a->size != b->size ? a->size - b->size : a->block - b->block;
}

SassReconvergences sass_flow_reconvergences(Arena *a, const SassFlow *f)
{
    SassReconvergences all = {0};
    for (size_t i = 0; i < f->count; i++) {
        size_t behind;
        if (!sass_reconvergence(f->instrs[i], i, f->count, &behind) || behind == 0)
            continue;
        const int block = f->cfg->block_of[behind - 1];
        if (!f->reconverges[block] || f->cfg->blocks[block].end != behind)
            continue;
        SassReconvergence *m = point_at(a, &all, f, block);
        if (m)
            mark_within(a, m, f, f->cfg->block_of[i]);
    }
    for (size_t i = 0; i < all.count; i++)
        close_point(&all.at[i], f);
    if (all.count)
        qsort(all.at, all.count, sizeof *all.at, fewer_within);
    for (size_t i = 0; i < all.count; i++)
        for (size_t k = i + 1; k < all.count; k++)
            all.at[i].closed &= !all.at[i].within[all.at[k].block];
    return all;
}

bool sass_flow_meets(Arena *a, const SassFlow *f)
{
    const SassReconvergences all = sass_flow_reconvergences(a, f);
    for (size_t i = 0; i < all.count; i++)
        if (!all.at[i].closed)
            return true;
    return false;
}

int sass_flow_apart(const SassFlow *f, int block)
{
    const CfgBlock *b = &f->cfg->blocks[block];
    bool apart;
    if (b->succ_count != 2 || b->end == b->first ||
        !sass_by_divergence(sass_flow_last(f, block), &apart))
        return CFG_NONE;
    return apart ? b->taken : b->fall;
}

/* --- guards that a branch decides ------------------------------------------------------------- */

enum { PREDICATE_BITS = 7, REGISTERS_ONE_WRITES = 4 };

/* Predicates that an ISETP writes. */
static int first_result(SassInstr w)
{
    return (int)(w.high >> 17 & PREDICATE_BITS);
}

static int second_result(SassInstr w)
{
    return (int)(w.high >> 20 & PREDICATE_BITS);
}

/* True for an unconditional comparison that writes one predicate. */
static bool compares(SassInstr w)
{
    const SassForm form = sass_form(w);
    const bool alone = (w.high >> 23 & PREDICATE_BITS) == SASS_ALWAYS;
    return sass_guard(w, NULL) == SASS_ALWAYS && alone && second_result(w) == SASS_ALWAYS &&
           (form == SASS_FORM_REGISTERS || form == SASS_FORM_NUMBER_SECOND ||
            form == SASS_FORM_CONSTANT_SECOND || form == SASS_FORM_SCALAR_SECOND ||
            (form == SASS_FORM_NUMBER_THIRD && sass_opcode(w) == SASS_OP_DSETP));
}

/* Without registers of the scalar unit, whose changes are not followed. */
static bool is_comparison(SassInstr w)
{
    return sass_opcode(w) == SASS_OP_ISETP && compares(w) &&
           sass_form(w) != SASS_FORM_SCALAR_SECOND;
}

/* True if two are equal except for the predicate written and the control fields above bit 41. */
static bool same_comparison(SassInstr a, SassInstr b)
{
    const uint64_t compared = ((UINT64_C(1) << 41) - 1) & ~((uint64_t)PREDICATE_BITS << 17);
    return a.low == b.low && ((a.high ^ b.high) & compared) == 0;
}

bool sass_flow_may_write(SassInstr w, int predicate)
{
    const int what = does[sass_opcode(w)] | class_does[sass_class(w)];
    return sass_opcode(w) == SASS_OP_R2P || (what & FIRST && first_result(w) == predicate) ||
           (what & SECOND && second_result(w) == predicate);
}

/* True if it may write a register of a comparison; the field counts even in instructions without a result. */
static bool may_change(SassInstr w, SassInstr comparison)
{
    const int to = sass_result(w), a = sass_operand(comparison, 0), b = sass_operand(comparison, 1);
    const bool registers = sass_form(comparison) == SASS_FORM_REGISTERS;
    return (a >= to && a < to + REGISTERS_ONE_WRITES) ||
           (registers && b >= to && b < to + REGISTERS_ONE_WRITES);
}

/* Finds the comparison in a block that defines a predicate at an instruction; false without one. */
static bool find_comparison(const SassFlow *f, int block, size_t before, int predicate, size_t *at)
{
    for (size_t i = before; i-- > f->cfg->blocks[block].first;) {
        if (is_comparison(f->instrs[i]) && first_result(f->instrs[i]) == predicate) {
            *at = i;
            return true;
        }
        if (sass_flow_may_write(f->instrs[i], predicate))
            return false;
    }
    return false;
}

static bool stays(const SassFlow *f, size_t first, size_t end, SassInstr comparison)
{
    for (size_t i = first; i < end; i++)
        if (sass_opcode(f->instrs[i]) != SASS_OP_ISETP && may_change(f->instrs[i], comparison))
            return false;
    return true;
}

/* The guard of a two-way BRA that nothing else decides; else SASS_ALWAYS. */
static int branch_predicate(const SassFlow *f, int block, bool *negated)
{
    const CfgBlock *b = &f->cfg->blocks[block];
    if (b->succ_count != 2 || b->end == b->first)
        return SASS_ALWAYS;
    const SassInstr branch = f->instrs[b->end - 1];
    if (sass_opcode(branch) != SASS_OP_BRA || sass_has_condition(branch))
        return SASS_ALWAYS;
    return sass_guard(branch, negated);
}

SassSettled sass_flow_settled(const SassFlow *f, int block, size_t instr)
{
    const CfgBlock *b = &f->cfg->blocks[block];
    bool negated, branch_negated;
    const int guard = sass_guard(f->instrs[instr], &negated);
    size_t here, there;
    if (guard == SASS_ALWAYS || b->pred_count != 1 || b->preds[0] == block)
        return SASS_OPEN;
    const CfgBlock *from = &f->cfg->blocks[b->preds[0]];
    const int decided = branch_predicate(f, b->preds[0], &branch_negated);
    if (decided == SASS_ALWAYS || !find_comparison(f, block, instr, guard, &here) ||
        !find_comparison(f, b->preds[0], from->end - 1, decided, &there) ||
        !same_comparison(f->instrs[here], f->instrs[there]) ||
        !stays(f, there, from->end - 1, f->instrs[there]) ||
        !stays(f, b->first, here, f->instrs[there]))
        return SASS_OPEN;
    const bool holds = (from->taken == block) != branch_negated;
    return holds != negated ? SASS_EACH_TIME : SASS_NEVER;
}

/* The last instruction of a block that may write a predicate; SIZE_MAX without one. */
static size_t last_write(const SassFlow *f, int block, int predicate)
{
    const CfgBlock *b = &f->cfg->blocks[block];
    for (size_t i = b->end; i-- > b->first;)
        if (sass_flow_may_write(f->instrs[i], predicate))
            return i;
    return SIZE_MAX;
}

/* The comparison that a comparison of upper halves (.EX) continues, of the same block; any other itself; SIZE_MAX if it is
 * not there. */
static size_t of_lower_halves(const SassFlow *f, int block, size_t i)
{
    const SassInstr w = f->instrs[i];
    const int below = (int)(w.high >> 4 & PREDICATE_BITS);
    if (sass_opcode(w) != SASS_OP_ISETP || !(w.high >> 8 & 1))
        return i;
    const CfgBlock *b = &f->cfg->blocks[block];
    while (i-- > b->first)
        if (sass_flow_may_write(f->instrs[i], below))
            return i;
    return SIZE_MAX;
}

bool sass_flow_decision(Arena *a, const SassFlow *f, int block, SassInstr *comparison,
                        bool *negated)
{
    const Cfg *c = f->cfg;
    const int predicate = branch_predicate(f, block, negated);
    if (predicate == SASS_ALWAYS)
        return false;
    bool *seen = ARENA_ARRAY(a, bool, (size_t)c->count), any = false;
    int *todo = ARENA_ARRAY(a, int, (size_t)c->count + 1), count = 0;
    todo[count++] = block;
    while (count > 0) {
        const int at = todo[--count];
        const CfgBlock *b = &c->blocks[at];
        size_t i = last_write(f, at, predicate);
        if (i == SIZE_MAX) {
            if (at == 0 || b->pred_count == 0)
                return false;
            for (int k = 0; k < b->pred_count; k++)
                if (!seen[b->preds[k]]) {
                    seen[b->preds[k]] = true;
                    todo[count++] = b->preds[k];
                }
            continue;
        }
        if (first_result(f->instrs[i]) != predicate || !compares(f->instrs[i]) ||
            (i = of_lower_halves(f, at, i)) == SIZE_MAX)
            return false;
        const SassInstr w = f->instrs[i];
        const int op = sass_opcode(w);
        if ((op != SASS_OP_ISETP && op != SASS_OP_FSETP && op != SASS_OP_DSETP) || !compares(w) ||
            (any && !same_comparison(w, *comparison)))
            return false;
        *comparison = w;
        any = true;
    }
    return any;
}
