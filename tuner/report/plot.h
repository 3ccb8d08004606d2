/* One picture as SVG: axes, series, a legend, and what a point is when it is pointed at.
 *
 * Native <title> elements are the tooltips, so that a picture explains itself without scripts, on
 * its own or inside a page.  Colours are classes: the style at the top of the picture follows the
 * reader's choice of light or dark, and paper is light.  Points that would cover each other are
 * drawn once and say how many they are (PLOT_MARKS_MOST), so that a space of 100,000 stays a small file. */
#pragma once

#include "metrics/base/buf.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct Scale {
    double low, high;  /* in data, or in its logarithm */
    double begin, end; /* in pixels */
    bool logarithmic;
} Scale;

enum { TICKS_MOST = 16, TICK_TEXT = 32 };

typedef enum SeriesKind {
    SERIES_DOTS,
    SERIES_CROSSES,
    SERIES_DIAMONDS,
    SERIES_DASHES,  /* short, level */
    SERIES_RINGS,   /* circles around what is there */
    SERIES_LINE,    /* joined in the order given */
    SERIES_DASHED,  /* the same, dashed */
    SERIES_THIN,    /* the same, thin and pale: one of many */
    SERIES_STEPS,   /* joined by corners: first along x, then along y */
    SERIES_UPRIGHT, /* a dotted line from top to bottom at each x */
    SERIES_BARS,    /* from zero, at whole x, beside those of other series; for named x */
    SERIES_KINDS
} SeriesKind;

/* A series' meaning decides its colour, the same in every picture. */
typedef enum Tone {
    TONE_ALL,     /* everything else, pale */
    TONE_DROPPED, /* dropped by a threshold */
    TONE_CHOSEN,  /* what carving chose */
    TONE_BEST,    /* the winner */
    TONE_RANDOM,  /* a blind choice */
    TONE_FRONT,   /* what metrics say */
    TONE_COUNT
} Tone;

typedef struct Series {
    const char *name; /* in the legend; NULL: not there */
    SeriesKind kind;
    Tone tone;
    const double *x, *y; /* per point; where either is not finite, or not positive on a logarithmic
                            axis, nothing is drawn */
    const size_t *at;    /* numbers of the points that are of the series, the foremost first: it is
                            drawn over those behind it, and stands for those that it covers; NULL:
                            the first `count`, in order */
    size_t count;
    const char *const *tips;  /* per point; NULL: none */
    const double *low, *high; /* per point, the interval of y: a band along a line, else a whisker;
                                 NULL: none, and so is one that is not finite */
} Series;

typedef struct Axis {
    const char
        *label; /* with the unit: "predicted time [cycles]"; that it is logarithmic is added */
    bool logarithmic;
    bool from_zero;           /* the axis begins at zero, unless logarithmic */
    const char *const *names; /* at 0, 1, 2 …; NULL: numbers */
    size_t name_count;
} Axis;

typedef struct Plot {
    const char *title; /* said to who cannot see it, not drawn: a page or a paper has it beside */
    Axis x, y;
    const Series *series; /* later ones over earlier ones */
    size_t series_count;
} Plot;

/* Every picture has this size, in pixels; a page scales it. */
enum { PLOT_WIDTH = 480, PLOT_HEIGHT = 340 };

/* The most marks that are drawn of one series: squares within which one point stands for all are
 * made larger until that holds. */
enum { PLOT_MARKS_MOST = 1500 };

/* Adds the picture as an <svg> element, whose style (svg_style) is the page's. */
void plot_write(const Plot *p, Buf *out);

/* Makes a file of what plot_write wrote: with a size, the style, and paper behind it. */
void plot_write_alone(const char *svg, Buf *out);

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
