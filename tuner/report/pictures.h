/* The pictures of a report, each a plot of its own.
 *
 * After the thesis's figures: the tradeoff of two metrics with what carving chose (6.1), the
 * expected best of a random sample against its size (6.2), samples of what was carved against
 * samples of all (6.3); and those that tell a user about his own space. */
#ifndef APTUNE_REPORT_PICTURES_H
#define APTUNE_REPORT_PICTURES_H

#include "tuner/report/drawing.h"

/* Pictures of time against a metric: those that the carving goes by, those of the thesis, the
 * user's own, and the others that agree best with the time until there are so many. */
enum { PICTURE_METRICS_MOST = 8 };

/* All that the story has data for; plots point into the story and the arena. */
Pictures pictures_draw(Arena *a, const Story *s);

/* Over all stories that were studied: how much of the best is found by so many timings, and by so
 * many seconds (pictures_compared.c). */
Pictures pictures_draw_overall(Arena *a, const Story *stories, size_t count);

#endif
