/* The study of one space: how well carvings, metrics and search strategies do on it.
 *
 * Only computes; tuner/report/study_sheets.h turns the results into tables, CSV and JSON. */
#pragma once

#include "tuner/choose/carving.h"
#include "tuner/study/judge.h"
#include "tuner/study/race.h"

/* One stage of a carving and its effect. */
typedef struct StudyStage {
    const char *text; /* as written */
    StageReport report;
} StudyStage;

/* A way of choosing configurations, and its choice. */
typedef struct StudyChoice {
    const char *name;
    const bool *chosen;      /* per point: timed, by carving and polish */
    const bool *survives;    /* per point: it survived carving */
    const bool *thresholded; /* per point: an expression or a limit dropped it */
    const StudyStage *stages;
    size_t stage_count;
    size_t polished;         /* points that polish chose */
    const char *criteria[2]; /* of the first front; NULL: none */
} StudyChoice;

typedef struct StudyCarving {
    const char *name;
    Judgement judgement;
    double regret_low, regret_high; /* 95 % bootstrap interval; NaN: not asked for */
    const StudyChoice *choice;
} StudyCarving;

typedef struct StudyMetric {
    const char *name;
    size_t known;       /* distinct points with a time and the metric */
    size_t unknown;     /* … with a time but without the metric */
    const char *reason; /* why the first of these lacks it; "" if there are none */
    double correlation; /* Spearman's, with the time; positive if better means faster */
    double correlation_low, correlation_high; /* as regret_low */
    size_t place;  /* of the fastest point when sorted by the metric, after its ties; 0: none */
    double regret; /* of the best `budget` by the metric */
    double regret_low, regret_high; /* 95 % bootstrap interval; NaN: not asked for */
} StudyMetric;

/* Regret against budget. */
typedef struct StudyBudget {
    size_t size;
    double regret, random_regret;   /* of the best `size` by the time metric; of a random sample */
    double regret_low, regret_high; /* as in StudyMetric */
} StudyBudget;

typedef struct Study {
    const Table *points;
    const char *objective; /* what is minimised: "time", "time per flop", "energy" */
    size_t budget;         /* points that a choice may time: as many as the first carving chose */
    StudyCarving *carvings;
    size_t carving_count;
    StudyMetric *metrics; /* one for each of the set */
    size_t metric_count;
    StudyGuess guess; /* of the time metric; its `metric` is NULL if there are no values */
    size_t sample_90, sample_95;          /* without replacement (A.8) */
    double sample_low[2], sample_high[2]; /* 95 % bootstrap intervals; NaN: not asked for */
    size_t draws_90, draws_95;            /* with replacement (A.4) */
    StudyBudget *budgets;
    size_t budget_count;
    const Race *races; /* NULL: none were played */
    size_t race_count, race_seeds;
} Study;

typedef struct StudyOptions {
    size_t seeds;            /* of the races; 0: none */
    size_t bootstraps;       /* resamplings of the times; 0: none */
    const char *time_metric; /* "predicted_cycles": ranks the points of the budgets */
} StudyOptions;

Study study_space(Arena *a, const Table *s, const StudyChoice *choices, size_t choice_count,
                  const StudyOptions *o);
