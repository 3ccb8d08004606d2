#include "tuner/study/search.h"

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- one play --------------------------------------------------------------------------------- */

typedef struct Play {
    const Table *set;
    const Neighbourhood *near;
    gsl_rng *random;
    Arena *scratch;
    bool *paid;         /* per point */
    size_t timings;     /* points paid for */
    double best;        /* so far; infinite at first */
    const double *goal; /* times to reach, from slow to fast */
    size_t goal_count;
    size_t reached; /* goals */
    double *needed; /* per goal: timings when it was reached */
} Play;

static bool play_over(const Play *p)
{
    return p->reached == p->goal_count || p->timings == p->set->count;
}

/* The time of a point, infinite when it fails; paid for the first time. */
static double play_time(Play *p, size_t i)
{
    double ms = isnan(p->set->ms[i]) ? INFINITY : p->set->ms[i];
    if (p->paid[i])
        return ms;
    p->paid[i] = true;
    p->timings++;
    if (ms < p->best)
        p->best = ms;
    while (p->reached < p->goal_count && p->best <= p->goal[p->reached])
        p->needed[p->reached++] = (double)p->timings;
    return ms;
}

static size_t below(Play *p, size_t n)
{
    return (size_t)gsl_rng_uniform_int(p->random, (unsigned long)n);
}

/* A point not paid for yet, so that a restart always learns something. */
static size_t fresh_point(Play *p)
{
    size_t i = below(p, p->set->count);
    while (p->paid[i])
        i = (i + 1) % p->set->count;
    return i;
}

/* --- strategies ------------------------------------------------------------------------------- */

static void play_random(Play *p)
{
    size_t *order = ARENA_ARRAY(p->scratch, size_t, p->set->count);
    for (size_t i = 0; i < p->set->count; i++)
        order[i] = i;
    gsl_ran_shuffle(p->random, order, p->set->count, sizeof *order);
    for (size_t i = 0; !play_over(p); i++)
        play_time(p, order[i]);
}

/* The first better neighbour in random order; the point itself when there is none. */
static size_t better_neighbour(Play *p, size_t at, double ms)
{
    size_t n = neighbourhood_size(p->near, at);
    size_t *order = ARENA_ARRAY(p->scratch, size_t, n);
    for (size_t k = 0; k < n; k++)
        order[k] = k;
    if (n > 1)
        gsl_ran_shuffle(p->random, order, n, sizeof *order);
    for (size_t k = 0; k < n && !play_over(p); k++) {
        size_t to = neighbourhood_at(p->near, at, order[k]);
        if (play_time(p, to) < ms)
            return to;
    }
    return at;
}

static void play_greedy(Play *p)
{
    while (!play_over(p)) {
        size_t at = fresh_point(p), to = at;
        double ms = play_time(p, at);
        do {
            at = to;
            to = better_neighbour(p, at, ms);
            ms = play_time(p, to);
        } while (to != at && !play_over(p));
        arena_reset(p->scratch);
    }
}

/* Temperature is relative to the time at hand: at first 1 step in e is taken to a neighbour that is
 * half as slow again, at the end of a cooling hardly any. */
static void play_annealing(Play *p)
{
    enum { STEPS = 400 };
    static const double hot = 0.5, cold = 0.005;
    while (!play_over(p)) {
        size_t at = fresh_point(p);
        double ms = play_time(p, at);
        for (int k = 0; k < STEPS && !play_over(p); k++) {
            size_t n = neighbourhood_size(p->near, at);
            if (n == 0)
                break;
            size_t to = neighbourhood_at(p->near, at, below(p, n));
            double there = play_time(p, to), heat = hot * pow(cold / hot, (double)k / STEPS);
            bool accept = there <= ms || isinf(ms) ||
                          gsl_rng_uniform(p->random) < exp(-(there / ms - 1) / heat);
            if (accept) {
                at = to;
                ms = there;
            }
        }
    }
}

/* A child takes each value from either parent, and one in ten children has one of a stranger's.
 * What the constraints forbid is conceived again, and a stranger moves in after a few failures. */
static size_t child_of(Play *p, size_t mother, size_t father)
{
    enum { TRIES = 8 };
    size_t n = p->set->parameter_count;
    const uint32_t *number = p->near->number;
    uint32_t *child_numbers = ARENA_ARRAY(p->scratch, uint32_t, n);
    for (int t = 0; t < TRIES; t++) {
        unsigned long coins = 0;
        for (size_t k = 0; k < n; k++, coins >>= 1) {
            if (k % 32 == 0) /* a number of this generator is 32 coins, each as fair as any other */
                coins = gsl_rng_get(p->random);
            child_numbers[k] = number[(coins & 1 ? mother : father) * n + k];
        }
        if (n > 0 && below(p, 10) == 0) {
            size_t k = below(p, n);
            child_numbers[k] = number[below(p, p->set->count) * n + k];
        }
        size_t child = neighbourhood_find(p->near, child_numbers);
        if (child != SIZE_MAX && !p->paid[child])
            return child;
    }
    return fresh_point(p);
}

enum { POPULATION = 20 };

static size_t tournament(Play *p, const size_t *population)
{
    size_t a = population[below(p, POPULATION)], b = population[below(p, POPULATION)];
    return play_time(p, a) <= play_time(p, b) ? a : b;
}

static void play_genetic(Play *p)
{
    size_t population[POPULATION], next[POPULATION];
    for (int k = 0; k < POPULATION && !play_over(p); k++)
        play_time(p, population[k] = fresh_point(p));
    while (!play_over(p)) {
        for (int k = 0; k < POPULATION && !play_over(p); k++) {
            size_t mother = tournament(p, population), father = tournament(p, population);
            next[k] = child_of(p, mother, father);
            bool better = play_time(p, next[k]) < play_time(p, mother);
            next[k] = better ? next[k] : mother; /* a child worse than its mother does not stay */
        }
        memcpy(population, next, sizeof population);
        arena_reset(p->scratch);
    }
}

/* --- names ------------------------------------------------------------------------------------ */

static const struct {
    const char *name, *meaning;
    void (*play)(Play *p);
} strategies[SEARCH_KINDS] = {
    [SEARCH_RANDOM] = {"random", "without replacement", play_random},
    [SEARCH_GREEDY] = {"greedy",
                       "first better neighbour in random order, restarted at random when there is "
                       "none",
                       play_greedy},
    [SEARCH_ANNEALING] = {"annealing",
                          "random neighbours, worse ones accepted ever more seldom, 400 steps a "
                          "cooling",
                          play_annealing},
    [SEARCH_GENETIC] = {"genetic",
                        "population 20, tournaments of two, uniform crossover, one child in ten "
                        "mutated",
                        play_genetic},
};

const char *search_name(SearchKind k)
{
    return strategies[k].name;
}

const char *search_meaning(SearchKind k)
{
    return strategies[k].meaning;
}

/* --- many plays ------------------------------------------------------------------------------- */

static SearchResult summarize(double *needed, size_t seeds, double limit)
{
    gsl_sort(needed, 1, seeds);
    return (SearchResult){.seeds = seeds,
                          .limit = limit,
                          .median = gsl_stats_median_from_sorted_data(needed, 1, seeds),
                          .low = gsl_stats_quantile_from_sorted_data(needed, 1, seeds, 0.05),
                          .high = gsl_stats_quantile_from_sorted_data(needed, 1, seeds, 0.95)};
}

void search_play(const Table *s, const Neighbourhood *n, SearchKind kind, size_t seeds,
                 const double *limits, size_t limit_count, SearchResult *out)
{
    Arena *a = arena_new(), *scratch = arena_new();
    double *goal = ARENA_ARRAY(a, double, limit_count),
           *needed = ARENA_ARRAY(a, double, limit_count);
    double *all = ARENA_ARRAY(a, double, limit_count *seeds);
    for (size_t g = 0; g < limit_count; g++)
        goal[g] = s->best == SIZE_MAX ? -1 : s->ms[s->best] * (1 + limits[g]);
    gsl_rng *random = gsl_rng_alloc(gsl_rng_mt19937);
    for (size_t seed = 0; seed < seeds; seed++) {
        gsl_rng_set(random, seed + 1);
        Play p = {.set = s,
                  .near = n,
                  .random = random,
                  .scratch = scratch,
                  .paid = memory_zeroed(s->count, sizeof *p.paid),
                  .best = INFINITY,
                  .goal = goal,
                  .goal_count = limit_count,
                  .needed = needed};
        for (size_t g = 0; g < limit_count; g++)
            needed[g] = NAN;
        strategies[kind].play(&p);
        for (size_t g = 0; g < limit_count; g++)
            all[g * seeds + seed] = needed[g];
        free(p.paid);
        arena_reset(scratch);
    }
    gsl_rng_free(random);
    for (size_t g = 0; g < limit_count; g++)
        out[g] = summarize(all + g * seeds, seeds, limits[g]);
    arena_free(scratch);
    arena_free(a);
}
