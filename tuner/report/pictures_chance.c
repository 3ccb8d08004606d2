/* What carving chose against blind choices (thesis figures 6.2 and 6.3). */
#include "tuner/report/picture_parts.h"

#include "tuner/choose/random.h"

#include <math.h>

/* A line that is computed. */
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

/* The expected best, and the interval of 80 %, of samples drawn from these times without
 * replacement, as a percentage of `best`, at sizes spread evenly over the logarithm. */
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

/* A series of one point. */
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

static Series line(const char *name, SeriesKind kind, Tone tone, Curve c)
{
    return (Series){name, kind, tone, c.x, c.y, NULL, c.count, NULL, c.low, c.high};
}

/* Is there something to compare with? */
static bool is_comparable(const Story *s)
{
    return s->complete && s->points->distinct >= 2 && story_best_chosen(s) != SIZE_MAX;
}

static Picture *add(Drawing *d, const char *name, const char *title, const char *caption,
                    const Series *series, size_t count)
{
    Picture *p = drawing_add(d, PICTURE_CHANCE, name, title, caption);
    p->plot.x = (Axis){.label = "configurations timed", .logarithmic = true};
    p->plot.y = (Axis){.label = "performance [% of the best]"};
    p->plot.series = series;
    p->plot.series_count = count;
    return p;
}

void draw_samples(Drawing *d)
{
    const Table *s = d->story->points;
    if (!is_comparable(d->story))
        return;
    double best = s->ms[s->best], size = (double)story_chosen_count(d->story);
    double reached = 100 * best / s->ms[story_best_chosen(d->story)];
    const char *tip =
        arena_printf(d->arena, "carving: %.0f timed, %.2f %% of the best", size, reached);
    Series *series = ARENA_ARRAY(d->arena, Series, 3);
    series[0] = line("random sample, expected", SERIES_DASHED, TONE_RANDOM,
                     expected_best(d->arena, s->sorted, s->distinct, best));
    series[1] = single(d, "as many as carved", SERIES_UPRIGHT, TONE_CHOSEN, size, NAN, tip);
    series[2] = single(d, "carving", SERIES_RINGS, TONE_BEST, size, reached, tip);
    add(d, "samples", "A random sample, by its size",
        "The best time of all, divided by the best time that a random sample of so many is "
        "expected to find (drawn without replacement; eight of ten lie in the band), and by the "
        "best that carving found.",
        series, 3);
}

/* The chosen points' times in order. */
static double *chosen_times(Drawing *d, size_t *count)
{
    double *times = ARENA_ARRAY(d->arena, double, d->chosen.count);
    *count = 0;
    for (size_t k = 0; k < d->chosen.count; k++)
        if (!isnan(d->story->points->ms[d->chosen.at[k]]))
            times[(*count)++] = d->story->points->ms[d->chosen.at[k]];
    return times;
}

void draw_subset(Drawing *d)
{
    const Table *s = d->story->points;
    size_t count;
    const double *times = chosen_times(d, &count);
    if (!is_comparable(d->story) || count < 2)
        return;
    double best = s->ms[s->best];
    Series *series = ARENA_ARRAY(d->arena, Series, 2);
    series[0] = line("sample of the whole space", SERIES_DASHED, TONE_RANDOM,
                     expected_best(d->arena, s->sorted, s->distinct, best));
    series[1] = line("sample of what carving chose", SERIES_LINE, TONE_CHOSEN,
                     expected_best(d->arena, times, count, best));
    add(d, "subset", "Carved against random",
        "The same for random samples of only what carving chose: where its line lies above the "
        "other one, a configuration that carving chose is better than one drawn blindly.",
        series, 2);
}
