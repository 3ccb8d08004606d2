/* What the first trials find: performance, of the best recorded, of the fastest of the first 1, 8 and 16.
 *
 *     bench_first [-s SEEDS] RECORDING…
 *
 * "prediction": the first of all by predicted_cycles, equal ones by lot.  "search": all is compiled, and the search
 * chooses, told every time before the next.  "16 workers": it has compiled what they can meanwhile (bench_search.c).
 * "spread": as --carve chooses, none told.  Mean of the seeds, and the worst of them. */
#include "metrics/base/file.h"
#include "metrics/base/stats.h"
#include "metrics/metric/metricset.h"
#include "tuner/choose/posterior.h"
#include "tuner/record/table_read.h"
#include "tuner/study/race.h"

#include <gsl/gsl_randist.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const metric_files[] = {SOURCE_DIR "/metrics/thesis.metrics",
                                           SOURCE_DIR "/metrics/cycles.metrics"};

enum { LOOKS = 3, MOST = 16, WAYS = 4 };
static const size_t looks[LOOKS] = {1, 8, 16};
static const char *const way_names[WAYS] = {"prediction", "spread", "search", "16 workers"};

typedef struct Seen {
    double sum[WAYS][LOOKS], worst[WAYS][LOOKS];
} Seen;

/* Best time of the first n in the order of trials. */
static double best_of(const ReplayRows *r, const size_t *order, size_t count, size_t n)
{
    double best = INFINITY;
    for (size_t k = 0; k < count && k < n; k++)
        if (!isnan(r->ms[order[k]]))
            best = fmin(best, r->ms[order[k]]);
    return best;
}

static bool is_timeable(const ReplayRows *r, size_t i)
{
    return !(r->broken && r->broken[i]) && r->same_as[i] == i;
}

static size_t by_prediction(Arena *a, const ReplayRows *r, gsl_rng *random, size_t *order)
{
    size_t n = r->space.count, count = 0, *all = ARENA_ARRAY(a, size_t, n);
    double *lot = ARENA_ARRAY(a, double, n);
    for (size_t i = 0; i < n; i++) {
        lot[i] = gsl_rng_uniform(random);
        if (is_timeable(r, i) && !isnan(r->predicted[i]))
            all[count++] = i;
    }
    const Criterion by[] = {{r->predicted, false}, {lot, false}};
    stats_order(all, count, by, 2);
    for (size_t k = 0; k < count && k < MOST; k++)
        order[k] = all[k];
    return count < MOST ? count : MOST;
}

/* The posterior, its points permuted. */
static size_t by_spread(Arena *a, const ReplayRows *r, gsl_rng *random, size_t *order)
{
    size_t n = r->space.count, p = r->space.parameters, count = 0, *at = ARENA_ARRAY(a, size_t, n);
    for (size_t i = 0; i < n; i++)
        if (is_timeable(r, i))
            at[count++] = i;
    gsl_ran_shuffle(random, at, count, sizeof *at);
    double *guess = ARENA_ARRAY(a, double, count);
    uint32_t *values = ARENA_ARRAY(a, uint32_t, count * p);
    for (size_t k = 0; k < count; k++) {
        guess[k] = r->predicted[at[k]];
        uint64_t rank = r->space.ranks[at[k]];
        for (size_t q = p; q-- > 0; rank /= r->space.values[q])
            values[k * p + q] = (uint32_t)(rank % r->space.values[q]);
    }
    PosteriorInput in = {.guess = guess, .points = count, .values = values, .parameters = p};
    Posterior *b = posterior_new(a, &in);
    size_t m = 0;
    for (; m < MOST; m++) {
        size_t next = posterior_next(b, NULL);
        if (next == POINT_NONE)
            break;
        posterior_choose(b, next);
        order[m] = at[next];
    }
    return m;
}

static size_t by_search(Arena *a, const ReplayRows *r, size_t seed, size_t *order)
{
    size_t n = r->space.count, number, m = 0, *place = ARENA_ARRAY(a, size_t, n);
    size_t *first = ARENA_ARRAY(a, size_t, n);
    SearchOptions o = {.seed = seed, .workers = n};
    Search *s = search_new(&r->space, &o);
    for (size_t i = 0; i < n; i++)
        first[i] = SIZE_MAX;
    uint16_t *points = ARENA_ARRAY(a, uint16_t, r->space.parameters);
    for (size_t i = 0; i < n; i++) {
        uint64_t rank = r->space.ranks[i];
        for (size_t q = r->space.parameters; q-- > 0; rank /= r->space.values[q])
            points[q] = (uint16_t)(rank % r->space.values[q]);
        search_add(s, points, &number);
        place[number] = i;
        size_t code = r->same_as[i];
        SearchCompiled c = {.failed = r->broken && r->broken[i],
                            .predicted = r->predicted[i],
                            .bound = r->bound[i],
                            .latency = r->latency[i],
                            .variance = r->variance[i],
                            .same_as = first[code]};
        if (first[code] == SIZE_MAX)
            first[code] = number;
        search_compiled(s, number, &c);
    }
    while (m < MOST && search_next_trial(s, &number)) {
        order[m] = place[number];
        search_timed(s, number, r->ms[order[m++]]);
    }
    search_free(s);
    return m;
}

static size_t by_workers(Arena *a, const ReplayRows *r, size_t seed, size_t *order)
{
    ReplayOptions o = {.search = {.seed = seed, .workers = 16, .trials = MOST, .endless = true},
                       .gpus = 1};
    ReplayResult result = replay_search(a, r, &o);
    memcpy(order, result.timed, result.timed_count * sizeof *order);
    return result.timed_count;
}

static void look(const ReplayRows *r, double best, const size_t *order, size_t count, int way,
                 Seen *seen)
{
    for (int k = 0; k < LOOKS; k++) {
        double part = best / best_of(r, order, count, looks[k]);
        seen->sum[way][k] += part;
        seen->worst[way][k] = fmin(seen->worst[way][k], part);
    }
}

static void play(const Table *t, const char *name, size_t seeds)
{
    Arena *a = arena_new();
    ReplayRows r = played_rows(a, t, "predicted_cycles", NULL);
    Seen seen = {0};
    double best = INFINITY;
    for (size_t i = 0; i < r.space.count; i++)
        if (!isnan(r.ms[i]))
            best = fmin(best, r.ms[i]);
    for (int w = 0; w < WAYS; w++)
        for (int k = 0; k < LOOKS; k++)
            seen.worst[w][k] = 1;
    for (size_t seed = 0; seed < seeds; seed++) {
        Arena *scratch = arena_new();
        size_t order[MOST + 4];
        gsl_rng *random = gsl_rng_alloc(gsl_rng_mt19937);
        gsl_rng_set(random, seed + 1);
        look(&r, best, order, by_prediction(scratch, &r, random, order), 0, &seen);
        look(&r, best, order, by_spread(scratch, &r, random, order), 1, &seen);
        look(&r, best, order, by_search(scratch, &r, seed, order), 2, &seen);
        look(&r, best, order, by_workers(scratch, &r, seed, order), 3, &seen);
        gsl_rng_free(random);
        arena_free(scratch);
    }
    printf("| %s", name);
    for (int w = 0; w < WAYS; w++)
        for (int k = 0; k < LOOKS; k++)
            printf(" | %.1f, %.1f", 100 * seen.sum[w][k] / (double)seeds, 100 * seen.worst[w][k]);
    printf(" |\n");
    fflush(stdout);
    arena_free(a);
}

int main(int argc, char **argv)
{
    size_t seeds = 20;
    for (int c; (c = getopt(argc, argv, "s:")) != -1;)
        if (c == 's')
            seeds = strtoul(optarg, NULL, 10);
    printf("| recording");
    for (int w = 0; w < WAYS; w++)
        for (int k = 0; k < LOOKS; k++)
            printf(" | %s: %zu", way_names[w], looks[k]);
    printf(" |\n");
    for (int i = optind; i < argc; i++) {
        Arena *a = arena_new();
        Diag d = diag_new(a);
        MetricSet *metrics = metricset_new(a);
        for (size_t k = 0; k < 2; k++)
            metricset_read(metrics, source_read(a, metric_files[k], &d), &d);
        const Table *t = table_read(a, argv[i], metrics, &d);
        const char *slash = strrchr(argv[i], '/');
        if (t)
            play(t, slash ? slash + 1 : argv[i], seeds);
        arena_free(a);
    }
    return 0;
}
