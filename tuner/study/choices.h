/* Ways of choosing what to time, that a study compares: carvings, each as a run would do it, polish
 * included, whose times are looked up. */
#pragma once

#include "tuner/choose/carve.h"
#include "tuner/study/study.h"

/* The choices on one space; what they chose lives in the arena. */
typedef struct Choices {
    Arena *arena;
    const Table *set;
    const char *guess; /* the metric that stands for the time */
    Table *lined;      /* the set as carving sees it; `number` is the row of the set */
    bool *alive;       /* per row in line: it may be timed */
    size_t distinct;   /* rows alive */
    StudyChoice *at;
    size_t count;
    size_t capacity;
} Choices;

/* None yet. */
Choices choices_new(Arena *a, Table *s, const char *guess);

/* Carves by `text`, statements alone (spec_parse_carving); NULL: the default.  Conditions may use
 * metrics, fields, the problem's names and parameters; `let` names are the spec's, which a study
 * does not have.  False after messages. */
bool choices_add(Choices *c, const char *name, const Source *text, Diag *d);

/* The default, as many of the best by the guess without spreading and polish, and the thesis's own
 * front (5.2.2) of efficiency and utilization (5.1, 6.1).  False after messages. */
bool choices_add_shipped(Choices *c, Diag *d);
