/* A run over and over, back to back, for some seconds: how long it takes and what it costs when the
 * device does nothing else, at the clock that its power limit leaves.
 *
 * Energy is the device's own counter's, which counts all of the board, idle parts included.  It is
 * raised some ten times a second; so the power is the slope of a line through the moments at which it
 * was seen to change, and a run's energy is that power times a run's time.  Both hold only if the
 * device never waits for the host, which is itself kept waiting where it asks for the counter: other
 * processes that open or close a context have held such questions up for 0.2 s.  So the device is
 * given half a second of work ahead, and what it waited all the same is measured and told. */
#ifndef APTUNE_GPU_WORKER_SUSTAIN_H
#define APTUNE_GPU_WORKER_SUSTAIN_H

#include "sample.h"

/* For `seconds`, after at least a third of that, which brings power, heat and clock to where they
 * stay: the board's temperature has then not changed for as long.  At most three times, while the
 * device had to wait.  Buffers with contents of their own are restored before every run, and that
 * counts.  Takes six times `seconds` at most, and a second. */
DriverStatus sustain(Arena *a, Bench *b, const ReadyRun *run, double seconds, TrialSustained *out);

#endif
