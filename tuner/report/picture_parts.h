/* What the files that draw a report's pictures share with each other. */
#ifndef APTUNE_REPORT_PICTURE_PARTS_H
#define APTUNE_REPORT_PICTURE_PARTS_H

#include "tuner/report/pictures.h"

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

/* Adds a picture without data. */
Picture *drawing_add(Drawing *d, PictureGroup group, const char *name, const char *title,
                     const char *caption);

/* Adds one of all times against a number per point; NULL when nothing would be seen. */
Picture *drawing_add_times(Drawing *d, PictureGroup group, const char *name, const char *title,
                           const double *x);

/* Gives a series of times, with a place for each point, the intervals of these. */
void drawing_add_intervals(const Drawing *d, Series *series);

/* "time [ms]", or as the story has it; logarithmic where that shows more. */
Axis drawing_time_axis(const Drawing *d);

/* Against random samples (pictures_chance.c). */
void draw_samples(Drawing *d);
void draw_subset(Drawing *d);

/* Against other strategies (pictures_race.c). */
void draw_races(Drawing *d);

/* Bars (pictures_bars.c). */
void draw_parameters(Drawing *d);
void draw_bound(Drawing *d);
void draw_seconds(Drawing *d);

#endif
