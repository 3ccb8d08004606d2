/* Walks warps and keeps those that stand for others. Internal to memory_sample.c and memory_even.c. */
#pragma once

#include "metrics/ptx/memory_sample.h"

/* Blocks [from, end) of an axis. */
typedef struct BlockRange {
    uint32_t from, end;
} BlockRange;

static inline uint32_t range_length(BlockRange s)
{
    return s.end - s.from;
}

typedef struct Sampler {
    Arena *arena;
    const PtxFunction *entry;
    WalkOptions walk;
    MemorySamples *out;
    uint32_t warps;      /* of a block */
    BlockRange axes[3];  /* blocks that samples are chosen from */
    BlockRange inner[3]; /* those of them between the ends that differ from the middle one */
    bool narrowed;       /* not all: idle blocks are left out */
    bool freely;         /* the block index decides more than borders between blocks */
    double ends[3];      /* by axis: share of blocks at an end that differ from the middle one */
    uint64_t all;        /* steps of all walks together */
    uint64_t steps;      /* steps left */
    uint64_t each;       /* steps that a warp other than the middle one may take */
    const Walk *like;    /* the middle one, walked only as far as others */
    bool evenly;         /* warps count equally, cut off or not */
} Sampler;

/* Steps of low-discrepancy sequences: the golden and silver sections, and a power of the plastic number. */
static const double GOLDEN = 0.6180339887498949, SILVER = 0.4142135623730951,
                    PLASTIC = 0.7548776662466927;

/* Element k of such a sequence, from the middle on, scaled to a range that is not empty. */
uint32_t sampler_fill(int k, double step, BlockRange range);

/* A warp by its number in the launch. */
static inline PtxPlace sampler_place(const Sampler *s, uint64_t number)
{
    return (PtxPlace){ptx_block_at(s->walk.launch.grid, number / s->warps),
                      (uint32_t)(number % s->warps)};
}

/* Walks a warp by at most so many steps; NULL if no steps are left. */
const Walk *sampler_walk(Sampler *s, PtxPlace place, uint64_t most);

/* Adds a warp to the sample, with weight 0; NULL if there is no room or no steps for it. */
MemorySample *sampler_follow(Sampler *s, PtxPlace place);

/* True if the steps ended before the warp did. */
bool sampler_is_cut(const Walk *w);

/* Samples if work depends on data, and if it depends on position (memory_even.c). */
void sampler_data(Sampler *s);
void sampler_picture(Sampler *s);
