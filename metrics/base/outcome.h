/* One word for what became of a configuration, from the limits of the device to its trial.
 *
 * What a row of the table says is the farthest that is known: a configuration with a trial has been
 * compiled, one that compiled is within the limits.  Workers answer with these, recordings are read
 * into them, carvings judge by them. */
#pragma once

#include <stdbool.h>

typedef enum Outcome {
#define OUTCOME(symbol, group, word, recorded) OUTCOME_##symbol,
#include "metrics/base/outcome.def"
#undef OUTCOME
    OUTCOMES
} Outcome;

/* In the order in which a configuration meets them. */
typedef enum OutcomeGroup {
    OUTCOME_IS_NOTHING,
    OUTCOME_IS_LIMIT,   /* the device's */
    OUTCOME_IS_COMPILE, /* no code */
    OUTCOME_IS_CODE,
    OUTCOME_IS_CARVED,
    OUTCOME_IS_TRIAL
} OutcomeGroup;

OutcomeGroup outcome_group(Outcome o);

/* Is there code: compiled, and perhaps tried since? */
bool outcome_has_code(Outcome o);

/* Was it tried, or would it have been? */
bool outcome_is_trial(Outcome o);

/* As reports say it: "launch failed". */
const char *outcome_name(Outcome o);

/* The trial that a report or a worker calls so; false when there is none. */
bool outcome_find_trial(const char *name, Outcome *out);

/* As recordings of times say it, "launch_failed", and back; what is not known is OUTCOME_OTHER.  A
 * row without an outcome of its own counts as skipped. */
const char *outcome_recorded(Outcome o);
Outcome outcome_of_recorded(const char *word);
