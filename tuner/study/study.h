/* The study of one space: how well choices, metrics and other strategies do on it.
 *
 * Only computes; tuner/report/study_sheets.h makes tables of it as text, CSV and JSON. */
#pragma once

#include "tuner/choose/carving.h"
#include "tuner/study/judge.h"
#include "tuner/study/race.h"

/* One stage of a carving, and what it did. */
typedef struct StudyStage {
    const char *text; /* as it is written */
    StageReport report;
} StudyStage;

/* A way of choosing, and what it chose. */
typedef struct StudyChoice {
    const char *name;
    const bool *chosen;      /* per point: timed, by carving and polish */
    const bool *survives;    /* per point: carving left it */
    const bool *thresholded; /* per point: an expression or a limit dropped it */
    const StudyStage *stages;
    size_t stage_count;
    size_t polished;         /* points that polish chose */
    const char *criteria[2]; /* of the first front; NULL: there is none */
} StudyChoice;

typedef struct StudyCarving {
    const char *name;
    Judgement judgement;
    double regret_low, regret_high; /* 95 % of bootstrap samples of the times; NaN: not asked for */
    const StudyChoice *choice;
} StudyCarving;

typedef struct StudyMetric {
    const char *name;
    size_t known;       /* points with a time that have it */
    size_t unknown;     /* points with a time that have not */
    const char *reason; /* why the first of them has not; "" for none */
    double correlation; /* Spearman's, with the time; positive when better means faster */
    double correlation_low, correlation_high; /* as regret_low */
    size_t place;  /* of the fastest point by this metric, ties counted against it; 0: none */
    double regret; /* of the best `budget` by it */
    double regret_low, regret_high; /* 95 % of bootstrap samples of the times; NaN: not asked for */
} StudyMetric;

/* Size against regret. */
typedef struct StudyBudget {
    size_t size;
    double regret, random_regret;   /* of the best by the time metric; of a random sample */
    double regret_low, regret_high; /* as in StudyMetric */
} StudyBudget;

typedef struct Study {
    const Table *points;
    const char *objective; /* what points compare by: "time", "time per flop", "energy" */
    size_t budget;         /* what one choice may time: the first carving's size */
    StudyCarving *carvings;
    size_t carving_count;
    StudyMetric *metrics; /* one for each of the set */
    size_t metric_count;
    StudyGuess guess;            /* of the time metric; without a metric where it is not known */
    size_t sample_90, sample_95; /* without replacement (A.8) */
    double sample_low[2], sample_high[2]; /* 95 % of bootstrap samples; NaN: not asked for */
    size_t draws_90, draws_95;            /* with (A.4) */
    StudyBudget *budgets;
    size_t budget_count;
    const Race *races; /* NULL: none were played */
    size_t race_count, race_seeds;
} Study;

typedef struct StudyOptions {
    size_t seeds;            /* of the races; 0: none */
    size_t bootstraps;       /* resamplings of the times; 0: none */
    const char *time_metric; /* "predicted_cycles": orders the budgets */
} StudyOptions;

Study study_space(Arena *a, const Table *s, const StudyChoice *choices, size_t choice_count,
                  const StudyOptions *o);
