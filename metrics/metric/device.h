/* What a GPU offers a kernel: limits, sizes and clock.
 *
 * A Device is plain data.  device_find gives one of the shipped device files, which lie beside this
 * and are part of the program: every compute capability CUDA 13 compiles for, and the GeForce 8800
 * GTX of Ryoo's thesis.  device_file_read gives one of a user's file (sheet.h has their form); the
 * measuring process fills in one from the driver.  A number that has no source is 0. */
#ifndef APTUNE_METRIC_DEVICE_H
#define APTUNE_METRIC_DEVICE_H

#include <stdbool.h>
#include "tuner/base/json_struct.h"

#include <stddef.h>
#include <stdint.h>

struct DeviceSheet;

typedef struct Device {
    const char *name; /* "NVIDIA H200" */
    int major, minor; /* compute capability */
    int sms;          /* streaming multiprocessors */

    int threads_per_block; /* largest block */
    int block_limit[3];    /* largest block in x, y, z */
    int64_t grid_limit[3]; /* largest grid in x, y, z */

    int threads_per_sm;
    int warps_per_sm;
    int blocks_per_sm;

    int registers_per_sm;
    int registers_per_block;
    int registers_per_thread;

    int shared_per_sm;          /* bytes */
    int shared_per_block;       /* bytes, without opting in */
    int shared_per_block_optin; /* bytes, with cudaFuncSetAttribute's counterpart */
    int shared_reserved;        /* bytes a block takes for the system */

    double clock_hz;         /* SM clock under load */
    int64_t l2_bytes;        /* L2 cache */
    double dram_bytes_per_s; /* peak of the memory bus */
    int fp32_per_sm;         /* fused multiply-adds per cycle and SM */

    /* Its rates, latencies and where each number is from; NULL when the driver described it. */
    const struct DeviceSheet *sheet;
} Device;

/* On its way to another process: with the sheet's rates and latencies, and nothing else of it. */
extern const JsonStruct DEVICE_JSON;

/* A shipped device by name as a user or the driver writes it; case, spaces and punctuation do not
 * count: "h200", "NVIDIA H200", "8800gtx".  A compute capability ("sm_90", "compute_90a", "9.0",
 * "90") gives the first GPU in the file of that capability; for 9.0 that is the H200.  NULL when
 * unknown. The result is constant. */
const Device *device_find(const char *name);

/* The shipped device of that name when its capability (90) agrees, else the first of the
 * capability; NULL when there is none.  `name` may be NULL. */
const Device *device_like(const char *name, int arch);

/* Is the name a compute capability and not a GPU's? */
bool device_is_capability(const char *name);

/* Shipped device `i`, by capability, then as its file lists them; NULL past the end. */
const Device *device_at(size_t i);

/* The number of the capability as in sm_90: 10 × major + minor. */
int device_arch(const Device *d);

/* Peak of fp32 fused multiply-adds, in FLOP per second. */
double device_peak_flops(const Device *d);

#endif
