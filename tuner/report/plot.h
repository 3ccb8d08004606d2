/* One picture as SVG, and as PDF: axes, series, a legend, and tooltips.
 *
 * Tooltips are native <title> elements, which need no scripts, standalone or inside a page.  Colours are
 * classes: the style follows the reader's choice of light or dark, and paper is light.  Of points that
 * overlap only one is drawn, and its tooltip says how many it hides (PLOT_MARKS_MOST), so that a space of
 * 100,000 stays a small file. */
#pragma once

#include "metrics/base/diag.h"

typedef struct Scale {
    double low, high;  /* of the data, or of its logarithm */
    double begin, end; /* in pixels */
    bool logarithmic;
} Scale;

enum { TICKS_MOST = 16, TICK_TEXT = 32 };

typedef enum SeriesKind {
    SERIES_DOTS,
    SERIES_CROSSES,
    SERIES_DIAMONDS,
    SERIES_DASHES,  /* short horizontal strokes */
    SERIES_RINGS,   /* circles around other marks */
    SERIES_LINE,    /* joined in the order given */
    SERIES_DASHED,  /* the same, dashed */
    SERIES_THIN,    /* the same, thin and pale: for one of many */
    SERIES_STEPS,   /* joined by corners: first along x, then along y */
    SERIES_UPRIGHT, /* a dotted line from top to bottom at each x */
    SERIES_BARS,    /* from zero, at named x, beside the bars of other series */
    SERIES_KINDS
} SeriesKind;

/* The meaning of a series, which decides its colour in all pictures. */
typedef enum Tone {
    TONE_ALL,     /* everything else, pale */
    TONE_DROPPED, /* dropped by a threshold */
    TONE_CHOSEN,  /* what carving chose */
    TONE_BEST,    /* the winner */
    TONE_RANDOM,  /* a random choice */
    TONE_FRONT,   /* by metrics */
    TONE_COUNT
} Tone;

typedef struct Series {
    const char *name; /* in the legend; NULL: none */
    SeriesKind kind;
    Tone tone;
    const double *x, *y; /* per point; not drawn if either is not finite, or not positive on a
                            logarithmic axis */
    const size_t *at;    /* indices of the series' points, foremost first: drawn over the others,
                            and standing for those that it hides; NULL: the first `count` */
    size_t count;
    const char *const *tips;  /* per point; NULL: none */
    const double *low, *high; /* per point, the interval of y: a band for lines, else a whisker;
                                 NULL or not finite: none */
} Series;

typedef struct Axis {
    const char *label; /* with the unit: "predicted time [cycles]"; ", log scale" is added */
    bool logarithmic;
    bool from_zero;           /* begins at zero, unless logarithmic */
    const char *const *names; /* at 0, 1, 2 …; NULL: numbers */
    size_t name_count;
} Axis;

typedef struct Plot {
    const char *title; /* for screen readers; not drawn, since pages and papers have captions */
    Axis x, y;
    const Series *series; /* later ones are drawn over earlier ones */
    size_t series_count;
} Plot;

/* Every picture has this size, in pixels; a page scales it. */
enum { PLOT_WIDTH = 480, PLOT_HEIGHT = 340 };

/* The most marks drawn for one series: one point is drawn per square, and squares grow until this holds. */
enum { PLOT_MARKS_MOST = 1500 };

/* Adds the picture as an <svg> element; the page must have svg_style. */
void plot_write(const Plot *p, Buf *out);

/* Turns the output of plot_write into a standalone file with a size, the style and a background. */
void plot_write_alone(const char *svg, Buf *out);

/* The range from `least` to `most`, slightly widened, also if both are equal; if `least` is larger, 0 to 1
 * (logarithmic: 1 to 10).  `from_zero` makes a linear one begin at 0. */
Scale scale_new(double least, double most, bool logarithmic, bool from_zero);

/* True if the value can be drawn on the scale. */
bool scale_has(const Scale *s, double value);

double scale_pixel(const Scale *s, double value);

/* Round numbers within the scale, about `most` at most: 1, 2 or 5 times powers of ten. */
size_t scale_ticks(const Scale *s, size_t most, double ticks[TICKS_MOST]);

/* A tick's number in short form: "5000", "20k", "1.5M", "2e-9".  Returns `text`. */
const char *tick_text(double tick, char text[TICK_TEXT]);

/* --- svg.c: building blocks of SVG and HTML ---------------------------------------------------- */

/* Adds text for XML or HTML, also in attributes; characters that XML forbids or that do not show are
 * replaced. */
void svg_text(Buf *out, const char *text);

/* Adds a text with these placeholders:
 *
 *     %n     a coordinate in pixels, a double, with at most one decimal: 12.3, 12, -0.5
 *     %t %s  a text, escaped by svg_text; unescaped
 *     %c %%  a character, an int; a per cent sign */
void svg_say(Buf *out, const char *pattern, ...);

/* Adds the style sheet for the classes of pictures. */
void svg_style(Buf *out);

/* --- pdf.c: a picture for papers --------------------------------------------------------------- */

/* Translates the output of plot_write element by element, so that there is one drawing code, and one
 * definition of what classes look like.  Text stays text, in Helvetica, which every reader has.  `title` is
 * the document's title; it is not drawn. */
void pdf_write(const char *svg, const char *title, Buf *out);

/* Saves the output of plot_write as a standalone PATH.svg and as PATH.pdf.  False after a message. */
bool picture_save(const char *svg, const char *title, const char *path, Diag *d);
