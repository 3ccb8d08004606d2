#include "metrics/ptx/memory_reuser.h"

#include <math.h>

/* --- distinct sectors ------------------------------------------------------------------------ */

/* The share of blocks' first touches that are the launch's first, if a share `late` of what neighbours have
 * in common is evicted in between. */
static double launch_part(const Reuser *r, const Count *c, const double late[AXES])
{
    double part = 1;
    for (int axis = 0; axis < AXES; axis++) {
        const double size = *ptx_along((PtxDim[]){r->walk.launch.grid}, axis);
        if (c->beside[axis] > 0)
            part *=
                (1 + (size - 1) * (c->anew[axis] + (c->beside[axis] - c->anew[axis]) * late[axis]) /
                         c->beside[axis]) /
                size;
    }
    return part;
}

double reuse_launch_part(const Reuser *r, const Count *c)
{
    static const double never[AXES] = {0};
    return launch_part(r, c, never);
}

static bool is_load(const Place *p, const Count *c)
{
    return p->function->accesses->sites.at[c - p->counts].kind == ACCESS_LOAD;
}

/* Distinct bytes that so many consecutive blocks touch; `loads`: load. */
static double distinct(const Reuser *r, double blocks, bool loads)
{
    const PtxDim grid = r->walk.launch.grid;
    const double rows = blocks / grid.x, slices = rows / grid.y;
    const double along[AXES] = {fmin(blocks, grid.x), fmax(1, fmin(rows, grid.y)),
                                fmax(1, fmin(slices, grid.z))};
    double sectors = 0;
    VEC_EACH (const Place, p, r->places)
        EACH (const Count, c, p->counts, p->function->accesses->sites.count) {
            double of = loads && !is_load(p, c) ? 0 : c->block;
            for (int axis = 0; axis < AXES; axis++)
                if (c->beside[axis] > 0)
                    of *= 1 + (along[axis] - 1) * c->anew[axis] / c->beside[axis];
            sectors += of;
        }
    return SECTOR_BYTES * sectors;
}

/* These grow as a power of the number of warps that reach a place. */
double reuse_spread_part(const Reuser *r, const Count *c, double warps)
{
    const double count = r->followed, half = ceil(count / 2);
    const double part = c->block / c->warp, half_part = c->half / c->half_warp;
    const double power = c->half > 0 ? 1 + log(part / half_part) / log(count / half) : 1;
    return pow(fmax(warps * c->came / count, 1), fmin(fmax(power, 0), 1) - 1);
}

/* Distinct bytes that so many warps load. */
static double spread_bytes(const Reuser *r, double warps)
{
    double sectors = 0;
    VEC_EACH (const Place, p, r->places)
        EACH (const Count, c, p->counts, p->function->accesses->sites.count)
            sectors += is_load(p, c) && c->warp > 0
                           ? c->warp / r->followed * warps * reuse_spread_part(r, c, warps)
                           : 0;
    return SECTOR_BYTES * sectors;
}

/* Of the sectors that warps load, each for itself, the share of distinct ones. */
static double distinct_part(const Reuser *r, double warps)
{
    double own = 0, all = 0;
    VEC_EACH (const Place, p, r->places)
        EACH (const Count, c, p->counts, p->function->accesses->sites.count) {
            const bool load = is_load(p, c) && c->warp > 0;
            own += load ? c->warp : 0;
            all += !load              ? 0
                   : r->samples->even ? c->warp * reuse_spread_part(r, c, warps)
                                      : c->block * reuse_launch_part(r, c);
        }
    return own > 0 ? all / own : 0;
}

/* --- what the L2 loses ------------------------------------------------------------------------ */

/* Parts of the L2's size after which it has lost nothing, and all. */
typedef struct Keeps {
    double none, all;
} Keeps;

/* What other blocks touch again. (Measured on an H200: 0 to 6 % are lost after 0.55 of its size, 14 after 0.60, 40
 * after 0.67, all after 1.1; planes of a stencil, windows of rows, columns of a product.) */
static const Keeps OF_OTHERS = {0.55, 0.85};

/* What a warp loads again by itself. (Counted on an H100, blocks that read their rows four times: 3 % are lost after
 * 0.68 of its size, 8 after 0.76, 15 to 28 after 0.84, 67 to 100 after 1.)  */
static const Keeps OF_ITSELF = {0.75, 1.05};

/* The share of what is touched again after `bytes` that the L2 has evicted. */
static double lost_of_l2(const Reuser *r, double bytes, Keeps k)
{
    const double size = r->l2.bytes;
    return size > 0 ? fmax(0, fmin((bytes / size - k.none) / (k.all - k.none), 1)) : 0;
}

/* Bytes that pass through the L2 in so many waves. */
static double passed(const Reuser *r, double waves)
{
    return waves <= 1 ? waves * r->l2.wave_bytes : distinct(r, waves * r->l2.resident, false);
}

/* Blocks start in order, as many as the device holds, and progress equally fast. So the next block along an
 * axis runs in the same wave or the one after, and touches what is `later` in its work correspondingly
 * later. */
static void find_late(const Reuser *r, const Count *c, double late[AXES])
{
    const PtxDim grid = r->walk.launch.grid;
    const double started[AXES] = {1, grid.x, (double)grid.x * grid.y};
    for (int axis = 0; axis < AXES; axis++) {
        const double both = c->beside[axis] - c->anew[axis];
        late[axis] = 0;
        if (both <= 0 || r->whole <= 0)
            continue;
        const double later = r->toward[axis] * c->later[axis] / both / r->whole;
        const double apart = r->l2.all > r->l2.resident ? started[axis] / r->l2.resident : 0;
        const double waves = floor(apart), next = apart - waves;
        const double here = passed(r, fabs(waves + later)),
                     there = passed(r, fabs(waves + 1 + later));
        late[axis] =
            (1 - next) * lost_of_l2(r, here, OF_OTHERS) + next * lost_of_l2(r, there, OF_OTHERS);
    }
}

/* What a block has in common with its neighbours. */
static double gone_part(const Reuser *r, const Count *c)
{
    double late[AXES];
    find_late(r, c, late);
    return c->block / c->touched * (launch_part(r, c, late) - reuse_launch_part(r, c));
}

/* The share of touched sectors that a warp touched before, but that the L2 has lost since: between two
 * touches each warp loads at most all that it ever does. One of those that touch a sector has it fetched
 * again for all. */
static double again_part(const Reuser *r, const Count *c)
{
    const double own = fmax(1, r->loaded / fmax(1, r->followed));
    double gone = 0;
    for (int i = 0; i < AGAIN; i++)
        gone +=
            c->again[i] *
            lost_of_l2(r, fmin(1, exp2((double)i / OCTAVE) / own) * r->l2.wave_loads, OF_ITSELF);
    return gone / c->touched * r->distinct;
}

void reuse_find_l2(Reuser *r, double resident, const double warps[REUSE_SCOPES])
{
    const double all = (double)ptx_block_count(r->walk.launch.grid);
    const double blocks = fmin(resident, all);
    const double loads =
        r->samples->even ? spread_bytes(r, blocks * warps[REUSE_BLOCK]) : distinct(r, blocks, true);
    r->l2 = (L2){r->device.l2_bytes, all, resident, distinct(r, blocks, false),
                 r->device.filled > 0 ? fmin(loads, r->device.filled) : loads};
    r->distinct = distinct_part(r, warps[REUSE_LAUNCH]);
}

double reuse_gone_part(const Reuser *r, const Count *c)
{
    return (r->samples->even ? 0 : gone_part(r, c)) + again_part(r, c);
}
