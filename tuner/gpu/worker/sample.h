/* Takes samples of a run.  A sample is the time between two events on the device, over enough runs to be long
 * compared with the events' resolution.
 *
 * Short runs are batched: a sample is then a CUDA graph of many runs back to back, so that it times the
 * kernels and not the calls that launch them.  A batch has a single run
 *   - if the L2 has to be cold, which it is for the first run only;
 *   - if a buffer that kernels change has contents (in/out, or an output that is added to): these are
 *     restored before every run, untimed, since a kernel that runs on the results of the last run may take
 *     another path, or overflow.
 * In these cases precision comes from more samples.
 *
 * The L2 is made cold by reading a buffer of twice its size.  Writing one would leave dirty lines, which the
 * timed run would have to write back. */
#pragma once

#include "nvml.h"
#include "problem.h"

/* Samples submitted before waiting for them. */
enum { SAMPLE_QUEUE = 64 };

/* What sampling needs; one per process. */
typedef struct Bench {
    Driver *driver;
    Problem *problem;
    Nvml *nvml; /* NULL: not available */
    int64_t l2_bytes;
    DriverAddress flush; /* 0 until a cold L2 is needed */
    size_t flush_bytes;
    DriverEvent *events[2 * SAMPLE_QUEUE]; /* start and end of each sample, created when needed */
} Bench;

typedef struct Sampler {
    Bench *bench;
    const ReadyRun *run;
    bool cold;
    int batch;          /* runs within a sample */
    DriverGraph *graph; /* of a batch; NULL for one run, or if no graph can be made */
    double run_ms;      /* of a batch of more than one: about the time of a run */
} Sampler;

/* Prepares sampling a run, with samples of at least `sample_ms`.  A run takes about `run_ms` (0: not known;
 * measured here).  The caller calls sampler_close in either case. */
DriverStatus sampler_open(Sampler *s, Bench *b, const ReadyRun *run, bool cold, double sample_ms,
                          double run_ms);

void sampler_close(Sampler *s);

/* Submits the runs of one sample, untimed. */
void sampler_submit(const Sampler *s);

/* --- sustain.c --------------------------------------------------------------------------------
 *
 * Repeats a run back to back for some seconds, to measure its time and energy under sustained load, at the
 * clock that the power limit allows.
 *
 * Energy comes from the device's counter, which covers the whole board, idle parts included.  The counter
 * changes about ten times a second, so the power is the slope of a line fitted through the moments of its
 * changes, and a run's energy is that power times the run's time.  Both require that the device never waits
 * for the host; but the host itself may wait in queries of the counter: other processes that open or close a
 * context have delayed them by 0.2 s.  So the device always has half a second of work queued, and the idle
 * time that remains is measured and reported. */

/* Measures for `seconds`.  Before, warms up until the board's temperature has not changed for a third of
 * that, so that power and clock have settled.  Tries up to three times if the device was idle.  Buffers with
 * contents of their own are restored before every run, and the time of that counts.  Takes at most six times
 * `seconds`, plus one second. */
DriverStatus sustain(Arena *a, Bench *b, const ReadyRun *run, double seconds, TrialSustained *out);

/* --- trial.c ---------------------------------------------------------------------------------- */

/* Runs a trial: one run verified, warmed up and timed, or finalists timed in turn.  The result's arrays live
 * in `a`.  For finalists times[i × rounds + round] is that of run i; if one fails, the result is its status
 * and words, without times.  False if this process must not be used any more: the context is broken, or
 * memory was overwritten that later trials rely on. */
bool trial_run(Arena *a, Bench *b, const Trial *t, TrialResult *r);
