/* The finalists: those too close to the best to be told from it by times taken one after the other.
 *
 * They are timed again in turn, round after round, in one process, so that what drifts drifts for
 * all.  Who cannot be told from the fastest then (the interval of the median ratio of their times
 * reaches down to 1, or to what changes from one process to the next) is tied with it.  Ties are
 * broken by a fixed rule: of those within half as much of the fastest, the one with fewer
 * registers, less shared memory, the earlier in the order of parameters.  So two runs name the same
 * winner, or one that the other names as tied. */
#ifndef APTUNE_RUN_FINAL_H
#define APTUNE_RUN_FINAL_H

#include "tuner/run/timer.h"

/* A difference in time below this part of it does not count, however sure. */
extern const double run_same_within;

/* Chooses the finalists, times them again where the timer can, decides: fills r->final.  False,
 * with a message, only when the timer cannot go on. */
bool run_final(Run *r, const Timer *t);

/* Medians, ratios and ties from the times in `f`, or from the finalists' own where it has no
 * rounds. Nothing but the fields from `medians` on is changed. */
void run_final_decide(const Run *r, RunFinal *f);

/* Is this configuration tied with the fastest? */
bool run_final_is_tied(const RunFinal *f, size_t config);

/* The place of a configuration among the finalists; SIZE_MAX: it is none. */
size_t run_final_place(const RunFinal *f, size_t config);

/* The latest final of a recording, decided; without finalists when it has none. */
RunFinal run_final_recorded(const Run *r, const TimesRecording *t);

#endif
