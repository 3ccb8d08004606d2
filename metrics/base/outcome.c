#include "metrics/base/outcome.h"

#include <string.h>

static const struct {
    OutcomeGroup group;
    const char *word, *recorded;
} outcomes[OUTCOMES] = {
#define OUTCOME(symbol, group, word, recorded) {OUTCOME_IS_##group, word, recorded},
#include "metrics/base/outcome.def"
#undef OUTCOME
};

OutcomeGroup outcome_group(Outcome o)
{
    return outcomes[o].group;
}

bool outcome_has_code(Outcome o)
{
    return outcomes[o].group >= OUTCOME_IS_CODE;
}

bool outcome_is_trial(Outcome o)
{
    return outcomes[o].group == OUTCOME_IS_TRIAL;
}

const char *outcome_name(Outcome o)
{
    return outcomes[o].word;
}

const char *outcome_recorded(Outcome o)
{
    return outcomes[o].recorded ? outcomes[o].recorded : outcomes[OUTCOME_SKIPPED].recorded;
}

Outcome outcome_of_recorded(const char *word)
{
    for (int o = 0; o < OUTCOMES; o++)
        if (outcomes[o].recorded && strcmp(outcomes[o].recorded, word) == 0)
            return (Outcome)o;
    return OUTCOME_OTHER;
}
