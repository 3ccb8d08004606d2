#include "tuner/report/drawing.h"

#include "metrics/base/vec.h"

#include <math.h>
#include <stdlib.h>

/* --- points in layers ------------------------------------------------------------------------- */

typedef struct PointOrder {
    const double *ms, *guess; /* guess: NULL: none */
    bool higher;
} PointOrder;

int drawing_compare(double a, double b)
{
    if (isnan(a) || isnan(b))
        return isnan(a) - isnan(b);
    return (a > b) - (a < b);
}

static int compare_points(const void *pa, const void *pb, void *context)
{
    const PointOrder *o = context;
    size_t a = *(const size_t *)pa, b = *(const size_t *)pb;
    int c = drawing_compare(o->ms[a], o->ms[b]);
    if (c == 0 && o->guess)
        c = drawing_compare(o->guess[a], o->guess[b]) * (o->higher ? -1 : 1);
    return c != 0 ? c : (a > b) - (a < b);
}

static void sort_points(Drawing *d)
{
    const Table *s = d->story->points;
    const StoryColumn *guess = story_column(d->arena, d->story, d->story->time_metric);
    PointOrder order = {s->ms, guess ? guess->values : NULL, guess && guess->higher};
    d->order.at = ARENA_ARRAY(d->arena, size_t, s->count);
    for (size_t i = 0; i < s->count; i++)
        if (s->same_as[i] == i)
            d->order.at[d->order.count++] = i;
    if (d->order.count > 1)
        qsort_r(d->order.at, d->order.count, sizeof *d->order.at, compare_points, &order);
}

static Layer *layer_of(Drawing *d, size_t i)
{
    if (d->story->chosen[i])
        return &d->chosen;
    if (d->story->audited && d->story->audited[i])
        return &d->audited;
    return d->story->dropped && d->story->dropped[i] ? &d->dropped : &d->rest;
}

static void share_layers(Drawing *d)
{
    size_t n = d->story->points->count;
    Layer *layers[] = {&d->rest, &d->dropped, &d->audited, &d->chosen, &d->winner};
    for (size_t k = 0; k < sizeof layers / sizeof layers[0]; k++)
        layers[k]->at = ARENA_ARRAY(d->arena, size_t, n);
    for (size_t k = 0; k < d->order.count; k++) {
        Layer *l = layer_of(d, d->order.at[k]);
        l->at[l->count++] = d->order.at[k];
    }
    if (d->story->winner != SIZE_MAX)
        d->winner.at[d->winner.count++] = d->story->winner;
}

/* What a point says when it is pointed at. */
static const char *tip_of(Arena *a, const Table *s, size_t i)
{
    if (!isnan(s->ms[i]))
        return arena_printf(a, "%s: %.4g %s", table_name(a, s, i), s->ms[i],
                            table_is_by_energy(s) ? "mJ" : "ms");
    return arena_printf(a, "%s: %s", table_name(a, s, i), story_failure(s->outcome[i]));
}

Drawing drawing_new(Arena *a, const Story *story)
{
    const Table *s = story->points;
    Drawing d = {.arena = a, .story = story, .tips = ARENA_ARRAY(a, const char *, s->count)};
    for (size_t i = 0; i < s->count; i++)
        d.tips[i] = tip_of(a, s, i);
    sort_points(&d);
    share_layers(&d);
    return d;
}

Picture *drawing_add(Drawing *d, PictureGroup group, const char *name, const char *title,
                     const char *caption)
{
    Picture *p = VEC_ADD(d->arena, &d->all);
    *p = (Picture){.group = group, .name = name, .caption = caption, .plot.title = title};
    return p;
}

/* --- clouds ----------------------------------------------------------------------------------- */

/* At least one point of the layer has a place in the picture. */
static bool shows(const Layer *l, const double *x, const double *y)
{
    for (size_t k = 0; k < l->count; k++)
        if (isfinite(x[l->at[k]]) && isfinite(y[l->at[k]]))
            return true;
    return false;
}

Layered drawing_layers(Drawing *d, const double *x, const double *y)
{
    const struct {
        const Layer *layer;
        const char *name;
        SeriesKind kind;
        Tone tone;
    } list[] = {{&d->rest, d->story->rest_name, SERIES_DOTS, TONE_ALL},
                {&d->dropped, "dropped by a threshold", SERIES_CROSSES, TONE_DROPPED},
                {&d->audited, "audited: timed at random", SERIES_DIAMONDS, TONE_RANDOM},
                {&d->chosen, d->story->chosen_name, SERIES_DOTS, TONE_CHOSEN},
                {&d->winner, "winner", SERIES_RINGS, TONE_BEST}};
    enum { LIST = sizeof list / sizeof list[0] };
    Series *series = ARENA_ARRAY(d->arena, Series, LIST + 1);
    size_t n = 0;
    for (size_t k = 0; k < LIST; k++)
        if (shows(list[k].layer, x, y))
            series[n++] = (Series){.name = list[k].name,
                                   .kind = list[k].kind,
                                   .tone = list[k].tone,
                                   .x = x,
                                   .y = y,
                                   .at = list[k].layer->at,
                                   .count = list[k].layer->count,
                                   .tips = d->tips};
    return (Layered){series, n};
}

Picture *drawing_add_layers(Drawing *d, PictureGroup group, const char *name, const char *title,
                            const char *caption, Layered layers)
{
    Picture *p = drawing_add(d, group, name, title, caption);
    p->plot.series = layers.series;
    p->plot.series_count = layers.count;
    return p;
}

/* All positive and most of a decade apart: a logarithmic axis shows more. */
static bool wants_logarithm(const double *values, size_t n)
{
    double least = INFINITY, most = 0;
    for (size_t i = 0; i < n; i++) {
        if (!isfinite(values[i]))
            continue;
        least = fmin(least, values[i]);
        most = fmax(most, values[i]);
    }
    return least > 0 && most > 8 * least;
}

/* "time [ms]", or as the story has it; logarithmic where that shows more. */
static Axis time_axis(const Drawing *d)
{
    const Table *s = d->story->points;
    const char *label = table_is_by_energy(s) ? "energy of a run [mJ]" : "time [ms]";
    return (Axis){.label = d->story->time_label ? d->story->time_label : label,
                  .logarithmic = wants_logarithm(s->ms, s->count)};
}

/* Of equal work where times are of equal work; energy has none. */
static void add_intervals(const Drawing *d, Series *series)
{
    const Table *s = d->story->points;
    if (!s->times || table_is_by_energy(s))
        return;
    double *low = ARENA_ARRAY(d->arena, double, s->count),
           *high = ARENA_ARRAY(d->arena, double, s->count);
    for (size_t i = 0; i < s->count; i++) {
        double equal = s->ms[i] / s->times[i].median;
        low[i] = equal * s->times[i].low;
        high[i] = equal * s->times[i].high;
    }
    series->low = low;
    series->high = high;
}

Picture *drawing_add_times(Drawing *d, PictureGroup group, const char *name, const char *title,
                           const double *x)
{
    Layered layers = drawing_layers(d, x, d->story->points->ms);
    if (layers.count == 0)
        return NULL;
    Picture *p = drawing_add_layers(d, group, name, title, "", layers);
    p->plot.y = time_axis(d);
    for (size_t k = 0; k < layers.count; k++)
        if (layers.series[k].tone == TONE_CHOSEN)
            add_intervals(d, &layers.series[k]);
    return p;
}

Axis drawing_column_axis(const Drawing *d, const StoryColumn *c)
{
    const char *unit = strcmp(c->unit, "1") == 0 ? "" : arena_printf(d->arena, " [%s]", c->unit);
    const char *better = !c->known ? "" : c->higher ? ", more is better" : ", less is better";
    return (Axis){.label = arena_printf(d->arena, "%s%s%s", c->name, unit, better),
                  .logarithmic = wants_logarithm(c->values, d->story->points->count)};
}
