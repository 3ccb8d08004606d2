/* What the driver's management library says of the device at work: clock, power, what holds it
 * back, other processes.
 *
 * nvml.c is the only file that knows that library's API; it opens libnvidia-ml.so.1 at run time,
 * and where it is missing, or refuses a question, that much is not known.  It reads and never sets
 * anything. */
#pragma once

#include "metrics/base/arena.h"
#include "tuner/spec/health.h"

typedef struct Nvml Nvml;

/* The device with this UUID, as GpuFacts has it; NULL where it cannot be asked. */
Nvml *nvml_open(Arena *a, const char *uuid);

/* Samples the device, at most some times a second: a sample costs the host up to a millisecond.
 * NULL is allowed. */
void nvml_sample(Nvml *n);

/* The last sample; not known before the first, or for NULL. */
GpuHealth nvml_health(const Nvml *n);

/* What the device has used since its driver was loaded; NaN where it does not count that (before
 * Volta), or for NULL. */
double nvml_joules(const Nvml *n);
