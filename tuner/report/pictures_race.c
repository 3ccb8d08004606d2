/* Strategies against each other: what each has found after so many seconds. */
#include "tuner/report/picture_parts.h"

#include <math.h>

/* Performance at each time, from regret; NaN: nothing was found yet. */
static double *performance(Drawing *d, const double *regret)
{
    double *y = ARENA_ARRAY(d->arena, double, RACE_TIMES);
    for (int k = 0; k < RACE_TIMES; k++)
        y[k] = isinf(regret[k]) ? NAN : 100 / (1 + regret[k]);
    return y;
}

/* The default run's has a band: of all of them none could be told from another. */
static Series curve(Drawing *d, const Race *r, SeriesKind kind, Tone tone)
{
    double *x = ARENA_ARRAY(d->arena, double, RACE_TIMES);
    for (int k = 0; k < RACE_TIMES; k++)
        x[k] = race_seconds(k);
    Series s = {.name = r->name, .kind = kind, .tone = tone, .x = x, .count = RACE_TIMES};
    s.y = performance(d, r->regret);
    if (tone == TONE_CHOSEN) {
        s.low = performance(d, r->regret_high);
        s.high = performance(d, r->regret_low);
    }
    return s;
}

static void draw_race(Drawing *d, size_t cores)
{
    /* In the order of the races: the search, then the rivals from the last. */
    static const SeriesKind kinds[] = {SERIES_LINE,   SERIES_LINE, SERIES_DASHED, SERIES_DASHED,
                                       SERIES_DASHED, SERIES_LINE, SERIES_LINE};
    static const Tone tones[] = {TONE_CHOSEN, TONE_FRONT, TONE_FRONT, TONE_BEST,
                                 TONE_ALL,    TONE_ALL,   TONE_RANDOM};
    Series *series = ARENA_ARRAY(d->arena, Series, RIVAL_KINDS + 1);
    size_t n = 0;
    for (size_t k = 0; k < d->story->race_count; k++)
        if (d->story->races[k].cores == cores) {
            series[n] = curve(d, &d->story->races[k], kinds[n], tones[n]);
            n++;
        }
    Picture *p = drawing_add(
        d, PICTURE_CHANCE, arena_printf(d->arena, "race-%zu", cores),
        arena_printf(d->arena, "The best found, by seconds, with %zu core%s", cores,
                     cores == 1 ? "" : "s"),
        "Medians over the seeds, by a cost model of compiling and timing, set-up not included. "
        "\"search\" is aptune's default run; its band holds the middle 80 % of its seeds.");
    p->plot.x = (Axis){.label = "seconds", .logarithmic = true};
    p->plot.y = (Axis){.label = "performance [% of the best]"};
    p->plot.series = series;
    p->plot.series_count = n;
}

void draw_races(Drawing *d)
{
    for (size_t k = 0; k < RACE_CORES && d->story->race_count > 0; k++)
        draw_race(d, race_cores[k]);
}
