/* Pictures that compare: with random samples, with other strategies, over all spaces. */
#include "tuner/report/pictures.h"

#include "metrics/base/random.h"

/* --- random samples (thesis figures 6.2 and 6.3) ---------------------------------------------- */

/* A computed line, with a band. */
typedef struct Curve {
    double *x, *y, *low, *high;
    size_t count;
} Curve;

static Curve curve_new(Arena *a, size_t room)
{
    return (Curve){.x = ARENA_ARRAY(a, double, room),
                   .y = ARENA_ARRAY(a, double, room),
                   .low = ARENA_ARRAY(a, double, room),
                   .high = ARENA_ARRAY(a, double, room)};
}

/* The expected best of samples without replacement, with its 80 % interval, as a percentage of `best`, at
 * sizes spaced evenly on a logarithmic scale. */
static Curve expected_best(Arena *a, const double *sorted, size_t count, double best)
{
    enum { STEPS = 48 };
    Curve c = curve_new(a, STEPS);
    for (int k = 0; k < STEPS; k++) {
        double size = floor(pow((double)count, (double)k / (STEPS - 1)) + 0.5);
        if (c.count > 0 && size <= c.x[c.count - 1])
            continue;
        c.x[c.count] = size;
        c.low[c.count] = 100 * best / random_sorted_quantile(sorted, count, (size_t)size, 0.9);
        c.high[c.count] = 100 * best / random_sorted_quantile(sorted, count, (size_t)size, 0.1);
        c.y[c.count++] = 100 * best / random_sorted_without(sorted, count, (size_t)size);
    }
    return c;
}

static Series single(Drawing *d, const char *name, SeriesKind kind, Tone tone, double x, double y,
                     const char *tip)
{
    Curve c = curve_new(d->arena, 1);
    const char **tips = ARENA_ARRAY(d->arena, const char *, 1);
    c.x[0] = x;
    c.y[0] = y;
    tips[0] = tip;
    return (Series){
        .name = name, .kind = kind, .tone = tone, .x = c.x, .y = c.y, .count = 1, .tips = tips};
}

static Series curve_series(const char *name, SeriesKind kind, Tone tone, Curve c)
{
    return (Series){name, kind, tone, c.x, c.y, NULL, c.count, NULL, c.low, c.high};
}

/* True if all outcomes are known and something was chosen. */
static bool is_comparable(const Story *s)
{
    return s->complete && s->points->distinct >= 2 && story_best_chosen(s) != SIZE_MAX;
}

static Picture *add_chance(Drawing *d, const char *name, const char *title, const char *caption,
                           Layered layers)
{
    Picture *p = drawing_add(d, PICTURE_CHANCE, name, title, caption, layers);
    p->plot.x = (Axis){.label = "configurations timed", .logarithmic = true};
    p->plot.y = (Axis){.label = "performance [% of the best]"};
    return p;
}

static void draw_samples(Drawing *d)
{
    const Table *s = d->story->points;
    if (!is_comparable(d->story))
        return;
    double best = s->ms[s->best], size = (double)story_chosen_count(d->story);
    double reached = 100 * best / s->ms[story_best_chosen(d->story)];
    const char *tip =
        arena_printf(d->arena, "carving: %.0f timed, %.2f %% of the best", size, reached);
    Series *series = ARENA_ARRAY(d->arena, Series, 3);
    series[0] = curve_series("random sample, expected", SERIES_DASHED, TONE_RANDOM,
                             expected_best(d->arena, s->sorted, s->distinct, best));
    series[1] = single(d, "size of the carved set", SERIES_UPRIGHT, TONE_CHOSEN, size, NAN, tip);
    series[2] = single(d, "carving", SERIES_RINGS, TONE_BEST, size, reached, tip);
    add_chance(
        d, "samples", "Random samples by size",
        "Performance of the expected best of a random sample (without replacement; the band holds "
        "80 % of the samples) and of the best that carving found. Performance is the best time of "
        "all divided by the time.",
        (Layered){series, 3});
}

static void draw_subset(Drawing *d)
{
    const Table *s = d->story->points;
    size_t count = 0;
    double *times = ARENA_ARRAY(d->arena, double, d->chosen.count);
    for (size_t k = 0; k < d->chosen.count; k++)
        if (!isnan(s->ms[d->chosen.at[k]]))
            times[count++] = s->ms[d->chosen.at[k]];
    if (!is_comparable(d->story) || count < 2)
        return;
    double best = s->ms[s->best];
    Series *series = ARENA_ARRAY(d->arena, Series, 2);
    series[0] = curve_series("sample of the whole space", SERIES_DASHED, TONE_RANDOM,
                             expected_best(d->arena, s->sorted, s->distinct, best));
    series[1] = curve_series("sample of what carving chose", SERIES_LINE, TONE_CHOSEN,
                             expected_best(d->arena, times, count, best));
    add_chance(
        d, "subset", "Carved set against whole space",
        "The same with random samples of the carved set: if its line lies above the other, a "
        "configuration from the carved set beats one from the whole space.",
        (Layered){series, 2});
}

/* --- strategies: the best found over time ----------------------------------------------------- */

/* Performance at each time, from regret; NaN: nothing is found yet. */
static double *performance(Drawing *d, const double *regret)
{
    double *y = ARENA_ARRAY(d->arena, double, RACE_TIMES);
    for (int k = 0; k < RACE_TIMES; k++)
        y[k] = isinf(regret[k]) ? NAN : 100 / (1 + regret[k]);
    return y;
}

static const double *all_seconds(Arena *a)
{
    double *x = ARENA_ARRAY(a, double, RACE_TIMES);
    for (int k = 0; k < RACE_TIMES; k++)
        x[k] = race_seconds(k);
    return x;
}

/* Only the default run's series has a band: more would hide each other. */
static Series race_series(Drawing *d, const Race *r, SeriesKind kind, Tone tone)
{
    Series s = {.name = r->name,
                .kind = kind,
                .tone = tone,
                .x = all_seconds(d->arena),
                .y = performance(d, r->regret),
                .count = RACE_TIMES};
    if (tone == TONE_CHOSEN) {
        s.low = performance(d, r->regret_high);
        s.high = performance(d, r->regret_low);
    }
    return s;
}

static void draw_race(Drawing *d, size_t cores)
{
    /* In the order of the races: the search, then the rivals in reverse order. */
    static const SeriesKind kinds[] = {SERIES_LINE,   SERIES_LINE, SERIES_DASHED, SERIES_DASHED,
                                       SERIES_DASHED, SERIES_LINE, SERIES_LINE};
    static const Tone tones[] = {TONE_CHOSEN, TONE_FRONT, TONE_FRONT, TONE_BEST,
                                 TONE_ALL,    TONE_ALL,   TONE_RANDOM};
    Series *series = ARENA_ARRAY(d->arena, Series, RIVAL_KINDS + 1);
    size_t n = 0;
    for (size_t k = 0; k < d->story->race_count; k++)
        if (d->story->races[k].cores == cores) {
            series[n] = race_series(d, &d->story->races[k], kinds[n], tones[n]);
            n++;
        }
    Picture *p = drawing_add(
        d, PICTURE_CHANCE, arena_printf(d->arena, "race-%zu", cores),
        arena_printf(d->arena, "Best found over time, with %zu core%s", cores,
                     cores == 1 ? "" : "s"),
        "Medians over the seeds, by a cost model of compiling and timing, without set-up. "
        "\"search\" is aptune's default run; its band holds the middle 80 % of the seeds.",
        (Layered){series, n});
    p->plot.x = (Axis){.label = "seconds", .logarithmic = true};
    p->plot.y = (Axis){.label = "performance [% of the best]"};
}

void draw_comparisons(Drawing *d)
{
    draw_samples(d);
    draw_subset(d);
    for (size_t k = 0; k < RACE_CORES && d->story->race_count > 0; k++)
        draw_race(d, race_cores[k]);
}

/* --- all spaces ------------------------------------------------------------------------------- */

/* How much of the best performance is reached: a thin line for each space, a thick one for their mean, for
 * aptune and for random choices. */

enum { SIZES = 10 };
static const double sizes[SIZES] = {1, 2, 5, 10, 20, 50, 100, 200, 500, 1000};

/* The performance of one space at a place of the common axis; 0: nothing is found yet. */
typedef double PerformanceAt(const Story *s, int place, bool random);

typedef struct Overall {
    Arena *arena;
    const Story *stories;
    size_t count;
    const double *x;
    int places;
    PerformanceAt *at;
} Overall;

/* Beyond its largest budget a space is timed completely. */
static double by_timings(const Story *s, int place, bool random)
{
    const StudyBudget *b = s->budgets;
    while (b + 1 < s->budgets + s->budget_count && (double)b[1].size <= sizes[place])
        b++;
    return 1 / (1 + (random ? b->random_regret : b->regret));
}

static double by_seconds(const Story *s, int place, bool random)
{
    const char *name = random ? rival_name(RIVAL_RANDOM) : "search";
    EACH (const Race, r, s->races, s->race_count)
        if (r->cores == race_cores[RACE_CORES - 1] && strcmp(r->name, name) == 0)
            return isfinite(r->regret[place]) ? 1 / (1 + r->regret[place]) : 0;
    return 0;
}

/* Adds a thin line for each space, then the mean, which gets the name. */
static size_t add_lines(const Overall *o, Series *series, const char *name, bool random)
{
    size_t places = (size_t)o->places;
    double *mean = ARENA_ARRAY(o->arena, double, places);
    Series one = {.kind = SERIES_THIN,
                  .tone = random ? TONE_RANDOM : TONE_CHOSEN,
                  .x = o->x,
                  .count = places};
    for (size_t i = 0; i < o->count; i++) {
        double *y = ARENA_ARRAY(o->arena, double, places);
        for (size_t k = 0; k < places; k++) {
            double reached = 100 * o->at(&o->stories[i], (int)k, random);
            mean[k] += reached / (double)o->count;
            y[k] = reached > 0 ? reached : NAN;
        }
        one.y = y;
        series[i] = one;
    }
    one.kind = SERIES_LINE;
    one.name = name;
    one.y = mean;
    series[o->count] = one;
    return o->count + 1;
}

static void draw(Drawing *d, const Overall *o, const char *name, const char *label,
                 const char *caption, const char *own, const char *random)
{
    Series *series = ARENA_ARRAY(o->arena, Series, 2 * (o->count + 1));
    size_t n = add_lines(o, series, random, true);
    n += add_lines(o, series + n, own, false);
    Picture *p = drawing_add(d, PICTURE_OVERALL, name, "How much of the best is reached", caption,
                             (Layered){series, n});
    p->plot.x = (Axis){.label = label, .logarithmic = true};
    p->plot.y = (Axis){.label = "performance [% of the best]"};
}

Pictures pictures_draw_overall(Arena *a, const Story *stories, size_t count)
{
    Drawing d = {.arena = a};
    bool budgets = true, races = true; /* do all stories have them? */
    for (size_t i = 0; i < count; i++) {
        budgets = budgets && stories[i].budget_count > 0;
        races = races && stories[i].race_count > 0;
    }
    Overall o = {a, stories, count, sizes, SIZES, by_timings};
    if (budgets)
        draw(&d, &o, "timings", "configurations timed",
             "The fastest of the timed configurations, relative to the best recorded: the first by "
             "predicted time alone, and the expected best of a random sample of the same size. "
             "Thin: each space; thick: their mean.",
             "by prediction", "random sample");
    o = (Overall){a, stories, count, all_seconds(a), RACE_TIMES, by_seconds};
    if (races)
        draw(&d, &o, "seconds", "seconds since the start",
             "The fastest found so far, relative to the best recorded: the default run and random "
             "order, including compiling and checking, on 16 cores and one GPU, by a cost model. "
             "Thin: each space, the median of its seeds; thick: their mean.",
             "aptune's search", "random order");
    return d.all;
}
