/* The state of the device at work, from NVML: clock, power, throttling, other processes.
 *
 * Only nvml.c knows NVML's API.  It opens libnvidia-ml.so.1 at run time; if that is missing, or a query
 * fails, the value is not known.  It never changes a setting. */
#pragma once

#include "metrics/base/arena.h"
#include "tuner/spec/health.h"

typedef struct Nvml Nvml;

/* The device with this UUID of GpuFacts; NULL if it cannot be queried. */
Nvml *nvml_open(Arena *a, const char *uuid);

/* Samples the device, at most ten times a second: a sample costs the host up to a millisecond.  NULL is
 * allowed. */
void nvml_sample(Nvml *n);

/* The last sample; not known before the first, or for NULL. */
GpuHealth nvml_health(const Nvml *n);

/* Energy used since the driver was loaded; NaN if the device does not count it (before Volta), or for NULL. */
double nvml_joules(const Nvml *n);
