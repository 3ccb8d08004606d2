#include "metrics/metric/occupancy.h"

#include "metrics/cubin/sass.h"

#include <stdio.h>

static int64_t round_up(int64_t n, int64_t unit)
{
    return (n + unit - 1) / unit * unit;
}

static int blocks_in(int64_t available, int64_t per_block)
{
    return per_block > 0 ? (int)(available / per_block) : OCCUPANCY_UNLIMITED;
}

static int64_t warps_of(int threads)
{
    return ((int64_t)threads + WARP_THREADS - 1) / WARP_THREADS;
}

static int limit_by_warps(const Device *d, const BlockUse *use)
{
    if (use->threads > d->threads_per_block)
        return 0;
    return blocks_in(d->warps_per_sm, warps_of(use->threads));
}

/* 1.x: registers are allocated per block, for an even number of warps. */
static int limit_by_block_registers(const Device *d, const BlockUse *use, const Arch *u)
{
    int64_t warps = round_up(warps_of(use->threads), 2);
    return blocks_in(d->registers_per_sm,
                     round_up(warps * WARP_THREADS * use->registers, u->register_unit));
}

/* Since 2.0: registers are allocated per warp, from its partition.  The check that a block fits at all
 * assumes that its warps are spread evenly over the partitions. */
static int limit_by_warp_registers(const Device *d, const BlockUse *use, const Arch *u)
{
    int64_t warps = warps_of(use->threads);
    int64_t per_warp = round_up((int64_t)use->registers * WARP_THREADS, u->register_unit);
    if (per_warp * round_up(warps, u->partitions) > d->registers_per_block)
        return 0;
    if (per_warp == 0)
        return OCCUPANCY_UNLIMITED;
    int64_t warps_per_partition = d->registers_per_sm / u->partitions / per_warp;
    return blocks_in(warps_per_partition * u->partitions, warps);
}

static int limit_by_registers(const Device *d, const BlockUse *use)
{
    const Arch *u = arch_of(device_arch(d));
    if (use->registers > d->registers_per_thread)
        return 0;
    return u->partitions ? limit_by_warp_registers(d, use, u) : limit_by_block_registers(d, use, u);
}

/* Assumes the largest shared memory carveout, the driver's default, and that the launch opts in as needed. */
static int limit_by_shared(const Device *d, const BlockUse *use)
{
    int64_t most = d->shared_per_block_optin ? d->shared_per_block_optin : d->shared_per_block;
    int64_t asked = use->static_shared + use->dynamic_shared + d->shared_reserved;
    int64_t given = round_up(asked, arch_of(device_arch(d))->shared_unit);
    if (given > most + d->shared_reserved)
        return 0;
    return blocks_in(d->shared_per_sm, given);
}

static int limit_by_barriers(const Device *d, const BlockUse *use)
{
    const int each = arch_of(device_arch(d))->barriers_per_slot;
    return each ? blocks_in((int64_t)d->blocks_per_sm * each, use->barriers) : OCCUPANCY_UNLIMITED;
}

static bool is_possible(const BlockUse *use)
{
    const int64_t most = INT32_MAX;
    return use->threads > 0 && use->registers >= 0 && use->barriers >= 0 &&
           use->static_shared >= 0 && use->dynamic_shared >= 0 && use->static_shared <= most &&
           use->dynamic_shared <= most;
}

/* Everything except fewer_*. */
static Occupancy count_blocks(const Device *d, const BlockUse *use)
{
    Occupancy o = {
        .by = {limit_by_warps(d, use), limit_by_registers(d, use), limit_by_shared(d, use),
               d->blocks_per_sm, limit_by_barriers(d, use)},
        .blocks_per_sm = OCCUPANCY_UNLIMITED,
        .warps_per_block = (int)warps_of(use->threads),
    };
    for (int r = 0; r < OCCUPANCY_RESOURCES; r++)
        if (o.by[r] < o.blocks_per_sm)
            o.blocks_per_sm = o.by[r];
    for (int r = 0; r < OCCUPANCY_RESOURCES; r++)
        o.limits |= (unsigned)(o.by[r] == o.blocks_per_sm) << r;
    o.warps_per_sm = o.blocks_per_sm * o.warps_per_block;
    o.fraction = d->warps_per_sm > 0 ? (double)o.warps_per_sm / d->warps_per_sm : 0;
    return o;
}

/* The smallest reduction of registers (or of shared bytes) that admits more than `blocks`; found by
 * bisection, since using less never admits fewer. */
static int64_t smallest_saving(const Device *d, const BlockUse *use, int blocks, bool registers)
{
    int64_t used = registers ? use->registers : use->static_shared + use->dynamic_shared;
    int64_t too_few = 0, enough = used + 1;
    while (enough - too_few > 1) {
        int64_t middle = too_few + (enough - too_few) / 2;
        BlockUse less = *use;
        if (registers) {
            less.registers = (int)(used - middle);
        } else {
            less.static_shared = 0;
            less.dynamic_shared = used - middle;
        }
        if (count_blocks(d, &less).blocks_per_sm > blocks)
            enough = middle;
        else
            too_few = middle;
    }
    return enough <= used ? enough : 0;
}

Occupancy occupancy_compute(const Device *d, const BlockUse *use)
{
    if (!is_possible(use))
        return (Occupancy){0};
    Occupancy o = count_blocks(d, use);
    o.fewer_registers = (int)smallest_saving(d, use, o.blocks_per_sm, true);
    o.fewer_shared_bytes = smallest_saving(d, use, o.blocks_per_sm, false);
    return o;
}

const char *occupancy_limits_text(unsigned limits, char out[64])
{
    static const char *const names[] = {"warps", "registers", "shared memory", "block slots",
                                        "barriers"};
    out[0] = '\0';
    for (unsigned i = 0; i < COUNT_OF(names); i++)
        if (limits >> i & 1) {
            size_t n = strlen(out);
            snprintf(out + n, 64 - n, "%s%s", n ? ", " : "", names[i]);
        }
    return out;
}
