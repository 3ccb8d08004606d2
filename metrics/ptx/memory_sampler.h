/* What the parts of memory_sample.h share: a sampler that follows warps and keeps those that stand for others.
 * Internal to metrics/ptx. */
#pragma once

#include "metrics/ptx/memory_sample.h"

/* Blocks `from` up to `end` of an axis. */
typedef struct Stretch {
    uint32_t from, end;
} Stretch;

static inline uint32_t stretch_length(Stretch s)
{
    return s.end - s.from;
}

typedef struct Sampler {
    Arena *arena;
    const PtxFunction *entry;
    WalkOptions walk;
    MemorySamples *out;
    Stretch axes[3];  /* blocks among which those that are followed are chosen */
    bool narrowed;    /* these are not all: others have nothing to do */
    double ends[3];   /* along each axis the part of them at an end that is unlike the middle one */
    uint64_t all;     /* steps of all walks together, */
    uint64_t steps;   /* those that are left */
    uint64_t each;    /* that a warp other than the middle one may take */
    const Walk *like; /* the middle one, followed as far as others are */
    bool evenly;      /* what is followed counts the same each, cut or not */
} Sampler;

/* --- following (memory_sample.c) -------------------------------------------------------------- */

/* NULL: there are no steps left. */
const Walk *sampler_walk(Sampler *s, PtxPlace place, uint64_t most);

/* A warp that is in the sample from here on, with no weight yet; NULL when there is no room or no steps for it. */
MemorySample *sampler_follow(Sampler *s, PtxDim block, uint32_t warp);

/* The one that stands for all that are like it; what is spent on it is missing for others. */
void sampler_follow_middle(Sampler *s, PtxDim block, uint32_t warp);

/* Where the middle one was followed further than others may be, it is followed again, no further than they are to be. */
void sampler_limit_others(Sampler *s);

/* What others are compared with. */
const Walk *sampler_comparable(const Sampler *s, const MemorySample *x);

/* What was followed there, as far as others are; NULL: nothing. */
const Walk *sampler_walked(const Sampler *s, PtxPlace place);

bool sampler_is_cut(const Walk *w);
bool sampler_comes_to_memory(const Walk *w);

/* Did two warps of one launch do the same, at addresses that cost the same? */
bool memory_same_walk(const Walk *a, const Walk *b);

/* Does it execute something else, or with other lanes?  Addresses may be on other alignments. */
bool memory_does_other(const Walk *a, const Walk *b);

/* --- what stands for what ----------------------------------------------------------------------- */

/* Differences along axes and between warps, added up (memory_axes.c); false where they do not, as in a picture. */
bool sampler_axes(Sampler *s, uint32_t warps);

/* Leaves out blocks at the ends of the grid that have nothing to do; false where there are none. */
bool sampler_leave_out_idle(Sampler *s, uint32_t warps);

/* Those that were left out, one for all on a side of the others. */
void sampler_add_idle(Sampler *s, uint32_t warps);

/* Where what warps do follows from data, and where it follows from where they lie (memory_even.c). */
void sampler_data(Sampler *s, uint32_t warps);
void sampler_picture(Sampler *s, uint32_t warps);

/* Every warp of a small launch is followed; where these say something else than the sample, they take its place
 * (memory_whole.c). */
void sampler_whole(Sampler *s, uint32_t warps);
