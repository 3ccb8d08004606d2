#include "tuner/report/pictures.h"

/* --- points in layers ------------------------------------------------------------------------- */

static void share_layers(Drawing *d)
{
    size_t n = d->story->points->count;
    Layer *layers[] = {&d->rest, &d->dropped, &d->audited, &d->chosen, &d->winner};
    for (size_t k = 0; k < COUNT_OF(layers); k++)
        layers[k]->at = ARENA_ARRAY(d->arena, size_t, n);
    const Story *y = d->story;
    for (size_t k = 0; k < d->order.count; k++) {
        const size_t i = d->order.at[k];
        Layer *l = y->chosen[i]                  ? &d->chosen
                   : y->audited && y->audited[i] ? &d->audited
                   : y->dropped && y->dropped[i] ? &d->dropped
                                                 : &d->rest;
        l->at[l->count++] = i;
    }
    if (d->story->winner != SIZE_MAX)
        d->winner.at[d->winner.count++] = d->story->winner;
}

static Drawing drawing_new(Arena *a, const Story *story)
{
    const Table *s = story->points;
    Drawing d = {.arena = a, .story = story, .tips = ARENA_ARRAY(a, const char *, s->count)};
    const char *unit = table_is_by_energy(s) ? "mJ" : "ms";
    for (size_t i = 0; i < s->count; i++) {
        const char *name = table_name(a, s, i);
        d.tips[i] = isnan(s->ms[i]) ? arena_printf(a, "%s: %s", name, story_failure(s->outcome[i]))
                                    : arena_printf(a, "%s: %.4g %s", name, s->ms[i], unit);
    }
    /* The fastest first; ties by the predicted time. */
    const StoryColumn *guess = story_column(a, story, story->time_metric);
    const Criterion by[] = {{s->ms, false}, {guess ? guess->values : NULL, guess && guess->higher}};
    d.order.at = ARENA_ARRAY(a, size_t, s->count);
    for (size_t i = 0; i < s->count; i++)
        if (s->same_as[i] == i)
            d.order.at[d.order.count++] = i;
    stats_order(d.order.at, d.order.count, by, guess ? 2 : 1);
    share_layers(&d);
    return d;
}

Picture *drawing_add(Drawing *d, PictureGroup group, const char *name, const char *title,
                     const char *caption, Layered layers)
{
    Picture *p = VEC_ADD(d->arena, &d->all);
    *p = (Picture){.group = group,
                   .name = name,
                   .caption = caption,
                   .plot = {.title = title, .series = layers.series, .series_count = layers.count}};
    return p;
}

/* --- clouds ----------------------------------------------------------------------------------- */

/* True if at least one point of the layer can be drawn. */
static bool shows(const Layer *l, const double *x, const double *y)
{
    for (size_t k = 0; k < l->count; k++)
        if (isfinite(x[l->at[k]]) && isfinite(y[l->at[k]]))
            return true;
    return false;
}

/* The layers over two columns, with room for one more series. */
static Layered drawing_layers(Drawing *d, const double *x, const double *y)
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
    enum { LIST = COUNT_OF(list) };
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

/* A logarithmic axis suits positive values that span most of a decade. */
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

/* Intervals scale with the time to equal work; energies have none. */
static void add_chosen_intervals(const Drawing *d, Series *series)
{
    const Table *s = d->story->points;
    if (table_is_by_energy(s))
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

/* Adds a picture of all times against a number per point; NULL: nothing to see. */
static Picture *drawing_add_times(Drawing *d, PictureGroup group, const char *name,
                                  const char *title, const double *x)
{
    Layered layers = drawing_layers(d, x, d->story->points->ms);
    if (layers.count == 0)
        return NULL;
    const Table *s = d->story->points;
    const char *label = table_is_by_energy(s) ? "energy of a run [mJ]" : "time [ms]";
    Picture *p = drawing_add(d, group, name, title, "", layers);
    p->plot.y = (Axis){.label = d->story->time_label ? d->story->time_label : label,
                       .logarithmic = wants_logarithm(s->ms, s->count)};
    for (size_t k = 0; k < layers.count; k++)
        if (layers.series[k].tone == TONE_CHOSEN)
            add_chosen_intervals(d, &layers.series[k]);
    return p;
}

static Axis drawing_column_axis(const Drawing *d, const StoryColumn *c)
{
    const char *unit = strcmp(c->unit, "1") == 0 ? "" : arena_printf(d->arena, " [%s]", c->unit);
    const char *better = !c->known ? "" : c->higher ? ", higher is better" : ", lower is better";
    return (Axis){.label = arena_printf(d->arena, "%s%s%s", c->name, unit, better),
                  .logarithmic = wants_logarithm(c->values, d->story->points->count)};
}

/* --- the tradeoff (figure 6.1) ---------------------------------------------------------------- */

/* The Pareto front of the points that no threshold dropped, best x first, so that the corners of its steps
 * point to the dominated side. */
static Series draw_front(Drawing *d, const StoryColumn *cx, const StoryColumn *cy)
{
    const size_t points = d->story->points->count;
    double *x = ARENA_ARRAY(d->arena, double, points), *y = ARENA_ARRAY(d->arena, double, points);
    for (size_t i = 0; i < points; i++)
        x[i] = y[i] = NAN;
    for (size_t k = 0; k < d->order.count; k++) {
        size_t i = d->order.at[k];
        bool dropped = d->story->dropped && d->story->dropped[i];
        if (dropped || !isfinite(cx->values[i]) || !isfinite(cy->values[i]))
            continue;
        x[i] = cx->higher ? -cx->values[i] : cx->values[i];
        y[i] = cy->higher ? -cy->values[i] : cy->values[i];
    }
    size_t count;
    const size_t *at = stats_front(d->arena, x, y, points, &count);
    return (Series){.name = "front",
                    .kind = SERIES_STEPS,
                    .tone = TONE_FRONT,
                    .x = cx->values,
                    .y = cy->values,
                    .at = at,
                    .count = count};
}

/* Adds a picture of one column against another, with the front if it is known which values are better. */
static void add_tradeoff(Drawing *d, const char *name, const char *title, const char *caption,
                         const StoryColumn *x, const StoryColumn *y)
{
    Layered layers = drawing_layers(d, x->values, y->values);
    if (layers.count == 0)
        return;
    if (x->known && y->known)
        layers.series[layers.count++] = draw_front(d, x, y);
    Picture *p = drawing_add(d, PICTURE_CHOICE, name, title, caption, layers);
    p->plot.x = drawing_column_axis(d, x);
    p->plot.y = drawing_column_axis(d, y);
}

static void draw_tradeoff(Drawing *d)
{
    const StoryColumn *x = story_column(d->arena, d->story, d->story->x_metric);
    const StoryColumn *y = story_column(d->arena, d->story, d->story->y_metric);
    if (!x || !y)
        return;
    const char *text = "Each point is a configuration with distinct code, placed by what is known "
                       "before anything is timed.";
    if (x->known && y->known)
        text = arena_printf(d->arena,
                            "%s Better is further to the %s and further %s; the points of the "
                            "front are dominated by no other.",
                            text, x->higher ? "right" : "left", y->higher ? "up" : "down");
    add_tradeoff(d, "tradeoff", "Two metrics and the choice", text, x, y);
}

/* --- time and energy -------------------------------------------------------------------------- */

static void draw_energy(Drawing *d)
{
    const Table *s = d->story->points;
    if (!table_is_by_energy(s))
        return;
    double *ms = ARENA_ARRAY(d->arena, double, s->count);
    for (size_t i = 0; i < s->count; i++)
        ms[i] = isnan(s->ms[i]) ? NAN : s->times[i].median;
    const StoryColumn time = {"time of a run", "ms", NULL, ms, true, false};
    const StoryColumn energy = {"energy of a run", "mJ", NULL, s->ms, true, false};
    add_tradeoff(d, "energy", "Time and energy of a run",
                 "Each point is a timed configuration: its median time when run alone, and its "
                 "energy in back-to-back runs by the board's own counter. The points of the "
                 "front are dominated by no other.",
                 &time, &energy);
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
                              "The %zu known times, fastest first; chosen configurations have the "
                              "95 %% interval of their median.",
                              timed);
    p->plot.x = (Axis){.label = "place", .logarithmic = timed > 100};
}

/* --- time against metrics --------------------------------------------------------------------- */

/* Per metric, over points with distinct code. */
static const double *correlations(Drawing *d)
{
    const Table *s = d->story->points;
    if (d->story->correlation)
        return d->story->correlation;
    SCOPED_ARENA *scratch = arena_new();
    double *out = ARENA_ARRAY(d->arena, double, s->metrics->metrics.count);
    const double *times = judge_times(scratch, s);
    for (size_t m = 0; m < s->metrics->metrics.count; m++) {
        double rho = judge_rank_correlation(scratch, s->metric[m], times, s->count);
        out[m] = s->metrics->metrics.at[m].higher ? -rho : rho;
    }
    return out;
}

static bool is_wanted(const Story *story, size_t m)
{
    const char *const names[] = {story->time_metric, story->x_metric, story->y_metric, "efficiency",
                                 "utilization"};
    const char *own = story->points->metrics->metrics.at[m].name;
    return name_find(names, COUNT_OF(names), sizeof *names, 0, own) ||
           (story->own && story->own[m]);
}

/* Two metrics that agree with the time to the last digit put it in the same order: one picture is enough. */
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

/* Metrics without a correlation say nothing about the time. */
static void draw_metrics(Drawing *d)
{
    if (d->story->points->distinct < 3)
        return;
    const double *rho = correlations(d);
    size_t count = d->story->points->metrics->metrics.count;
    size_t *list = ARENA_ARRAY(d->arena, size_t, count + PICTURE_METRICS_MOST);
    double *agreement = ARENA_ARRAY(d->arena, double, count);
    for (size_t m = 0; m < count; m++)
        agreement[m] = fabs(rho[m]);
    size_t n = 0;
    for (size_t m = 0; m < count; m++)
        if (isfinite(rho[m]) && is_wanted(d->story, m))
            list[n++] = m;
    while (n < PICTURE_METRICS_MOST && (list[n] = best_left(rho, count, list, n)) != SIZE_MAX)
        n++;
    stats_order(list, n, &(Criterion){agreement, true}, 1);
    for (size_t k = 0; k < n; k++) {
        const char *metric = d->story->points->metrics->metrics.at[list[k]].name;
        const StoryColumn *c = story_column(d->arena, d->story, metric);
        Picture *p =
            drawing_add_times(d, PICTURE_METRIC, arena_printf(d->arena, "time-%s", metric),
                              arena_printf(d->arena, "Time against %s", metric), c->values);
        if (!p)
            continue;
        p->caption = arena_printf(d->arena, "%s Rank correlation with the time: %.2f.", c->meaning,
                                  rho[list[k]]);
        p->plot.x = drawing_column_axis(d, c);
    }
}

/* --- by parameter ----------------------------------------------------------------------------- */

enum { VALUES_MOST = 40 };

/* The values of a parameter, and the one of each point. */
typedef struct Values {
    uint32_t at[VALUES_MOST]; /* numbers of the values */
    size_t count;
    uint8_t *of; /* per point: index in `at` */
} Values;

static uint32_t number_of(const Table *s, size_t i, size_t p)
{
    return s->values[i * s->parameter_count + p];
}

static bool is_less(const Table *s, size_t p, uint32_t a, uint32_t b)
{
    Value x = s->parameters[p].values.at[a], y = s->parameters[p].values.at[b];
    return (x.kind == VALUE_INT && x.integer < y.integer) ||
           (x.kind == VALUE_BOOL && x.boolean < y.boolean);
}

/* Numbers in ascending order, texts in order of appearance.  False: too many values. */
static bool collect_values(Arena *a, const Table *s, size_t p, Values *v)
{
    *v = (Values){.of = ARENA_ARRAY(a, uint8_t, s->count)};
    for (size_t i = 0; i < s->count; i++) {
        uint32_t value = number_of(s, i, p);
        size_t k = 0;
        while (k < v->count && v->at[k] != value)
            k++;
        if (k < v->count)
            continue;
        if (v->count == VALUES_MOST)
            return false;
        for (k = v->count++; k > 0 && is_less(s, p, value, v->at[k - 1]); k--)
            v->at[k] = v->at[k - 1];
        v->at[k] = value;
    }
    for (size_t i = 0; i < s->count; i++)
        while (v->at[v->of[i]] != number_of(s, i, p))
            v->of[i]++;
    return true;
}

/* Points of interest for each value. */
typedef struct ByValue {
    size_t fastest[VALUES_MOST], median[VALUES_MOST], promising[VALUES_MOST]; /* SIZE_MAX: none */
} ByValue;

static bool is_better(const StoryColumn *c, size_t i, size_t than)
{
    if (isnan(c->values[i]))
        return false;
    return than == SIZE_MAX ||
           (c->higher ? c->values[i] > c->values[than] : c->values[i] < c->values[than]);
}

static ByValue look_by_value(const Drawing *d, const Values *v, const StoryColumn *guess)
{
    ByValue out;
    size_t timed[VALUES_MOST] = {0}, passed[VALUES_MOST] = {0};
    memset(&out, 0xff, sizeof out); /* SIZE_MAX */
    const Table *s = d->story->points;
    for (size_t k = 0; k < d->order.count; k++)
        timed[v->of[d->order.at[k]]] += isnan(s->ms[d->order.at[k]]) ? 0 : 1;
    for (size_t k = 0; k < d->order.count; k++) { /* the fastest first */
        size_t i = d->order.at[k], value = v->of[i];
        if (guess && is_better(guess, i, out.promising[value]))
            out.promising[value] = i;
        if (isnan(s->ms[i]))
            continue;
        if (passed[value] == 0)
            out.fastest[value] = i;
        if (passed[value]++ == (timed[value] - 1) / 2)
            out.median[value] = i;
    }
    return out;
}

/* A series over named positions: 0, 1, 2 … */
static Series named(Drawing *d, const char *name, SeriesKind kind, Tone tone, const double *y,
                    size_t n, const char *const *tips)
{
    double *x = ARENA_ARRAY(d->arena, double, n);
    for (size_t k = 0; k < n; k++)
        x[k] = (double)k;
    return (Series){
        .name = name, .kind = kind, .tone = tone, .x = x, .y = y, .count = n, .tips = tips};
}

static void add_intervals(Drawing *d, Series *s, const size_t *points)
{
    const Table *t = d->story->points;
    double *low = ARENA_ARRAY(d->arena, double, s->count),
           *high = ARENA_ARRAY(d->arena, double, s->count);
    for (size_t k = 0; k < s->count; k++) {
        const TableTimes *times = t->times && points[k] != SIZE_MAX ? &t->times[points[k]] : NULL;
        low[k] = times ? s->y[k] * times->median / times->high : NAN;
        high[k] = times ? s->y[k] * times->median / times->low : NAN;
    }
    s->low = low;
    s->high = high;
}

/* Times as performance: best time over each. */
static Series performance(Drawing *d, const char *name, SeriesKind kind, Tone tone,
                          const size_t *points, size_t n)
{
    const Table *s = d->story->points;
    double *y = ARENA_ARRAY(d->arena, double, n);
    const char **tips = ARENA_ARRAY(d->arena, const char *, n);
    for (size_t k = 0; k < n; k++) {
        y[k] = points[k] == SIZE_MAX ? NAN : 100 * s->ms[s->best] / s->ms[points[k]];
        tips[k] = points[k] == SIZE_MAX ? NULL : d->tips[points[k]];
    }
    Series out = named(d, name, kind, tone, y, n, tips);
    add_intervals(d, &out, points);
    return out;
}

/* The same for a metric: each value relative to the best. */
static Series promise(Drawing *d, const StoryColumn *c, const size_t *points, size_t n)
{
    double *y = ARENA_ARRAY(d->arena, double, n);
    const char **tips = ARENA_ARRAY(d->arena, const char *, n);
    size_t best = SIZE_MAX;
    for (size_t k = 0; k < n; k++)
        if (points[k] != SIZE_MAX && is_better(c, points[k], best))
            best = points[k];
    for (size_t k = 0; k < n; k++) {
        y[k] = NAN;
        if (points[k] == SIZE_MAX)
            continue;
        double of = c->values[points[k]], top = c->values[best];
        y[k] = 100 * (c->higher ? of / top : top / of);
        tips[k] = arena_printf(d->arena, "%s: %s %.4g",
                               table_name(d->arena, d->story->points, points[k]), c->name, of);
    }
    return named(d, arena_printf(d->arena, "best %s", c->name), SERIES_DIAMONDS, TONE_FRONT, y, n,
                 tips);
}

/* Too many values for bars: a scatter plot, for numbers. */
static void draw_many_values(Drawing *d, size_t p)
{
    const Table *s = d->story->points;
    const char *name = s->parameters[p].name;
    double *x = ARENA_ARRAY(d->arena, double, s->count);
    for (size_t i = 0; i < s->count; i++)
        x[i] = s->parameters[p].kind == VALUE_INT ? (double)table_value(s, i, p).integer : NAN;
    Picture *picture =
        drawing_add_times(d, PICTURE_PARAMETER, arena_printf(d->arena, "by-%s", name),
                          arena_printf(d->arena, "By %s", name), x);
    if (picture)
        picture->plot.x = (Axis){.label = name};
}

static void draw_parameter(Drawing *d, size_t p, const StoryColumn *guess)
{
    const Table *s = d->story->points;
    Values v;
    if (!collect_values(d->arena, s, p, &v)) {
        draw_many_values(d, p);
        return;
    }
    if (v.count < 2)
        return;
    ByValue by = look_by_value(d, &v, guess);
    const char **names = ARENA_ARRAY(d->arena, const char *, v.count);
    for (size_t k = 0; k < v.count; k++)
        names[k] = value_text(d->arena, s->parameters[p].values.at[v.at[k]]);
    Series *series = ARENA_ARRAY(d->arena, Series, 3);
    size_t n = 0;
    if (s->best != SIZE_MAX) {
        series[n++] = performance(d, "fastest", SERIES_BARS, TONE_CHOSEN, by.fastest, v.count);
        series[n++] = performance(d, "median", SERIES_DASHES, TONE_RANDOM, by.median, v.count);
    }
    if (guess)
        series[n++] = promise(d, guess, by.promising, v.count);
    if (n == 0)
        return;
    const char *name = s->parameters[p].name;
    Picture *picture = drawing_add(d, PICTURE_PARAMETER, arena_printf(d->arena, "by-%s", name),
                                   arena_printf(d->arena, "By %s", name), "", (Layered){series, n});
    picture->plot.x = (Axis){.label = name, .names = names, .name_count = v.count};
    picture->plot.y = (Axis){.label = "performance [% of the best]", .from_zero = true};
}

/* --- by unit ---------------------------------------------------------------------------------- */

enum { RIVALS_MOST = 4 };

typedef struct Bound {
    size_t point;
    const char *name;
    Tone tone;
} Bound;

static size_t add_rival(Bound *list, size_t n, size_t point, const char *name, Tone tone)
{
    for (size_t k = 0; k < n; k++)
        if (list[k].point == point)
            return n;
    if (point != SIZE_MAX)
        list[n++] = (Bound){point, name, tone};
    return n;
}

/* The point at a place in the order of times; SIZE_MAX: it has no time. */
static size_t timed_at(const Drawing *d, size_t place)
{
    return place < d->order.count && !isnan(d->story->points->ms[d->order.at[place]])
               ? d->order.at[place]
               : SIZE_MAX;
}

/* The winner, the fastest other one, the first by the time metric, the one of median time. */
static size_t choose_rivals(Drawing *d, Bound *list)
{
    const Story *story = d->story;
    const StoryColumn *guess = story_column(d->arena, story, story->time_metric);
    size_t n = add_rival(list, 0, story->winner, "winner", TONE_BEST);
    size_t second = timed_at(d, 0) == story->winner ? timed_at(d, 1) : timed_at(d, 0);
    n = add_rival(list, n, second, "fastest other", TONE_CHOSEN);
    size_t best = SIZE_MAX;
    for (size_t k = 0; guess && k < d->order.count; k++)
        best = is_better(guess, d->order.at[k], best) ? d->order.at[k] : best;
    if (guess)
        n = add_rival(list, n, best, arena_printf(d->arena, "first by %s", guess->name),
                      TONE_FRONT);
    if (story->points->distinct > 2)
        n = add_rival(list, n, timed_at(d, (story->points->distinct - 1) / 2), "median time",
                      TONE_ALL);
    return n;
}

static size_t used_units(Drawing *d, const Bound *rivals, size_t n, const StoryColumn **columns,
                         const char **names)
{
    size_t count = 0;
    for (size_t u = 0; u < TABLE_PARTS; u++) {
        const StoryColumn *c = story_column(d->arena, d->story, table_parts[u].metric);
        bool used = false;
        for (size_t k = 0; c && k < n; k++)
            used = used || c->values[rivals[k].point] > 0;
        if (!used)
            continue;
        columns[count] = c;
        names[count++] = table_parts[u].name;
    }
    return count;
}

static Series rival_series(Drawing *d, const Bound *r, const StoryColumn *const *columns, size_t n)
{
    double *y = ARENA_ARRAY(d->arena, double, n);
    const char **tips = ARENA_ARRAY(d->arena, const char *, n);
    for (size_t k = 0; k < n; k++) {
        y[k] = columns[k]->values[r->point];
        tips[k] =
            arena_printf(d->arena, "%s\n%s %.4g cycles", d->tips[r->point], columns[k]->name, y[k]);
    }
    return named(d, r->name, SERIES_BARS, r->tone, y, n, tips);
}

static void draw_bound(Drawing *d)
{
    Bound rivals[RIVALS_MOST];
    const StoryColumn *columns[TABLE_PARTS];
    const char **names = ARENA_ARRAY(d->arena, const char *, TABLE_PARTS);
    size_t n = choose_rivals(d, rivals), count = used_units(d, rivals, n, columns, names);
    if (count == 0)
        return;
    Series *series = ARENA_ARRAY(d->arena, Series, RIVALS_MOST);
    for (size_t k = 0; k < n; k++)
        series[k] = rival_series(d, &rivals[k], columns, count);
    Picture *p = drawing_add(
        d, PICTURE_WINNER, "bound", "The bound by unit",
        "Busy cycles of each unit of an SM, by static analysis: the tallest bar is a lower bound "
        "of the time. \"Latency\" is the time of one warp among the resident ones, times the "
        "number of waves.",
        (Layered){series, n});
    p->plot.x = (Axis){.label = "unit", .names = names, .name_count = count};
    p->plot.y = (Axis){.label = "busy [cycles]", .from_zero = true};
}

/* --- by stage --------------------------------------------------------------------------------- */

/* `first` is the field of the story's first row that is drawn. */
static Series seconds_series(Drawing *d, const char *name, Tone tone, const double *first)
{
    const StorySeconds *list = d->story->seconds;
    size_t n = d->story->seconds_count, column = (size_t)((const char *)first - (const char *)list);
    double *y = ARENA_ARRAY(d->arena, double, n);
    const char **tips = ARENA_ARRAY(d->arena, const char *, n);
    for (size_t k = 0; k < n; k++) {
        y[k] = *(const double *)((const char *)&list[k] + column);
        tips[k] = arena_printf(d->arena, "%s: %.3g s (%s)", list[k].name, y[k], name);
    }
    return named(d, name, SERIES_BARS, tone, y, n, tips);
}

static void draw_seconds(Drawing *d)
{
    const Story *story = d->story;
    size_t n = story->seconds_count;
    if (n == 0)
        return;
    const char **names = ARENA_ARRAY(d->arena, const char *, n);
    bool gpu = false;
    for (size_t k = 0; k < n; k++) {
        names[k] = story->seconds[k].name;
        gpu = gpu || !isnan(story->seconds[k].gpu);
    }
    Series *series = ARENA_ARRAY(d->arena, Series, 3);
    series[0] = seconds_series(d, "wall time", TONE_CHOSEN, &story->seconds->wall);
    series[1] = seconds_series(d, "processor time", TONE_RANDOM, &story->seconds->cores);
    series[2] = seconds_series(d, "GPU time", TONE_BEST, &story->seconds->gpu);
    Picture *p = drawing_add(d, PICTURE_COST, "seconds", "Where the time of the run went",
                             "Seconds by stage; processor time is summed over all cores, "
                             "including helper programs.",
                             (Layered){series, gpu ? 3 : 2});
    p->plot.x = (Axis){.label = "stage of the run", .names = names, .name_count = n};
    p->plot.y = (Axis){.label = "time [s]", .from_zero = true};
}

/* --- entry point ------------------------------------------------------------------------------ */

Pictures pictures_draw(Arena *a, const Story *s)
{
    Drawing d = drawing_new(a, s);
    const StoryColumn *guess = story_column(a, s, s->time_metric);
    draw_tradeoff(&d);
    draw_energy(&d);
    draw_sorted(&d);
    draw_comparisons(&d);
    draw_bound(&d);
    draw_metrics(&d);
    for (size_t p = 0; p < s->points->parameter_count; p++)
        draw_parameter(&d, p, guess);
    draw_seconds(&d);
    return d.all;
}
