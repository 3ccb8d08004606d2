/* Taking samples of a run: the time between two events on the device, over as many runs as it
 * takes to be long for the events' clock.
 *
 * Short runs are batched: a sample is then a CUDA graph of many runs back to back, so that what is
 * timed is the kernels and not the calls that launch them.  A batch has one run alone
 *   - where the L2 has to be cold, since only the first run finds it so;
 *   - where a buffer that kernels change has contents (in/out, or an output to be added to): they
 *     are restored before every run, since a kernel timed on the results of the run before may
 *     take another path, or overflow.  Restoring is not timed.
 * For those, certainty comes from the number of samples.
 *
 * A cold L2 is had by reading a buffer of twice its size.  Writing one would do as well, but would
 * leave it full of lines that the timed run has to write back. */
#pragma once

#include "launch.h"
#include "nvml.h"
#include "problem.h"

/* Samples given to the device before waiting for them. */
enum { SAMPLE_QUEUE = 64 };

/* What sampling needs beside the problem; one of each process. */
typedef struct Bench {
    Driver *driver;
    Problem *problem;
    Nvml *nvml; /* NULL: not looked at */
    int64_t l2_bytes;
    DriverAddress flush; /* 0 until a cold L2 is wanted */
    size_t flush_bytes;
    DriverEvent *events[2 * SAMPLE_QUEUE]; /* start and end of each sample; made when needed */
} Bench;

typedef struct Sampler {
    Bench *bench;
    const ReadyRun *run;
    bool cold;
    int batch;          /* runs within a sample */
    DriverGraph *graph; /* of a batch; NULL for one run, or where no graph can be made */
    double run_ms;      /* of a batch of more than one: about what a run takes */
} Sampler;

/* Gets a run ready to be timed: at least `sample_ms` for each sample, a run taking about `run_ms`
 * (0: not known; found out by running it).  sampler_close is called in either case. */
DriverStatus sampler_open(Sampler *s, Bench *b, const ReadyRun *run, bool cold, double sample_ms,
                          double run_ms);

void sampler_close(Sampler *s);

/* Gives the runs of one sample to the device, without timing them. */
void sampler_give(const Sampler *s);

/* A run over and over, back to back, for some seconds: how long it takes and what it costs when the
 * device does nothing else, at the clock that its power limit leaves.
 *
 * Energy is the device's own counter's, which counts all of the board, idle parts included.  It is
 * raised some ten times a second; so the power is the slope of a line through the moments at which
 * it was seen to change, and a run's energy is that power times a run's time.  Both hold only if
 * the device never waits for the host, which is itself kept waiting where it asks for the counter:
 * other processes that open or close a context have held such questions up for 0.2 s.  So the
 * device is given half a second of work ahead, and what it waited all the same is measured and
 * told. */

/* For `seconds`, after at least a third of that, which brings power, heat and clock to where they
 * stay: the board's temperature has then not changed for as long.  At most three times, while the
 * device had to wait.  Buffers with contents of their own are restored before every run, and that
 * counts.  Takes six times `seconds` at most, and a second. */
DriverStatus sustain(Arena *a, Bench *b, const ReadyRun *run, double seconds, TrialSustained *out);

/* A trial on the device: verified, warmed up, timed; and the finalists against each other. */

/* Runs it; the result's arrays live in `a`.  Of finalists times[i × rounds + round] is that of run
 * i: all rounds or none, one that fails ends it with its status and words.  False when this process
 * must not be used any more: the context is broken, or something was written that every later trial
 * relies on. */
bool trial_run(Arena *a, Bench *b, const Trial *t, TrialResult *r);
