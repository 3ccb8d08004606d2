/* Walks the product of all parameters and keeps what the constraints allow.
 *
 * Each constraint is split into its conjuncts, and each conjunct judged at the first
 * parameter where all it uses has values; so is the membership of a dependent
 * parameter's value.  Derived names are computed at that point too, only those that some
 * conjunct needs, and only just before the first one that needs them: a guard such as
 * `require TM > 0` protects the division in a later line. */
#include "tuner/space/space.h"

#include "metrics/base/vec.h"

#include <stdlib.h>

typedef enum CheckKind { CHECK_CONDITION, CHECK_MEMBER, CHECK_DERIVE } CheckKind;

/* One thing to do once a parameter has a value. */
typedef struct Check {
    CheckKind kind;
    const Expr *expr; /* condition, or value of a derived name */
    size_t index;     /* constraint, parameter, or slot of the derived name */
} Check;

typedef VEC(Check) CheckVec;

typedef struct Walk {
    Space *space;
    Arena *arena;
    Arena *scratch;
    CheckVec *checks; /* for each parameter; one more in front for those that need none */
    bool *free_below; /* no checks from this parameter on */
    bool *planned;    /* derived names that some check computes */
    Value *slots;
    size_t capacity; /* of ranks */
    Diag *d;
} Walk;

/* --- planning ------------------------------------------------------------------------------- */

typedef struct Level {
    const Spec *spec;
    size_t level; /* 0: uses no parameter; p + 1: parameter p is the last it uses */
} Level;

static void note_level(void *context, int slot)
{
    Level *l = context;
    const Spec *s = l->spec;
    size_t first = spec_parameter_slot(s, 0), derived = spec_derived_slot(s, 0);
    if ((size_t)slot >= derived) {
        expr_visit_names(s->derived[(size_t)slot - derived].value, note_level, l);
    } else if ((size_t)slot >= first && (size_t)slot - first + 1 > l->level) {
        l->level = (size_t)slot - first + 1;
    }
}

static size_t level_of(const Spec *s, const Expr *e)
{
    Level l = {s, 0};
    expr_visit_names(e, note_level, &l);
    return l.level;
}

static void plan_derived(void *context, int slot)
{
    Walk *w = context;
    const Spec *s = w->space->spec;
    size_t first = spec_derived_slot(s, 0);
    if ((size_t)slot < first || w->planned[(size_t)slot - first])
        return;
    size_t k = (size_t)slot - first;
    w->planned[k] = true;
    expr_visit_names(s->derived[k].value, plan_derived, w);
    Check c = {CHECK_DERIVE, s->derived[k].value, (size_t)slot};
    VEC_PUSH(w->arena, &w->checks[level_of(s, s->derived[k].value)], c);
}

static void plan(Walk *w)
{
    const Spec *s = w->space->spec;
    for (size_t p = 0; p < s->parameter_count; p++) {
        if (!s->parameters[p].dependent)
            continue;
        for (size_t i = 0; i < s->parameters[p].item_count; i++)
            expr_visit_names(s->parameters[p].items[i], plan_derived, w);
        VEC_PUSH(w->arena, &w->checks[p + 1], ((Check){CHECK_MEMBER, NULL, p}));
    }
    for (size_t i = 0; i < s->constraint_count; i++) {
        size_t count;
        Expr **parts = expr_conjuncts(w->arena, s->constraints[i].condition, &count);
        for (size_t k = 0; k < count; k++) {
            expr_visit_names(parts[k], plan_derived, w);
            VEC_PUSH(w->arena, &w->checks[level_of(s, parts[k])],
                     ((Check){CHECK_CONDITION, parts[k], i}));
        }
    }
    bool below = true;
    for (size_t p = s->parameter_count; p-- > 0;) {
        w->free_below[p] = below = below && w->checks[p + 1].count == 0;
    }
}

/* --- walking --------------------------------------------------------------------------------- */

static bool arithmetic_error(Walk *w, const Evaluation *ev, size_t level)
{
    Buf text = {0};
    const Spec *s = w->space->spec;
    for (size_t p = 0; p < level; p++) {
        buf_printf(&text, "%s%s=", p ? " " : "", s->parameters[p].name);
        value_print_bare(w->slots[spec_parameter_slot(s, p)], &text);
    }
    diag_error(w->d, ev->error_at, "%s%s%s", ev->error, level ? " with " : "", buf_text(&text));
    buf_free(&text);
    return false;
}

static bool is_true(Value v)
{
    return v.kind == VALUE_BOOL ? v.boolean : value_as_real(v) != 0;
}

typedef enum Verdict { VERDICT_ALLOWED, VERDICT_REJECTED, VERDICT_ERROR } Verdict;

/* Does what is to be done once the first `level` parameters have values.  `below` points of the
 * product hang on the outcome. */
static Verdict judge(Walk *w, size_t level, uint64_t below)
{
    const CheckVec *checks = &w->checks[level];
    Evaluation ev = {.arena = w->scratch};
    for (size_t i = 0; i < checks->count; i++) {
        const Check *c = &checks->at[i];
        Value v = value_bool(false);
        bool done;
        if (c->kind == CHECK_MEMBER)
            done = spec_parameter_allows(w->scratch, w->space->spec, c->index, w->slots, &ev,
                                         &v.boolean);
        else
            done = expr_eval(c->expr, w->slots, &ev, &v);
        if (arena_used(w->scratch) > 0)
            arena_reset(w->scratch);
        if (!done) {
            arithmetic_error(w, &ev, level);
            return VERDICT_ERROR;
        }
        if (c->kind == CHECK_DERIVE) {
            w->slots[c->index] = v;
        } else if (!is_true(v)) {
            (c->kind == CHECK_MEMBER ? w->space->refused : w->space->rejected)[c->index] += below;
            return VERDICT_REJECTED;
        }
    }
    return VERDICT_ALLOWED;
}

/* Takes `count` neighbouring ranks. */
static void keep(Walk *w, uint64_t first, uint64_t count)
{
    Space *s = w->space;
    if (s->count + count > w->capacity) {
        while (s->count + count > w->capacity)
            w->capacity = w->capacity ? w->capacity * 2 : 1024;
        s->ranks = memory_resize(s->ranks, w->capacity, sizeof *s->ranks);
    }
    for (uint64_t i = 0; i < count; i++)
        s->ranks[s->count + i] = first + i;
    s->count += (size_t)count;
}

/* Tries all values of parameter p and of those after it; the ones before have values. */
static bool walk(Walk *w, size_t p, uint64_t rank)
{
    const Space *s = w->space;
    if (p == s->spec->parameter_count || w->free_below[p]) {
        keep(w, rank, p == s->spec->parameter_count ? 1 : s->stride[p] * s->values[p].count);
        return true;
    }
    Value *slot = &w->slots[spec_parameter_slot(s->spec, p)];
    for (size_t i = 0; i < s->values[p].count; i++, rank += s->stride[p]) {
        *slot = s->values[p].at[i];
        Verdict verdict = judge(w, p + 1, s->stride[p]);
        if (verdict == VERDICT_ERROR || (verdict == VERDICT_ALLOWED && !walk(w, p + 1, rank)))
            return false;
    }
    return true;
}

/* --- the product -------------------------------------------------------------------------------
 */

static bool find_product(Arena *a, Space *s, Diag *d)
{
    size_t n = s->spec->parameter_count;
    s->values = ARENA_ARRAY(a, ValueList, n);
    s->stride = ARENA_ARRAY(a, uint64_t, n);
    for (size_t p = 0; p < n; p++)
        if (!spec_parameter_values(a, s->spec, p, s->problem, &s->values[p], d))
            return false;
    s->product = 1;
    for (size_t p = n; p-- > 0;) {
        s->stride[p] = s->product;
        if (__builtin_mul_overflow(s->product, s->values[p].count, &s->product))
            return diag_error(d, s->spec->parameters[p].at,
                              "the product of all parameters has more than 2^64 points; "
                              "leave out values or split the space");
    }
    return true;
}

bool space_build(Arena *a, const Spec *spec, size_t problem, Space *out, Diag *d)
{
    *out = (Space){.spec = spec, .problem = problem};
    if (!find_product(a, out, d))
        return false;
    out->rejected = ARENA_ARRAY(a, uint64_t, spec->constraint_count);
    out->refused = ARENA_ARRAY(a, uint64_t, spec->parameter_count);
    Walk w = {.space = out, .arena = a, .scratch = arena_new(), .d = d};
    w.checks = ARENA_ARRAY(a, CheckVec, spec->parameter_count + 1);
    w.free_below = ARENA_ARRAY(a, bool, spec->parameter_count + 1);
    w.planned = ARENA_ARRAY(a, bool, spec->derived_count);
    w.slots = ARENA_ARRAY(a, Value, spec_slot_count(spec));
    spec_set_problem(spec, problem, w.slots);
    plan(&w);
    Verdict first = judge(&w, 0, out->product);
    bool ok = first != VERDICT_ERROR && (first == VERDICT_REJECTED || walk(&w, 0, 0));
    arena_free(w.scratch);
    if (!ok)
        space_free(out);
    return ok;
}
