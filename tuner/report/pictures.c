/* Pictures with a point for each configuration. */
#include "tuner/report/picture_parts.h"

#include "tuner/base/vec.h"
#include "tuner/study/judge.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- points in layers ------------------------------------------------------------------------- */

typedef struct PointOrder {
    const double *ms, *guess; /* guess: NULL: none */
    bool higher;
} PointOrder;

/* Smaller first, unknown last. */
static int compare_numbers(double a, double b)
{
    if (isnan(a) || isnan(b))
        return isnan(a) - isnan(b);
    return (a > b) - (a < b);
}

static int compare_points(const void *pa, const void *pb, void *context)
{
    const PointOrder *o = context;
    size_t a = *(const size_t *)pa, b = *(const size_t *)pb;
    int c = compare_numbers(o->ms[a], o->ms[b]);
    if (c == 0 && o->guess)
        c = compare_numbers(o->guess[a], o->guess[b]) * (o->higher ? -1 : 1);
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

static Drawing drawing_new(Arena *a, const Story *story)
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

/* The layers as series over two columns of numbers, with room for one more. */
typedef struct Layered {
    Series *series;
    size_t count; /* 0: nothing would be seen */
} Layered;

static Layered draw_layers(Drawing *d, const double *x, const double *y)
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

/* Adds the picture of the layers. */
static Picture *add_cloud(Drawing *d, PictureGroup group, const char *name, const char *title,
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

Axis drawing_time_axis(const Drawing *d)
{
    const Table *s = d->story->points;
    const char *label = table_is_by_energy(s) ? "energy of a run [mJ]" : "time [ms]";
    return (Axis){.label = d->story->time_label ? d->story->time_label : label,
                  .logarithmic = wants_logarithm(s->ms, s->count)};
}

/* Of equal work where times are of equal work; energy has none. */
void drawing_add_intervals(const Drawing *d, Series *series)
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
    Layered layers = draw_layers(d, x, d->story->points->ms);
    if (layers.count == 0)
        return NULL;
    Picture *p = add_cloud(d, group, name, title, "", layers);
    p->plot.y = drawing_time_axis(d);
    for (size_t k = 0; k < layers.count; k++)
        if (layers.series[k].tone == TONE_CHOSEN)
            drawing_add_intervals(d, &layers.series[k]);
    return p;
}

static Axis column_axis(const Drawing *d, const StoryColumn *c)
{
    const char *unit = strcmp(c->unit, "1") == 0 ? "" : arena_printf(d->arena, " [%s]", c->unit);
    const char *better = !c->known ? "" : c->higher ? ", more is better" : ", less is better";
    return (Axis){.label = arena_printf(d->arena, "%s%s%s", c->name, unit, better),
                  .logarithmic = wants_logarithm(c->values, d->story->points->count)};
}

/* --- the tradeoff (figure 6.1) ---------------------------------------------------------------- */

typedef struct FrontOrder {
    const double *x, *y;
    double x_sign, y_sign; /* times these, less is better */
} FrontOrder;

static int compare_front(const void *pa, const void *pb, void *context)
{
    const FrontOrder *o = context;
    size_t a = *(const size_t *)pa, b = *(const size_t *)pb;
    int c = compare_numbers(o->x_sign * o->x[a], o->x_sign * o->x[b]);
    return c != 0 ? c : compare_numbers(o->y_sign * o->y[a], o->y_sign * o->y[b]);
}

/* The Pareto front of what no threshold dropped, the best by x first: then its corners lie towards
 * what it beats. */
static Series draw_front(Drawing *d, const StoryColumn *cx, const StoryColumn *cy)
{
    FrontOrder o = {cx->values, cy->values, cx->higher ? -1 : 1, cy->higher ? -1 : 1};
    size_t *at = ARENA_ARRAY(d->arena, size_t, d->order.count), n = 0, kept = 0;
    for (size_t k = 0; k < d->order.count; k++) {
        size_t i = d->order.at[k];
        bool dropped = d->story->dropped && d->story->dropped[i];
        if (!dropped && isfinite(o.x[i]) && isfinite(o.y[i]))
            at[n++] = i;
    }
    if (n > 1)
        qsort_r(at, n, sizeof *at, compare_front, &o);
    double best = INFINITY;
    for (size_t k = 0; k < n; k++) {
        if (!(o.y_sign * o.y[at[k]] < best))
            continue;
        best = o.y_sign * o.y[at[k]];
        at[kept++] = at[k];
    }
    return (Series){.name = "front",
                    .kind = SERIES_STEPS,
                    .tone = TONE_FRONT,
                    .x = o.x,
                    .y = o.y,
                    .at = at,
                    .count = kept};
}

static const char *tradeoff_caption(const Drawing *d, const StoryColumn *x, const StoryColumn *y)
{
    const char *text = "Each point is a configuration with code of its own, placed by what was "
                       "known of it before anything was timed.";
    if (!x->known || !y->known)
        return text;
    return arena_printf(d->arena,
                        "%s Better is further to the %s and further %s; no point beats those on "
                        "the front in both.",
                        text, x->higher ? "right" : "left", y->higher ? "up" : "down");
}

static void draw_tradeoff(Drawing *d)
{
    const StoryColumn *x = story_column(d->arena, d->story, d->story->x_metric);
    const StoryColumn *y = story_column(d->arena, d->story, d->story->y_metric);
    if (!x || !y)
        return;
    Layered layers = draw_layers(d, x->values, y->values);
    if (layers.count == 0)
        return;
    if (x->known && y->known)
        layers.series[layers.count++] = draw_front(d, x, y);
    Picture *p = add_cloud(d, PICTURE_CHOICE, "tradeoff", "Two metrics, and what was chosen",
                           tradeoff_caption(d, x, y), layers);
    p->plot.x = column_axis(d, x);
    p->plot.y = column_axis(d, y);
}

/* --- time and energy -------------------------------------------------------------------------- */

static void draw_energy(Drawing *d)
{
    const Table *s = d->story->points;
    if (!table_is_by_energy(s) || !s->times)
        return;
    StoryColumn time = {.name = "time of a run", .unit = "ms", .known = true};
    StoryColumn energy = {.name = "energy of a run", .unit = "mJ", .known = true};
    double *ms = ARENA_ARRAY(d->arena, double, s->count);
    for (size_t i = 0; i < s->count; i++)
        ms[i] = isnan(s->ms[i]) ? NAN : s->times[i].median;
    time.values = ms;
    energy.values = s->ms;
    Layered layers = draw_layers(d, time.values, energy.values);
    if (layers.count == 0)
        return;
    layers.series[layers.count++] = draw_front(d, &time, &energy);
    Picture *p = add_cloud(d, PICTURE_CHOICE, "energy", "Time and energy of a run",
                           "Each point is a configuration that was timed: its median time by "
                           "itself, and what the board's own counter says of runs back to back. No "
                           "point beats those on the front in both.",
                           layers);
    p->plot.x = column_axis(d, &time);
    p->plot.y = column_axis(d, &energy);
}

/* --- times in order --------------------------------------------------------------------------- */

static void draw_sorted(Drawing *d)
{
    const Table *s = d->story->points;
    double *place = ARENA_ARRAY(d->arena, double, s->count);
    size_t timed = 0;
    for (size_t i = 0; i < s->count; i++)
        place[i] = NAN;
    for (size_t k = 0; k < d->order.count; k++)
        if (!isnan(s->ms[d->order.at[k]]))
            place[d->order.at[k]] = (double)++timed;
    if (d->story->winner != SIZE_MAX)
        place[d->story->winner] = place[s->same_as[d->story->winner]];
    Picture *p = drawing_add_times(d, PICTURE_CHOICE, "sorted", "All times in order", place);
    if (!p)
        return;
    p->caption = arena_printf(d->arena,
                              "The %zu times that are known, the fastest first; of what was chosen "
                              "with the interval of the median (95 %%).",
                              timed);
    p->plot.x = (Axis){.label = "place", .logarithmic = timed > 100};
}

/* --- time against metrics --------------------------------------------------------------------- */

/* Per metric, over points with code of their own. */
static const double *correlations(Drawing *d)
{
    const Table *s = d->story->points;
    if (d->story->correlation)
        return d->story->correlation;
    Arena *scratch = arena_new();
    double *out = ARENA_ARRAY(d->arena, double, s->metrics->metrics.count);
    const double *times = judge_times(scratch, s);
    for (size_t m = 0; m < s->metrics->metrics.count; m++) {
        double rho = judge_rank_correlation(scratch, s->metric[m], times, s->count);
        out[m] = s->metrics->metrics.at[m].higher ? -rho : rho;
    }
    arena_free(scratch);
    return out;
}

static bool is_wanted(const Story *story, size_t m)
{
    const char *const names[] = {story->time_metric, story->x_metric, story->y_metric, "efficiency",
                                 "utilization"};
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++)
        if (names[k] && strcmp(story->points->metrics->metrics.at[m].name, names[k]) == 0)
            return true;
    return story->own && story->own[m];
}

/* Two metrics that agree with the time to the last digit put it in the same order: one picture is
 * enough. */
static bool is_taken(const double *rho, const size_t *list, size_t n, size_t m)
{
    for (size_t k = 0; k < n; k++)
        if (list[k] == m || fabs(fabs(rho[list[k]]) - fabs(rho[m])) < 1e-9)
            return true;
    return false;
}

/* The metric left that agrees best with the time, either way; SIZE_MAX: none. */
static size_t best_left(const double *rho, size_t count, const size_t *list, size_t n)
{
    size_t best = SIZE_MAX;
    for (size_t m = 0; m < count; m++)
        if (isfinite(rho[m]) && (best == SIZE_MAX || fabs(rho[m]) > fabs(rho[best])) &&
            !is_taken(rho, list, n, m))
            best = m;
    return best;
}

static void sort_by_correlation(const double *rho, size_t *list, size_t n)
{
    for (size_t k = 1; k < n; k++)
        for (size_t j = k; j > 0 && fabs(rho[list[j]]) > fabs(rho[list[j - 1]]); j--) {
            size_t swap = list[j];
            list[j] = list[j - 1];
            list[j - 1] = swap;
        }
}

/* Metrics that get a picture; without a correlation they say nothing about the time. */
static size_t choose_metrics(const Story *story, const double *rho, size_t *list)
{
    size_t count = story->points->metrics->metrics.count, n = 0;
    for (size_t m = 0; m < count; m++)
        if (isfinite(rho[m]) && is_wanted(story, m))
            list[n++] = m;
    while (n < PICTURE_METRICS_MOST && (list[n] = best_left(rho, count, list, n)) != SIZE_MAX)
        n++;
    sort_by_correlation(rho, list, n);
    return n;
}

static void draw_time_against(Drawing *d, size_t m, double rho)
{
    const Table *s = d->story->points;
    const StoryColumn *c = story_column(d->arena, d->story, s->metrics->metrics.at[m].name);
    Picture *p = drawing_add_times(d, PICTURE_METRIC, arena_printf(d->arena, "time-%s", c->name),
                                   arena_printf(d->arena, "Time against %s", c->name), c->values);
    if (!p)
        return;
    p->caption =
        arena_printf(d->arena, "%s Rank correlation with the time: %.2f.", c->meaning, rho);
    p->plot.x = column_axis(d, c);
}

static void draw_metrics(Drawing *d)
{
    if (d->story->points->distinct < 3)
        return;
    const double *rho = correlations(d);
    size_t count = d->story->points->metrics->metrics.count;
    size_t *list = ARENA_ARRAY(d->arena, size_t, count + PICTURE_METRICS_MOST);
    size_t n = choose_metrics(d->story, rho, list);
    for (size_t k = 0; k < n; k++)
        draw_time_against(d, list[k], rho[list[k]]);
}

Pictures pictures_draw(Arena *a, const Story *s)
{
    Drawing d = drawing_new(a, s);
    draw_tradeoff(&d);
    draw_energy(&d);
    draw_sorted(&d);
    draw_samples(&d);
    draw_subset(&d);
    draw_races(&d);
    draw_bound(&d);
    draw_metrics(&d);
    draw_parameters(&d);
    draw_seconds(&d);
    return d.all;
}
