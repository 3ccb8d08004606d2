/* One picture as SVG: axes, series, a legend, and what a point is when it is pointed at.
 *
 * Native <title> elements are the tooltips, so that a picture explains itself without scripts, on
 * its own or inside a page.  Colours are classes: the style at the top of the picture follows the
 * reader's choice of light or dark, and paper is light.  Points that would cover each other are
 * drawn once and say how many they are, so that a space of 100,000 stays a small file. */
#ifndef APTUNE_DRAW_PLOT_H
#define APTUNE_DRAW_PLOT_H

#include "metrics/base/buf.h"

#include <stdbool.h>
#include <stddef.h>

typedef enum SeriesKind {
    SERIES_POINTS, /* dots */
    SERIES_RINGS,  /* circles around what is there */
    SERIES_LINE,   /* joined in the order given */
    SERIES_BARS    /* from zero, at whole x; meant for named x */
} SeriesKind;

/* What a series stands for decides its colour, the same in every picture. */
typedef enum Tone {
    TONE_ALL,      /* everything else, pale */
    TONE_DROPPED,  /* dropped by a threshold */
    TONE_SELECTED, /* carved, timed */
    TONE_BEST,     /* the winner */
    TONE_RANDOM,   /* a blind choice */
    TONE_FRONT,
    TONE_COUNT
} Tone;

typedef struct Series {
    const char *name; /* in the legend; NULL: not there */
    SeriesKind kind;
    Tone tone;
    const double *x, *y; /* where either is not finite, or not positive on a logarithmic axis,
                            nothing is drawn */
    size_t count;
    const char *const *tips; /* per point; NULL: none */
} Series;

typedef struct Axis {
    const char *label; /* with the unit: "predicted time [cycles]" */
    bool logarithmic;
    bool from_zero;           /* the axis begins at zero, unless logarithmic */
    const char *const *names; /* at 0, 1, 2 …; NULL: numbers */
    size_t name_count;
} Axis;

typedef struct Plot {
    const char *title;
    Axis x, y;
    const Series *series; /* later ones over earlier ones */
    size_t series_count;
    int width, height; /* pixels; 0: 640 by 400 */
} Plot;

/* Adds the picture as an <svg> element; a whole file when `alone`, with its own style. */
void plot_write(const Plot *p, bool alone, Buf *out);

/* The style that the classes in a picture want, for the head of a page. */
void plot_style(Buf *out);

/* Text inside XML. */
void plot_text(Buf *out, const char *text);

#endif
