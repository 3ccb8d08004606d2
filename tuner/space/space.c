/* Ranks to values and back. */
#include "tuner/space/space.h"

static size_t digit(const Space *s, uint64_t rank, size_t parameter)
{
    return (size_t)(rank / s->stride[parameter] % s->values[parameter].count);
}

Value space_value(const Space *s, size_t i, size_t parameter)
{
    return s->values[parameter].at[digit(s, s->ranks[i], parameter)];
}

bool space_slots(const Space *s, size_t i, Value *slots, Evaluation *ev)
{
    return space_slots_at(s, s->ranks[i], slots, ev);
}

bool space_slots_at(const Space *s, uint64_t rank, Value *slots, Evaluation *ev)
{
    spec_set_problem(s->spec, s->problem, slots);
    for (size_t p = 0; p < s->spec->parameter_count; p++)
        slots[spec_parameter_slot(s->spec, p)] = s->values[p].at[digit(s, rank, p)];
    for (size_t k = 0; k < s->spec->derived_count; k++)
        if (!expr_eval(s->spec->derived[k].value, slots, ev, &slots[spec_derived_slot(s->spec, k)]))
            return false;
    return true;
}

static size_t find_rank(const Space *s, uint64_t rank)
{
    size_t low = 0, high = s->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (s->ranks[middle] < rank)
            low = middle + 1;
        else
            high = middle;
    }
    return low < s->count && s->ranks[low] == rank ? low : SIZE_MAX;
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

size_t space_find(const Space *s, const Value *parameters)
{
    uint64_t rank;
    return space_rank(s, parameters, &rank) ? find_rank(s, rank) : SIZE_MAX;
}

void space_print(const Space *s, size_t i, Buf *out)
{
    for (size_t p = 0; p < s->spec->parameter_count; p++) {
        buf_printf(out, "%s%s=", p ? " " : "", s->spec->parameters[p].name);
        value_print_bare(space_value(s, i, p), out);
    }
}

/* --- divisions that leave a remainder --------------------------------------------------------- */

typedef struct DivisionCheck {
    const Space *space;
    Value *slots;
    Diag *d;
    Arena *a;
    size_t config;
} DivisionCheck;

/* Warns about one expression; true when it did. */
static bool warn_remainder(DivisionCheck *c, const Expr *e)
{
    if (!e)
        return false;
    Evaluation ev = {.arena = c->a};
    Value v;
    expr_eval(e, c->slots, &ev, &v);
    if (!ev.inexact)
        return false;
    Buf text = {0};
    space_print(c->space, c->config, &text);
    diag_warn(c->d, ev.inexact_at,
              "this division leaves a remainder, for example with %s; write // if rounding down "
              "is meant, ceil_div for rounding up, or require that it divides",
              buf_text(&text));
    buf_free(&text);
    return true;
}

/* The expressions in question; each is dropped from the list once it was warned about. */
static size_t collect(const Spec *s, const Expr **out)
{
    size_t n = 0;
    for (size_t i = 0; i < s->derived_count; i++)
        out[n++] = s->derived[i].value;
    for (size_t i = 0; i < s->launch_count; i++) {
        if (s->launches[i].repeat_name)
            continue; /* its name has no value here */
        for (int k = 0; k < 3; k++) {
            out[n++] = s->launches[i].grid[k];
            out[n++] = s->launches[i].block[k];
        }
        out[n++] = s->launches[i].shared;
    }
    for (size_t i = 0; i < s->argument_count; i++)
        out[n++] = s->arguments[i].count;
    return n;
}

void space_check_divisions(Arena *a, const Space *s, size_t most, Diag *d)
{
    const Spec *spec = s->spec;
    size_t room = spec->derived_count + 7 * spec->launch_count + spec->argument_count;
    const Expr **open = ARENA_ARRAY(a, const Expr *, room);
    size_t n = collect(spec, open);
    DivisionCheck c = {s, ARENA_ARRAY(a, Value, spec_slot_count(spec)), d, arena_new(), 0};
    size_t steps = s->count < most ? s->count : most;
    for (size_t k = 0; k < steps; k++) {
        c.config = steps == s->count ? k : (size_t)((double)k * (double)s->count / (double)steps);
        Evaluation ev = {.arena = c.a};
        if (!space_slots(s, c.config, c.slots, &ev))
            continue;
        for (size_t i = 0; i < n; i++)
            if (warn_remainder(&c, open[i]))
                open[i] = NULL;
        arena_reset(c.a);
    }
    arena_free(c.a);
}
