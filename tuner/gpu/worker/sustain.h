/* A run over and over for some seconds: how long one takes and what it costs when the device does
 * nothing else, at the clock that its power limit leaves.
 *
 * Energy is the device's own counter's, which counts all of the board, idle parts included.  It is
 * raised some times a second; so the power is the slope of a line through the moments at which it
 * was seen to change, and a run's energy is that power times a run's time. */
#ifndef APTUNE_GPU_WORKER_SUSTAIN_H
#define APTUNE_GPU_WORKER_SUSTAIN_H

#include "sample.h"

/* For `seconds`, after a third of that which brings power and clock to where they stay.  Buffers
 * with contents of their own are restored before every run, and that counts. */
DriverStatus sustain(Bench *b, const ReadyRun *run, double seconds, TrialSustained *out);

#endif
