/* The marks of a picture: points, lines, bars.
 *
 * Of points that fall into the same small square of the picture only the foremost is drawn, and its
 * tooltip says how many it stands for.  Dots are paths without length and with round ends: the
 * shortest way to write one, which counts where there are thousands. */
#include "tuner/report/plot_parts.h"

#include "metrics/base/arena.h"
#include "tuner/report/svg.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static const char *const tone_names[TONE_COUNT] = {
    [TONE_ALL] = "all",   [TONE_DROPPED] = "dropped", [TONE_CHOSEN] = "chosen",
    [TONE_BEST] = "best", [TONE_RANDOM] = "random",   [TONE_FRONT] = "front"};

static const char *const kind_names[SERIES_KINDS] = {
    [SERIES_DOTS] = "dots",      [SERIES_CROSSES] = "crosses", [SERIES_DIAMONDS] = "diamonds",
    [SERIES_DASHES] = "dashes",  [SERIES_RINGS] = "rings",     [SERIES_LINE] = "line",
    [SERIES_DASHED] = "dashed",  [SERIES_THIN] = "thin",       [SERIES_STEPS] = "steps",
    [SERIES_UPRIGHT] = "dotted", [SERIES_BARS] = "bars"};

void plot_write_class(Buf *out, SeriesKind kind, Tone tone)
{
    buf_puts(out, " class=\"");
    buf_puts(out, kind_names[kind]);
    buf_putc(out, ' ');
    buf_puts(out, tone_names[tone]);
    buf_putc(out, '"');
}

static void write_place(Buf *out, char command, double x, double y)
{
    buf_putc(out, command);
    svg_number(out, x);
    buf_putc(out, ' ');
    svg_number(out, y);
}

void plot_write_mark(Buf *out, SeriesKind kind, double x, double y)
{
    static const char *const shapes[SERIES_KINDS] = {[SERIES_DOTS] = "h0",
                                                     [SERIES_CROSSES] = "m-2.5-2.5l5 5m0-5l-5 5",
                                                     [SERIES_DIAMONDS] = "m0-5l5 5-5 5-5-5z",
                                                     [SERIES_DASHES] = "m-8-2h16v4h-16z",
                                                     [SERIES_RINGS] =
                                                         "m-7 0c0 3.9 3.1 7 7 7 3.9 0 7-3.1 7-7 "
                                                         "0-3.9-3.1-7-7-7-3.9 0-7 3.1-7 7z"};
    write_place(out, 'M', x, y);
    buf_puts(out, shapes[kind]);
}

/* The tooltip and the end of an element. */
static void end_with_tip(const Canvas *c, const Series *s, size_t i, size_t more,
                         const char *element)
{
    if (!s->tips || !s->tips[i]) {
        buf_puts(c->out, "/>");
        return;
    }
    buf_puts(c->out, "><title>");
    svg_text(c->out, s->tips[i]);
    if (more > 0)
        buf_printf(c->out, " and %zu more here", more);
    buf_puts(c->out, "</title></");
    buf_puts(c->out, element);
    buf_putc(c->out, '>');
}

/* --- points ----------------------------------------------------------------------------------- */

/* Points of a series that can be drawn, in pixels, the foremost first. */
typedef struct Cloud {
    size_t count;
    size_t *point;  /* its number */
    float *x, *y;   /* from the corner of the picture */
    uint32_t *more; /* points that it stands for beside itself; those it covers have COVERED */
} Cloud;

#define COVERED UINT32_MAX

static size_t point_of(const Series *s, size_t k)
{
    return s->at ? s->at[k] : k;
}

static bool is_drawable(const Canvas *c, const Series *s, size_t i)
{
    return scale_has(&c->x, s->x[i]) && scale_has(&c->y, s->y[i]);
}

static Cloud cloud_new(const Canvas *c, const Series *s)
{
    size_t n = s->count > 0 ? s->count : 1;
    Cloud cloud = {0, memory_zeroed(n, sizeof(size_t)), memory_zeroed(n, sizeof(float)),
                   memory_zeroed(n, sizeof(float)), memory_zeroed(n, sizeof(uint32_t))};
    for (size_t k = 0; k < s->count; k++) {
        size_t i = point_of(s, k);
        if (!is_drawable(c, s, i))
            continue;
        cloud.x[cloud.count] = (float)scale_pixel(&c->x, s->x[i]);
        cloud.y[cloud.count] = (float)scale_pixel(&c->y, s->y[i]);
        cloud.point[cloud.count++] = i;
    }
    return cloud;
}

static void cloud_free(Cloud *cloud)
{
    free(cloud->point);
    free(cloud->x);
    free(cloud->y);
    free(cloud->more);
}

/* Gives each square to the foremost point in it.  Returns how many have one. */
static size_t share_squares(Cloud *cloud, double side)
{
    size_t columns = (size_t)(PLOT_WIDTH / side) + 2, rows = (size_t)(PLOT_HEIGHT / side) + 2;
    uint32_t *owner = memory_zeroed(columns * rows, sizeof *owner); /* from 1; 0: none */
    size_t taken = 0;
    for (size_t k = 0; k < cloud->count; k++) {
        size_t column = (size_t)(cloud->x[k] / side), row = (size_t)(cloud->y[k] / side);
        uint32_t *o = &owner[row * columns + column];
        if (*o > 0) {
            cloud->more[*o - 1]++;
            cloud->more[k] = COVERED;
            continue;
        }
        *o = (uint32_t)k + 1;
        cloud->more[k] = 0;
        taken++;
    }
    free(owner);
    return taken;
}

/* The foremost are written last, so that they lie on top. */
static void write_points(const Canvas *c, const Series *s)
{
    static const double least_side = 3, growth = 1.25;
    Cloud cloud = cloud_new(c, s);
    for (double side = least_side; share_squares(&cloud, side) > PLOT_MARKS_MOST; side *= growth)
        ;
    for (size_t k = cloud.count; k-- > 0;) {
        if (cloud.more[k] == COVERED)
            continue;
        buf_puts(c->out, "<path d=\"");
        plot_write_mark(c->out, s->kind, cloud.x[k], cloud.y[k]);
        buf_putc(c->out, '"');
        end_with_tip(c, s, cloud.point[k], cloud.more[k], "path");
    }
    cloud_free(&cloud);
}

/* --- lines ------------------------------------------------------------------------------------ */

static void write_corner(const Canvas *c, double x)
{
    buf_putc(c->out, 'H');
    svg_number(c->out, x);
}

static void write_line(const Canvas *c, const Series *s)
{
    buf_puts(c->out, "<path d=\"");
    bool pen_down = false;
    for (size_t k = 0; k < s->count; k++) {
        size_t i = point_of(s, k);
        bool here = is_drawable(c, s, i);
        if (here && pen_down && s->kind == SERIES_STEPS)
            write_corner(c, scale_pixel(&c->x, s->x[i]));
        if (here)
            write_place(c->out, pen_down ? 'L' : 'M', scale_pixel(&c->x, s->x[i]),
                        scale_pixel(&c->y, s->y[i]));
        pen_down = here;
    }
    buf_puts(c->out, "\"/>");
}

static void write_uprights(const Canvas *c, const Series *s)
{
    for (size_t k = 0; k < s->count; k++) {
        size_t i = point_of(s, k);
        if (!scale_has(&c->x, s->x[i]))
            continue;
        buf_puts(c->out, "<path d=\"");
        write_place(c->out, 'M', scale_pixel(&c->x, s->x[i]), c->bottom);
        buf_putc(c->out, 'V');
        svg_number(c->out, c->top);
        buf_putc(c->out, '"');
        end_with_tip(c, s, i, 0, "path");
    }
}

/* --- bars ------------------------------------------------------------------------------------- */

/* Where the bars of a series stand in the room that a name has. */
typedef struct BarPlace {
    double offset, width; /* pixels, from the name's place to the left edge */
} BarPlace;

static BarPlace bar_place(const Canvas *c, const Series *s)
{
    size_t bars = 0, before = 0;
    for (size_t k = 0; k < c->plot->series_count; k++) {
        const Series *other = &c->plot->series[k];
        bars += other->kind == SERIES_BARS;
        before += other->kind == SERIES_BARS && other < s;
    }
    double room = 0.76 * (scale_pixel(&c->x, 1) - scale_pixel(&c->x, 0));
    double width = room / (double)bars;
    return (BarPlace){(double)before * width - room / 2, width};
}

static void write_bars(const Canvas *c, const Series *s)
{
    BarPlace place = bar_place(c, s);
    for (size_t k = 0; k < s->count; k++) {
        size_t i = point_of(s, k);
        if (!is_drawable(c, s, i))
            continue;
        double top = scale_pixel(&c->y, s->y[i]);
        buf_puts(c->out, "<rect");
        svg_attribute(c->out, "x", scale_pixel(&c->x, s->x[i]) + place.offset);
        svg_attribute(c->out, "y", top);
        svg_attribute(c->out, "width", 0.94 * place.width);
        svg_attribute(c->out, "height", fmax(c->bottom - top, 0));
        end_with_tip(c, s, i, 0, "rect");
    }
}

/* --- intervals -------------------------------------------------------------------------------- */

static bool has_interval(const Canvas *c, const Series *s, size_t i)
{
    return is_drawable(c, s, i) && scale_has(&c->y, s->low[i]) && scale_has(&c->y, s->high[i]);
}

/* There along the upper edge, back along the lower. */
static void write_band(const Canvas *c, const Series *s)
{
    char command = 'M';
    for (size_t k = 0; k < 2 * s->count; k++) {
        bool back = k >= s->count;
        size_t i = point_of(s, back ? 2 * s->count - 1 - k : k);
        if (!has_interval(c, s, i))
            continue;
        write_place(c->out, command, scale_pixel(&c->x, s->x[i]),
                    scale_pixel(&c->y, back ? s->low[i] : s->high[i]));
        command = 'L';
    }
    buf_putc(c->out, 'z');
}

static void write_whiskers(const Canvas *c, const Series *s)
{
    double shift = s->kind == SERIES_BARS ? bar_place(c, s).offset + bar_place(c, s).width / 2 : 0;
    for (size_t k = 0; k < s->count; k++) {
        size_t i = point_of(s, k);
        if (!has_interval(c, s, i))
            continue;
        write_place(c->out, 'M', scale_pixel(&c->x, s->x[i]) + shift,
                    scale_pixel(&c->y, s->low[i]));
        buf_putc(c->out, 'V');
        svg_number(c->out, scale_pixel(&c->y, s->high[i]));
    }
}

static void write_intervals(const Canvas *c, const Series *s, bool band)
{
    size_t with = 0;
    for (size_t k = 0; k < s->count; k++)
        with += has_interval(c, s, point_of(s, k));
    if (with == 0)
        return;
    buf_printf(c->out, "<path class=\"%s %s\" d=\"", band ? "band" : "whiskers",
               tone_names[s->tone]);
    if (band)
        write_band(c, s);
    else
        write_whiskers(c, s);
    buf_puts(c->out, "\"/>");
}

/* ---------------------------------------------------------------------------------------------- */

static void write_marks(const Canvas *c, const Series *s)
{
    buf_puts(c->out, "<g");
    plot_write_class(c->out, s->kind, s->tone);
    buf_putc(c->out, '>');
    switch (s->kind) {
    case SERIES_LINE:
    case SERIES_DASHED:
    case SERIES_THIN:
    case SERIES_STEPS:
        write_line(c, s);
        break;
    case SERIES_UPRIGHT:
        write_uprights(c, s);
        break;
    case SERIES_BARS:
        write_bars(c, s);
        break;
    default:
        write_points(c, s);
    }
    buf_puts(c->out, "</g>\n");
}

/* A band lies behind its line, whiskers before their bars. */
void plot_write_series(const Canvas *c, const Series *s)
{
    bool band = s->kind == SERIES_LINE || s->kind == SERIES_DASHED;
    if (s->low && band)
        write_intervals(c, s, band);
    write_marks(c, s);
    if (s->low && !band)
        write_intervals(c, s, band);
}
