#include "tuner/space/geometry.h"

static bool evaluate(const Expr *e, int64_t otherwise, const Value *slots, Evaluation *ev,
                     int64_t *out)
{
    *out = otherwise;
    Value v;
    if (!e)
        return true;
    if (!expr_eval(e, slots, ev, &v))
        return false;
    *out = v.integer;
    return true;
}

static bool product(const int64_t n[3], int64_t *out)
{
    return !__builtin_mul_overflow(n[0], n[1], out) && !__builtin_mul_overflow(*out, n[2], out);
}

bool geometry_resolve(const Launch *l, const Value *slots, Evaluation *ev, Geometry *out)
{
    for (int i = 0; i < 3; i++)
        if (!evaluate(l->grid[i], 1, slots, ev, &out->grid[i]) ||
            !evaluate(l->block[i], 1, slots, ev, &out->block[i]))
            return false;
    if (!evaluate(l->shared, 0, slots, ev, &out->shared))
        return false;
    if (product(out->block, &out->threads) && product(out->grid, &out->blocks))
        return true;
    ev->error = "the geometry does not fit into 64 bits";
    ev->error_at = l->at;
    return false;
}

Tier0 tier0_check(const Device *d, const Geometry *g)
{
    for (int i = 0; i < 3; i++)
        if (g->block[i] < 1 || g->grid[i] < 1)
            return TIER0_EMPTY;
    if (g->shared < 0)
        return TIER0_EMPTY;
    if (g->threads > d->threads_per_block)
        return TIER0_THREADS;
    for (int i = 0; i < 3; i++)
        if (g->block[i] > d->block_limit[i])
            return TIER0_BLOCK;
    if (g->shared > d->shared_per_block_optin)
        return TIER0_SHARED;
    for (int i = 0; i < 3; i++)
        if (g->grid[i] > d->grid_limit[i])
            return TIER0_GRID;
    return TIER0_FITS;
}

const char *tier0_text(Tier0 t)
{
    static const char *const texts[TIER0_KINDS] = {
        [TIER0_FITS] = "fits",
        [TIER0_ARITHMETIC] = "geometry cannot be computed",
        [TIER0_EMPTY] = "a dimension below one",
        [TIER0_THREADS] = "too many threads in a block",
        [TIER0_BLOCK] = "block too large in one dimension",
        [TIER0_SHARED] = "too much dynamic shared memory",
        [TIER0_GRID] = "grid too large in one dimension",
    };
    return texts[t];
}
