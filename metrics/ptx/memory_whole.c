#include "metrics/ptx/memory_sampler.h"

#include <math.h>

/* What a launch's warps do on average, in numbers that say whether a sample is right. */
enum { WORK, DIVERGENT, LANES, SECTORS, LINES, WAVEFRONTS, BYTES, SUMS };

typedef struct Sums {
    double of[SUMS];
} Sums;

static void add_walk(Sums *x, const Walk *w, double weight)
{
    x->of[WORK] += weight * walk_work(w);
    x->of[DIVERGENT] += weight * w->divergent;
    for (size_t i = 0; i < w->functions.count; i++) {
        const WalkFunction *f = w->functions.at[i];
        for (size_t k = 0; k < f->accesses->sites.count; k++) {
            const WalkAccess *a = &f->costs[f->accesses->sites.at[k].cost];
            x->of[LANES] += weight * (double)a->lanes;
            x->of[SECTORS] += weight * (double)a->sectors;
            x->of[LINES] += weight * (double)a->lines;
            x->of[WAVEFRONTS] += weight * (double)a->wavefronts;
            x->of[BYTES] += weight * (double)a->unique_bytes;
        }
    }
}

static Sums sums_of(const MemorySamples *m)
{
    Sums x = {0};
    for (int i = 0; i < m->count; i++)
        add_walk(&x, m->at[i].walk, m->at[i].weight);
    return x;
}

/* As far as sums of numbers that are no whole ones can be. */
static bool are_equal(const Sums *x, const Sums *y)
{
    const double rounding = 1e-9;
    for (int i = 0; i < SUMS; i++)
        if (fabs(x->of[i] - y->of[i]) > rounding * fabs(y->of[i]))
            return false;
    return true;
}

/* One more warp for the sample that did the same. */
static bool count_walk(MemorySamples *m, PtxPlace place, const Walk *w)
{
    for (int i = 0; i < m->count; i++)
        if (memory_same_walk(m->at[i].walk, w)) {
            m->at[i].weight++;
            return true;
        }
    if (m->count == SAMPLES_MAX)
        return false;
    m->at[m->count++] = (MemorySample){.place = place, .weight = 1, .walk = w};
    return true;
}

/* False where one of them is not followed to its end. */
static bool count_all(Sampler *s, MemorySamples *m, uint64_t all, uint32_t warps)
{
    for (uint64_t i = 0; i < all; i++) {
        const PtxPlace place = {ptx_block_at(s->walk.launch.grid, i / warps),
                                (uint32_t)(i % warps)};
        const Walk *w = sampler_walked(s, place);
        w = w ? w : sampler_walk(s, place, s->steps);
        if (!w || w->capped || !count_walk(m, place, w))
            return false;
    }
    for (int i = 0; i < m->count; i++)
        m->at[i].weight /= (double)all;
    return true;
}

void sampler_whole(Sampler *s, uint32_t warps)
{
    const uint64_t all = ptx_block_count(s->walk.launch.grid) * warps;
    const MemorySample middle = s->out->at[0];
    if (all > WHOLE_MOST || middle.walk->capped || all * middle.walk->steps > s->all)
        return;
    MemorySamples *whole = ARENA_NEW(s->arena, MemorySamples);
    *whole = *s->out;
    whole->count = 1;
    whole->at[0].weight = 0;
    whole->even = 0;
    whole->cut = 0;
    s->steps = s->all;
    s->walk.passes = false; /* who touches a sector first is asked of the middle block */
    if (!count_all(s, whole, all, warps))
        return;
    const Sums few = sums_of(s->out), are = sums_of(whole);
    if (!are_equal(&few, &are))
        s->out = whole;
}
