#include "tuner/draw/plot.h"

#include "metrics/base/arena.h"
#include "tuner/draw/axis.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- text and style
 * -------------------------------------------------------------------------------
 */

void plot_text(Buf *out, const char *text)
{
    for (; *text; text++) {
        switch (*text) {
        case '<':
            buf_puts(out, "&lt;");
            break;
        case '>':
            buf_puts(out, "&gt;");
            break;
        case '&':
            buf_puts(out, "&amp;");
            break;
        case '"':
            buf_puts(out, "&quot;");
            break;
        default:
            if ((unsigned char)*text >= ' ' || *text == '\n') /* others are not allowed in XML */
                buf_putc(out, *text);
        }
    }
}

static const char *const tone_names[TONE_COUNT] = {"all",  "dropped", "selected",
                                                   "best", "random",  "front"};

/* Okabe and Ito's colours, which eyes of all kinds tell apart, on white and on near black. */
static const char style_text[] =
    ".plot{font:12px system-ui,sans-serif;fill:#222;color:#222}"
    ".plot .title{font-size:14px;font-weight:600}"
    ".plot .frame{fill:none;stroke:#888}.plot .grid{stroke:#8883;fill:none}"
    ".plot .line{fill:none;stroke-width:1.8}"
    ".plot .ring{fill:none;stroke-width:2}"
    ".all{fill:#9aa0a6;stroke:#9aa0a6}.dropped{fill:#cc79a7;stroke:#cc79a7}"
    ".selected{fill:#0072b2;stroke:#0072b2}.best{fill:#d55e00;stroke:#d55e00}"
    ".random{fill:#e69f00;stroke:#e69f00}.front{fill:#009e73;stroke:#009e73}"
    ".plot .dot{stroke:none}"
    "@media screen and (prefers-color-scheme:dark){.plot{fill:#ddd;color:#ddd}"
    ".all{fill:#6b7178;stroke:#6b7178}.selected{fill:#56b4e9;stroke:#56b4e9}"
    ".best{fill:#ff8c3a;stroke:#ff8c3a}}";

void plot_style(Buf *out)
{
    buf_puts(out, style_text);
}

/* --- the picture
 * ----------------------------------------------------------------------------------
 */

typedef struct Canvas {
    const Plot *plot;
    int width, height;
    int left, right, top, bottom; /* of the frame, in pixels */
    Scale x, y;
    Buf *out;
} Canvas;

static Scale scale_of(const Plot *p, const Axis *axis, bool is_x)
{
    double least = INFINITY, most = -INFINITY;
    Scale probe = {.logarithmic = axis->logarithmic};
    for (size_t k = 0; k < p->series_count; k++) {
        const Series *s = &p->series[k];
        for (size_t i = 0; i < s->count; i++) {
            double value = is_x ? s->x[i] : s->y[i];
            if (!scale_has(&probe, value))
                continue;
            least = fmin(least, value);
            most = fmax(most, value);
        }
    }
    if (axis->names)
        return (Scale){.low = -0.6, .high = (double)axis->name_count - 0.4};
    return scale_new(least, most, axis->logarithmic, axis->from_zero);
}

static Canvas canvas_new(const Plot *p, Buf *out)
{
    Canvas c = {
        .plot = p, .width = p->width ? p->width : 640, .height = p->height ? p->height : 400};
    bool legend = false;
    for (size_t k = 0; k < p->series_count; k++)
        legend = legend || p->series[k].name;
    c.left = 76;
    c.right = c.width - 16;
    c.top = legend ? 56 : 34;
    c.bottom = c.height - (p->x.names ? 76 : 48);
    c.x = scale_of(p, &p->x, true);
    c.y = scale_of(p, &p->y, false);
    c.x.begin = c.left, c.x.end = c.right;
    c.y.begin = c.bottom, c.y.end = c.top;
    c.out = out;
    return c;
}

/* --- axes */

static void write_label(Canvas *c, double x, double y, const char *anchor, const char *text)
{
    buf_printf(c->out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", x, y, anchor);
    plot_text(c->out, text);
    buf_puts(c->out, "</text>");
}

/* "20,000" reads better than "2e+04", and "5e+09" better than ten digits. */
static void write_number(Canvas *c, double x, double y, const char *anchor, double number)
{
    char text[32];
    bool plain = number == floor(number) && fabs(number) < 1e6;
    snprintf(text, sizeof text, plain ? "%.0f" : "%.4g", number);
    write_label(c, x, y, anchor, text);
}

static void write_grid(Canvas *c, double x1, double y1, double x2, double y2)
{
    buf_printf(c->out, "<path class=\"grid\" d=\"M%.1f %.1fL%.1f %.1f\"/>", x1, y1, x2, y2);
}

/* Named places stand aslant, for names are longer than numbers. */
static void write_names(Canvas *c)
{
    const Axis *x = &c->plot->x;
    for (size_t k = 0; k < x->name_count; k++) {
        double at = scale_pixel(&c->x, (double)k);
        buf_printf(c->out,
                   "<text transform=\"translate(%.1f %d) rotate(-35)\" text-anchor=\"end\">",
                   at + 4, c->bottom + 16);
        plot_text(c->out, x->names[k]);
        buf_puts(c->out, "</text>");
    }
}

static void write_axes(Canvas *c)
{
    double ticks[TICKS_MOST];
    size_t n = c->plot->x.names ? 0 : scale_ticks(&c->x, 8, ticks);
    for (size_t k = 0; k < n; k++) {
        double at = scale_pixel(&c->x, ticks[k]);
        write_grid(c, at, c->top, at, c->bottom);
        write_number(c, at, c->bottom + 16, "middle", ticks[k]);
    }
    if (c->plot->x.names)
        write_names(c);
    n = scale_ticks(&c->y, 7, ticks);
    for (size_t k = 0; k < n; k++) {
        double at = scale_pixel(&c->y, ticks[k]);
        write_grid(c, c->left, at, c->right, at);
        write_number(c, c->left - 6, at + 4, "end", ticks[k]);
    }
    buf_printf(c->out, "<rect class=\"frame\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/>",
               c->left, c->top, c->right - c->left, c->bottom - c->top);
    write_label(c, (c->left + c->right) / 2.0, c->height - 8, "middle", c->plot->x.label);
    buf_printf(c->out, "<text transform=\"translate(16 %.1f) rotate(-90)\" text-anchor=\"middle\">",
               (c->top + c->bottom) / 2.0);
    plot_text(c->out, c->plot->y.label);
    buf_puts(c->out, "</text>");
}

/* --- series */

static void write_tip(Canvas *c, const char *tip, size_t more)
{
    buf_puts(c->out, "><title>");
    plot_text(c->out, tip);
    if (more > 0)
        buf_printf(c->out, " and %zu more here", more);
    buf_puts(c->out, "</title></circle>");
}

static void write_circle(Canvas *c, const Series *s, size_t i, size_t more)
{
    bool ring = s->kind == SERIES_RINGS;
    double radius = ring ? 7 : s->tone == TONE_ALL ? 2.2 : 3.2;
    buf_printf(c->out, "<circle class=\"%s %s\" cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\"",
               ring ? "ring" : "dot", tone_names[s->tone], scale_pixel(&c->x, s->x[i]),
               scale_pixel(&c->y, s->y[i]), radius);
    if (s->tips)
        write_tip(c, s->tips[i], more);
    else
        buf_puts(c->out, "/>");
}

static bool drawable(const Canvas *c, const Series *s, size_t i)
{
    return scale_has(&c->x, s->x[i]) && scale_has(&c->y, s->y[i]);
}

/* One dot for all that fall into the same square of three pixels, and how many they are. */
static void write_points(Canvas *c, const Series *s)
{
    static const double cell = 3;
    size_t columns = (size_t)(c->width / cell) + 2, rows = (size_t)(c->height / cell) + 2;
    size_t *first = memory_zeroed(columns * rows, sizeof *first);
    size_t *more = memory_zeroed(s->count ? s->count : 1, sizeof *more);
    for (size_t i = 0; i < s->count; i++) {
        if (!drawable(c, s, i))
            continue;
        size_t x = (size_t)(scale_pixel(&c->x, s->x[i]) / cell);
        size_t y = (size_t)(scale_pixel(&c->y, s->y[i]) / cell);
        size_t *slot = &first[y * columns + x];
        if (*slot == 0)
            *slot = i + 1;
        else
            more[*slot - 1]++;
    }
    for (size_t k = 0; k < columns * rows; k++)
        if (first[k])
            write_circle(c, s, first[k] - 1, more[first[k] - 1]);
    free(more);
    free(first);
}

static void write_line(Canvas *c, const Series *s)
{
    buf_printf(c->out, "<path class=\"line %s\" d=\"", tone_names[s->tone]);
    bool pen_down = false;
    for (size_t i = 0; i < s->count; i++) {
        bool here = drawable(c, s, i);
        if (here)
            buf_printf(c->out, "%c%.1f %.1f", pen_down ? 'L' : 'M', scale_pixel(&c->x, s->x[i]),
                       scale_pixel(&c->y, s->y[i]));
        pen_down = here;
    }
    buf_puts(c->out, "\"/>");
}

static void write_bars(Canvas *c, const Series *s)
{
    double half = 0.35 * (scale_pixel(&c->x, 1) - scale_pixel(&c->x, 0));
    double floor_y = scale_pixel(&c->y, c->y.logarithmic ? pow(10, c->y.low) : 0);
    for (size_t i = 0; i < s->count; i++) {
        if (!drawable(c, s, i))
            continue;
        double top = scale_pixel(&c->y, s->y[i]);
        buf_printf(c->out,
                   "<rect class=\"dot %s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\">",
                   tone_names[s->tone], scale_pixel(&c->x, s->x[i]) - half, top, 2 * half,
                   fmax(floor_y - top, 0));
        if (s->tips) {
            buf_puts(c->out, "<title>");
            plot_text(c->out, s->tips[i]);
            buf_puts(c->out, "</title>");
        }
        buf_puts(c->out, "</rect>");
    }
}

static void write_series(Canvas *c, const Series *s)
{
    switch (s->kind) {
    case SERIES_POINTS:
        write_points(c, s);
        break;
    case SERIES_LINE:
        write_line(c, s);
        break;
    case SERIES_BARS:
        write_bars(c, s);
        break;
    case SERIES_RINGS:
        for (size_t i = 0; i < s->count; i++)
            if (drawable(c, s, i))
                write_circle(c, s, i, 0);
    }
}

/* One line under the title; a name is about 6.5 pixels a letter wide. */
static void write_legend(Canvas *c)
{
    double x = c->left;
    for (size_t k = 0; k < c->plot->series_count; k++) {
        const Series *s = &c->plot->series[k];
        if (!s->name)
            continue;
        const char *tone = tone_names[s->tone];
        if (s->kind == SERIES_LINE)
            buf_printf(c->out, "<path class=\"line %s\" d=\"M%.1f 42h14\"/>", tone, x - 3);
        else
            buf_printf(c->out, "<circle class=\"%s %s\" cx=\"%.1f\" cy=\"42\" r=\"5\"/>",
                       s->kind == SERIES_RINGS ? "ring" : "dot", tone, x + 4);
        write_label(c, x + 15, 46, "start", s->name);
        x += 30 + 6.5 * (double)strlen(s->name);
    }
}

void plot_write(const Plot *p, bool alone, Buf *out)
{
    Canvas c = canvas_new(p, out);
    if (alone)
        buf_puts(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    buf_printf(out,
               "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"plot\" viewBox=\"0 0 %d %d\" "
               "width=\"%d\" height=\"%d\" role=\"img\" aria-label=\"",
               c.width, c.height, c.width, c.height);
    plot_text(out, p->title);
    buf_puts(out, "\">");
    if (alone) {
        buf_puts(out, "<style>");
        plot_style(out);
        buf_puts(out, "</style>");
    }
    buf_printf(out, "<text class=\"title\" x=\"%d\" y=\"20\">", c.left);
    plot_text(out, p->title);
    buf_puts(out, "</text>");
    write_axes(&c);
    for (size_t k = 0; k < p->series_count; k++)
        write_series(&c, &p->series[k]);
    write_legend(&c);
    buf_puts(out, "</svg>\n");
}
