#include "tuner/space/space.h"

#include "tuner/space/diagram.h"
#include "tuner/space/plan.h"

#include <stdlib.h>

size_t space_place(const Space *s, uint64_t rank, size_t parameter)
{
    return (size_t)(rank / s->stride[parameter] % s->values[parameter].count);
}

/* The value that a rank has for a parameter. */
static Value value_at(const Space *s, uint64_t rank, size_t parameter)
{
    return s->values[parameter].at[space_place(s, rank, parameter)];
}

bool space_slots(const Space *s, uint64_t rank, Value *slots, Evaluation *ev)
{
    spec_set_problem(s->spec, s->problem, slots);
    for (size_t p = 0; p < s->spec->parameter_count; p++)
        slots[spec_parameter_slot(s->spec, p)] = value_at(s, rank, p);
    for (size_t k = 0; k < s->spec->derived_count; k++)
        if (!expr_eval(s->spec->derived[k].value, slots, ev, &slots[spec_derived_slot(s->spec, k)]))
            return false;
    return true;
}

static int rank_compare(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

void space_sort_ranks(Space *s)
{
    size_t distinct = 0;
    if (s->count > 1)
        qsort(s->ranks, s->count, sizeof *s->ranks, rank_compare);
    for (size_t i = 0; i < s->count; i++)
        if (i == 0 || s->ranks[i] != s->ranks[i - 1])
            s->ranks[distinct++] = s->ranks[i];
    s->count = distinct;
}

uint64_t space_rank_of(const Space *s, const uint16_t *places, const size_t *of, size_t count)
{
    uint64_t rank = 0;
    for (size_t k = 0; k < count; k++)
        rank += s->stride[of ? of[k] : k] * places[k];
    return rank;
}

bool space_rank(const Space *s, const Value *parameters, uint64_t *rank)
{
    *rank = 0;
    for (size_t p = 0; p < s->spec->parameter_count; p++) {
        size_t i = 0;
        while (i < s->values[p].count && !value_equal(s->values[p].at[i], parameters[p]))
            i++;
        if (i == s->values[p].count)
            return false;
        *rank += i * s->stride[p];
    }
    return true;
}

void space_complete(const Space *s, Value *parameters)
{
    SCOPED_ARENA *a = arena_new();
    SpacePlan *w = space_plan_new(a, s);
    Diag *unheard = DIAG_UNHEARD(a);
    const Check *by;
    Verdict v = space_plan_judge(w, 0, &by, unheard);
    for (size_t p = 0; p < s->spec->parameter_count && v == VERDICT_ALLOWED; p++) {
        Value *slot = space_plan_slot(w, p), only = parameters[p];
        size_t allowed = only.kind != VALUE_NONE;
        for (size_t i = 0; parameters[p].kind == VALUE_NONE && i < s->values[p].count; i++) {
            *slot = s->values[p].at[i];
            if (space_plan_judge(w, p + 1, &by, unheard) == VERDICT_ALLOWED) {
                only = *slot;
                allowed++;
            }
        }
        if (allowed != 1)
            break;
        *slot = parameters[p] = only;
        v = space_plan_judge(w, p + 1, &by, unheard); /* computes what follows from it */
    }
    space_plan_free(w);
}

bool space_has(const Space *s, uint64_t rank)
{
    if (!s->diagram)
        return s->count > 0 && bsearch(&rank, s->ranks, s->count, sizeof rank, rank_compare);
    SCOPED_ARENA *a = arena_new();
    uint16_t *point = ARENA_ARRAY(a, uint16_t, s->spec->parameter_count);
    for (size_t p = 0; p < s->spec->parameter_count; p++)
        point[p] = (uint16_t)space_place(s, rank, p);
    return space_diagram_has(s->diagram, point);
}

void space_print(const Space *s, size_t i, Buf *out)
{
    for (size_t p = 0; p < s->spec->parameter_count; p++) {
        buf_printf(out, "%s%s=", p ? " " : "", s->spec->parameters[p].name);
        value_print_named(value_at(s, s->ranks[i], p), out);
    }
}

typedef VEC(const Expr *) Checked;

static Checked checked_of(Arena *a, const Spec *s)
{
    Checked all = {0};
    EACH (const Derived, d, s->derived, s->derived_count)
        VEC_PUSH(a, &all, d->value);
    EACH (const Launch, l, s->launches, s->launch_count) {
        if (l->repeat_name)
            continue; /* it has no value here */
        for (int k = 0; k < 3; k++) {
            VEC_PUSH(a, &all, l->grid[k]);
            VEC_PUSH(a, &all, l->block[k]);
        }
        VEC_PUSH(a, &all, l->shared);
    }
    EACH (const Argument, g, s->arguments, s->argument_count)
        VEC_PUSH(a, &all, g->count);
    return all;
}

void space_check_divisions(Arena *a, const Space *s, size_t most, Diag *d)
{
    SCOPED_ARENA *scratch = arena_new();
    Checked all = checked_of(a, s->spec);
    Value *slots = ARENA_ARRAY(a, Value, spec_slot_count(s->spec)), v;
    const size_t steps = s->count < most ? s->count : most;
    for (size_t k = 0; k < steps; k++, arena_reset(scratch)) {
        const size_t config =
            steps == s->count ? k : (size_t)((double)k * (double)s->count / (double)steps);
        Evaluation slots_ev = {.arena = scratch};
        if (!space_slots(s, s->ranks[config], slots, &slots_ev))
            continue;
        VEC_EACH (const Expr *, e, all) {
            Evaluation ev = {.arena = scratch};
            if (*e)
                expr_eval(*e, slots, &ev, &v);
            if (!ev.inexact)
                continue;
            SCOPED_BUF text = {0};
            space_print(s, config, &text);
            diag_warn(d, ev.inexact_at,
                      "this division leaves a remainder, for example with %s; write // if rounding "
                      "down is meant, ceil_div for rounding up, or require that it divides",
                      buf_text(&text));
            *e = NULL; /* once is enough */
        }
    }
}

/* Most valid configurations: a gigabyte of ranks. */
enum { CONFIGURATION_LIMIT = 1 << 27 };

typedef struct Walk {
    Space *space;
    SpacePlan *plan;
    size_t capacity; /* of ranks */
    bool failed;
    Diag *d;
    const SpaceWatch *watch; /* may be NULL */
    uint64_t judged;
} Walk;

/* True if the values so far are allowed; else counts the `below` points of the product with them. */
static bool judge(Walk *w, size_t level, uint64_t below)
{
    const Check *by = NULL;
    Verdict v = space_plan_judge(w->plan, level, &by, w->d);
    w->failed = w->failed || v == VERDICT_ERROR;
    if (v == VERDICT_REJECTED)
        (by->kind == CHECK_MEMBER ? w->space->refused : w->space->rejected)[by->index] += below;
    return v == VERDICT_ALLOWED;
}

/* Adds `count` consecutive ranks; false after a message when there are too many. */
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
            w->capacity = w->capacity ? w->capacity * 2 : FIRST_SIZE(1024, 1);
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
        ((w->judged < w->watch->judged_most || w->watch->judged_most == 0) &&
         w->watch->go_on(w->watch->context, decided, s->product, s->count)))
        return true;
    return diag_fail(w->d,
                     "stopped: %llu of %llu points of the product are decided (%.2g %%), %zu of "
                     "them are valid; in all there are at most %llu more",
                     (unsigned long long)decided, (unsigned long long)s->product,
                     100 * (double)decided / (double)s->product, s->count,
                     (unsigned long long)(s->product - decided));
}

/* Tries all values of parameter p and of those after it; the parameters before it have values. */
static bool walk(Walk *w, size_t p, uint64_t rank)
{
    Space *s = w->space;
    if (p == s->spec->parameter_count || w->plan->free_below[p])
        return keep(w, rank, p == s->spec->parameter_count ? 1 : s->stride[p] * s->values[p].count);
    Value *slot = space_plan_slot(w->plan, p);
    for (size_t i = 0; i < s->values[p].count; i++, rank += s->stride[p]) {
        *slot = s->values[p].at[i];
        bool allowed = judge(w, p + 1, s->stride[p]);
        if (w->failed || !go_on(w, rank) || (allowed && !walk(w, p + 1, rank)))
            return false;
    }
    return true;
}

bool space_open(Arena *a, const Spec *spec, size_t problem, Space *out, Diag *d)
{
    const size_t n = spec->parameter_count;
    *out = (Space){.spec = spec,
                   .problem = problem,
                   .values = ARENA_ARRAY(a, ValueList, n),
                   .stride = ARENA_ARRAY(a, uint64_t, n),
                   .product = 1,
                   .rejected = ARENA_ARRAY(a, uint64_t, spec->constraint_count),
                   .refused = ARENA_ARRAY(a, uint64_t, n)};
    for (size_t p = 0; p < n; p++)
        if (!spec_parameter_values(a, spec, p, problem, &out->values[p], d))
            return false;
    for (size_t p = n; p-- > 0;) {
        out->stride[p] = out->product;
        if (__builtin_mul_overflow(out->product, out->values[p].count, &out->product))
            return diag_error(d, spec->parameters[p].at,
                              "the product of all parameters has more than 2^64 points; "
                              "leave out values or split the space");
    }
    return true;
}

bool space_build(Arena *a, const Spec *spec, size_t problem, const SpaceWatch *watch, Space *out,
                 Diag *d)
{
    if (!space_open(a, spec, problem, out, d))
        return false;
    Walk w = {.space = out, .plan = space_plan_new(a, out), .watch = watch, .d = d};
    bool ok = (!judge(&w, 0, out->product) || walk(&w, 0, 0)) && !w.failed;
    space_plan_free(w.plan);
    out->size = out->count;
    if (!ok)
        space_free(out);
    return ok;
}
