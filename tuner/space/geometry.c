#include "tuner/space/geometry.h"

static bool evaluate(const Expr *e, int64_t otherwise, const Value *slots, Evaluation *ev,
                     int64_t *out)
{
    Value v = {.integer = otherwise};
    if (e && !expr_eval(e, slots, ev, &v))
        return false;
    *out = v.integer;
    return true;
}

static bool product(const int64_t n[3], int64_t *out)
{
    return !__builtin_mul_overflow(n[0], n[1], out) && !__builtin_mul_overflow(*out, n[2], out);
}

static bool failed(Evaluation *ev, Span at, const char *why)
{
    ev->error = why;
    ev->error_at = at;
    return false;
}

bool geometry_resolve(const Launch *l, const Value *slots, Evaluation *ev, Geometry *out)
{
    for (int i = 0; i < 3; i++)
        if (!evaluate(l->grid[i], 1, slots, ev, &out->grid[i]) ||
            !evaluate(l->block[i], 1, slots, ev, &out->block[i]))
            return false;
    if (!evaluate(l->shared, 0, slots, ev, &out->shared))
        return false;
    return (product(out->block, &out->threads) && product(out->grid, &out->blocks)) ||
           failed(ev, l->at, "the geometry does not fit into 64 bits");
}

static bool add_step(Arena *a, const Launch *l, size_t number, Value v, int64_t times, Value *slots,
                     Evaluation *ev, Steps *steps)
{
    Step s = {.launch = number, .times = times, .value = v};
    if (l->repeat_name)
        slots[l->repeat_slot] = v;
    if (!geometry_resolve(l, slots, ev, &s.geometry))
        return false;
    VEC_PUSH(a, steps, s);
    return true;
}

/* One step for each integer in a value or list. */
static bool add_values(Arena *a, const Launch *l, size_t number, const Expr *e, Value v,
                       Value *slots, Evaluation *ev, Steps *steps)
{
    ValueList one = {1, &v};
    const ValueList *list = v.kind == VALUE_LIST ? v.list : &one;
    for (size_t i = 0; i < list->count; i++) {
        if (list->at[i].kind != VALUE_INT)
            return failed(ev, expr_span(e), "the values to repeat a launch with must be integers");
        if (steps->count >= STEP_LIMIT)
            return failed(ev, expr_span(e), "a launch repeats at most 65536 times");
        if (!add_step(a, l, number, list->at[i], 1, slots, ev, steps))
            return false;
    }
    return true;
}

bool geometry_steps(Arena *a, const Launch *l, size_t number, Value *slots, Evaluation *ev,
                    Steps *out)
{
    bool ok = true;
    *out = (Steps){0};
    if (!l->repeat_name) {
        int64_t times;
        ok = evaluate(l->repeat, 1, slots, ev, &times);
        if (ok && times < 0)
            return failed(ev, expr_span(l->repeat), "a launch repeats less than no times");
        ok = ok && (times == 0 || add_step(a, l, number, (Value){0}, times, slots, ev, out));
    }
    for (size_t i = 0; ok && i < l->repeat_value_count; i++) {
        Value v;
        ok = expr_eval(l->repeat_values[i], slots, ev, &v) &&
             add_values(a, l, number, l->repeat_values[i], v, slots, ev, out);
    }
    return ok;
}

void geometry_interleave(Arena *a, const Launch *launches, size_t count, Steps *steps)
{
    for (size_t l = 0, first = 0, end; l < count; l = end) {
        size_t all = 0;
        for (end = l + 1; end < count && launches[end].together; end++)
            ;
        while (first + all < steps->count && steps->at[first + all].launch < end)
            all++;
        const size_t members = end - l, rounds = all / members;
        const Step *old = arena_keep(a, steps->at + first, all * sizeof *old);
        for (size_t i = 0; i < all && members > 1; i++)
            steps->at[first + i] = old[i % members * rounds + i / members];
        first += all;
    }
}

Outcome tier0_check(const Device *d, const Geometry *g)
{
    for (int i = 0; i < 3; i++)
        if (g->block[i] < 1 || g->grid[i] < 1)
            return OUTCOME_EMPTY;
    if (g->shared < 0)
        return OUTCOME_EMPTY;
    if (g->threads > d->threads_per_block)
        return OUTCOME_THREADS;
    for (int i = 0; i < 3; i++)
        if (g->block[i] > d->block_limit[i])
            return OUTCOME_BLOCK;
    if (g->shared > d->shared_per_block_optin)
        return OUTCOME_SHARED;
    for (int i = 0; i < 3; i++)
        if (g->grid[i] > d->grid_limit[i])
            return OUTCOME_GRID;
    return OUTCOME_NONE;
}
