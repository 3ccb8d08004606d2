#include "metrics/ptx/walk_lanes.h"

/* By how much one lane's value has changed; false when one cannot say. */
static bool lane_change(const Lanes *before, const Lanes *now, int lane, int bits, uint64_t *change)
{
    const bool was = before->known >> lane & 1, is = now->known >> lane & 1;
    *change = 0;
    if (!was || !is)
        return was == is;
    const uint64_t d = lanes_at(now, lane) - lanes_at(before, lane);
    if (bits == 1)
        return (d & 1) == 0;
    if (bits == 0 || bits > 64)
        return d == 0;
    *change = (uint64_t)ptx_value_signed(d, bits);
    return true;
}

/* The usual case: every lane known before and now, in a loop that a compiler makes vectors of. */
static bool all_lanes_change(const Lanes *before, const Lanes *now, int bits, Lanes *change)
{
    if (before->known != UINT32_MAX || now->known != UINT32_MAX || before->uniform ||
        now->uniform || bits < 8 || bits > 64)
        return false;
    const int shift = 64 - bits;
    uint64_t differs = 0;
    for (int i = 0; i < PTX_LANES; i++)
        change->v[i] = (uint64_t)((int64_t)((now->v[i] - before->v[i]) << shift) >> shift);
    for (int i = 0; i < PTX_LANES; i++)
        differs |= change->v[i] ^ change->v[0];
    change->uniform = differs == 0;
    return true;
}

bool walk_lanes_change(const Lanes *before, const Lanes *now, int bits, Lanes *change)
{
    uint64_t d = 0;
    if (before->uniform && now->uniform) {
        if (!lane_change(before, now, 0, bits, &d))
            return false;
        lanes_fill(change, d);
        return true;
    }
    change->known = UINT32_MAX;
    change->uniform = false;
    if (all_lanes_change(before, now, bits, change))
        return true;
    bool same = true;
    for (int i = 0; i < PTX_LANES; i++) {
        if (!lane_change(before, now, i, bits, &change->v[i]))
            return false;
        same &= change->v[i] == change->v[0];
    }
    change->uniform = same;
    return true;
}

bool walk_lanes_same(const Lanes *a, const Lanes *b, int bits)
{
    if (a->uniform && b->uniform && a->v[0] == b->v[0])
        return true;
    for (int k = 0; k < PTX_LANES; k++)
        if (!(a->known >> k & 1) ||
            ptx_value_truncate(lanes_at(a, k), bits) != ptx_value_truncate(lanes_at(b, k), bits))
            return false;
    return true;
}
