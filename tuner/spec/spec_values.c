/* The values a parameter can take. */
#include "metrics/base/vec.h"
#include "tuner/spec/spec.h"

#include <stdlib.h>
#include <string.h>

/* Combinations of other parameters tried to find a dependent parameter's values. */
enum { COMBINATION_LIMIT = 1000000 };

typedef VEC(Value) ValueVec;

static void append(Arena *a, ValueVec *v, Value value)
{
    if (value.kind != VALUE_LIST) {
        VEC_PUSH(a, v, value);
        return;
    }
    for (size_t i = 0; i < value.list->count; i++)
        append(a, v, value.list->at[i]);
}

/* All items of the parameter for one assignment of the names they use. */
static bool evaluate_items(Arena *a, const Parameter *p, const Value *slots, Evaluation *ev,
                           ValueVec *out)
{
    ev->arena = a;
    for (size_t i = 0; i < p->item_count; i++) {
        Value v;
        if (!expr_eval(p->items[i], slots, ev, &v))
            return false;
        append(a, out, v);
    }
    return true;
}

bool spec_parameter_allows(Arena *scratch, const Spec *s, size_t parameter, const Value *slots,
                           Evaluation *ev, bool *out)
{
    ValueVec v = {0};
    if (!evaluate_items(scratch, &s->parameters[parameter], slots, ev, &v))
        return false;
    *out = false;
    for (size_t i = 0; i < v.count && !*out; i++)
        *out = value_equal(v.at[i], slots[spec_parameter_slot(s, parameter)]);
    return true;
}

/* --- what a dependent parameter depends on -------------------------------------------------- */

typedef struct Needs {
    const Spec *spec;
    bool *slots; /* which ones are used, derived names followed */
} Needs;

static void note_need(void *context, int slot)
{
    Needs *n = context;
    if (n->slots[slot])
        return;
    n->slots[slot] = true;
    size_t first_derived = spec_derived_slot(n->spec, 0);
    if ((size_t)slot >= first_derived)
        expr_visit_names(n->spec->derived[(size_t)slot - first_derived].value, note_need, n);
}

/* Moves to the next combination of the needed parameters; false after the last. */
static bool advance(const Needs *n, const ValueList *values, size_t *index)
{
    const Spec *s = n->spec;
    for (size_t p = s->parameter_count; p-- > 0;) {
        if (!n->slots[spec_parameter_slot(s, p)])
            continue;
        if (++index[p] < values[p].count)
            return true;
        index[p] = 0;
    }
    return false;
}

/* Derived names of one combination; false where arithmetic fails, which is no mistake here. */
static bool fill_slots(Arena *a, const Needs *n, const ValueList *values, const size_t *index,
                       Value *slots)
{
    const Spec *s = n->spec;
    for (size_t p = 0; p < s->parameter_count; p++)
        if (n->slots[spec_parameter_slot(s, p)])
            slots[spec_parameter_slot(s, p)] = values[p].at[index[p]];
    Evaluation ev = {.arena = a};
    for (size_t i = 0; i < s->derived_count; i++) {
        size_t slot = spec_derived_slot(s, i);
        if (n->slots[slot] && !expr_eval(s->derived[i].value, slots, &ev, &slots[slot]))
            return false;
    }
    return true;
}

static bool union_of_values(Arena *a, const Spec *s, size_t parameter, size_t problem,
                            ValueVec *out, Diag *d)
{
    const Parameter *p = &s->parameters[parameter];
    Needs needs = {s, ARENA_ARRAY(a, bool, spec_slot_count(s))};
    for (size_t i = 0; i < p->item_count; i++)
        expr_visit_names(p->items[i], note_need, &needs);

    ValueList *values = ARENA_ARRAY(a, ValueList, s->parameter_count);
    size_t *index = ARENA_ARRAY(a, size_t, s->parameter_count);
    double combinations = 1;
    for (size_t q = 0; q < s->parameter_count; q++) {
        if (!needs.slots[spec_parameter_slot(s, q)])
            continue;
        if (!spec_parameter_values(a, s, q, problem, &values[q], d))
            return false;
        combinations *= (double)values[q].count;
    }
    if (combinations > COMBINATION_LIMIT)
        return diag_error(d, p->at, "the values of '%s' depend on too many combinations (%.0f)",
                          p->name, combinations);

    Value *slots = ARENA_ARRAY(a, Value, spec_slot_count(s));
    spec_set_problem(s, problem, slots);
    Evaluation ev = {.arena = a};
    do {
        ev.error = NULL;
        if (fill_slots(a, &needs, values, index, slots))
            evaluate_items(a, p, slots, &ev, out);
    } while (advance(&needs, values, index));
    if (out->count == 0 && ev.error)
        return diag_error(d, ev.error_at, "%s", ev.error);
    return true;
}

/* --- values ------------------------------------------------------------------------------- */

static int by_number(const void *a, const void *b)
{
    double x = value_as_real(*(const Value *)a), y = value_as_real(*(const Value *)b);
    return (x > y) - (x < y);
}

static bool same_kind(ValueVec *v, const Parameter *p, Diag *d)
{
    bool real = false;
    for (size_t i = 0; i < v->count; i++)
        real = real || v->at[i].kind == VALUE_REAL;
    for (size_t i = 0; i < v->count; i++) {
        if (real && v->at[i].kind == VALUE_INT)
            v->at[i] = value_real((double)v->at[i].integer);
        if (v->at[i].kind != v->at[0].kind)
            return diag_error(d, p->at, "the values of '%s' are of different kinds: %s and %s",
                              p->name, value_kind_name(v->at[0].kind),
                              value_kind_name(v->at[i].kind));
    }
    return true;
}

/* Leaves the first of equal values; a value written twice by hand is worth a warning. */
static void drop_doubles(ValueVec *v, const Parameter *p, Diag *d)
{
    size_t kept = 0;
    for (size_t i = 0; i < v->count; i++) {
        bool seen = false;
        for (size_t j = 0; j < kept && !seen; j++)
            seen = value_equal(v->at[i], v->at[j]);
        if (!seen)
            v->at[kept++] = v->at[i];
        else if (!p->dependent && d)
            diag_warn(d, p->at, "'%s' lists a value twice", p->name);
    }
    v->count = kept;
}

/* The same for a sorted list, where it can be long. */
static void drop_neighbours(ValueVec *v)
{
    size_t kept = 0;
    for (size_t i = 0; i < v->count; i++)
        if (kept == 0 || !value_equal(v->at[i], v->at[kept - 1]))
            v->at[kept++] = v->at[i];
    v->count = kept;
}

bool spec_parameter_values(Arena *a, const Spec *s, size_t parameter, size_t problem,
                           ValueList *out, Diag *d)
{
    const Parameter *p = &s->parameters[parameter];
    ValueVec v = {0};
    if (p->dependent) {
        if (!union_of_values(a, s, parameter, problem, &v, d))
            return false;
    } else {
        Value *slots = ARENA_ARRAY(a, Value, spec_slot_count(s));
        spec_set_problem(s, problem, slots);
        Evaluation ev = {.arena = a};
        if (!evaluate_items(a, p, slots, &ev, &v))
            return diag_error(d, ev.error_at, "%s", ev.error);
    }
    if (v.count == 0)
        return diag_error(d, p->at, "'%s' has no values", p->name);
    if (!same_kind(&v, p, d))
        return false;
    bool numbers = v.at[0].kind == VALUE_INT || v.at[0].kind == VALUE_REAL;
    if (p->dependent && numbers) {
        qsort(v.at, v.count, sizeof(Value), by_number);
        drop_neighbours(&v);
    } else {
        drop_doubles(&v, p, p->kind == VALUE_NONE ? d : NULL);
    }
    *out = (ValueList){v.count, v.at};
    return true;
}
