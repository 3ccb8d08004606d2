/* The frame of a picture: scales, axes, legend. */
#include "tuner/report/plot.h"

#include "tuner/report/plot_parts.h"
#include "tuner/report/svg.h"

#include <math.h>
#include <string.h>

/* --- room ------------------------------------------------------------------------------------- */

enum { LEFT = 62, RIGHT = 18, LEGEND_Y = 18, LEGEND_STEP = 17, TICKS_WANTED = 10 };

/* About as wide as the sans-serif faces of browsers are on average at 12 pixels. */
static const double letter_width = 7;

static double text_width(const char *text)
{
    size_t letters = 0;
    for (; *text; text++)
        letters += ((unsigned char)*text & 0xc0) != 0x80; /* UTF-8 */
    return letter_width * (double)letters;
}

/* Where an entry of the legend stands; a new row begins where one would not fit. */
typedef struct LegendPlace {
    double x, y;
} LegendPlace;

static LegendPlace legend_next(LegendPlace *next, const char *name)
{
    enum { MARK = 18, GAP = 14 };
    double width = MARK + text_width(name);
    if (next->x > LEFT && next->x + width > PLOT_WIDTH - 4)
        *next = (LegendPlace){LEFT, next->y + LEGEND_STEP};
    LegendPlace here = *next;
    next->x += width + GAP;
    return here;
}

/* The y of the last row; the picture's edge when there is none. */
static double legend_bottom(const Plot *p)
{
    LegendPlace next = {LEFT, LEGEND_Y};
    double bottom = 0;
    for (size_t k = 0; k < p->series_count; k++)
        if (p->series[k].name)
            bottom = legend_next(&next, p->series[k].name).y;
    return bottom;
}

/* Names stand aslant where they would touch each other. */
static bool are_names_aslant(const Axis *x)
{
    double room = (double)(PLOT_WIDTH - LEFT - RIGHT) / (double)(x->name_count + 1);
    for (size_t k = 0; k < x->name_count; k++)
        if (text_width(x->names[k]) + 4 > room)
            return true;
    return false;
}

/* Height of the tick labels under the frame. */
static double names_room(const Axis *x)
{
    double longest = 0;
    if (!x->names || !are_names_aslant(x))
        return 14;
    for (size_t k = 0; k < x->name_count; k++)
        longest = fmax(longest, text_width(x->names[k]));
    return fmin(14 + 0.57 * longest, 90); /* the sine of 35 degrees */
}

static void extent(const Series *s, const double *values, const Scale *probe, double *least,
                   double *most)
{
    for (size_t k = 0; values && k < s->count; k++) {
        double value = values[s->at ? s->at[k] : k];
        if (!scale_has(probe, value))
            continue;
        *least = fmin(*least, value);
        *most = fmax(*most, value);
    }
}

static Scale scale_of(const Plot *p, const Axis *axis, bool is_x)
{
    double least = INFINITY, most = -INFINITY;
    Scale probe = {.logarithmic = axis->logarithmic};
    for (size_t k = 0; k < p->series_count; k++) {
        const Series *s = &p->series[k];
        const double *const columns[] = {is_x                        ? s->x
                                         : s->kind == SERIES_UPRIGHT ? NULL
                                                                     : s->y,
                                         is_x ? NULL : s->low, is_x ? NULL : s->high};
        for (int c = 0; c < 3; c++)
            extent(s, columns[c], &probe, &least, &most);
    }
    if (axis->names)
        return (Scale){.low = -0.6, .high = (double)axis->name_count - 0.4};
    return scale_new(least, most, axis->logarithmic, axis->from_zero);
}

static Canvas canvas_new(const Plot *p, Buf *out)
{
    Canvas c = {.plot = p, .left = LEFT, .right = PLOT_WIDTH - RIGHT, .out = out};
    c.top = legend_bottom(p) + 12;
    c.bottom = PLOT_HEIGHT - 10 - names_room(&p->x) - (*p->x.label ? 20 : 0);
    c.x = scale_of(p, &p->x, true);
    c.y = scale_of(p, &p->y, false);
    c.x.begin = c.left, c.x.end = c.right;
    c.y.begin = c.bottom, c.y.end = c.top;
    return c;
}

/* --- axes ------------------------------------------------------------------------------------- */

static void write_text_at(const Canvas *c, double x, double y, const char *anchor, const char *text)
{
    buf_puts(c->out, "<text");
    svg_attribute(c->out, "x", x);
    svg_attribute(c->out, "y", y);
    if (*anchor)
        buf_printf(c->out, " text-anchor=\"%s\"", anchor);
    buf_putc(c->out, '>');
    svg_text(c->out, text);
    buf_puts(c->out, "</text>");
}

/* The label of an axis and its scale; squeezed where it is longer than there is room. */
static void write_label(const Canvas *c, double x, double y, bool upright, const Axis *axis)
{
    static const char scale[] = ", log scale";
    const char *more = axis->logarithmic ? scale : "";
    double room = upright ? PLOT_HEIGHT - 12 : PLOT_WIDTH - 12;
    double width = text_width(axis->label) + text_width(more), half = fmin(width, room) / 2;
    if (upright)
        y = fmax(6 + half, fmin(y, PLOT_HEIGHT - 6 - half));
    buf_puts(c->out, "<text transform=\"translate(");
    svg_number(c->out, x);
    buf_putc(c->out, ' ');
    svg_number(c->out, y);
    buf_puts(c->out,
             upright ? ") rotate(-90)\" text-anchor=\"middle\"" : ")\" text-anchor=\"middle\"");
    if (width > room)
        svg_attribute(c->out, "textLength", room);
    buf_putc(c->out, '>');
    svg_text(c->out, axis->label);
    buf_puts(c->out, more);
    buf_puts(c->out, "</text>");
}

static void write_grid(const Canvas *c, double x1, double y1, char command, double to)
{
    buf_putc(c->out, 'M');
    svg_number(c->out, x1);
    buf_putc(c->out, ' ');
    svg_number(c->out, y1);
    buf_putc(c->out, command);
    svg_number(c->out, to);
}

static void write_grids(const Canvas *c, const double *x, size_t nx, const double *y, size_t ny)
{
    buf_puts(c->out, "<path class=\"grid\" d=\"");
    for (size_t k = 0; k < nx; k++)
        write_grid(c, scale_pixel(&c->x, x[k]), c->top, 'V', c->bottom);
    for (size_t k = 0; k < ny; k++)
        write_grid(c, c->left, scale_pixel(&c->y, y[k]), 'H', c->right);
    buf_puts(c->out, "\"/>");
}

/* Small marks at 2, 3 … 9 times each power of ten: they show at once that a scale is logarithmic.
 */
static void write_fine_ticks(const Canvas *c, const Scale *s, bool is_x)
{
    enum { LENGTH = 4, DECADES_MOST = 8 };
    if (!s->logarithmic || s->high - s->low > DECADES_MOST)
        return;
    buf_puts(c->out, "<path class=\"frame\" d=\"");
    for (int power = (int)floor(s->low); power <= (int)s->high; power++)
        for (int lead = 1; lead < 10; lead++) {
            double at = log10(lead) + power, pixel = scale_pixel(s, pow(10, at));
            if (at < s->low || at > s->high)
                continue;
            if (is_x)
                write_grid(c, pixel, c->bottom, 'v', -LENGTH);
            else
                write_grid(c, c->left, pixel, 'h', LENGTH);
        }
    buf_puts(c->out, "\"/>");
}

static void write_names(const Canvas *c)
{
    const Axis *x = &c->plot->x;
    bool aslant = are_names_aslant(x);
    for (size_t k = 0; k < x->name_count; k++) {
        double at = scale_pixel(&c->x, (double)k);
        if (!aslant) {
            write_text_at(c, at, c->bottom + 15, "middle", x->names[k]);
            continue;
        }
        buf_puts(c->out, "<text transform=\"translate(");
        svg_number(c->out, at + 4);
        buf_putc(c->out, ' ');
        svg_number(c->out, c->bottom + 14);
        buf_puts(c->out, ") rotate(-35)\" text-anchor=\"end\">");
        svg_text(c->out, x->names[k]);
        buf_puts(c->out, "</text>");
    }
}

static void write_axes(const Canvas *c)
{
    char text[TICK_TEXT];
    double x[TICKS_MOST], y[TICKS_MOST];
    size_t nx = c->plot->x.names ? 0 : scale_ticks(&c->x, TICKS_WANTED, x);
    size_t ny = scale_ticks(&c->y, TICKS_WANTED, y);
    write_grids(c, x, nx, y, ny);
    write_fine_ticks(c, &c->x, true);
    write_fine_ticks(c, &c->y, false);
    for (size_t k = 0; k < nx; k++)
        write_text_at(c, scale_pixel(&c->x, x[k]), c->bottom + 15, "middle", tick_text(x[k], text));
    if (c->plot->x.names)
        write_names(c);
    for (size_t k = 0; k < ny; k++)
        write_text_at(c, c->left - 5, scale_pixel(&c->y, y[k]) + 4, "end", tick_text(y[k], text));
    buf_puts(c->out, "<rect class=\"frame\"");
    svg_attribute(c->out, "x", c->left);
    svg_attribute(c->out, "y", c->top);
    svg_attribute(c->out, "width", c->right - c->left);
    svg_attribute(c->out, "height", c->bottom - c->top);
    buf_puts(c->out, "/>");
    write_label(c, (c->left + c->right) / 2, PLOT_HEIGHT - 8, false, &c->plot->x);
    write_label(c, 13, (c->top + c->bottom) / 2, true, &c->plot->y);
    buf_putc(c->out, '\n');
}

/* --- legend ----------------------------------------------------------------------------------- */

static void write_sample(const Canvas *c, const Series *s, double x, double y)
{
    buf_puts(c->out, "<path");
    plot_write_class(c->out, s->kind, s->tone);
    buf_puts(c->out, " d=\"");
    switch (s->kind) {
    case SERIES_LINE:
    case SERIES_DASHED:
    case SERIES_THIN:
    case SERIES_STEPS:
        write_grid(c, x - 2, y, 'H', x + 14);
        break;
    case SERIES_UPRIGHT:
        write_grid(c, x + 6, y - 6, 'V', y + 6);
        break;
    case SERIES_BARS:
        write_grid(c, x + 1, y - 5, 'h', 10);
        buf_puts(c->out, "v10h-10z");
        break;
    default:
        plot_write_mark(c->out, s->kind, x + 6, y);
    }
    buf_puts(c->out, "\"/>");
}

static void write_legend(const Canvas *c)
{
    LegendPlace next = {LEFT, LEGEND_Y};
    for (size_t k = 0; k < c->plot->series_count; k++) {
        const Series *s = &c->plot->series[k];
        if (!s->name)
            continue;
        LegendPlace at = legend_next(&next, s->name);
        write_sample(c, s, at.x, at.y - 4);
        write_text_at(c, at.x + 18, at.y, "", s->name);
    }
}

/* --- the whole -------------------------------------------------------------------------------- */

void plot_write(const Plot *p, Buf *out)
{
    Canvas c = canvas_new(p, out);
    buf_printf(out,
               "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"plot\" viewBox=\"0 0 %d %d\" "
               "role=\"img\" aria-label=\"",
               PLOT_WIDTH, PLOT_HEIGHT);
    svg_text(out, p->title);
    buf_puts(out, "\">\n");
    write_axes(&c);
    for (size_t k = 0; k < p->series_count; k++)
        plot_write_series(&c, &p->series[k]);
    write_legend(&c);
    buf_puts(out, "</svg>\n");
}

void plot_write_alone(const char *svg, Buf *out)
{
    size_t head = strcspn(svg, ">"); /* the first tag's: attributes have theirs escaped */
    buf_puts(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    buf_add(out, svg, head);
    buf_printf(out, " width=\"%d\" height=\"%d\"><style>", PLOT_WIDTH, PLOT_HEIGHT);
    svg_style(out);
    buf_puts(out, "</style><rect class=\"paper\" width=\"100%\" height=\"100%\"/>");
    buf_puts(out, svg + head + 1);
}
