/* What the driver says about one GPU. */
#pragma once

#include "metrics/metric/device.h"

typedef struct GpuFacts {
    Device device;        /* dram_bytes_per_s: two transfers per memory clock × bus width */
    const char *uuid;     /* "GPU-4f1c…", as in nvidia-smi */
    const char *driver;   /* "580.159.04"; "" if not known */
    int cuda_version;     /* newest CUDA that the driver supports: 13000 is 13.0 */
    int64_t memory_bytes; /* the device's whole memory */
    double memory_clock_hz;
    int bus_bits; /* width of the memory bus */
} GpuFacts;
