/* The pictures of a report, each a plot of its own.
 *
 * After the thesis's figures: the tradeoff of two metrics with what carving chose (6.1), the
 * expected best of a random sample against its size (6.2), samples of what was carved against
 * samples of all (6.3); and those that tell a user about his own space. */
#pragma once

#include "metrics/base/vec.h"
#include "tuner/report/plot.h"
#include "tuner/report/story.h"

/* Groups of pictures on a page. */
typedef enum PictureGroup {
    PICTURE_CHOICE,    /* what carving chose */
    PICTURE_CHANCE,    /* against random samples */
    PICTURE_WINNER,    /* what bounds it */
    PICTURE_METRIC,    /* time against metrics */
    PICTURE_PARAMETER, /* by parameter */
    PICTURE_COST,      /* of the run */
    PICTURE_OVERALL,   /* of all spaces together */
    PICTURE_GROUPS
} PictureGroup;

typedef struct Picture {
    PictureGroup group;
    const char *name;    /* of its file, "tradeoff" */
    const char *caption; /* what it shows and how to read it, in a sentence or three */
    Plot plot;
} Picture;

typedef VEC(Picture) Pictures;

/* Numbers of points, the fastest first and those without a time last, by the time metric. */
typedef struct Layer {
    size_t *at;
    size_t count;
} Layer;

typedef struct Drawing {
    Arena *arena;
    const Story *story;
    Pictures all;
    const char **tips;                            /* per point: its configuration and time */
    Layer order;                                  /* all points with code of their own */
    Layer rest, dropped, audited, chosen, winner; /* parts of these; they lie over each other so */
} Drawing;

/* Pictures of time against a metric: those that the carving goes by, those of the thesis, the
 * user's own, and the others that agree best with the time until there are so many. */
enum { PICTURE_METRICS_MOST = 8 };

/* All that the story has data for; plots point into the story and the arena. */
Pictures pictures_draw(Arena *a, const Story *s);

/* Over all stories that were studied: how much of the best is found by so many timings, and by so
 * many seconds (pictures_compared.c). */
Pictures pictures_draw_overall(Arena *a, const Story *stories, size_t count);

/* Series to be drawn. */
typedef struct Layered {
    Series *series;
    size_t count; /* 0: nothing would be seen */
} Layered;

/* Adds a picture of them, without axes. */
Picture *drawing_add(Drawing *d, PictureGroup group, const char *name, const char *title,
                     const char *caption, Layered layers);

/* Random samples and other strategies (pictures_compared.c). */
void draw_comparisons(Drawing *d);
