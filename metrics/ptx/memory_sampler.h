/* What memory_sample.c and memory_even.c share: a sampler that follows warps and keeps those that stand for others.
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

/* A warp that is in the sample from here on, with no weight yet; NULL when there is no room or no steps for it. */
MemorySample *sampler_follow(Sampler *s, PtxDim block, uint32_t warp);

/* Did the steps end before it did? */
bool sampler_is_cut(const Walk *w);

/* Where what warps do follows from data, and where it follows from where they lie (memory_even.c). */
void sampler_data(Sampler *s, uint32_t warps);
void sampler_picture(Sampler *s, uint32_t warps);
