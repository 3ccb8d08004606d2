/* The pictures of a report, each a plot of its own.
 *
 * After the thesis's figures: the tradeoff of two metrics with what carving kept (6.1), the
 * expected best of a random sample against its size (6.2), the carved best against it (6.3); and
 * those that tell a user about his own space. */
#ifndef APTUNE_REPORT_PICTURES_H
#define APTUNE_REPORT_PICTURES_H

#include "tuner/draw/plot.h"
#include "tuner/report/story.h"

typedef struct Picture {
    const char *name;    /* of its file, "tradeoff" */
    const char *caption; /* one or two sentences under it */
    Plot plot;
} Picture;

typedef struct Pictures {
    Picture *at;
    size_t count;
    size_t capacity;
} Pictures;

/* All that the story has data for; plots point into the story and the arena. */
Pictures pictures_draw(Arena *a, const Story *s);

#endif
