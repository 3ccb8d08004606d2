/* The audit: some of what carving and polish dropped is timed all the same, drawn at random, once
 * the winner is known.
 *
 * It tests the pruning on the very run, where no recording of the whole space says what it cost.
 * Audited configurations are recorded as others are, but they never win: the winner stays what
 * carving found, and the audit says what that missed.  What a sample can say and what it cannot is
 * in tuner/choose/audit.h.  Winner and audited ones are compared by the times that were taken one
 * after the other, of all in the same way; finals are not among them. */
#ifndef APTUNE_RUN_AUDIT_H
#define APTUNE_RUN_AUDIT_H

#include "tuner/run/timer.h"

/* What is near the winner: as in the recall of studies. */
#define RUN_AUDIT_NEAR 0.01

/* Draws as many dropped configurations as the options say and times them; does nothing where there
 * is no winner to compare them with.  False, with a message, only when the timer cannot go on. */
bool run_audit(Run *r, const Timer *t);

/* Says what their times mean for r->best: fills r->audit. */
void run_audit_judge(Run *r);

#endif
