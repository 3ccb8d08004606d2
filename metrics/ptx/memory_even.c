#include "metrics/ptx/memory_sampler.h"

#include <math.h>

/* --- warps whose work depends on data -------------------------------------------------------- */

/* Refines the part at an end of an even sample that `x` represents: ever smaller parts towards the end,
 * down to the last warp, each with a warp of its own; only the last warp if that has not much more work. */
static void sample_towards_end(Sampler *s, MemorySample *x, uint64_t all, bool last)
{
    const double much = 1.5;
    const double work = walk_work(x->walk);
    const uint64_t end = last ? all - 1 : 0, each = s->each;
    s->each = s->steps = s->steps > s->all / 4 ? s->steps : s->all / 4;
    MemorySample *const most = sampler_follow(s, sampler_place(s, end));
    s->each = each;
    if (!most)
        return;
    most->weight = 1 / (double)all;
    x->weight -= most->weight;
    if (walk_work(most->walk) < much * work)
        return;
    uint64_t part = (uint64_t)(x->weight * (double)all);
    while ((part /= 4) > 1) {
        const uint64_t at = part - part / 4;
        MemorySample *nearer = sampler_follow(s, sampler_place(s, last ? end - at : at));
        if (!nearer)
            return;
        nearer->weight = x->weight / 4;
        x->weight -= nearer->weight;
        x = nearer;
    }
}

/* In an even sample, warps that were cut off count like the complete one with the most work. */
static void stand_for_cut(Sampler *s)
{
    const Walk *most = NULL;
    for (int i = 0; i < s->out->count; i++) {
        const Walk *w = s->out->at[i].walk;
        most = !sampler_is_cut(w) && (!most || walk_work(w) > walk_work(most)) ? w : most;
    }
    for (int i = 0; most && i < s->out->count; i++)
        if (sampler_is_cut(s->out->at[i].walk) && walk_work(s->out->at[i].walk) < walk_work(most))
            s->out->at[i].walk = most;
}

static uint64_t number_of(const Sampler *s, const MemorySample *x)
{
    return ptx_block_number(s->walk.launch.grid, x->place.block) * s->warps + x->place.warp;
}

/* Sorts all but the middle one by their numbers in the launch. */
static void put_in_order(Sampler *s)
{
    MemorySample *at = s->out->at;
    for (int i = 2; i < s->out->count; i++) {
        const MemorySample x = at[i];
        int k = i;
        for (; k > 1 && number_of(s, &at[k - 1]) > number_of(s, &x); k--)
            at[k] = at[k - 1];
        at[k] = x;
    }
}

/* A step coprime to `count`, near this part of it: its multiples fill the range evenly and visit all. */
static uint64_t even_step(uint64_t count, double part)
{
    uint64_t step = (uint64_t)((double)count * part) + 1;
    for (;; step++) {
        uint64_t a = step, b = count;
        while (b) {
            const uint64_t rest = a % b;
            a = b;
            b = rest;
        }
        if (a == 1)
            return step;
    }
}

/* The place of one of `count` samples: one in each of as many equal parts of all warps in order, at places that follow
 * the golden section so as not to resonate with a period of the data. Where there are as many blocks, one in each of as
 * many parts of a block, too: what only some warps of each block do is then counted as often as they do it. Any number
 * of first samples are as even. */
static PtxPlace spread_place(const Sampler *s, uint64_t all, uint64_t count, uint64_t sample)
{
    const uint64_t k = sample * even_step(count, GOLDEN) % count;
    const double within = (double)(k + 1) * GOLDEN - floor((double)(k + 1) * GOLDEN);
    const uint64_t number = (uint64_t)(((double)k + within) * (double)all / (double)count);
    PtxPlace place = sampler_place(s, all <= count ? k : number < all ? number : all - 1);
    if (all / s->warps >= count) {
        const uint64_t part = sample * even_step(count, SILVER) % count;
        place.warp = (uint32_t)((2 * part + 1) * s->warps / (2 * count));
    }
    return place;
}

/* Samples `most` warps; all if there are fewer. If the steps do not suffice, the parts sampled are spread as evenly. */
static void sample_spread(Sampler *s, uint64_t all, uint64_t most)
{
    const PtxPlace middle = s->out->at[0].place;
    const uint64_t count = all < most ? all : most;
    s->evenly = true;
    s->out->count = 1;
    s->out->cut = 0;
    for (uint64_t done = 0; done < count && s->steps > 0; done++) {
        const PtxPlace place = spread_place(s, all, count, done);
        if (!ptx_same_place(place, middle))
            sampler_follow(s, place);
    }
    stand_for_cut(s);
    put_in_order(s);
    s->out->even = s->out->count;
    s->out->ordered = true;
    s->out->all = all;
    s->out->grid = s->walk.launch.grid;
    for (int i = 0; i < s->out->even; i++)
        s->out->at[i].weight = 1.0 / s->out->even;
    if (all > count && s->out->even > 2) {
        sample_towards_end(s, &s->out->at[1], all, false);
        sample_towards_end(s, &s->out->at[s->out->even - 1], all, true);
    }
}

uint32_t sampler_fill(int k, double step, BlockRange range)
{
    const double at = 0.5 + k * step;
    return range.from + (uint32_t)((at - floor(at)) * range_length(range));
}

/* True if the grid has more than one block along one axis alone. */
static bool is_row(PtxDim grid)
{
    const uint64_t count = ptx_block_count(grid);
    return count == grid.x || count == grid.y || count == grid.z;
}

/* Samples warps at places that fill the grid evenly for any number of them. x and y are powers of the plastic number
 * (M. Roberts 2018); its multiples leave gaps in a single axis, which the golden section fills. The places in the picture
 * do not depend on the block shape, so configurations are compared by the same parts of it. The middle warp is the first;
 * all that the steps suffice for count equally. */
void sampler_picture(Sampler *s)
{
    s->out->count = 1;
    s->out->cut = 0;
    s->each = s->steps = PICTURE_SHARE * s->all;
    s->out->grid =
        (PtxDim){range_length(s->axes[0]), range_length(s->axes[1]), range_length(s->axes[2])};
    s->out->all = ptx_block_count(s->out->grid) * s->warps;
    const bool row = is_row(s->out->grid);
    for (int k = 1; k < PICTURE_MOST && s->steps > 0; k++) {
        if (k % SAMPLE_PICTURE == 0 && memory_sampling_error(s->out) < SAMPLED_ENOUGH / 2)
            break;
        const PtxDim block = {sampler_fill(k, row ? GOLDEN : PLASTIC, s->axes[0]),
                              sampler_fill(k, row ? GOLDEN : PLASTIC * PLASTIC, s->axes[1]),
                              sampler_fill(k, row ? GOLDEN : SILVER, s->axes[2])};
        const BlockRange warps = {0, s->warps};
        sampler_follow(s, (PtxPlace){block, sampler_fill(k, row ? SILVER : GOLDEN, warps)});
        s->out->even = s->out->count;
    }
    for (int i = 0; i < s->out->even; i++)
        s->out->at[i].weight = 1.0 / s->out->even;
}

/* Compares some warps of the sample with others of their blocks. */
static void sample_mates(Sampler *s)
{
    MemorySamples *m = s->out;
    const int cut = m->cut, most = m->even < SAMPLE_MATES ? m->even : SAMPLE_MATES;
    double sum = 0;
    s->steps = s->steps > s->all / SAMPLE_MATES ? s->steps : s->all / SAMPLE_MATES;
    for (int k = 0; k < most && s->warps > 1; k++) {
        const MemorySample *x = &m->at[k * m->even / most];
        const uint32_t other = (x->place.warp + 1 + (uint32_t)k % (s->warps - 1)) % s->warps;
        const Walk *w = sampler_walk(s, (PtxPlace){x->place.block, other}, s->each);
        if (!w || sampler_is_cut(w) || sampler_is_cut(x->walk))
            continue;
        sum += pow(walk_work(w) - walk_work(x->walk), 2) / 2;
        m->mates++;
    }
    m->mates_apart = m->mates > 0 ? sum / m->mates : 0;
    m->cut = cut;
}

/* Spreads a sample, then a larger one if its error asks for it. */
static void sample_data(Sampler *s)
{
    const uint64_t all = ptx_block_count(s->walk.launch.grid) * s->warps, left = s->steps;
    sample_spread(s, all, SAMPLE_SPREAD);
    const double walk = fmax((double)(left - s->steps) / s->out->count, 1);
    const double error = memory_sampling_error(s->out) / SAMPLED_ENOUGH;
    const double wanted = fmin(6 * SAMPLE_SPREAD * error * error, SAMPLE_MOST);
    const double most = fmin(wanted > (double)all / 2 ? (double)all : wanted,
                             fmin((double)s->steps / walk, SAMPLE_MOST));
    if (error < 1 || most < 1.5 * SAMPLE_SPREAD)
        return;
    sample_spread(s, all, (uint64_t)most);
}

void sampler_data(Sampler *s)
{
    sample_data(s);
    sample_mates(s);
}

/* --- standard error of their mean ------------------------------------------------------------ */

/* Squared distance of two blocks, relative to the grid's size. */
static double apart(PtxDim grid, PtxDim x, PtxDim y)
{
    double sum = 0;
    for (int axis = 0; axis < 3; axis++) {
        const double d = ((double)*ptx_along(&x, axis) - (double)*ptx_along(&y, axis)) /
                         (double)*ptx_along(&grid, axis);
        sum += d * d;
    }
    return sum;
}

static const Walk *nearest(const MemorySamples *s, int of)
{
    const Walk *found = NULL;
    double least = INFINITY;
    for (int i = 0; i < s->even; i++) {
        const double d = apart(s->grid, s->at[i].place.block, s->at[of].place.block);
        if (i != of && d < least) {
            least = d;
            found = s->at[i].walk;
        }
    }
    return found;
}

double memory_sampling_disorder(const MemorySamples *s)
{
    double mean = 0, squares = 0, beside = 0;
    if (!s->ordered || s->even < 3)
        return 0;
    for (int i = 0; i < s->even; i++)
        mean += walk_work(s->at[i].walk) / s->even;
    for (int i = 1; i < s->even; i++) {
        squares += pow(walk_work(s->at[i].walk) - mean, 2);
        beside += i > 1 ? pow(walk_work(s->at[i].walk) - walk_work(s->at[i - 1].walk), 2) / 2 : 0;
    }
    beside = s->mates > 0 ? s->mates_apart * (s->even - 1) : beside;
    return squares > 0 ? fmin(1, sqrt(beside / squares)) : 0;
}

double memory_sampling_error(const MemorySamples *s)
{
    double mean = 0, squares = 0;
    if (s->even < 2)
        return 0;
    for (int i = 0; i < s->even; i++) {
        const double work = walk_work(s->at[i].walk);
        const Walk *beside = !s->ordered ? nearest(s, i) : s->at[i > 1 ? i - 1 : s->even - 1].walk;
        mean += work / s->even;
        squares += pow(work - walk_work(beside), 2) / (2 * s->even);
    }
    const double left_out = fmax(0, 1 - s->even / (double)s->all);
    return mean > 0 ? sqrt(left_out * squares / s->even) / mean : 0;
}
