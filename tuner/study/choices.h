/* The ways of choosing what to time that a study compares: carvings as a run would do them, including polish,
 * with times looked up in the recording. */
#pragma once

#include "tuner/choose/carve.h"
#include "tuner/study/study.h"

/* The choices on one space; what they chose lives in the arena. */
typedef struct Choices {
    Arena *arena;
    const Table *set;
    const char *guess; /* the metric that predicts the time */
    Table *lined;      /* the set in the spec's order; `number` is the row of the set */
    bool *alive;       /* per row of `lined`: it may be timed */
    size_t distinct;   /* number of these */
    StudyChoice *at;
    size_t count;
    size_t capacity;
} Choices;

/* An empty set of choices. */
Choices choices_new(Arena *a, Table *s, const char *guess);

/* Adds the carving of `text` (statements as for spec_parse_carving); NULL: the default.  Conditions may use
 * metrics, fields, the problem's names and parameters, but no `let` names, since a study has no spec.  False
 * after messages. */
bool choices_add(Choices *c, const char *name, const Source *text, Diag *d);

/* Adds the default, the same number of best points by the guess without spreading and polish, and the
 * thesis's front (5.2.2) of efficiency and utilization (5.1, 6.1).  False after messages. */
bool choices_add_shipped(Choices *c, Diag *d);
