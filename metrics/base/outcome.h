/* The outcome of a configuration, from the limits of the device to its trial.
 *
 * A row of the table has the furthest outcome known: a configuration with a trial was compiled, a
 * compiled one is within the device's limits.  Workers, recordings and carvings all use these outcomes. */
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

/* True if it was compiled, whether or not it was tried since. */
bool outcome_has_code(Outcome o);

/* True if it was tried or was due to be. */
bool outcome_is_trial(Outcome o);

/* As reports say it: "launch failed". */
const char *outcome_name(Outcome o);

/* To and from the word of recordings, "launch_failed".  An unknown word is OUTCOME_OTHER; an outcome without
 * a word of its own is recorded as skipped. */
const char *outcome_recorded(Outcome o);
Outcome outcome_of_recorded(const char *word);
