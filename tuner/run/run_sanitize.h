/* The survivors once more, under compute-sanitizer: what it finds becomes their outcome.
 *
 * A kernel that reads past a buffer's end, or from memory it never wrote, may still compute the
 * right result here and today.  compute-sanitizer's memcheck watches every access; it slows kernels
 * down many times, so it gets only what survived, one verified run each and no timing.  The buffers
 * are allocated to the byte for it, without the guards that would hide a small overrun. */
#ifndef APTUNE_RUN_SANITIZE_H
#define APTUNE_RUN_SANITIZE_H

#include "tuner/run/timer.h"

/* The path of compute-sanitizer; NULL, after a message, where it is not installed. */
const char *run_sanitizer(Run *r);

/* Runs every timed configuration that is right, if that was asked for.  Findings replace outcomes,
 * in the recording too.  False after a message when it cannot be done. */
bool run_sanitize(Run *r, const Timer *t);

/* What compute-sanitizer's output says, in one line: its first finding.  NULL when it has none. */
const char *run_sanitizer_finding(Arena *a, const char *printed);

#endif
