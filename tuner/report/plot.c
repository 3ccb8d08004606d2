#include "tuner/report/plot.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Canvas {
    const Plot *plot;
    double left, right, top, bottom; /* of the frame, in pixels */
    Scale x, y;
    Buf *out;
} Canvas;

/* --- marks ------------------------------------------------------------------------------------ */

static const char *const tone_names[TONE_COUNT] = {
    [TONE_ALL] = "all",   [TONE_DROPPED] = "dropped", [TONE_CHOSEN] = "chosen",
    [TONE_BEST] = "best", [TONE_RANDOM] = "random",   [TONE_FRONT] = "front"};

static bool is_line(SeriesKind k)
{
    return k >= SERIES_LINE && k <= SERIES_STEPS;
}

static const char *const kind_names[SERIES_KINDS] = {
    [SERIES_DOTS] = "dots",      [SERIES_CROSSES] = "crosses", [SERIES_DIAMONDS] = "diamonds",
    [SERIES_DASHES] = "dashes",  [SERIES_RINGS] = "rings",     [SERIES_LINE] = "line",
    [SERIES_DASHED] = "dashed",  [SERIES_THIN] = "thin",       [SERIES_STEPS] = "steps",
    [SERIES_UPRIGHT] = "dotted", [SERIES_BARS] = "bars"};

/* The path data of one mark, for pictures and legends.  Dots are paths of length 0 with round caps, the
 * shortest form. */
static void plot_write_mark(Buf *out, SeriesKind kind, double x, double y)
{
    static const char *const shapes[SERIES_KINDS] = {[SERIES_DOTS] = "h0",
                                                     [SERIES_CROSSES] = "m-2.5-2.5l5 5m0-5l-5 5",
                                                     [SERIES_DIAMONDS] = "m0-5l5 5-5 5-5-5z",
                                                     [SERIES_DASHES] = "m-8-2h16v4h-16z",
                                                     [SERIES_RINGS] =
                                                         "m-7 0c0 3.9 3.1 7 7 7 3.9 0 7-3.1 7-7 "
                                                         "0-3.9-3.1-7-7-7-3.9 0-7 3.1-7 7z"};
    svg_say(out, "M%n %n%s", x, y, shapes[kind]);
}

static void end_with_tip(const Canvas *c, const Series *s, size_t i, size_t more,
                         const char *element)
{
    if (!s->tips || !s->tips[i]) {
        buf_puts(c->out, "/>");
        return;
    }
    svg_say(c->out, "><title>%t", s->tips[i]);
    if (more > 0)
        buf_printf(c->out, " and %zu more here", more);
    svg_say(c->out, "</title></%s>", element);
}

/* --- points ----------------------------------------------------------------------------------- */

/* The drawable points of a series, foremost first.  Of points in the same small square only the foremost is
 * drawn. */
typedef struct Cloud {
    size_t count;
    size_t *point;  /* index */
    float *x, *y;   /* pixels */
    uint32_t *more; /* number of points that it hides; COVERED for a hidden one */
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

static Cloud cloud_new(Arena *a, const Canvas *c, const Series *s)
{
    Cloud cloud = {0, ARENA_ARRAY(a, size_t, s->count), ARENA_ARRAY(a, float, s->count),
                   ARENA_ARRAY(a, float, s->count), ARENA_ARRAY(a, uint32_t, s->count)};
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

/* Assigns each square to the foremost point in it.  Returns the number of squares taken. */
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

/* The foremost points are written last, on top of the others. */
static void write_points(const Canvas *c, const Series *s)
{
    static const double least_side = 3, growth = 1.25;
    SCOPED_ARENA *a = arena_new();
    Cloud cloud = cloud_new(a, c, s);
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
}

/* --- lines ------------------------------------------------------------------------------------ */

static void write_line(const Canvas *c, const Series *s)
{
    buf_puts(c->out, "<path d=\"");
    bool pen_down = false;
    for (size_t k = 0; k < s->count; k++) {
        size_t i = point_of(s, k);
        bool here = is_drawable(c, s, i);
        if (here && pen_down && s->kind == SERIES_STEPS)
            svg_say(c->out, "H%n", scale_pixel(&c->x, s->x[i]));
        if (here)
            svg_say(c->out, "%c%n %n", pen_down ? 'L' : 'M', scale_pixel(&c->x, s->x[i]),
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
        svg_say(c->out, "<path d=\"M%n %nV%n\"", scale_pixel(&c->x, s->x[i]), c->bottom, c->top);
        end_with_tip(c, s, i, 0, "path");
    }
}

/* --- bars ------------------------------------------------------------------------------------- */

typedef struct BarPlace {
    double offset, width; /* pixels; offset from the name's position to the left edge */
} BarPlace;

static BarPlace bar_place(const Canvas *c, const Series *s)
{
    size_t bars = 0, before = 0;
    EACH (const Series, other, c->plot->series, c->plot->series_count) {
        bars += other->kind == SERIES_BARS;
        before += other->kind == SERIES_BARS && other < s;
    }
    double room = 0.76 * (scale_pixel(&c->x, 1) - scale_pixel(&c->x, 0));
    double width = room / (double)bars;
    return (BarPlace){(double)before * width - room / 2, width};
}

/* Opens a <rect> element; `class` is an attribute. */
static void write_rectangle(const Canvas *c, const char *class, double x, double y, double width,
                            double height)
{
    svg_say(c->out, "<rect%s x=\"%n\" y=\"%n\" width=\"%n\" height=\"%n\"", class, x, y, width,
            height);
}

static void write_bars(const Canvas *c, const Series *s)
{
    BarPlace place = bar_place(c, s);
    for (size_t k = 0; k < s->count; k++) {
        size_t i = point_of(s, k);
        if (!is_drawable(c, s, i))
            continue;
        double top = scale_pixel(&c->y, s->y[i]);
        write_rectangle(c, "", scale_pixel(&c->x, s->x[i]) + place.offset, top, 0.94 * place.width,
                        fmax(c->bottom - top, 0));
        end_with_tip(c, s, i, 0, "rect");
    }
}

/* --- intervals -------------------------------------------------------------------------------- */

static bool has_interval(const Canvas *c, const Series *s, size_t i)
{
    return is_drawable(c, s, i) && scale_has(&c->y, s->low[i]) && scale_has(&c->y, s->high[i]);
}

/* Follows the upper edge, then the lower edge backwards. */
static void write_band(const Canvas *c, const Series *s)
{
    char command = 'M';
    for (size_t k = 0; k < 2 * s->count; k++) {
        bool back = k >= s->count;
        size_t i = point_of(s, back ? 2 * s->count - 1 - k : k);
        if (!has_interval(c, s, i))
            continue;
        svg_say(c->out, "%c%n %n", command, scale_pixel(&c->x, s->x[i]),
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
        svg_say(c->out, "M%n %nV%n", scale_pixel(&c->x, s->x[i]) + shift,
                scale_pixel(&c->y, s->low[i]), scale_pixel(&c->y, s->high[i]));
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

static void write_marks(const Canvas *c, const Series *s)
{
    svg_say(c->out, "<g class=\"%s %s\">", kind_names[s->kind], tone_names[s->tone]);
    if (is_line(s->kind))
        write_line(c, s);
    else if (s->kind == SERIES_UPRIGHT)
        write_uprights(c, s);
    else if (s->kind == SERIES_BARS)
        write_bars(c, s);
    else
        write_points(c, s);
    buf_puts(c->out, "</g>\n");
}

/* --- scales and ticks ------------------------------------------------------------------------- */

Scale scale_new(double least, double most, bool logarithmic, bool from_zero)
{
    if (!(least <= most))
        least = logarithmic ? 1 : 0, most = logarithmic ? 10 : 1;
    if (from_zero && !logarithmic && least > 0)
        least = 0;
    if (logarithmic)
        least = log10(least), most = log10(most);
    double room = most > least ? 0.03 * (most - least) : most == 0 ? 1 : 0.1 * fabs(most);
    bool at_zero = from_zero && !logarithmic && least == 0;
    return (Scale){
        .low = at_zero ? 0 : least - room, .high = most + room, .logarithmic = logarithmic};
}

bool scale_has(const Scale *s, double value)
{
    return isfinite(value) && (!s->logarithmic || value > 0);
}

double scale_pixel(const Scale *s, double value)
{
    double at = s->logarithmic ? log10(value) : value;
    return s->begin + (at - s->low) / (s->high - s->low) * (s->end - s->begin);
}

static size_t linear_ticks(const Scale *s, size_t most, double *ticks)
{
    const double least = (s->high - s->low) / (double)most, power = pow(10, floor(log10(least)));
    const double lead = least / power;
    const double step = (lead <= 1 ? 1 : lead <= 2 ? 2 : lead <= 5 ? 5 : 10) * power;
    size_t n = 0;
    for (double k = ceil(s->low / step); k * step <= s->high && n < TICKS_MOST; k++)
        ticks[n++] = k * step + 0.0; /* no -0 */
    return n;
}

/* Linear ticks within a decade, 1, 2, 5 over few decades, else only some powers. */
static size_t logarithmic_ticks(const Scale *s, size_t most, double *ticks)
{
    static const double leads[] = {1, 2, 5};
    double decades = s->high - s->low;
    if (decades < 0.7) {
        Scale linear = {.low = pow(10, s->low), .high = pow(10, s->high)};
        return linear_ticks(&linear, most, ticks);
    }
    int every = (int)ceil(decades / (double)most), fine = decades * 3 <= (double)most ? 3 : 1;
    size_t n = 0;
    for (int power = (int)floor(s->low); power <= (int)ceil(s->high); power++)
        for (int k = 0; k < fine && power % every == 0; k++) {
            double tick = leads[k] * pow(10, power);
            if (log10(tick) >= s->low && log10(tick) <= s->high && n < TICKS_MOST)
                ticks[n++] = tick;
        }
    return n;
}

size_t scale_ticks(const Scale *s, size_t most, double ticks[TICKS_MOST])
{
    return s->logarithmic ? logarithmic_ticks(s, most, ticks) : linear_ticks(s, most, ticks);
}

const char *tick_text(double tick, char text[TICK_TEXT])
{
    static const struct {
        double unit;
        const char *letter;
    } units[] = {{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}};
    double size = fabs(tick);
    for (size_t k = 0; size >= 1e4 && size < 1e15 && k < COUNT_OF(units); k++) {
        if (size < units[k].unit)
            continue;
        snprintf(text, TICK_TEXT, "%.4g%s", tick / units[k].unit, units[k].letter);
        return text;
    }
    snprintf(text, TICK_TEXT, "%.4g", tick);
    char *e = strchr(text, 'e'); /* "2e-09" becomes "2e-9", "1e+18" "1e18" */
    const char *digits = e ? e + 2 + strspn(e + 2, "0") : NULL;
    if (e)
        memmove(e + 1 + (e[1] == '-'), digits, strlen(digits) + 1);
    return text;
}

/* --- layout ----------------------------------------------------------------------------------- */

enum { LEFT = 62, RIGHT = 18, LEGEND_Y = 18, LEGEND_STEP = 17, TICKS_WANTED = 10 };

/* Average width of browsers' sans-serif letters at 12 pixels. */
static const double letter_width = 7;

static double text_width(const char *text)
{
    return letter_width * (double)text_columns(text, strlen(text));
}

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

/* Names are slanted if they would touch each other. */
static bool are_names_aslant(const Axis *x)
{
    double room = (double)(PLOT_WIDTH - LEFT - RIGHT) / (double)(x->name_count + 1);
    for (size_t k = 0; k < x->name_count; k++)
        if (text_width(x->names[k]) + 4 > room)
            return true;
    return false;
}

static Scale scale_of(const Plot *p, const Axis *axis, bool is_x)
{
    double least = INFINITY, most = -INFINITY;
    Scale probe = {.logarithmic = axis->logarithmic};
    EACH (const Series, s, p->series, p->series_count) {
        const double *const columns[] = {is_x                        ? s->x
                                         : s->kind == SERIES_UPRIGHT ? NULL
                                                                     : s->y,
                                         is_x ? NULL : s->low, is_x ? NULL : s->high};
        for (size_t k = 0; k < 3 * s->count; k++) {
            const double *of = columns[k / s->count];
            const double value = of ? of[point_of(s, k % s->count)] : NAN;
            least = scale_has(&probe, value) ? fmin(least, value) : least;
            most = scale_has(&probe, value) ? fmax(most, value) : most;
        }
    }
    if (axis->names)
        return (Scale){.low = -0.6, .high = (double)axis->name_count - 0.4};
    return scale_new(least, most, axis->logarithmic, axis->from_zero);
}

static Canvas canvas_new(const Plot *p, Buf *out)
{
    Canvas c = {.plot = p, .left = LEFT, .right = PLOT_WIDTH - RIGHT, .top = 12, .out = out};
    LegendPlace next = {LEFT, LEGEND_Y};
    for (size_t k = 0; k < p->series_count; k++)
        if (p->series[k].name)
            c.top = legend_next(&next, p->series[k].name).y + 12;
    double longest = 0; /* of slanted names */
    const bool aslant = p->x.names && are_names_aslant(&p->x);
    for (size_t k = 0; aslant && k < p->x.name_count; k++)
        longest = fmax(longest, text_width(p->x.names[k]));
    const double names =
        longest > 0 ? fmin(14 + 0.57 * longest, 90) : 14; /* the sine of 35 degrees */
    c.bottom = PLOT_HEIGHT - 10 - names - (*p->x.label ? 20 : 0);
    c.x = scale_of(p, &p->x, true);
    c.y = scale_of(p, &p->y, false);
    c.x.begin = c.left, c.x.end = c.right;
    c.y.begin = c.bottom, c.y.end = c.top;
    return c;
}

/* --- axes ------------------------------------------------------------------------------------- */

#define MIDDLE " text-anchor=\"middle\""
#define END    " text-anchor=\"end\""

static void write_text_at(const Canvas *c, double x, double y, const char *anchor, const char *text)
{
    svg_say(c->out, "<text x=\"%n\" y=\"%n\"%s>%t</text>", x, y, anchor, text);
}

/* An axis label, squeezed if it does not fit. */
static void write_label(const Canvas *c, double x, double y, bool upright, const Axis *axis)
{
    static const char scale[] = ", log scale";
    const char *more = axis->logarithmic ? scale : "";
    double room = upright ? PLOT_HEIGHT - 12 : PLOT_WIDTH - 12;
    double width = text_width(axis->label) + text_width(more), half = fmin(width, room) / 2;
    if (upright)
        y = fmax(6 + half, fmin(y, PLOT_HEIGHT - 6 - half));
    svg_say(c->out, "<text transform=\"translate(%n %n)%s\"" MIDDLE, x, y,
            upright ? " rotate(-90)" : "");
    if (width > room)
        svg_say(c->out, " textLength=\"%n\"", room);
    svg_say(c->out, ">%t%s</text>", axis->label, more);
}

static void write_grid(const Canvas *c, double x1, double y1, char command, double to)
{
    svg_say(c->out, "M%n %n%c%n", x1, y1, command, to);
}

/* Small ticks at 2, 3 … 9 times each power of ten mark a logarithmic scale. */
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
        if (aslant)
            svg_say(c->out, "<text transform=\"translate(%n %n) rotate(-35)\"" END ">%t</text>",
                    at + 4, c->bottom + 14, x->names[k]);
        else
            write_text_at(c, at, c->bottom + 15, MIDDLE, x->names[k]);
    }
}

static void write_axes(const Canvas *c)
{
    char text[TICK_TEXT];
    double x[TICKS_MOST], y[TICKS_MOST];
    size_t nx = c->plot->x.names ? 0 : scale_ticks(&c->x, TICKS_WANTED, x);
    size_t ny = scale_ticks(&c->y, TICKS_WANTED, y);
    buf_puts(c->out, "<path class=\"grid\" d=\"");
    for (size_t k = 0; k < nx; k++)
        write_grid(c, scale_pixel(&c->x, x[k]), c->top, 'V', c->bottom);
    for (size_t k = 0; k < ny; k++)
        write_grid(c, c->left, scale_pixel(&c->y, y[k]), 'H', c->right);
    buf_puts(c->out, "\"/>");
    write_fine_ticks(c, &c->x, true);
    write_fine_ticks(c, &c->y, false);
    for (size_t k = 0; k < nx; k++)
        write_text_at(c, scale_pixel(&c->x, x[k]), c->bottom + 15, MIDDLE, tick_text(x[k], text));
    if (c->plot->x.names)
        write_names(c);
    for (size_t k = 0; k < ny; k++)
        write_text_at(c, c->left - 5, scale_pixel(&c->y, y[k]) + 4, END, tick_text(y[k], text));
    write_rectangle(c, " class=\"frame\"", c->left, c->top, c->right - c->left, c->bottom - c->top);
    buf_puts(c->out, "/>");
    write_label(c, (c->left + c->right) / 2, PLOT_HEIGHT - 8, false, &c->plot->x);
    write_label(c, 13, (c->top + c->bottom) / 2, true, &c->plot->y);
    buf_putc(c->out, '\n');
}

/* --- legend ----------------------------------------------------------------------------------- */

static void write_sample(const Canvas *c, const Series *s, double x, double y)
{
    svg_say(c->out, "<path class=\"%s %s\" d=\"", kind_names[s->kind], tone_names[s->tone]);
    if (is_line(s->kind))
        write_grid(c, x - 2, y, 'H', x + 14);
    else if (s->kind == SERIES_UPRIGHT)
        write_grid(c, x + 6, y - 6, 'V', y + 6);
    else if (s->kind == SERIES_BARS)
        svg_say(c->out, "M%n %nh10v10h-10z", x + 1, y - 5);
    else
        plot_write_mark(c->out, s->kind, x + 6, y);
    buf_puts(c->out, "\"/>");
}

static void write_legend(const Canvas *c)
{
    LegendPlace next = {LEFT, LEGEND_Y};
    EACH (const Series, s, c->plot->series, c->plot->series_count) {
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
    svg_say(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"plot\" viewBox=\"0 0 %n %n\" "
            "role=\"img\" aria-label=\"%t\">\n",
            (double)PLOT_WIDTH, (double)PLOT_HEIGHT, p->title);
    write_axes(&c);
    EACH (const Series, s, p->series, p->series_count) {
        /* Bands behind their line, whiskers in front of their bars. */
        const bool band = s->kind == SERIES_LINE || s->kind == SERIES_DASHED;
        if (s->low && band)
            write_intervals(&c, s, band);
        write_marks(&c, s);
        if (s->low && !band)
            write_intervals(&c, s, band);
    }
    write_legend(&c);
    buf_puts(out, "</svg>\n");
}

void plot_write_alone(const char *svg, Buf *out)
{
    size_t head = strcspn(svg, ">"); /* of the first tag: attributes have '>' escaped */
    buf_puts(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    buf_add(out, svg, head);
    buf_printf(out, " width=\"%d\" height=\"%d\"><style>", PLOT_WIDTH, PLOT_HEIGHT);
    svg_style(out);
    buf_puts(out, "</style><rect class=\"paper\" width=\"100%\" height=\"100%\"/>");
    buf_puts(out, svg + head + 1);
}
