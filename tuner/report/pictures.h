/* The pictures of a report, each a plot.
 *
 * Some follow the thesis's figures: the tradeoff of two metrics with what carving chose (6.1), the expected
 * best of a random sample against its size (6.2), samples of the carved space against samples of the whole
 * space (6.3).  The others tell users about their own space. */
#pragma once

#include "tuner/report/plot.h"
#include "tuner/report/story.h"

/* Groups of pictures on a page. */
typedef enum PictureGroup {
    PICTURE_CHOICE,    /* what carving chose */
    PICTURE_CHANCE,    /* against random samples and other strategies */
    PICTURE_WINNER,    /* what bounds the winner */
    PICTURE_METRIC,    /* time against metrics */
    PICTURE_PARAMETER, /* by parameter */
    PICTURE_COST,      /* where the run's time went */
    PICTURE_OVERALL,   /* of all spaces together */
    PICTURE_GROUPS
} PictureGroup;

typedef struct Picture {
    PictureGroup group;
    const char *name;    /* of its file, "tradeoff" */
    const char *caption; /* what it shows and how to read it */
    Plot plot;
} Picture;

typedef VEC(Picture) Pictures;

/* Indices of points: fastest first, then those without a time, ordered by the time metric. */
typedef struct Layer {
    size_t *at;
    size_t count;
} Layer;

typedef struct Drawing {
    Arena *arena;
    const Story *story;
    Pictures all;
    const char **tips;                            /* per point: its configuration and time */
    Layer order;                                  /* all points with distinct code */
    Layer rest, dropped, audited, chosen, winner; /* parts of these, in drawing order */
} Drawing;

/* Pictures of time against metrics: those that carving uses, those of the thesis and the user's own, filled
 * up to this many with the ones that correlate best with the time. */
enum { PICTURE_METRICS_MOST = 8 };

/* All pictures that the story has data for; plots point into the story and the arena. */
Pictures pictures_draw(Arena *a, const Story *s);

/* Over all stories of a study: how much of the best performance is reached by timings, and by seconds
 * (pictures_compared.c). */
Pictures pictures_draw_overall(Arena *a, const Story *stories, size_t count);

/* Series to be drawn. */
typedef struct Layered {
    Series *series;
    size_t count; /* 0: nothing to see */
} Layered;

/* Adds a picture of the layers; the caller sets its axes. */
Picture *drawing_add(Drawing *d, PictureGroup group, const char *name, const char *title,
                     const char *caption, Layered layers);

/* Random samples and other strategies (pictures_compared.c). */
void draw_comparisons(Drawing *d);
