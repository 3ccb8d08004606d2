/* A few warps that stand for all warps of a launch, each with a weight.
 *
 * The middle warp of the block in the middle of the grid is walked; others are compared with it, and their
 * differences are added by their share:
 * - of the warps of that block, the first and the last, and if these differ from it SAMPLE_WARPS in all,
 *   evenly spread, each for the warps around it; all, if the ones between differ, too;
 * - of the blocks along each grid axis, the next one; if it differs (rows that start at other alignments),
 *   those after it, until one equals the middle one or SAMPLE_CYCLE have been walked: inner blocks are
 *   taken to be like each of them in equal parts;
 * - the first and the last block along each axis, each for itself and for those towards the middle that
 *   differ from the middle one, if something other than a linear function of the block index matters (a
 *   comparison, a minimum, a remainder), and only if the first or the last block of the grid differs at
 *   all. All blocks of an axis that has at most SAMPLE_AXIS.
 *
 * If the middle warp's work depends on data that it loads (WalkData), there is no such order: then
 * SAMPLE_SPREAD warps, evenly spread over all, and the middle one count equally; up to SAMPLE_MOST if their
 * mean is not precise enough. If the launch's first or last warp has much more work than the nearest of
 * these (rows sorted by length), that part is repeatedly cut in four towards the end. SAMPLE_MATES other
 * warps of the sampled blocks tell how much warps of a block differ.
 *
 * There is no such order in a picture either: a block at an end differs from the middle one and one halfway
 * differs from both, or none of SAMPLE_UNLIKE to SAMPLE_CYCLE blocks in a row (as many as there are) equals
 * another; or one of SAMPLE_UNLIKE spread over the blocks between the ends is like no sample there (periods longer than
 * those in a row; not sought where the first and the last block are like the middle one, and the block index is only
 * compared: then so are all between). They are also sought, in the first and last warps too, if a sample calls a routine:
 * the middle of a picture may be the only place where an operand is 0. Then SAMPLE_PICTURE or up to PICTURE_MOST warps
 * that fill the grid count equally.
 *
 * If the middle block lies beyond the data, so that its warp accesses no memory, a block nearer to the
 * first one replaces it. If the first or the last block of the grid lies beyond the data, all such blocks
 * are left out, one of them on each side stands for them, and the others are sampled as if they were the
 * grid.
 *
 * So differences along axes and between warps are assumed to add up; if so many blocks at the ends of two
 * axes differ from the middle one that their corners matter, the grid is treated as a picture.
 *
 * In a launch of at most WHOLE_MOST warps all are walked, if as many like the middle one take at most
 * SAMPLE_STEPS. If their mean differs from the sample's, they replace it, equal ones as one sample; the
 * result is then exact. Larger launches are not checked. The weights sum to 1. Internal to metrics/ptx. */
#pragma once

#include "metrics/ptx/walk.h"

/* Steps of all walks together (walk.h), of which the middle warp may take seven eighths. If it takes more
 * than 1 / SAMPLE_SHARE of them, other warps take 1 / SAMPLE_PARTS each: the rest of their loops is
 * estimated (walk_rest.c), and they are compared with the middle warp walked no further. A warp that they
 * do not suffice for is left out and represented by the middle one, unless it has already executed more
 * than that. */
enum { SAMPLE_STEPS = 800000 };

enum {
    SAMPLE_SHARE = 16,
    SAMPLE_PARTS = 64,
    SAMPLE_WARPS = 8,
    WARPS_SHARE = 4, /* of the steps, for all warps of a block */
    SAMPLE_CYCLE = 8,
    SAMPLE_UNLIKE = 4,
    SAMPLE_AXIS = 4,
    SAMPLE_SPREAD = 24,
    SAMPLE_PICTURE = 32,
    PICTURE_MOST = 224,
    MIDDLE_PARTS = 1024, /* the middle is sought down to the first of these parts of the grid */
    SAMPLE_MOST = 480,
    SAMPLE_MATES = 8,  /* pairs of warps of one block, in a sample by data */
    PICTURE_SHARE = 2, /* times the steps, if warps differ everywhere */
    WHOLE_MOST = 1000, /* launches up to this are walked whole if the steps suffice */
    SAMPLES_MAX = 1024
};

typedef struct MemorySample {
    PtxPlace place;
    double weight;
    const Walk *walk;
} MemorySample;

typedef struct MemorySamples {
    MemorySample at[SAMPLES_MAX]; /* middle one first */
    int count;
    int even;           /* leading samples spread evenly over all warps; 0: not so sampled */
    bool ordered;       /* these are in launch order, except the middle one */
    int mates;          /* of a sample by data: pairs of warps of one block … */
    double mates_apart; /* … and their mean variance: half the squared difference of their work */
    uint64_t all;       /* of an even sample: warps of the launch … */
    PtxDim grid;        /* … and its grid */
    int cut;            /* warps cut off for lack of steps */
    /* Relative error of the middle warp's work if walked only as far as the others. */
    double limit_error;
    bool rough; /* the middle one was cut off, too, until less was followed (WalkPlans) */
    VEC(MemorySample) walked; /* every warp walked, including those the middle one stands for */
} MemorySamples;

/* Walks them; `o->memory` must be set. `o->max_steps` is for all together, 0: SAMPLE_STEPS. Without a
 * geometry, only the middle one. */
MemorySamples *memory_sample(Arena *a, const PtxFunction *entry, const WalkOptions *o);

/* A negligible error of the sample. */
static const double SAMPLED_ENOUGH = 0.01;

/* Relative standard error of the mean work in an even sample, else 0. It is based on differences of
 * neighbours in the sample, as a common trend, such as from a picture's rim to its middle, is sampled
 * itself (K. M. Wolter, "Introduction to Variance Estimation", 2007, chapter 8: successive differences). */
double memory_sampling_error(const MemorySamples *s);

/* How far the work of warps of one block is apart in a sample by data, as a part of its standard deviation over all: 1
 * if each row of data is as long as chance has it, 0 if they are sorted or a block has rows of one length, or if the
 * sample is none by data. Without mates, neighbours in the sample stand for them. */
double memory_sampling_disorder(const MemorySamples *s);

/* The walk of a warp; NULL if it was not walked. */
const Walk *memory_walked(const MemorySamples *s, PtxPlace place);

/* True if both executed the same blocks equally often, and lanes parted behind the same ones as often. */
bool memory_same_counts(const Walk *a, const Walk *b);
