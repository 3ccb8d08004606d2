#include "metrics/ptx/trip.h"

#include <inttypes.h>

/* Operands inspected per value; compilers need three or four. */
enum { TRIP_BUDGET = 64 };

static const size_t no_instr = SIZE_MAX;

/* --- affine values --------------------------------------------------------------------------- */

static bool same_atom(const TripAtom *a, const TripAtom *b)
{
    return a->param == b->param && a->offset == b->offset && a->special == b->special &&
           a->moving == b->moving;
}

/* out += factor × x; false if it does not fit. */
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

/* Terms with a nonzero factor. */
static int count_terms(const TripAffine *x)
{
    int n = 0;
    for (int i = 0; i < x->count; i++)
        n += x->factors[i] != 0;
    return n;
}

/* True if it depends on register values at an iteration's start. */
static bool is_moving(const TripAffine *x)
{
    for (int i = 0; i < x->count; i++)
        if (x->factors[i] != 0 && x->atoms[i].moving)
            return true;
    return false;
}

/* --- reaching definitions -------------------------------------------------------------------- */

/* Where a value is evaluated. */
typedef struct Slice {
    const Flow *w;
    int loop;   /* an iteration of it; CFG_NONE: before all relevant loops */
    int budget; /* operands that may still be inspected */
} Slice;

static bool comes_before(const Flow *w, size_t def, size_t use)
{
    const int d = w->cfg->block_of[def], u = w->cfg->block_of[use];
    return d == u ? def < use : dom_dominates(w->dom, d, u);
}

/* The only obvious definition of a register before `loop` (CFG_NONE: anywhere) to reach `use`, or no_instr. */
static size_t reaching(const Flow *w, int reg, size_t use, int loop)
{
    const FlowWrites *l = &w->writes[reg];
    const int at = w->cfg->block_of[use];
    const int around = loop == CFG_NONE ? w->loops->loop_of[at] : w->loops->loops.at[loop].parent;
    size_t best = no_instr;
    for (size_t i = 0; i < l->count; i++)
        if (comes_before(w, l->at[i], use) && (best == no_instr || comes_before(w, best, l->at[i])))
            best = l->at[i];
    for (size_t i = 0; i < l->count && best != no_instr; i++) {
        const size_t d = l->at[i];
        const int block = w->cfg->block_of[d], order = w->cfg->blocks[block].order;
        const bool later = order > w->cfg->blocks[at].order && around == CFG_NONE;
        const bool within = loop != CFG_NONE && loop_contains(w->loops, loop, block);
        if (d != best && !comes_before(w, d, best) && !later && !within && order != CFG_NONE)
            return no_instr;
    }
    return best;
}

static bool affine_instr(Slice *s, size_t i, TripAffine *out);

static bool affine_atom(TripAtom atom, TripAffine *out)
{
    *out = (TripAffine){.count = 1, .atoms = {atom}, .factors = {1}};
    return true;
}

/* The value of a register at an instruction; in a loop, in terms of register values at an iteration's
 * start. `use` no_instr: at the iteration's end. */
static bool value_of(Slice *s, int reg, size_t use, TripAffine *out)
{
    const Flow *w = s->w;
    const int loop = s->loop;
    if (loop != CFG_NONE) {
        size_t def = 0;
        const size_t writes = flow_writes_in_loop(w, reg, loop, &def);
        if (writes > 1)
            return false;
        if (writes && use != no_instr && !comes_before(w, def, use))
            return affine_atom((TripAtom){.moving = true, .offset = reg}, out);
        if (writes)
            return affine_instr(s, def, out);
        use = w->cfg->blocks[w->loops->loops.at[loop].header].first;
    }
    const size_t def = reaching(w, reg, use, loop);
    s->loop = CFG_NONE;
    const bool known = def != no_instr && affine_instr(s, def, out);
    s->loop = loop;
    return known;
}

static bool affine_operand(Slice *s, const PtxOperand *o, size_t use, TripAffine *out)
{
    if (s->budget-- <= 0)
        return false;
    if (o->kind == PTX_OPERAND_IMMEDIATE) {
        *out = (TripAffine){.constant = o->value};
        return true;
    }
    if (o->kind == PTX_OPERAND_SPECIAL && o->index == PTX_WARP_SIZE) {
        *out = (TripAffine){.constant = PTX_LANES};
        return true;
    }
    if (o->kind == PTX_OPERAND_SPECIAL && o->index != PTX_SPECIAL_OTHER)
        return affine_atom((TripAtom){.special = (PtxSpecial)o->index}, out);
    return o->kind == PTX_OPERAND_REGISTER && !o->name && value_of(s, o->index, use, out);
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

/* One factor must be a constant. */
static bool multiply(TripAffine *out, const TripAffine *by)
{
    const TripAffine a = *out;
    const bool scales = count_terms(by) == 0;
    *out = (TripAffine){0};
    return (scales || count_terms(&a) == 0) &&
           add_scaled(out, scales ? &a : by, scales ? by->constant : a.constant);
}

static bool affine_instr(Slice *s, size_t i, TripAffine *out)
{
    const PtxInstr *in = &s->w->function->instrs.at[i];
    const PtxForm *f = in->form;
    const int count = in->count - 1;
    const bool low = f->half != PTX_HIGH;
    TripAffine v[3];
    if (in->guard != PTX_NO_GUARD || ptx_type_is_float(f->types[0]) ||
        ptx_type_is_float(ptx_source_type(f)) || count < 1 || count > 3)
        return false;
    if (f->op == PTX_LD)
        return f->space == PTX_PARAM && affine_param(in, out);
    for (int k = 0; k < count; k++)
        if (!affine_operand(s, &in->operands[1 + k], i, &v[k]))
            return false;
    *out = v[0];
    switch (f->op) {
    case PTX_MOV:
    case PTX_CVT:
    case PTX_CVTA:
        return count == 1;
    case PTX_ADD:
    case PTX_SUB:
        return count == 2 && add_scaled(out, &v[1], f->op == PTX_ADD ? 1 : -1);
    case PTX_MUL:
        return count == 2 && low && multiply(out, &v[1]);
    case PTX_MAD:
        return count == 3 && low && multiply(out, &v[1]) && add_scaled(out, &v[2], 1);
    case PTX_SHL:
        if (count != 2 || count_terms(&v[1]) > 0 || v[1].constant < 0 || v[1].constant >= 32)
            return false;
        v[1].constant = INT64_C(1) << v[1].constant;
        return multiply(out, &v[1]);
    default:
        return false;
    }
}

/* --- induction ------------------------------------------------------------------------------- */

/* True if it is a register's value at an iteration's start plus a constant; gives the register. Larger
 * 32-bit constants may be meant as negative. */
static bool is_moved(const TripAffine *x, int *reg)
{
    int k = 0;
    while (k < x->count && x->factors[k] == 0)
        k++;
    if (count_terms(x) != 1 || x->factors[k] != 1 || !x->atoms[k].moving ||
        x->constant != (int32_t)x->constant)
        return false;
    *reg = (int)x->atoms[k].offset;
    return true;
}

typedef struct Test {
    size_t branch;
    size_t setp;
    PtxCompare stay; /* the loop continues while operand 1 `stay` operand 2 */
} Test;

/* The comparison's negation, and the comparison with operands swapped; 0 except for the six plain ones. */
static const uint8_t inverses[] = {[PTX_EQ] = PTX_NE, [PTX_NE] = PTX_EQ, [PTX_LT] = PTX_GE,
                                   [PTX_LE] = PTX_GT, [PTX_GT] = PTX_LE, [PTX_GE] = PTX_LT};
static const uint8_t mirrored[] = {[PTX_EQ] = PTX_EQ, [PTX_NE] = PTX_NE, [PTX_LT] = PTX_GT,
                                   [PTX_LE] = PTX_GE, [PTX_GT] = PTX_LT, [PTX_GE] = PTX_LE};

/* The plain form of a signed or unsigned comparison, or PTX_NO_COMPARE. */
static PtxCompare plain(PtxCompare c)
{
    if (c >= PTX_LO && c <= PTX_HS)
        return (PtxCompare)(c - PTX_LO + PTX_LT);
    return c <= PTX_GE ? c : PTX_NO_COMPARE;
}

/* The comparison that decides a branch out of the loop. */
static bool find_test(const Flow *w, int loop, LoopEdge exit, Test *t)
{
    const PtxInstr *branch = cfg_branch(w->cfg, exit.from);
    if (!branch || branch->form->op != PTX_BRA || branch->guard == PTX_NO_GUARD)
        return false;
    bool negated = branch->guard_negated;
    size_t def = 0, writes = flow_writes_in_loop(w, branch->guard, loop, &def);
    t->branch = w->cfg->blocks[exit.from].end - 1;
    for (int depth = 0; depth < 4 && writes == 1; depth++) {
        const PtxInstr *in = &w->function->instrs.at[def];
        if (in->form->op == PTX_NOT && in->count == 2 &&
            in->operands[1].kind == PTX_OPERAND_REGISTER) {
            negated = !negated;
            writes = flow_writes_in_loop(w, in->operands[1].index, loop, &def);
            continue;
        }
        if (in->form->op != PTX_SETP || in->count != 3 || in->guard != PTX_NO_GUARD ||
            in->operands[0].kind != PTX_OPERAND_REGISTER || ptx_type_is_float(in->form->types[0]))
            return false;
        const bool leaves = w->cfg->blocks[exit.from].taken == exit.to;
        t->setp = def;
        t->stay = plain(in->form->compare);
        if (leaves != negated)
            t->stay = (PtxCompare)inverses[t->stay];
        return t->stay != PTX_NO_COMPARE;
    }
    return false;
}

static Trip unknown(const char *reason)
{
    return (Trip){.reason = reason};
}

/* Solves for sum and divisor: tests that continue the loop, plus one if the body comes first. */
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
        t->sum.constant -= size - 1; /* must hit the bound exactly */
    return add_scaled(&t->sum, &t->bound, up ? 1 : -1) &&
           add_scaled(&t->sum, &t->start, up ? -1 : 1);
}

static Trip trip_of_test(const Flow *w, int loop, const Test *test)
{
    const Loop *l = &w->loops->loops.at[loop];
    const PtxInstr *in = &w->function->instrs.at[test->setp];
    const int block = w->cfg->block_of[test->branch];
    Trip t = {.compare = test->stay, .at_bottom = block != l->header || l->blocks.count == 1};
    TripAffine sides[2], next;
    bool known[2], fixed[2];
    for (int i = 0; i < 2; i++) {
        const PtxOperand *o = &in->operands[1 + i];
        Slice s = {w, loop, TRIP_BUDGET};
        known[i] = affine_operand(&s, o, test->setp, &sides[i]);
        /* NVVM often reloads parameters where it needs them. */
        fixed[i] = o->kind != PTX_OPERAND_REGISTER ||
                   !flow_writes_in_loop(w, o->index, loop, NULL) ||
                   (known[i] && !is_moving(&sides[i]));
    }
    const int m = fixed[0] ? 1 : 0;
    if (m == 1)
        t.compare = (PtxCompare)mirrored[t.compare];
    if (in->operands[1 + m].kind != PTX_OPERAND_REGISTER || !fixed[1 - m])
        return unknown("both sides of its test change, or neither");
    int reg = 0, again = 0;
    Slice s = {w, loop, TRIP_BUDGET};
    if (!known[m] || !is_moved(&sides[m], &reg))
        return unknown("the compared value is not a register plus a constant");
    if (!value_of(&s, reg, no_instr, &next) || !is_moved(&next, &again) || again != reg)
        return unknown("the compared value does not change by a constant");
    t.step = next.constant;
    const size_t header = w->cfg->blocks[l->header].first, before = reaching(w, reg, header, loop);
    s = (Slice){w, CFG_NONE, TRIP_BUDGET};
    if (before == no_instr || !affine_instr(&s, before, &t.start))
        return unknown("its start is not affine in the parameters");
    if (!known[1 - m])
        return unknown("its bound is not affine in the parameters");
    t.bound = sides[1 - m];
    if (!solve(&t, sides[m].constant))
        return unknown("its test does not fit its step");
    t.known = true;
    t.other_exits = l->exits.count > 1;
    return t;
}

Trip trip_find(const Flow *w, int loop)
{
    const Loop *l = &w->loops->loops.at[loop];
    Trip best = unknown(l->exits.count ? "no integer comparison ends it" : "it has no exit");
    for (size_t i = 0; i < l->exits.count; i++) {
        Test test = {0};
        if (!loop_always(w->dom, l, l->exits.at[i].from) ||
            !find_test(w, loop, l->exits.at[i], &test))
            continue;
        const Trip t = trip_of_test(w, loop, &test);
        if (t.known)
            return t;
        best = t;
    }
    return best;
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
    if (!t->known) {
        buf_printf(out, "unknown, because %s", t->reason);
        return;
    }
    if (count_terms(&t->sum) == 0) {
        const int64_t least = t->at_bottom, count = t->sum.constant / t->divisor;
        buf_printf(out, "%" PRId64, count > least ? count : least);
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
