#include "tuner/report/pictures.h"

#include "metrics/base/vec.h"
#include "tuner/choose/random.h"
#include "tuner/study/judge.h"

#include <gsl/gsl_sort.h>
#include <math.h>
#include <string.h>

/* --- series of a subset of the points
 * -------------------------------------------------------------
 */

typedef struct Cloud {
    const Story *story;
    const double *x, *y; /* per point of the space */
    VEC(Series) series;
} Cloud;

/* Adds the points that `take` says, as one series; nothing when there are none. */
static void cloud_add(Arena *a, Cloud *c, const char *name, SeriesKind kind, Tone tone,
                      const bool *take)
{
    const PointSet *s = c->story->points;
    double *x = ARENA_ARRAY(a, double, s->count), *y = ARENA_ARRAY(a, double, s->count);
    const char **tips = ARENA_ARRAY(a, const char *, s->count);
    size_t n = 0;
    for (size_t i = 0; i < s->count; i++) {
        if (!take[i] || !isfinite(c->x[i]) || !isfinite(c->y[i]))
            continue;
        x[n] = c->x[i];
        y[n] = c->y[i];
        tips[n++] =
            isnan(s->ms[i]) ? s->names[i] : arena_printf(a, "%s: %.4g ms", s->names[i], s->ms[i]);
    }
    if (n > 0)
        VEC_PUSH(a, &c->series, ((Series){name, kind, tone, x, y, n, tips}));
}

/* Everything, what thresholds dropped, what was timed, the winner: over each other in that order.
 */
static void cloud_layers(Arena *a, Cloud *c)
{
    const Story *story = c->story;
    const PointSet *s = story->points;
    bool *rest = ARENA_ARRAY(a, bool, s->count), *winner = ARENA_ARRAY(a, bool, s->count);
    for (size_t i = 0; i < s->count; i++) {
        bool dropped = story->thresholded && story->thresholded[i];
        rest[i] = s->same_as[i] == i && !dropped && !story->timed[i];
        winner[i] = i == story->winner;
    }
    cloud_add(a, c, "not timed", SERIES_POINTS, TONE_ALL, rest);
    if (story->thresholded)
        cloud_add(a, c, "under a threshold", SERIES_POINTS, TONE_DROPPED, story->thresholded);
    cloud_add(a, c, "timed", SERIES_POINTS, TONE_SELECTED, story->timed);
    cloud_add(a, c, "winner", SERIES_RINGS, TONE_BEST, winner);
}

static const double *metric_values(const PointSet *s, const char *name, const Metric **out)
{
    int m = name ? metricset_find(s->metrics, name) : -1;
    if (m < 0)
        return NULL;
    *out = &s->metrics->metrics.at[m];
    return s->metric[m];
}

static const char *axis_label(Arena *a, const Metric *m)
{
    return arena_printf(a, "%s [%s], %s is better", m->name, m->unit, m->higher ? "more" : "less");
}

/* Both ends positive and a decade apart: a logarithmic axis shows more. */
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

static Axis metric_axis(Arena *a, const PointSet *s, const Metric *m, const double *values)
{
    return (Axis){.label = axis_label(a, m), .logarithmic = wants_logarithm(values, s->count)};
}

static Axis time_axis(const PointSet *s)
{
    return (Axis){.label = "time [ms]", .logarithmic = wants_logarithm(s->ms, s->count)};
}

static Picture *picture_add(Arena *a, Pictures *all, const char *name, const char *caption,
                            const char *title)
{
    Picture *p = VEC_ADD(a, all);
    *p = (Picture){.name = name, .caption = caption, .plot.title = title};
    return p;
}

/* --- the pictures
 * ---------------------------------------------------------------------------------
 */

/* Figure 6.1 */
static void draw_tradeoff(Arena *a, const Story *story, Pictures *all)
{
    const PointSet *s = story->points;
    const Metric *mx = NULL, *my = NULL;
    const double *x = metric_values(s, story->x_metric, &mx);
    const double *y = metric_values(s, story->y_metric, &my);
    if (!x || !y)
        return;
    Cloud c = {.story = story, .x = x, .y = y};
    cloud_layers(a, &c);
    Picture *p = picture_add(a, all, "tradeoff",
                             "Each point is a configuration with code of its own, placed by what "
                             "was known of it before anything was timed.",
                             "Two metrics, and what was timed");
    p->plot.x = metric_axis(a, s, mx, x);
    p->plot.y = metric_axis(a, s, my, y);
    p->plot.series = c.series.at;
    p->plot.series_count = c.series.count;
}

static void draw_time_against(Arena *a, const Story *story, size_t m, Pictures *all)
{
    const PointSet *s = story->points;
    const Metric *metric = &s->metrics->metrics.at[m];
    Cloud c = {.story = story, .x = s->metric[m], .y = s->ms};
    cloud_layers(a, &c);
    if (c.series.count == 0)
        return;
    Arena *scratch = arena_new();
    double rho = judge_rank_correlation(scratch, s->metric[m], s->ms, s->count);
    arena_free(scratch);
    const char *caption = isnan(rho) ? arena_string(a, metric->meaning)
                                     : arena_printf(a, "%s Rank correlation with the time: %.2f.",
                                                    metric->meaning, rho);
    Picture *p = picture_add(a, all, arena_printf(a, "time-%s", metric->name), caption,
                             arena_printf(a, "Time against %s", metric->name));
    p->plot.x = metric_axis(a, s, metric, s->metric[m]);
    p->plot.y = time_axis(s);
    p->plot.series = c.series.at;
    p->plot.series_count = c.series.count;
}

/* All distinct times from fast to slow. */
static void draw_sorted(Arena *a, const Story *story, Pictures *all)
{
    const PointSet *s = story->points;
    double *place = ARENA_ARRAY(a, double, s->count);
    size_t *order = ARENA_ARRAY(a, size_t, s->count);
    gsl_sort_index(order, s->ms, 1, s->count);
    double next = 1;
    for (size_t k = 0; k < s->count; k++) {
        size_t i = order[k];
        place[i] = s->same_as[i] == i && !isnan(s->ms[i]) ? next++ : NAN;
    }
    Cloud c = {.story = story, .x = place, .y = s->ms};
    cloud_layers(a, &c);
    if (c.series.count == 0)
        return;
    Picture *p = picture_add(a, all, "sorted", "Every time that is known, the fastest first.",
                             "Times in order");
    p->plot.x = (Axis){.label = "place", .logarithmic = next > 100};
    p->plot.y = time_axis(s);
    p->plot.series = c.series.at;
    p->plot.series_count = c.series.count;
}

static size_t chosen_count(const Story *s)
{
    size_t n = 0;
    for (size_t i = 0; i < s->points->count; i++)
        n += s->timed[i] && s->points->same_as[i] == i;
    return n;
}

/* Figures 6.2 and 6.3 */
static void draw_samples(Arena *a, const Story *story, Pictures *all)
{
    enum { STEPS = 60 };
    const PointSet *s = story->points;
    if (!story->complete || s->distinct < 2 || story->winner == SIZE_MAX)
        return;
    double *x = ARENA_ARRAY(a, double, STEPS), *y = ARENA_ARRAY(a, double, STEPS);
    double best = s->ms[s->best];
    for (int k = 0; k < STEPS; k++) {
        x[k] = floor(pow((double)s->distinct, (double)k / (STEPS - 1)) + 0.5);
        y[k] = 100 * best / random_sorted_without(s->sorted, s->distinct, (size_t)x[k]);
    }
    double *cx = ARENA_ARRAY(a, double, 1), *cy = ARENA_ARRAY(a, double, 1);
    *cx = (double)chosen_count(story);
    *cy = 100 * best / s->ms[story->winner];
    const char **tip = ARENA_ARRAY(a, const char *, 1);
    *tip = arena_printf(a, "%.0f timed: %.2f %% of the best", *cx, *cy);
    Series *series = ARENA_ARRAY(a, Series, 2);
    series[0] = (Series){"random sample, expected", SERIES_LINE, TONE_RANDOM, x, y, STEPS, NULL};
    series[1] = (Series){"aptune", SERIES_POINTS, TONE_BEST, cx, cy, 1, tip};
    Picture *p = picture_add(a, all, "samples",
                             "How close to the best of all a random sample comes on average "
                             "(drawn without replacement), and how close this choice came.",
                             "Carved against random");
    p->plot.x = (Axis){.label = "configurations timed", .logarithmic = true};
    p->plot.y = (Axis){.label = "performance [% of the best]"};
    p->plot.series = series;
    p->plot.series_count = 2;
}

/* Values of parameter `p` in the order of their first appearance, numbers sorted. */
static size_t distinct_values(Arena *a, const PointSet *s, size_t p, const RecordValue **out)
{
    VEC(RecordValue) v = {0};
    for (size_t i = 0; i < s->count; i++) {
        size_t k = 0;
        while (k < v.count && !record_value_equal(&v.at[k], &s->values[i][p]))
            k++;
        if (k == v.count)
            VEC_PUSH(a, &v, s->values[i][p]);
    }
    for (size_t i = 1; i < v.count && !s->parameters[p].is_text; i++)
        for (size_t k = i; k > 0 && v.at[k - 1].number > v.at[k].number; k--) {
            RecordValue swap = v.at[k];
            v.at[k] = v.at[k - 1];
            v.at[k - 1] = swap;
        }
    *out = v.at;
    return v.count;
}

/* Fastest time and least predicted value with each value of a parameter. */
static void best_by_value(const PointSet *s, size_t p, const RecordValue *value, const double *of,
                          bool higher, size_t *best)
{
    *best = SIZE_MAX;
    for (size_t i = 0; i < s->count; i++) {
        if (isnan(of[i]) || !record_value_equal(&s->values[i][p], value))
            continue;
        if (*best == SIZE_MAX || (higher ? of[i] > of[*best] : of[i] < of[*best]))
            *best = i;
    }
}

static void draw_parameter(Arena *a, const Story *story, size_t p, Pictures *all)
{
    enum { VALUES_MOST = 40 };
    const PointSet *s = story->points;
    const RecordValue *values;
    size_t n = distinct_values(a, s, p, &values);
    if (n < 2 || n > VALUES_MOST || s->best == SIZE_MAX)
        return;
    const char **names = ARENA_ARRAY(a, const char *, n), **tips = ARENA_ARRAY(a, const char *, n);
    double *x = ARENA_ARRAY(a, double, n), *y = ARENA_ARRAY(a, double, n);
    double *m = ARENA_ARRAY(a, double, n);
    const char **metric_tips = ARENA_ARRAY(a, const char *, n);
    const Metric *metric = NULL;
    const double *predicted = metric_values(s, story->time_metric, &metric);
    double least = INFINITY;
    for (size_t i = 0; predicted && i < s->count; i++)
        least = fmin(least, predicted[i]);
    for (size_t k = 0; k < n; k++) {
        size_t best;
        names[k] = points_value(a, &values[k]);
        x[k] = (double)k;
        y[k] = m[k] = NAN;
        best_by_value(s, p, &values[k], s->ms, false, &best);
        if (best != SIZE_MAX) {
            y[k] = s->ms[s->best] / s->ms[best] * 100;
            tips[k] = arena_printf(a, "%s: %.4g ms", s->names[best], s->ms[best]);
        }
        if (!predicted)
            continue;
        best_by_value(s, p, &values[k], predicted, false, &best);
        if (best != SIZE_MAX) {
            m[k] = least / predicted[best] * 100;
            metric_tips[k] =
                arena_printf(a, "%s: %.4g %s", s->names[best], predicted[best], metric->unit);
        }
    }
    Series *series = ARENA_ARRAY(a, Series, 2);
    series[0] = (Series){"fastest time", SERIES_BARS, TONE_SELECTED, x, y, n, tips};
    series[1] = (Series){metric ? arena_printf(a, "best %s", metric->name) : NULL,
                         SERIES_POINTS,
                         TONE_FRONT,
                         x,
                         m,
                         n,
                         metric_tips};
    Picture *picture =
        picture_add(a, all, arena_printf(a, "by-%s", s->parameters[p].name),
                    "The fastest configuration with each value, and what the metric says of it, "
                    "both as a percentage of the best of all.",
                    arena_printf(a, "By %s", s->parameters[p].name));
    picture->plot.x = (Axis){.label = s->parameters[p].name, .names = names, .name_count = n};
    picture->plot.y = (Axis){.label = "% of the best", .from_zero = true};
    picture->plot.series = series;
    picture->plot.series_count = predicted ? 2 : 1;
    picture->plot.width = 420;
    picture->plot.height = 320;
}

/* Bars with names under them. */
static void draw_bars(Arena *a, const char *const *names, const double *values, size_t n,
                      Picture *p, Tone tone)
{
    double *x = ARENA_ARRAY(a, double, n);
    const char **tips = ARENA_ARRAY(a, const char *, n);
    for (size_t k = 0; k < n; k++) {
        x[k] = (double)k;
        tips[k] = arena_printf(a, "%s: %.4g", names[k], values[k]);
    }
    Series *series = ARENA_NEW(a, Series);
    *series = (Series){NULL, SERIES_BARS, tone, x, values, n, tips};
    p->plot.x = (Axis){.label = "", .names = names, .name_count = n};
    p->plot.series = series;
    p->plot.series_count = 1;
    p->plot.width = 420;
    p->plot.height = 320;
}

static void draw_seconds(Arena *a, const Story *story, Pictures *all)
{
    size_t n = story->seconds_count;
    if (n == 0)
        return;
    const char **names = ARENA_ARRAY(a, const char *, n);
    double *values = ARENA_ARRAY(a, double, n);
    for (size_t k = 0; k < n; k++) {
        names[k] = story->seconds[k].name;
        values[k] = story->seconds[k].seconds;
    }
    Picture *p =
        picture_add(a, all, "seconds", "Wall time by stage of this run.", "Where the time went");
    draw_bars(a, names, values, n, p, TONE_ALL);
    p->plot.y = (Axis){.label = "seconds", .from_zero = true};
}

static void draw_bound(Arena *a, const Story *story, Pictures *all)
{
    const PointSet *s = story->points;
    if (story->winner == SIZE_MAX || !s->profiles[story->winner] || story->bound_count == 0)
        return;
    size_t n = 0;
    const char **names = ARENA_ARRAY(a, const char *, story->bound_count);
    double *values = ARENA_ARRAY(a, double, story->bound_count);
    for (size_t k = 0; k < story->bound_count; k++) {
        const Metric *m;
        const double *of = metric_values(s, story->bound_names[k], &m);
        if (!of || !(of[story->winner] > 0))
            continue;
        names[n] = m->name;
        values[n++] = of[story->winner];
    }
    Picture *p = picture_add(a, all, "bound",
                             "Cycles that the winner keeps each unit of an SM busy; the tallest "
                             "bounds it from below.",
                             "The winner by unit");
    draw_bars(a, names, values, n, p, TONE_BEST);
    p->plot.y = (Axis){.label = "cycles", .from_zero = true};
}

Pictures pictures_draw(Arena *a, const Story *s)
{
    Pictures all = {0};
    draw_tradeoff(a, s, &all);
    draw_sorted(a, s, &all);
    draw_samples(a, s, &all);
    draw_bound(a, s, &all);
    draw_seconds(a, s, &all);
    for (size_t p = 0; p < s->points->parameter_count; p++)
        draw_parameter(a, s, p, &all);
    for (size_t m = 0; m < s->points->metrics->metrics.count; m++)
        draw_time_against(a, s, m, &all);
    return all;
}
