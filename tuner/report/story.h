/* What a report is about: a space, what carving made of it, and what was timed. */
#ifndef APTUNE_REPORT_STORY_H
#define APTUNE_REPORT_STORY_H

#include "tuner/study/points.h"

/* A bar of the picture of where the time went. */
typedef struct StorySeconds {
    const char *name;
    double seconds;
} StorySeconds;

typedef struct Story {
    const PointSet *points;
    const char *source;              /* "measured" or "replayed from a recording" */
    const char *carving;             /* the stages, a line each */
    const bool *thresholded;         /* per point: dropped by a threshold; NULL: none */
    const bool *survives;            /* per point: carving left it */
    const bool *timed;               /* per point: was, or would be, timed: survivors and polish */
    size_t winner;                   /* SIZE_MAX: none */
    bool complete;                   /* all points have outcomes: there is a best to compare with */
    const char *x_metric, *y_metric; /* criteria of the tradeoff picture */
    const char *time_metric;         /* the metric that stands for the time */
    const StorySeconds *seconds;     /* NULL: not known */
    size_t seconds_count;
    const char *const *bound_names; /* metrics: the busy cycles of each unit */
    size_t bound_count;
} Story;

#endif
