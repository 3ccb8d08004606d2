/* What a report is about: a space, what carving made of it, and what was timed.
 *
 * A study makes one of a recording (story.c), a run one of itself (run_page.c); pages and pictures do
 * not ask which. */
#pragma once

#include "tuner/study/study.h"

/* A line of the picture of where the time of a run went; NaN: nothing of that kind. */
typedef struct StorySeconds {
    const char *name;
    double wall, cores, gpu; /* seconds */
} StorySeconds;

typedef struct Story {
    const Table *points;
    bool measured;           /* the times are of this very run; else the page says it in a box */
    const char *origin;      /* where the times come from, a sentence or two */
    const char *carving;     /* the stages, a line each */
    const bool *dropped;     /* per point: dropped by a threshold; NULL: there is no threshold */
    const bool *chosen;      /* per point: carving and polish chose it to be timed */
    const bool *audited;     /* per point: not chosen, drawn at random and timed; NULL: none */
    const char *chosen_name; /* in legends: "timed" */
    const char *rest_name;   /* of the others: "not timed" */
    size_t winner;           /* SIZE_MAX: none */
    bool complete;           /* all points have outcomes: there is a best to compare with */
    const char *time_label;  /* of the axis; NULL: "time [ms]" */
    const char *x_metric,
        *y_metric;               /* criteria of the tradeoff picture: metrics or profile fields */
    const char *time_metric;     /* the metric that stands for the time */
    const double *correlation;   /* per metric: rank correlation with the time, positive when
                                    better means faster; NULL: not computed yet */
    const bool *own;             /* per metric: the user's own, which gets a picture; NULL: none */
    const StorySeconds *seconds; /* NULL: not known */
    size_t seconds_count;
    const char *selected; /* of a run that times nothing: what it would time; NULL: it times */
    const char *words;    /* what the run printed; NULL: nothing */
    const StudyBudget *budgets; /* size against regret; NULL: not known */
    size_t budget_count;
    const Race *races; /* strategies that were played on it; NULL: none */
    size_t race_count;
} Story;

/* The story of a recording that was studied: what one of the choices would have found.  `guess` is
 * the metric that stands for the time. */
Story story_of_recording(Arena *a, const Study *y, const StudyChoice *choice, const char *guess);

/* The stages with what each left, a line each, and what polish added. */
const char *story_carving_text(Arena *a, const StudyStage *stages, size_t count, size_t polished);

/* Values of a metric or, when there is none of that name, of a field of the profile: per point, NaN
 * where not known.  NULL: there is neither. */
typedef struct StoryColumn {
    const char *name, *unit, *meaning;
    const double *values;
    bool known;  /* whether `higher` is */
    bool higher; /* higher values are better */
} StoryColumn;

const StoryColumn *story_column(Arena *a, const Story *s, const char *name);

/* Why a row has no time: "not timed", "compile_error" … */
const char *story_failure(Outcome o);

/* Chosen points with code of their own. */
size_t story_chosen_count(const Story *s);

/* The fastest of the chosen; SIZE_MAX: none has a time. */
size_t story_best_chosen(const Story *s);
