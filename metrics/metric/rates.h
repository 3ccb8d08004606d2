/* How fast an SM does what, and how long one warp waits for it.
 *
 * The numbers turn counts of the profile into cycles.  They stand in the device files (sheet.h),
 * with the source of each; there are none before compute capability 7.0. */
#ifndef APTUNE_METRIC_RATES_H
#define APTUNE_METRIC_RATES_H

#include "metrics/metric/device.h"

/* Results (lanes) per cycle and SM unless said otherwise; 0: not known. */
typedef struct Rates {
    double issue; /* warp instructions per cycle and SM */
    double fp32;  /* single-precision add, multiply, fused multiply-add */
    double half;  /* the same in half precision, both of a pair counted */
    double fp64;
    double int_add;
    double int_mul;
    double logic;   /* and, or, shifts, compares */
    double sfu;     /* reciprocal, root, sine, exponential */
    double convert; /* between types */
    double shuffle;
    double shared;     /* wavefronts of shared memory per cycle and SM */
    double l2;         /* bytes per cycle of the whole device */
    double tensor;     /* multiply-adds of dense matrices in half precision, whole warps' ones */
    double constant;   /* words that the constant cache gives to a warp, per cycle and SM */
    double code_bytes; /* of the instruction cache that an SM's schedulers share, in bytes */
} Rates;

/* Cycles from issue to the first dependent issue. */
typedef struct Latencies {
    double alu;
    double sfu;
    double shuffle;
    double shared;
    double l1;
    double l2;
    double dram;         /* a global load that goes further than L2 now and then */
    double barrier;      /* of a block of no warps … */
    double barrier_warp; /* … and this much more for each */
} Latencies;

/* What platform.def lists; 0: not known. */
typedef struct Platform {
#define PLATFORM(name, quantity, meaning) double name;
#include "metrics/metric/platform.def"
#undef PLATFORM
} Platform;

/* Of the device's sheet; without one, of the shipped sheet that device_like finds.  NULL when that
 * has none. */
const Rates *rates_of(const Device *d);
const Latencies *latencies_of(const Device *d);
const Platform *platform_of(const Device *d);

#endif
