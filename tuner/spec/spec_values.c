/* Slots of names, the values of parameters, and problem sizes that the spec does not list. */
#include "metrics/base/map.h"
#include "tuner/spec/spec_build.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

/* --- slots -------------------------------------------------------------------------------- */

/* The first slot of names with a limited scope. */
static size_t first_extra_slot(const Spec *s)
{
    return s->problem_name_count + s->parameter_count + s->derived_count;
}

size_t spec_repeat_slot(const Spec *s, size_t i)
{
    return first_extra_slot(s) + i;
}

size_t spec_index_slot(const Spec *s)
{
    return spec_repeat_slot(s, s->launch_count + s->reference_count);
}

size_t spec_argument_slot(const Spec *s, size_t argument)
{
    return spec_index_slot(s) + 2 + argument;
}

size_t spec_slot_count(const Spec *s)
{
    return spec_argument_slot(s, s->argument_count);
}

size_t spec_parameter_slot(const Spec *s, size_t parameter)
{
    return s->problem_name_count + parameter;
}

size_t spec_derived_slot(const Spec *s, size_t derived)
{
    return s->problem_name_count + s->parameter_count + derived;
}

void spec_set_problem(const Spec *s, size_t problem, Value *slots)
{
    for (size_t i = 0; i < s->problem_name_count; i++)
        slots[i] = s->problems[problem].values[i];
    for (size_t i = 0; i < s->derived_count; i++)
        if (s->derived[i].fixed && s->problems[problem].lets)
            slots[spec_derived_slot(s, i)] = s->problems[problem].lets[i];
}

bool spec_set_lets(const Spec *s, Problem *p, Evaluation *ev)
{
    Value *slots = ARENA_ARRAY(ev->arena, Value, spec_slot_count(s));
    Value *lets = ARENA_ARRAY(ev->arena, Value, s->derived_count + 1);
    if (s->problem_name_count)
        memcpy(slots, p->values, s->problem_name_count * sizeof *slots);
    for (size_t i = 0; i < s->derived_count; i++) {
        if (s->derived[i].fixed && !expr_eval(s->derived[i].value, slots, ev, &lets[i]))
            return false;
        slots[spec_derived_slot(s, i)] = lets[i];
    }
    p->lets = lets;
    return true;
}

void spec_set_arguments(const Spec *s, Value *slots)
{
    for (size_t i = 0; i < s->argument_count; i++)
        slots[spec_argument_slot(s, i)] = value_string(s->arguments[i].name);
}

bool spec_varies(const Spec *s, const Expr *e)
{
    SCOPED_ARENA *a = arena_new();
    bool *uses = ARENA_ARRAY(a, bool, spec_slot_count(s)), any = false;
    expr_mark_names(e, uses);
    for (size_t i = 0; i < s->derived_count; i++)
        if (s->derived[i].fixed)
            uses[spec_derived_slot(s, i)] = false;
    for (size_t i = spec_parameter_slot(s, 0); i < first_extra_slot(s); i++)
        any = any || uses[i];
    return any;
}

/* --- values ------------------------------------------------------------------------------------- */

/* Limits on the search for a dependent parameter's values: combinations of other parameters, values met,
 * values kept at a time. They allow seconds of work, which a fuzzer should not spend. */
#ifdef APTUNE_FUZZ
enum { COMBINATION_LIMIT = 100, MET_LIMIT = 2000, KEPT_MOST = 8192 };
#else
enum { COMBINATION_LIMIT = 100000, MET_LIMIT = 4000000, KEPT_MOST = 4 * PARAMETER_VALUES };
#endif

typedef VEC(Value) ValueVec;

static bool append(Arena *a, ValueVec *v, Value value)
{
    if (value.kind != VALUE_LIST) {
        VEC_PUSH(a, v, value);
        return v->count <= PARAMETER_VALUES;
    }
    for (size_t i = 0; i < value.list->count; i++)
        if (!append(a, v, value.list->at[i]))
            return false;
    return true;
}

/* Evaluates a parameter's items for one assignment of the names they use. */
static bool evaluate_items(Arena *a, const Parameter *p, const Value *slots, Evaluation *ev,
                           ValueVec *out)
{
    ev->arena = a;
    for (size_t i = 0; i < p->item_count; i++) {
        Value v;
        if (!expr_eval(p->items[i], slots, ev, &v))
            return false;
        if (append(a, out, v))
            continue;
        ev->error = "a parameter has at most 65536 values";
        ev->error_at = expr_span(p->items[i]);
        return false;
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

/* --- dependences of a parameter ------------------------------------------------------------- */

/* Advances to the next combination of the needed parameters; false after the last. */
static bool advance(const Spec *s, const bool *needs, const ValueList *values, size_t *index)
{
    for (size_t p = s->parameter_count; p-- > 0;) {
        if (!needs[spec_parameter_slot(s, p)])
            continue;
        if (++index[p] < values[p].count)
            return true;
        index[p] = 0;
    }
    return false;
}

/* Sets the slots of one combination; false: arithmetic fails, which is no mistake here. */
static bool fill_slots(Arena *a, const Spec *s, const bool *needs, const ValueList *values,
                       const size_t *index, Value *slots)
{
    for (size_t p = 0; p < s->parameter_count; p++)
        if (needs[spec_parameter_slot(s, p)])
            slots[spec_parameter_slot(s, p)] = values[p].at[index[p]];
    Evaluation ev = {.arena = a};
    for (size_t i = 0; i < s->derived_count; i++) {
        size_t slot = spec_derived_slot(s, i);
        if (needs[slot] && !expr_eval(s->derived[i].value, slots, &ev, &slots[slot]))
            return false;
    }
    return true;
}

/* --- equal values --------------------------------------------------------------------------- */

/* A text that equal values have in common; 1 and 1.0 are equal. */
static const char *text_of(Arena *a, Value v)
{
    const bool whole = v.kind == VALUE_REAL && v.real == floor(v.real) && fabs(v.real) < 0x1p63;
    if (v.kind == VALUE_INT || whole)
        return arena_printf(a, "%lld",
                            v.kind == VALUE_INT ? (long long)v.integer : (long long)v.real);
    return v.kind == VALUE_REAL   ? arena_printf(a, "%.17g", v.real)
           : v.kind == VALUE_BOOL ? (v.boolean ? "true" : "false")
                                  : arena_printf(a, "\"%s", v.string);
}

/* Drops all but the first of equal values, keeping the order; `*dropped`: the first one dropped. */
static bool drop_doubles(ValueVec *v, Value *dropped)
{
    SCOPED_ARENA *a = arena_new();
    Map met = {.arena = a};
    size_t kept = 0;
    bool any = false;
    for (size_t i = 0; i < v->count; i++) {
        const char *text = text_of(a, v->at[i]);
        MapEntry *e = map_add(&met, text, strlen(text), 0);
        if (e->kind == 0)
            v->at[kept++] = v->at[i];
        else if (!any)
            *dropped = v->at[i];
        any = any || e->kind != 0;
        e->kind = 1;
    }
    v->count = kept;
    return any;
}

/* --- the union over all combinations -------------------------------------------------------- */

/* A combination for which arithmetic fails has no values: a constraint may well exclude it. */
static bool merge_combinations(Arena *a, const Spec *s, const bool *needs, const Parameter *p,
                               const ValueList *values, Value *slots, ValueVec *out, Diag *d)
{
    SCOPED_ARENA *scratch = arena_new();
    size_t *index = ARENA_ARRAY(a, size_t, s->parameter_count), met = 0;
    Evaluation failed = {0};
    Value twice;
    bool few = true;
    do {
        Evaluation ev = {0};
        ValueVec v = {0};
        arena_reset(scratch);
        if (!fill_slots(scratch, s, needs, values, index, slots))
            continue;
        const bool evaluated = evaluate_items(scratch, p, slots, &ev, &v);
        failed = evaluated ? failed : ev;
        met += v.count;
        for (size_t i = 0; evaluated && i < v.count; i++)
            VEC_PUSH(a, out, v.at[i]);
        if (out->count > KEPT_MOST) {
            drop_doubles(out, &twice);
            few = out->count <= PARAMETER_VALUES;
        }
        few = few && met <= MET_LIMIT;
    } while (few && advance(s, needs, values, index));
    if (p->dependent)
        drop_doubles(out, &twice);
    if (!few || out->count > PARAMETER_VALUES)
        return diag_error(d, p->at,
                          "'%s' has too many values over all combinations of what it depends on",
                          p->name);
    return out->count > 0 || !failed.error || diag_error(d, failed.error_at, "%s", failed.error);
}

/* `known`: the values of earlier parameters. A parameter that depends on none has one combination. */
static bool union_of_values(Arena *a, const Spec *s, size_t parameter, size_t problem,
                            const ValueList *known, ValueVec *out, Diag *d)
{
    const Parameter *p = &s->parameters[parameter];
    bool *needs = ARENA_ARRAY(a, bool, spec_slot_count(s)); /* what the values depend on */
    for (size_t i = 0; i < p->item_count; i++)
        expr_mark_names(p->items[i], needs);
    for (size_t k = s->derived_count; k-- > 0;) /* a derived name uses only earlier ones */
        if (needs[spec_derived_slot(s, k)])
            expr_mark_names(s->derived[k].value, needs);
    double combinations = 1;
    for (size_t q = 0; q < parameter; q++)
        if (needs[spec_parameter_slot(s, q)])
            combinations *= (double)known[q].count;
    if (combinations > COMBINATION_LIMIT)
        return diag_error(d, p->at, "the values of '%s' depend on too many combinations (%.0f)",
                          p->name, combinations);
    Value *slots = ARENA_ARRAY(a, Value, spec_slot_count(s));
    spec_set_problem(s, problem, slots);
    return merge_combinations(a, s, needs, p, known, slots, out, d);
}

/* --- values ------------------------------------------------------------------------------- */

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

/* The kind with which expressions were checked, in every problem. */
static bool expected_kind(ValueVec *v, const Parameter *p, Diag *d)
{
    ValueKind k = v->at[0].kind;
    if (p->kind == VALUE_NONE || p->kind == k)
        return true;
    if (p->kind != VALUE_REAL || k != VALUE_INT)
        return diag_error(d, p->at, "a value of '%s' is %s in the first problem, here it is %s",
                          p->name, value_kind_name(p->kind), value_kind_name(k));
    for (size_t i = 0; i < v->count; i++)
        v->at[i] = value_real((double)v->at[i].integer);
    return true;
}

/* A value that is written twice is hardly meant; that range(…) contains one is: "256, range(32, 513, 32)"
 * puts it first. */
static bool written_twice(Arena *a, const Spec *s, const Parameter *p, size_t problem, Value *twice)
{
    Parameter written = *p;
    Value *slots = ARENA_ARRAY(a, Value, spec_slot_count(s));
    Evaluation ev = {0};
    ValueVec v = {0};
    written.items = ARENA_ARRAY(a, Expr *, p->item_count);
    written.item_count = 0;
    for (size_t i = 0; i < p->item_count; i++)
        if (expr_kind(p->items[i]) != VALUE_LIST || expr_literal(p->items[i]))
            written.items[written.item_count++] = p->items[i];
    spec_set_problem(s, problem, slots);
    return evaluate_items(a, &written, slots, &ev, &v) && drop_doubles(&v, twice);
}

/* The values of a parameter, given those of earlier ones. */
static bool values_of(Arena *a, const Spec *s, size_t parameter, size_t problem,
                      const ValueList *known, ValueList *out, Diag *d)
{
    const Parameter *p = &s->parameters[parameter];
    ValueVec v = {0};
    if (!union_of_values(a, s, parameter, problem, known, &v, d))
        return false;
    if (v.count == 0)
        return diag_error(d, p->at, "'%s' has no values", p->name);
    if (!same_kind(&v, p, d) || !expected_kind(&v, p, d))
        return false;
    Value twice;
    if (drop_doubles(&v, &twice) && !p->dependent && p->kind == VALUE_NONE &&
        written_twice(a, s, p, problem, &twice)) {
        SCOPED_BUF text = {0};
        value_print(twice, &text);
        diag_warn(d, p->at, "'%s' lists %s twice", p->name, buf_text(&text));
    }
    bool numbers = v.at[0].kind == VALUE_INT || v.at[0].kind == VALUE_REAL;
    if (p->dependent && numbers)
        v.count = values_sort(v.at, v.count);
    *out = (ValueList){v.count, v.at};
    return true;
}

bool spec_parameter_values(Arena *a, const Spec *s, size_t parameter, size_t problem,
                           ValueList *out, Diag *d)
{
    ValueList *known = ARENA_ARRAY(a, ValueList, s->parameter_count);
    size_t first = s->parameters[parameter].dependent ? 0 : parameter;
    for (size_t q = first; q <= parameter; q++) {
        if (problem == 0 && s->parameters[q].values.count > 0)
            known[q] = s->parameters[q].values;
        else if ((q == parameter || problem > 0) &&
                 !values_of(a, s, q, problem, known, &known[q], d))
            return false;
    }
    *out = known[parameter];
    return true;
}

/* --- problem sizes that the user asks for --------------------------------------------------------- */

const char *spec_problem_text(Arena *a, const Spec *s, const Value *values, const bool *only)
{
    Buf text = {0};
    for (size_t i = 0; i < s->problem_name_count; i++) {
        if (only && !only[i])
            continue;
        buf_printf(&text, "%s%s=%s", text.size ? " " : "", s->problem_names[i],
                   value_text(a, values[i]));
    }
    return buf_keep(&text, a);
}

bool spec_add_problem(Arena *a, Spec *s, const char *text)
{
    const Problem *first = &s->problems[0];
    const size_t names = s->problem_name_count;
    const char **given = ARENA_ARRAY(a, const char *, names);
    Problem p = {.at = first->at, .values = ARENA_ARRAY(a, Value, names), .exprs = first->exprs};
    bool ok = text[strspn(text, " ,")] != '\0';
    for (const char *at = text + strspn(text, " ,"); ok && *at; at += strspn(at, " ,")) {
        const size_t n = strcspn(at, " ,"), length = strcspn(at, "= ,");
        const size_t name = word_place(arena_copy(a, at, length), s->problem_names, names);
        ok = length < n && name < SIZE_MAX;
        if (ok && !given[name])
            given[name] = arena_copy(a, at + length + 1, n - length - 1);
        at += n;
    }
    for (size_t i = 0; i < names && ok; i++) {
        Evaluation ev = {.arena = a};
        const bool real = first->values[i].kind == VALUE_REAL;
        char *end = NULL;
        errno = 0;
        if (given[i])
            p.values[i] = real ? value_real(strtod(given[i], &end))
                               : value_int((int64_t)strtoll(given[i], &end, 10));
        ok = given[i] ? errno == 0 && end != given[i] && *end == '\0'
                      : expr_eval(first->exprs[i], p.values, &ev, &p.values[i]);
    }
    Evaluation ev = {.arena = a};
    if (!ok || !spec_set_lets(s, &p, &ev))
        return false;
    p.text = spec_problem_text(a, s, p.values, NULL);
    SPEC_ADD(a, s, problems, problem_count, p);
    return true;
}
