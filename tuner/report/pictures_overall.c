/* All spaces of a study in one picture: how much of the best performance is found.
 *
 * A thin line is a space, a thick one the mean of all of them; random choices stand beside what
 * aptune does. */
#include "tuner/report/picture_parts.h"

#include <math.h>
#include <string.h>

enum { SIZES = 10 };
static const double sizes[SIZES] = {1, 2, 5, 10, 20, 50, 100, 200, 500, 1000};

/* What one space reaches at each place of the common axis; 0: nothing is found yet. */
typedef double PerformanceAt(const Story *s, int place, bool random);

typedef struct Overall {
    Arena *arena;
    const Story *stories;
    size_t count;
    const double *x;
    int places;
    PerformanceAt *at;
} Overall;

/* A space smaller than that has been timed as a whole. */
static double by_timings(const Story *s, int place, bool random)
{
    const StudyBudget *b = s->budgets;
    while (b + 1 < s->budgets + s->budget_count && (double)b[1].size <= sizes[place])
        b++;
    return 1 / (1 + (random ? b->random_regret : b->regret));
}

static const Race *race_of(const Story *s, const char *name)
{
    for (size_t k = 0; k < s->race_count; k++)
        if (s->races[k].cores == race_cores[RACE_CORES - 1] && strcmp(s->races[k].name, name) == 0)
            return &s->races[k];
    return NULL;
}

static double by_seconds(const Story *s, int place, bool random)
{
    const Race *r = race_of(s, random ? rival_name(RIVAL_RANDOM) : "search");
    return r && isfinite(r->regret[place]) ? 1 / (1 + r->regret[place]) : 0;
}

/* A thin line for each space, then the mean, which has the name. */
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
    Picture *p = drawing_add(d, PICTURE_OVERALL, name, "How much of the best is found", caption);
    p->plot.x = (Axis){.label = label, .logarithmic = true};
    p->plot.y = (Axis){.label = "performance [% of the best]"};
    p->plot.series = series;
    p->plot.series_count = n;
}

static bool all_have_budgets(const Story *stories, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (stories[i].budget_count == 0)
            return false;
    return true;
}

static bool all_have_races(const Story *stories, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (stories[i].race_count == 0)
            return false;
    return true;
}

static const double *all_seconds(Arena *a)
{
    double *x = ARENA_ARRAY(a, double, RACE_TIMES);
    for (int k = 0; k < RACE_TIMES; k++)
        x[k] = race_seconds(k);
    return x;
}

Pictures pictures_draw_overall(Arena *a, const Story *stories, size_t count)
{
    Drawing d = {.arena = a};
    Overall o = {a, stories, count, sizes, SIZES, by_timings};
    if (all_have_budgets(stories, count))
        draw(&d, &o, "timings", "configurations timed",
             "Of what is timed the fastest, against the best recorded: the first by the "
             "prediction, nothing else, and a random sample of as many, expected. Thin: each "
             "space; thick: their mean.",
             "by prediction", "random sample");
    o = (Overall){a, stories, count, all_seconds(a), RACE_TIMES, by_seconds};
    if (all_have_races(stories, count))
        draw(&d, &o, "seconds", "seconds since the start",
             "The fastest that is held, against the best recorded: the default run and random "
             "order, compiling and checking included, on 16 cores and one GPU, by a cost model. "
             "Thin: each space, the median of its seeds; thick: their mean.",
             "aptune's search", "random order");
    return d.all;
}
