#include "metrics/ptx/trip.h"

#include <inttypes.h>

/* Definitions followed from one value; compilers need three or four. */
enum { TRIP_DEPTH = 24, TRIP_BUDGET = 64 };

static const size_t no_instr = SIZE_MAX;

/* --- affine values ----------------------------------------------------------------------- */

static bool same_atom(const TripAtom *a, const TripAtom *b)
{
    return a->param == b->param && a->offset == b->offset && a->special == b->special;
}

/* out += factor × x; false when it does not fit. */
static bool add_scaled(TripAffine *out, const TripAffine *x, int64_t factor)
{
    int64_t p = 0;
    if (__builtin_mul_overflow(x->constant, factor, &p) ||
        __builtin_add_overflow(out->constant, p, &out->constant))
        return false;
    for (int i = 0; i < x->count; i++) {
        int k = 0;
        while (k < out->count && !same_atom(&out->atoms[k], &x->atoms[i]))
            k++;
        if (k == TRIP_TERMS)
            return false;
        if (k == out->count)
            out->atoms[out->count++] = x->atoms[i];
        if (__builtin_mul_overflow(x->factors[i], factor, &p) ||
            __builtin_add_overflow(out->factors[k], p, &out->factors[k]))
            return false;
    }
    return true;
}

static bool is_constant(const TripAffine *x)
{
    for (int i = 0; i < x->count; i++)
        if (x->factors[i] != 0)
            return false;
    return true;
}

/* --- definitions that reach -------------------------------------------------------------- */

static bool comes_before(const Flow *w, size_t def, size_t use)
{
    const int d = w->cfg->block_of[def], u = w->cfg->block_of[use];
    return d == u ? def < use : dom_dominates(w->dom, d, u);
}

/* The only definition of a register that can reach an instruction, all loops closed to the
 * definition's own; no_instr when that is not plain to see. */
static size_t reaching(const Flow *w, int reg, size_t use)
{
    const DefUseList *l = &w->uses->defs[reg];
    size_t best = no_instr;
    for (size_t i = 0; i < l->count; i++)
        if (comes_before(w, l->at[i], use) && (best == no_instr || comes_before(w, best, l->at[i])))
            best = l->at[i];
    const CfgBlock *at = &w->cfg->blocks[w->cfg->block_of[use]];
    for (size_t i = 0; i < l->count && best != no_instr; i++) {
        const size_t d = l->at[i];
        const CfgBlock *b = &w->cfg->blocks[w->cfg->block_of[d]];
        const bool later =
            b->order > at->order && w->loops->loop_of[w->cfg->block_of[use]] == CFG_NONE;
        const bool unreachable = b->order == CFG_NONE;
        if (d != best && !comes_before(w, d, best) && !later && !unreachable)
            return no_instr;
    }
    return best;
}

static bool affine_operand(const Flow *w, const PtxOperand *o, size_t use, int *budget,
                           TripAffine *out);

static bool affine_atom(TripAtom atom, TripAffine *out)
{
    *out = (TripAffine){.count = 1, .atoms = {atom}, .factors = {1}};
    return true;
}

static bool affine_param(const PtxInstr *in, TripAffine *out)
{
    const PtxOperand *o = &in->operands[1];
    const int bits = ptx_type_bits(in->form->types[0]);
    if (bits < 8 || bits > 64 || in->count != 2 || in->form->vector != 1 ||
        o->kind != PTX_OPERAND_ADDRESS || o->parts[0].kind != PTX_OPERAND_VARIABLE ||
        !o->parts[0].variable->is_parameter)
        return false;
    const PtxVariable *v = o->parts[0].variable;
    if (!v->function || !v->function->is_entry)
        return false;
    return affine_atom((TripAtom){.param = v, .offset = o->value, .type = in->form->types[0]}, out);
}

static bool affine_sum(const Flow *w, const PtxInstr *in, size_t i, int64_t sign, int *budget,
                       TripAffine *out)
{
    TripAffine b;
    return affine_operand(w, &in->operands[1], i, budget, out) &&
           affine_operand(w, &in->operands[2], i, budget, &b) && add_scaled(out, &b, sign);
}

static bool affine_product(const Flow *w, const PtxInstr *in, size_t i, int *budget,
                           TripAffine *out)
{
    TripAffine a, b;
    if (in->form->half == PTX_HIGH || !affine_operand(w, &in->operands[1], i, budget, &a) ||
        !affine_operand(w, &in->operands[2], i, budget, &b))
        return false;
    *out = (TripAffine){0};
    if (is_constant(&b))
        return add_scaled(out, &a, b.constant);
    return is_constant(&a) && add_scaled(out, &b, a.constant);
}

static bool affine_shift(const Flow *w, const PtxInstr *in, size_t i, int *budget, TripAffine *out)
{
    TripAffine a;
    const PtxOperand *o = &in->operands[2];
    *out = (TripAffine){0};
    return o->kind == PTX_OPERAND_IMMEDIATE && o->value >= 0 && o->value < 32 &&
           affine_operand(w, &in->operands[1], i, budget, &a) &&
           add_scaled(out, &a, INT64_C(1) << o->value);
}

static bool affine_instr(const Flow *w, size_t i, int *budget, TripAffine *out)
{
    const PtxInstr *in = &w->function->instrs.at[i];
    const PtxForm *f = in->form;
    TripAffine c;
    if (in->guard != PTX_NO_GUARD || ptx_type_is_float(f->types[0]) || in->count < 2)
        return false;
    switch (f->op) {
    case PTX_LD:
        return f->space == PTX_PARAM && affine_param(in, out);
    case PTX_MOV:
    case PTX_CVT:
    case PTX_CVTA:
        return !ptx_type_is_float(ptx_source_type(f)) &&
               affine_operand(w, &in->operands[1], i, budget, out);
    case PTX_ADD:
        return in->count == 3 && affine_sum(w, in, i, 1, budget, out);
    case PTX_SUB:
        return in->count == 3 && affine_sum(w, in, i, -1, budget, out);
    case PTX_MUL:
        return in->count == 3 && affine_product(w, in, i, budget, out);
    case PTX_MAD:
        return in->count == 4 && affine_product(w, in, i, budget, out) &&
               affine_operand(w, &in->operands[3], i, budget, &c) && add_scaled(out, &c, 1);
    case PTX_SHL:
        return in->count == 3 && affine_shift(w, in, i, budget, out);
    default:
        return false;
    }
}

static bool affine_operand(const Flow *w, const PtxOperand *o, size_t use, int *budget,
                           TripAffine *out)
{
    if ((*budget)-- <= 0)
        return false;
    if (o->kind == PTX_OPERAND_IMMEDIATE) {
        *out = (TripAffine){.constant = o->value};
        return true;
    }
    if (o->kind == PTX_OPERAND_SPECIAL && o->index != PTX_SPECIAL_OTHER)
        return affine_atom((TripAtom){.special = (PtxSpecial)o->index}, out);
    if (o->kind != PTX_OPERAND_REGISTER || o->name)
        return false;
    const size_t def = reaching(w, o->index, use);
    return def != no_instr && affine_instr(w, def, budget, out);
}

/* --- induction --------------------------------------------------------------------------- */

/* The only definition in a loop; no_instr when there is none, `many` when there are more. */
static size_t definition_in_loop(const Flow *w, int loop, int reg, bool *many)
{
    const DefUseList *l = &w->uses->defs[reg];
    size_t found = no_instr;
    *many = false;
    for (size_t i = 0; i < l->count; i++) {
        if (!loop_contains(w->loops, loop, w->cfg->block_of[l->at[i]]))
            continue;
        *many |= found != no_instr;
        found = l->at[i];
    }
    return found;
}

/* One step of a chain of moves and additions of constants. */
static bool step_back(const PtxInstr *in, int *reg, int64_t *offset)
{
    const PtxForm *f = in->form;
    if (in->guard != PTX_NO_GUARD || in->count < 2 ||
        in->operands[1].kind != PTX_OPERAND_REGISTER || in->operands[1].name)
        return false;
    *reg = in->operands[1].index;
    if (f->op == PTX_MOV)
        return true;
    if ((f->op != PTX_ADD && f->op != PTX_SUB) || ptx_type_is_float(f->types[0]) ||
        in->count != 3 || in->operands[2].kind != PTX_OPERAND_IMMEDIATE)
        return false;
    const int64_t n = in->operands[2].value;
    if (n < INT32_MIN || n > INT32_MAX)
        return false;
    *offset += f->op == PTX_ADD ? n : -n;
    return true;
}

/* Follows a register back to the value it has when an iteration starts: `*reg` there, plus
 * `*offset`.  `use` is where it is read; no_instr means at the end of the iteration. */
static bool to_start_of_iteration(const Flow *w, int loop, int *reg, size_t use, int64_t *offset)
{
    for (int depth = 0; depth < TRIP_DEPTH; depth++) {
        bool many = false;
        const size_t def = definition_in_loop(w, loop, *reg, &many);
        if (many)
            return false;
        if (def == no_instr || (use != no_instr && !comes_before(w, def, use)))
            return true;
        if (!step_back(&w->function->instrs.at[def], reg, offset))
            return false;
        use = def;
    }
    return false;
}

typedef struct Test {
    size_t branch;
    size_t setp;
    PtxCompare stay; /* while operand 1 `stay` operand 2 */
    bool is_unsigned;
} Test;

static PtxCompare inverse(PtxCompare c)
{
    switch (c) {
    case PTX_EQ:
        return PTX_NE;
    case PTX_NE:
        return PTX_EQ;
    case PTX_LT:
        return PTX_GE;
    case PTX_GE:
        return PTX_LT;
    case PTX_LE:
        return PTX_GT;
    case PTX_GT:
        return PTX_LE;
    default:
        return PTX_NO_COMPARE;
    }
}

static PtxCompare mirrored(PtxCompare c)
{
    switch (c) {
    case PTX_LT:
        return PTX_GT;
    case PTX_GT:
        return PTX_LT;
    case PTX_LE:
        return PTX_GE;
    case PTX_GE:
        return PTX_LE;
    default:
        return c;
    }
}

static PtxCompare plain(PtxCompare c)
{
    switch (c) {
    case PTX_LO:
        return PTX_LT;
    case PTX_LS:
        return PTX_LE;
    case PTX_HI:
        return PTX_GT;
    case PTX_HS:
        return PTX_GE;
    default:
        return c;
    }
}

/* The comparison behind a branch out of the loop. */
static bool find_test(const Flow *w, int loop, LoopEdge exit, Test *t)
{
    const PtxInstr *branch = cfg_branch(w->cfg, exit.from);
    if (!branch || branch->form->op != PTX_BRA || branch->guard == PTX_NO_GUARD)
        return false;
    bool negated = branch->guard_negated, many = false;
    size_t def = definition_in_loop(w, loop, branch->guard, &many);
    t->branch = w->cfg->blocks[exit.from].end - 1;
    for (int depth = 0; depth < 4 && def != no_instr && !many; depth++) {
        const PtxInstr *in = &w->function->instrs.at[def];
        if (in->form->op == PTX_NOT && in->operands[1].kind == PTX_OPERAND_REGISTER) {
            negated = !negated;
            def = definition_in_loop(w, loop, in->operands[1].index, &many);
            continue;
        }
        if (in->form->op != PTX_SETP || in->count != 3 || in->guard != PTX_NO_GUARD ||
            in->operands[0].kind != PTX_OPERAND_REGISTER || ptx_type_is_float(in->form->types[0]))
            return false;
        const bool leaves = w->cfg->blocks[exit.from].taken == exit.to;
        t->setp = def;
        t->stay = plain(in->form->compare);
        t->is_unsigned = !ptx_type_is_signed(in->form->types[0]);
        if (leaves != negated)
            t->stay = inverse(t->stay);
        return t->stay != PTX_NO_COMPARE;
    }
    return false;
}

static Trip unknown(const char *reason)
{
    return (Trip){.reason = reason};
}

/* Every iteration makes the test: its block dominates the latches. */
static bool made_always(const Flow *w, const Loop *l, int block)
{
    for (size_t i = 0; i < l->latches.count; i++)
        if (!dom_dominates(w->dom, block, l->latches.at[i]))
            return false;
    return true;
}

/* What a register is worth in front of the loop. */
static bool value_before(const Flow *w, int loop, int reg, TripAffine *out)
{
    const Loop *l = &w->loops->loops.at[loop];
    const DefUseList *defs = &w->uses->defs[reg];
    const size_t header = w->cfg->blocks[l->header].first;
    size_t best = no_instr;
    int budget = TRIP_BUDGET;
    for (size_t i = 0; i < defs->count; i++) {
        const size_t d = defs->at[i];
        if (loop_contains(w->loops, loop, w->cfg->block_of[d]) || !comes_before(w, d, header))
            continue;
        if (best == no_instr || comes_before(w, best, d))
            best = d;
    }
    for (size_t i = 0; i < defs->count && best != no_instr; i++) {
        const size_t d = defs->at[i];
        const int block = w->cfg->block_of[d];
        const bool behind =
            l->depth == 1 && w->cfg->blocks[block].order > w->cfg->blocks[l->header].order;
        if (d != best && !loop_contains(w->loops, loop, block) && !comes_before(w, d, best) &&
            !behind)
            return false;
    }
    return best != no_instr && affine_instr(w, best, &budget, out);
}

/* Not changed by the loop: not written in it, or written from parameters alone, which NVVM likes
 * to load again where it needs them. */
static bool invariant_operand(const Flow *w, int loop, const PtxOperand *o, size_t use)
{
    TripAffine ignored;
    int budget = TRIP_BUDGET;
    return o->kind != PTX_OPERAND_REGISTER || !flow_defined_in_loop(w, o->index, loop) ||
           affine_operand(w, o, use, &budget, &ignored);
}

/* sum and divisor from start, bound, step: the number of tests that let the loop go on, plus one
 * when the body comes first. */
static bool solve(Trip *t, int64_t offset)
{
    const bool up = t->step > 0;
    const int64_t size = up ? t->step : -t->step;
    const bool fits = t->compare == PTX_NE ||
                      (up && (t->compare == PTX_LT || t->compare == PTX_LE)) ||
                      (!up && (t->compare == PTX_GT || t->compare == PTX_GE));
    if (t->step == 0 || !fits)
        return false;
    t->sum = (TripAffine){0};
    t->divisor = size;
    t->sum.constant = up ? -offset : offset;
    if (t->compare == PTX_LE || t->compare == PTX_GE)
        t->sum.constant++;
    t->sum.constant += size - 1 + (t->at_bottom ? size : 0);
    if (t->compare == PTX_NE)
        t->sum.constant -= size - 1; /* it must meet the bound exactly */
    return add_scaled(&t->sum, &t->bound, up ? 1 : -1) &&
           add_scaled(&t->sum, &t->start, up ? -1 : 1);
}

static Trip trip_of_test(const Flow *w, int loop, const Test *test)
{
    const Loop *l = &w->loops->loops.at[loop];
    const PtxInstr *in = &w->function->instrs.at[test->setp];
    const int block = w->cfg->block_of[test->branch];
    Trip t = {.compare = test->stay, .at_bottom = block != l->header || l->blocks.count == 1};
    const PtxOperand *moving = &in->operands[1], *bound = &in->operands[2];
    if (invariant_operand(w, loop, moving, test->setp)) {
        moving = &in->operands[2];
        bound = &in->operands[1];
        t.compare = mirrored(t.compare);
    }
    if (moving->kind != PTX_OPERAND_REGISTER || !invariant_operand(w, loop, bound, test->setp))
        return unknown("both sides of its test change, or neither");
    int reg = moving->index;
    int64_t offset = 0;
    int budget = TRIP_BUDGET;
    if (!to_start_of_iteration(w, loop, &reg, test->setp, &offset))
        return unknown("what its test compares is not a sum of constants");
    int again = reg;
    if (!to_start_of_iteration(w, loop, &again, no_instr, &t.step) || again != reg)
        return unknown("what its test compares does not change by a constant");
    if (!value_before(w, loop, reg, &t.start))
        return unknown("its start is not affine in the parameters");
    if (!affine_operand(w, bound, test->setp, &budget, &t.bound))
        return unknown("its bound is not affine in the parameters");
    if (!solve(&t, offset))
        return unknown("its test does not fit its step");
    t.known = true;
    t.other_exits = l->exits.count > 1;
    return t;
}

Trip trip_find(const Flow *w, int loop)
{
    const Loop *l = &w->loops->loops.at[loop];
    Trip best = unknown(l->exits.count ? "no test of an integer ends it" : "it has no exit");
    for (size_t i = 0; i < l->exits.count; i++) {
        Test test = {0};
        if (!made_always(w, l, l->exits.at[i].from) || !find_test(w, loop, l->exits.at[i], &test))
            continue;
        const Trip t = trip_of_test(w, loop, &test);
        if (t.known)
            return t;
        best = t;
    }
    return best;
}

static bool atom_value(const TripAtom *atom, const PtxLaunch *l, int64_t *value)
{
    uint64_t v = 0;
    if (atom->param) {
        const int bits = ptx_type_bits(atom->type);
        if (!ptx_launch_param(l, atom->param->offset + (uint64_t)atom->offset, bits / 8, &v))
            return false;
        *value = ptx_value_signed(v, bits); /* sizes are signed whatever NVVM loads them as */
        return true;
    }
    Lanes lanes;
    const PtxState s = {.launch = l};
    if (atom->special >= PTX_CTAID_X && atom->special <= PTX_CTAID_Z)
        return false; /* differs from block to block */
    ptx_eval_special(&s, atom->special, &lanes);
    *value = (int64_t)lanes.v[0];
    return lanes.uniform;
}

bool trip_value(const Trip *t, const PtxLaunch *l, int64_t *value)
{
    int64_t sum = t->sum.constant, v = 0;
    if (!t->known)
        return false;
    for (int i = 0; i < t->sum.count; i++) {
        if (t->sum.factors[i] == 0)
            continue;
        if (!atom_value(&t->sum.atoms[i], l, &v) ||
            __builtin_mul_overflow(v, t->sum.factors[i], &v) ||
            __builtin_add_overflow(sum, v, &sum))
            return false;
    }
    const int64_t least = t->at_bottom ? 1 : 0;
    *value = sum < 0 ? least : sum / t->divisor > least ? sum / t->divisor : least;
    return true;
}

static void print_atom(const TripAtom *a, Buf *out)
{
    if (!a->param) {
        buf_puts(out, ptx_special_name(a->special));
        return;
    }
    buf_printf(out, "param_%d", a->param->index);
    if (a->offset)
        buf_printf(out, "[%" PRId64 "]", a->offset);
}

static void trip_print_affine(const TripAffine *f, Buf *out)
{
    bool first = true;
    for (int i = 0; i < f->count; i++) {
        if (f->factors[i] == 0)
            continue;
        const uint64_t size =
            f->factors[i] < 0 ? 0 - (uint64_t)f->factors[i] : (uint64_t)f->factors[i];
        buf_puts(out, f->factors[i] < 0 ? (first ? "-" : " - ") : (first ? "" : " + "));
        if (size != 1)
            buf_printf(out, "%" PRIu64 " * ", size);
        print_atom(&f->atoms[i], out);
        first = false;
    }
    if (first)
        buf_printf(out, "%" PRId64, f->constant);
    else if (f->constant != 0)
        buf_printf(out, " %c %" PRIu64, f->constant < 0 ? '-' : '+',
                   f->constant < 0 ? 0 - (uint64_t)f->constant : (uint64_t)f->constant);
}

void trip_print(const Trip *t, Buf *out)
{
    int64_t constant = 0;
    const PtxLaunch nothing = {0};
    if (!t->known) {
        buf_printf(out, "unknown, because %s", t->reason);
        return;
    }
    if (trip_value(t, &nothing, &constant)) {
        buf_printf(out, "%" PRId64, constant);
    } else {
        const bool brackets = t->divisor != 1 && (t->sum.constant != 0 || t->sum.count > 1);
        buf_puts(out, brackets ? "(" : "");
        trip_print_affine(&t->sum, out);
        buf_puts(out, brackets ? ")" : "");
        if (t->divisor != 1)
            buf_printf(out, " / %" PRId64, t->divisor);
    }
    if (t->other_exits)
        buf_puts(out, " at most");
}
