/* From data to pixels along one axis, and where ticks stand. */
#ifndef APTUNE_REPORT_AXIS_H
#define APTUNE_REPORT_AXIS_H

#include <stdbool.h>
#include <stddef.h>

typedef struct Scale {
    double low, high;  /* in data, or in its logarithm */
    double begin, end; /* in pixels */
    bool logarithmic;
} Scale;

enum { TICKS_MOST = 16, TICK_TEXT = 32 };

/* The extent of some values, widened by a little; a single value gets room around it, none gets
 * 0 to 1. */
Scale scale_new(double least, double most, bool logarithmic, bool from_zero);

/* Can it be drawn at all? */
bool scale_has(const Scale *s, double value);

double scale_pixel(const Scale *s, double value);

/* Round numbers within the scale, at most about `most`; 1, 2 and 5 times powers of ten. */
size_t scale_ticks(const Scale *s, size_t most, double ticks[TICKS_MOST]);

/* A tick's number as short as it can be said: "5000", "20k", "1.5M", "2e-9".  Returns `text`. */
const char *tick_text(double tick, char text[TICK_TEXT]);

#endif
