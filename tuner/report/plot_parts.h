/* What the files that draw a picture share with each other. */
#ifndef APTUNE_REPORT_PLOT_PARTS_H
#define APTUNE_REPORT_PLOT_PARTS_H

#include "tuner/report/axis.h"
#include "tuner/report/plot.h"

typedef struct Canvas {
    const Plot *plot;
    double left, right, top, bottom; /* of the frame, in pixels */
    Scale x, y;
    Buf *out;
} Canvas;

/* All marks of a series, tooltips included. */
void plot_write_series(const Canvas *c, const Series *s);

/* `class="dots chosen"` */
void plot_write_class(Buf *out, SeriesKind kind, Tone tone);

/* One mark of a kind, without a tooltip, as a path's data: for marks and for the legend. */
void plot_write_mark(Buf *out, SeriesKind kind, double x, double y);

#endif
