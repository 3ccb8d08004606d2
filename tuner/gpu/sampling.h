/* Decides how often a run is timed: often enough to rank it, but not more if it cannot win.
 *
 * A sample is the time between two events on the device, over enough runs to be long compared with the
 * events' resolution.  Sampling ends when the confidence interval of the median is narrow, lies above the
 * best time so far, or the budget is spent.  tuner/gpu/worker/trial.c takes the samples. */
#pragma once

#include "metrics/base/stats.h"
#include "tuner/spec/task.h"

/* Relative error assumed for a time when there are fewer than STATS_INTERVAL_LEAST samples.  A wide
 * convention: of 5785 kernels timed seven times on an H200 (the shipped recordings of mm and transpose) the
 * median lay more than 2 % outside the range of the first two for 2, more than 5 % for none. */
#define SAMPLING_FEW 0.1

/* The confidence interval of the median. */
StatsInterval sampling_interval(const double *ms, size_t count);

/* Most runs in a sample: far fewer launches than the driver queues (1024). */
enum { SAMPLING_BATCH_MOST = 512 };

/* Runs in a sample, for a run of about `run_ms`.  At least 1. */
int sampling_batch(double sample_ms, double run_ms);

/* The fraction of the time of equal pieces of work that the device was idle: the time beyond the median, of
 * pieces that took more than 1.5 times the median.  0 if there are none. */
double sampling_idle(const double *ms, size_t count);

/* How many samples to take next, all at once; 0: no more are needed. */
size_t sampling_more(const TaskSampling *s, const double *ms, size_t count, int batch);
