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

/* Valid configurations kept: a gigabyte of ranks. */
enum { CONFIGURATION_LIMIT = 1 << 27 };

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
    size_t *level;    /* of each derived name, see note_level */
    Value *slots;
    size_t capacity; /* of ranks */
    Diag *d;
    const SpaceWatch *watch; /* NULL: nobody */
    uint64_t judged;
} Walk;

/* --- planning ------------------------------------------------------------------------------- */

/* The level of an expression: 0 when it uses no parameter, p + 1 when parameter p is the last it
 * uses. */
typedef struct Level {
    const Spec *spec;
    const size_t *derived;
    size_t level;
} Level;

static void note_level(void *context, int slot)
{
    Level *l = context;
    size_t first = spec_parameter_slot(l->spec, 0), derived = spec_derived_slot(l->spec, 0);
    size_t at = (size_t)slot, level = 0;
    if (at >= derived)
        level = l->derived[at - derived];
    else if (at >= first)
        level = at - first + 1;
    if (level > l->level)
        l->level = level;
}

static size_t level_of(const Walk *w, const Expr *e)
{
    Level l = {w->space->spec, w->level, 0};
    expr_visit_names(e, note_level, &l);
    return l.level;
}

typedef struct Wanted {
    size_t first; /* slot of the first derived name */
    bool *derived;
} Wanted;

static void note_wanted(void *context, int slot)
{
    const Wanted *w = context;
    if ((size_t)slot >= w->first)
        w->derived[(size_t)slot - w->first] = true;
}

/* Checks for the derived names that `e` uses, and those they use, unless there are some already. */
static void plan_derived(Walk *w, const Expr *e)
{
    const Spec *s = w->space->spec;
    Wanted wanted = {spec_derived_slot(s, 0), memory_zeroed(s->derived_count, sizeof(bool))};
    expr_visit_names(e, note_wanted, &wanted);
    for (size_t k = s->derived_count; k-- > 0;) /* a derived name uses only earlier ones */
        if (wanted.derived[k])
            expr_visit_names(s->derived[k].value, note_wanted, &wanted);
    for (size_t k = 0; k < s->derived_count; k++) {
        if (!wanted.derived[k] || w->planned[k])
            continue;
        w->planned[k] = true;
        VEC_PUSH(w->arena, &w->checks[w->level[k]],
                 ((Check){CHECK_DERIVE, s->derived[k].value, wanted.first + k}));
    }
    free(wanted.derived);
}

static void plan(Walk *w)
{
    const Spec *s = w->space->spec;
    for (size_t k = 0; k < s->derived_count; k++)
        w->level[k] = level_of(w, s->derived[k].value);
    for (size_t p = 0; p < s->parameter_count; p++) {
        if (!s->parameters[p].dependent)
            continue;
        for (size_t i = 0; i < s->parameters[p].item_count; i++)
            plan_derived(w, s->parameters[p].items[i]);
        VEC_PUSH(w->arena, &w->checks[p + 1], ((Check){CHECK_MEMBER, NULL, p}));
    }
    for (size_t i = 0; i < s->constraint_count; i++) {
        size_t count;
        Expr **parts = expr_conjuncts(w->arena, s->constraints[i].condition, &count);
        for (size_t k = 0; k < count; k++) {
            plan_derived(w, parts[k]);
            VEC_PUSH(w->arena, &w->checks[level_of(w, parts[k])],
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
    diag_error(w->d, ev->error_at,
               level ? "%s (with %s); a require line before it can exclude this" : "%s%s",
               ev->error, buf_text(&text));
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

/* Takes `count` neighbouring ranks; false after a message when they are too many. */
static bool keep(Walk *w, uint64_t first, uint64_t count)
{
    Space *s = w->space;
    if (count > CONFIGURATION_LIMIT - s->count)
        return diag_fail(w->d,
                         "more than %d configurations are valid; leave out values or require "
                         "more of them",
                         CONFIGURATION_LIMIT);
    if (s->count + count > w->capacity) {
        while (s->count + count > w->capacity)
            w->capacity = w->capacity ? w->capacity * 2 : 1024;
        s->ranks = memory_resize(s->ranks, w->capacity, sizeof *s->ranks);
    }
    for (uint64_t i = 0; i < count; i++)
        s->ranks[s->count + i] = first + i;
    s->count += (size_t)count;
    return true;
}

/* Points are decided in the order of their ranks. */
static bool go_on(Walk *w, uint64_t decided)
{
    enum { EVERY = 1 << 18 };
    const Space *s = w->space;
    if (!w->watch || ++w->judged % EVERY != 0 ||
        w->watch->go_on(w->watch->context, decided, s->product, s->count))
        return true;
    return diag_fail(w->d,
                     "stopped: %llu of %llu points of the product are decided (%.2g %%), %zu of "
                     "them are valid; in all there are at most %llu more",
                     (unsigned long long)decided, (unsigned long long)s->product,
                     100 * (double)decided / (double)s->product, s->count,
                     (unsigned long long)(s->product - decided));
}

/* Tries all values of parameter p and of those after it; the ones before have values. */
static bool walk(Walk *w, size_t p, uint64_t rank)
{
    const Space *s = w->space;
    if (p == s->spec->parameter_count || w->free_below[p])
        return keep(w, rank, p == s->spec->parameter_count ? 1 : s->stride[p] * s->values[p].count);
    Value *slot = &w->slots[spec_parameter_slot(s->spec, p)];
    for (size_t i = 0; i < s->values[p].count; i++, rank += s->stride[p]) {
        *slot = s->values[p].at[i];
        Verdict verdict = judge(w, p + 1, s->stride[p]);
        if (!go_on(w, rank))
            return false;
        if (verdict == VERDICT_ERROR || (verdict == VERDICT_ALLOWED && !walk(w, p + 1, rank)))
            return false;
    }
    return true;
}

/* --- the product ------------------------------------------------------------------------------ */

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
    return space_build_watched(a, spec, problem, NULL, out, d);
}

bool space_build_watched(Arena *a, const Spec *spec, size_t problem, const SpaceWatch *watch,
                         Space *out, Diag *d)
{
    *out = (Space){.spec = spec, .problem = problem};
    if (!find_product(a, out, d))
        return false;
    out->rejected = ARENA_ARRAY(a, uint64_t, spec->constraint_count);
    out->refused = ARENA_ARRAY(a, uint64_t, spec->parameter_count);
    Walk w = {.space = out, .arena = a, .scratch = arena_new(), .watch = watch, .d = d};
    w.checks = ARENA_ARRAY(a, CheckVec, spec->parameter_count + 1);
    w.free_below = ARENA_ARRAY(a, bool, spec->parameter_count + 1);
    w.planned = ARENA_ARRAY(a, bool, spec->derived_count);
    w.level = ARENA_ARRAY(a, size_t, spec->derived_count);
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
