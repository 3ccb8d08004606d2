/* A few warps that stand for all warps of a launch, each with its weight.
 *
 * The middle warp of the block in the middle of the grid is followed; the others are compared with
 * it, and what they differ in is added by their share:
 *   - of the warps of that block the first and the last, and where these differ from it up to
 *     SAMPLE_WARPS in all, evenly spread, each for the warps around it;
 *   - of the blocks along each axis of the grid the next one; where it differs (rows that start on
 *     other alignments) the ones behind, until one is like the middle one again or SAMPLE_CYCLE
 * have been followed: inner blocks fare like one of them each, in equal parts;
 *   - the first and the last block along each axis, each for itself and for those towards the middle that are unlike
 * the middle one, where something other than a linear function of the block's number decides what
 *     happens: a comparison, a minimum, a remainder; and only where the first or the last block of
 *     the grid differs at all.  All blocks of an axis that has at most SAMPLE_AXIS.
 *
 * Where what the middle warp does follows from data that it loads (WalkData), there is no such order: then
 * SAMPLE_SPREAD warps, evenly spread over all, and the middle one count the same each; up to SAMPLE_MOST where the
 * mean of these is not sure enough.  Where the launch's first or last
 * warp has much more to do than the nearest of these, rows sorted by length, that one's part is cut in four
 * again and again towards the end.
 *
 * Nor is there one in a picture: a block at an end does something else than the middle one and one half way
 * neither, or none of SAMPLE_UNLIKE to SAMPLE_CYCLE blocks in a row (as many as there are) is like another.  Then
 * SAMPLE_PICTURE warps that fill the grid count the same each, or up to PICTURE_MOST.
 *
 * Where the middle block lies beyond the data, so that its warp comes to no memory, a block nearer to the first one
 * is taken for it.  Where the first or the last block of the grid lies beyond them, all blocks there are left out, one of
 * them on each side stands for them, and the others are sampled as said above, as if they were the grid.
 *
 * So differences along the axes, and between warps, are taken to add up; where blocks unlike the middle one are so many
 * at the ends of two axes that their corners matter, the grid is taken for a picture.
 *
 * Of a launch of WHOLE_MOST warps or fewer every one is followed, if as many like the middle one take no more than
 * SAMPLE_STEPS. Where their mean is another one than the sample's, they take its place, those that did the same
 * as one sample; so it is exact. Of larger launches nothing is checked.  The weights sum to 1.
 * Internal to metrics/ptx. */
#pragma once

#include "metrics/ptx/walk.h"

/* Steps of all walks together (walk.h), of which the middle warp may take seven eighths.  Where it takes more than
 * one of SAMPLE_SHARE parts of them, the others take one of SAMPLE_PARTS each: what is left of their loops then is
 * estimated (walk_rest.h), and they are compared with the middle warp followed no further.  A warp that they do not suffice for is left out, and the middle one
 * stands for it, too, unless it has executed more than that one already. */
enum { SAMPLE_STEPS = 800000 };

enum {
    SAMPLE_SHARE = 16,
    SAMPLE_PARTS = 64,
    SAMPLE_WARPS = 8,
    SAMPLE_CYCLE = 8,
    SAMPLE_UNLIKE = 4,
    SAMPLE_AXIS = 4,
    SAMPLE_SPREAD = 24,
    SAMPLE_PICTURE = 32,
    PICTURE_MOST = 224,
    MIDDLE_PARTS = 1024, /* of the grid, the first of which is looked at for a middle one */
    SAMPLE_MOST = 480,
    PICTURE_SHARE = 2, /* times the steps, where each warp does something else */
    WHOLE_MOST = 1000, /* warps of a launch that are all followed, where the steps suffice */
    SAMPLES_MAX = 1024
};

typedef struct MemorySample {
    PtxPlace place;
    double weight;
    const Walk *walk;
} MemorySample;

typedef struct MemorySamples {
    MemorySample at[SAMPLES_MAX]; /* the middle one first */
    int count;
    int even;     /* so many of the first are spread evenly over all; 0: not so sampled */
    bool ordered; /* and these are in the launch's order, but for the middle one */
    uint64_t all; /* warps of the launch, where they are … */
    PtxDim grid;  /* … and its blocks */
    int cut;      /* warps for which the steps did not suffice */
    double
        limit_error; /* relative, of the middle one's work, were it followed as far as the others alone */
    bool rough;               /* nor for the middle one, until less was followed (WalkPlans) */
    VEC(MemorySample) walked; /* every warp, those that the middle one stands for among them */
} MemorySamples;

/* Follows them; `o->memory` must be set; `o->max_steps`, of all together, 0: SAMPLE_STEPS.  Without
 * a geometry, or with `one_warp`, the middle one alone. */
MemorySamples *memory_sample(Arena *a, const PtxFunction *entry, const WalkOptions *o,
                             bool one_warp);

/* An error of the sample that matters to nobody. */
static const double SAMPLED_ENOUGH = 0.01;

/* Relative standard error of the mean of what warps execute, where they are an even sample: from what neighbours
 * in it differ by, since what all of them follow, as from a picture's rim to its middle, is in the sample (K. M. Wolter,
 * "Introduction to Variance Estimation", 2007, chapter 8: successive differences).  Else 0. */
double memory_sampling_error(const MemorySamples *s);

/* The walk of a warp that was followed; NULL: it was not. */
const Walk *memory_walked(const MemorySamples *s, PtxPlace place);

/* Did they execute the same as often? */
bool memory_same_counts(const Walk *a, const Walk *b);
