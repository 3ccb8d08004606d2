/* How often a run is timed: enough to know its place, and no more on one that cannot win.
 *
 * A sample is the time between two events on the device, over as many runs as it takes to be long
 * for the events' clock.  Samples are taken until the interval of their median is narrow, or until
 * it lies above that of the best known, or until the budget is spent.  These are decisions on
 * numbers alone; tuner/gpu/worker/trial.c carries them out. */
#pragma once

#include "metrics/base/stats.h"
#include "tuner/spec/task.h"

/* What a time is trusted to be of its true value when there are fewer than STATS_INTERVAL_LEAST of
 * it.  A convention, and a wide one: of 5785 kernels timed seven times on an H200 (the shipped
 * recordings of mm and transpose) the median lay more than 2 % outside the range of the first two
 * for 2, more than 5 % for none. */
#define SAMPLING_FEW 0.1

/* The interval of the median of these samples. */
StatsInterval sampling_interval(const double *ms, size_t count);

/* Most runs within a sample: what is launched at once must stay far below what the driver queues
 * (1024 launches). */
enum { SAMPLING_BATCH_MOST = 512 };

/* Runs within a sample, for a run of about `run_ms`.  At least 1. */
int sampling_batch(double sample_ms, double run_ms);

/* The part of all these pieces' time that the device waited for the next one: each is as much work,
 * and what one takes beyond half as long again as their median was no work.  0 of none. */
double sampling_idle(const double *ms, size_t count);

/* How many samples to take next, after these; 0: it is enough.  They can be given to the device at
 * once. */
size_t sampling_more(const TaskSampling *s, const double *ms, size_t count, int batch);
