/* What pictures are drawn from: points in layers, and clouds of them. */
#ifndef APTUNE_REPORT_DRAWING_H
#define APTUNE_REPORT_DRAWING_H

#include "tuner/report/plot.h"
#include "tuner/report/story.h"

/* What pictures of a page stand together. */
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

typedef struct Pictures {
    Picture *at;
    size_t count;
    size_t capacity;
} Pictures;

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

Drawing drawing_new(Arena *a, const Story *story);

/* Smaller first, unknown last. */
int drawing_compare(double a, double b);

/* Adds a picture without data. */
Picture *drawing_add(Drawing *d, PictureGroup group, const char *name, const char *title,
                     const char *caption);

/* Adds one of all times against a number per point; NULL when nothing would be seen. */
Picture *drawing_add_times(Drawing *d, PictureGroup group, const char *name, const char *title,
                           const double *x);

/* The layers as series over two columns of numbers, with room for one more. */
typedef struct Layered {
    Series *series;
    size_t count; /* 0: nothing would be seen */
} Layered;
Layered drawing_layers(Drawing *d, const double *x, const double *y);

/* Adds the picture of the layers. */
Picture *drawing_add_layers(Drawing *d, PictureGroup group, const char *name, const char *title,
                            const char *caption, Layered layers);

Axis drawing_column_axis(const Drawing *d, const StoryColumn *c);

/* Random samples and other strategies (pictures_compared.c). */
void draw_comparisons(Drawing *d);

#endif
