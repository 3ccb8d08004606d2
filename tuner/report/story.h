/* The subject of a report: a space, what carving chose, and the times.
 *
 * A study makes one from a recording (story.c), a run from itself (run_page.c). */
#pragma once

#include "tuner/study/study.h"

/* The time of one stage of a run; NaN: none of that kind. */
typedef struct StorySeconds {
    const char *name;
    double wall, cores, gpu; /* seconds */
} StorySeconds;

typedef struct Story {
    const Table *points;
    bool measured;           /* the times are from this run; else the page says so in a box */
    const char *origin;      /* where the times come from, a sentence or two */
    const char *carving;     /* the stages, one per line */
    const bool *dropped;     /* per point: dropped by a threshold; NULL: no thresholds */
    const bool *chosen;      /* per point: carving and polish chose it to be timed */
    const bool *audited;     /* per point: not chosen, but timed by the audit; NULL: no audit */
    const char *chosen_name; /* in legends: "timed" */
    const char *rest_name;   /* the same for the others: "not timed" */
    size_t winner;           /* SIZE_MAX: none */
    bool complete;           /* all points have outcomes, so the best is known */
    const char *time_label;  /* of the axis; NULL: "time [ms]" */
    const char *x_metric, *y_metric; /* axes of the tradeoff picture: metrics or profile fields */
    const char *time_metric;         /* the metric that predicts the time */
    const double *correlation;       /* per metric: rank correlation with the time, positive if
                                        better means faster; NULL: not computed yet */
    const bool *own;             /* per metric: the user's own, which gets a picture; NULL: none */
    const StorySeconds *seconds; /* NULL: not known */
    size_t seconds_count;
    const char *selected;       /* what a run that times nothing would time; NULL: it times */
    const char *words;          /* what the run printed; NULL: nothing */
    const StudyBudget *budgets; /* regret by budget; NULL: not known */
    size_t budget_count;
    const Race *races; /* of search strategies; NULL: none */
    size_t race_count;
} Story;

/* The story of a studied recording with one of the choices.  `guess` is the metric that predicts the time. */
Story story_of_recording(Arena *a, const Study *y, const StudyChoice *choice, const char *guess);

/* The stages with their survivors, one per line, and what polish added. */
const char *story_carving_text(Arena *a, const StudyStage *stages, size_t count, size_t polished);

/* The values of a metric or, if there is none of that name, of a profile field. */
typedef struct StoryColumn {
    const char *name, *unit, *meaning;
    const double *values; /* per point; NaN: not known */
    bool known;           /* `higher` is known */
    bool higher;          /* higher values are better */
} StoryColumn;

/* NULL: no metric and no field has this name. */
const StoryColumn *story_column(Arena *a, const Story *s, const char *name);

/* Per metric: true for those that one of the sources defines. */
const bool *story_own_metrics(Arena *a, const MetricSet *set, const Source *const *own,
                              size_t count);

/* Why a row has no time: "not timed", "compile_error" … */
const char *story_failure(Outcome o);

/* The number of chosen points with distinct code. */
size_t story_chosen_count(const Story *s);

/* The fastest chosen point; SIZE_MAX: none has a time. */
size_t story_best_chosen(const Story *s);
