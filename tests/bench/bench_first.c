/* What the first trials find: performance, of the best recorded, of the fastest of the first 1, 8 and 16.
 *
 *     bench_first [-s SEEDS] RECORDING…
 *     bench_first -p PARTS RECORDING…
 *
 * "prediction": the first of all by predicted_cycles, equal ones by lot.  "search": all is compiled, and the search
 * chooses, told every time before the next.  "16 workers": it has compiled what they can meanwhile (bench_search.c).
 * "spread": as --carve chooses, none told.  Mean of the seeds, and the worst of them.  With -p each recording is cut
 * into so many random parts instead, each played once: mean of all parts, and percent of them that lose more than 2 and 3 %. */
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

/* Best time of the first n in the order of trials. */
static double best_of(const ReplayRows *r, const size_t *order, size_t count, size_t n)
{
    double best = INFINITY;
    for (size_t k = 0; k < count && k < n; k++)
        best = fmin(best, r->at[order[k]].ms);
    return best;
}

static bool is_timeable(const ReplayRows *r, size_t i)
{
    return !r->at[i].code.failed && r->at[i].code.same_as == i;
}

static size_t by_prediction(Arena *a, const ReplayRows *r, gsl_rng *random, size_t *order)
{
    size_t n = r->space.count, count = 0, *all = ARENA_ARRAY(a, size_t, n);
    double *lot = ARENA_ARRAY(a, double, n), *predicted = ARENA_ARRAY(a, double, n);
    for (size_t i = 0; i < n; i++) {
        lot[i] = gsl_rng_uniform(random);
        predicted[i] = r->at[i].code.predicted;
        if (is_timeable(r, i) && !isnan(predicted[i]))
            all[count++] = i;
    }
    const Criterion by[] = {{predicted, false}, {lot, false}};
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
        guess[k] = r->at[at[k]].code.predicted;
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
    SearchOptions o = {.seed = seed, .workers = n, .trials = MOST};
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
        SearchCompiled c = r->at[i].code;
        const size_t code = c.same_as;
        c.same_as = first[code];
        if (first[code] == SIZE_MAX)
            first[code] = number;
        search_compiled(s, number, &c);
    }
    while (m < MOST && search_next_trial(s, &number)) {
        order[m] = place[number];
        search_timed(s, number, r->at[order[m++]].ms);
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

static double best_recorded(const ReplayRows *r)
{
    double best = INFINITY;
    for (size_t i = 0; i < r->space.count; i++)
        best = fmin(best, r->at[i].ms);
    return best;
}

/* What each way reaches, of the best recorded. */
static void play(const ReplayRows *r, size_t seed, double reached[WAYS][LOOKS])
{
    Arena *a = arena_new();
    size_t order[WAYS][MOST + 4], count[WAYS];
    double best = best_recorded(r);
    gsl_rng *random = gsl_rng_alloc(gsl_rng_mt19937);
    gsl_rng_set(random, seed + 1);
    count[0] = by_prediction(a, r, random, order[0]);
    count[1] = by_spread(a, r, random, order[1]);
    count[2] = by_search(a, r, seed, order[2]);
    count[3] = by_workers(a, r, seed, order[3]);
    for (int w = 0; w < WAYS; w++)
        for (int k = 0; k < LOOKS; k++)
            reached[w][k] = best / best_of(r, order[w], count[w], looks[k]);
    gsl_rng_free(random);
    arena_free(a);
}

/* --- whole recordings ------------------------------------------------------------------------- */

static void play_whole(const ReplayRows *r, const char *name, size_t seeds)
{
    double sum[WAYS][LOOKS] = {{0}}, worst[WAYS][LOOKS], reached[WAYS][LOOKS];
    for (size_t seed = 0; seed < seeds; seed++) {
        play(r, seed, reached);
        for (int w = 0; w < WAYS; w++)
            for (int k = 0; k < LOOKS; k++) {
                sum[w][k] += reached[w][k];
                worst[w][k] = seed ? fmin(worst[w][k], reached[w][k]) : reached[w][k];
            }
    }
    printf("| %s", name);
    for (int w = 0; w < WAYS; w++)
        for (int k = 0; k < LOOKS; k++)
            printf(" | %.1f, %.1f", 100 * sum[w][k] / (double)seeds, 100 * worst[w][k]);
    printf(" |\n");
    fflush(stdout);
}

/* --- parts ------------------------------------------------------------------------------------ */

enum { PART_LEAST = 32, PART_TRIES = 1000 };

typedef struct Seen {
    double sum[WAYS][LOOKS];
    size_t lost_2[WAYS][LOOKS], lost_3[WAYS][LOOKS], parts;
} Seen;

/* Half of the parameters keep all values, of the others each stays by even chance. */
static bool *draw_values(Arena *a, const SearchSpace *s, gsl_rng *random, size_t *first)
{
    size_t all = 0;
    for (size_t p = 0; p < s->parameters; all += s->values[p++])
        first[p] = all;
    bool *kept = ARENA_ARRAY(a, bool, all);
    for (size_t p = 0; p < s->parameters; p++) {
        bool whole = gsl_rng_uniform(random) < 0.5;
        for (size_t v = 0; v < s->values[p]; v++)
            kept[first[p] + v] = whole || gsl_rng_uniform(random) < 0.5;
    }
    return kept;
}

static bool is_kept(const SearchSpace *s, uint64_t rank, const bool *kept, const size_t *first)
{
    for (size_t p = s->parameters; p-- > 0; rank /= s->values[p])
        if (!kept[first[p] + rank % s->values[p]])
            return false;
    return true;
}

static ReplayRows take(Arena *a, const ReplayRows *r, const size_t *at, size_t count)
{
    ReplayRows part = *r;
    uint64_t *ranks = ARENA_ARRAY(a, uint64_t, count);
    size_t *met = ARENA_ARRAY(a, size_t, r->space.count);
    part.at = ARENA_ARRAY(a, ReplayRow, count);
    for (size_t k = 0; k < count; k++) {
        size_t *code = &met[r->at[at[k]].code.same_as];
        ranks[k] = r->space.ranks[at[k]];
        *code = *code ? *code : k + 1;
        part.at[k] = r->at[at[k]];
        part.at[k].code.same_as = *code - 1;
    }
    part.space.ranks = ranks;
    part.space.count = count;
    part.space.size = (double)count;
    return part;
}

/* A part with something to choose from that is not nearly all; false: none was drawn. */
static bool draw_part(Arena *a, const ReplayRows *r, gsl_rng *random, ReplayRows *part)
{
    size_t *at = ARENA_ARRAY(a, size_t, r->space.count);
    size_t *first = ARENA_ARRAY(a, size_t, r->space.parameters);
    for (int tries = 0; tries < PART_TRIES; tries++) {
        const bool *kept = draw_values(a, &r->space, random, first);
        size_t count = 0, timed = 0;
        for (size_t i = 0; i < r->space.count; i++)
            if (is_kept(&r->space, r->space.ranks[i], kept, first))
                at[count++] = i;
        *part = take(a, r, at, count);
        for (size_t k = 0; k < count; k++)
            timed += is_timeable(part, k) && !isnan(part->at[k].ms);
        if (timed >= PART_LEAST && 10 * count < 9 * r->space.count)
            return true;
    }
    return false;
}

static void play_parts(const ReplayRows *r, size_t parts, Seen *seen)
{
    gsl_rng *random = gsl_rng_alloc(gsl_rng_mt19937);
    gsl_rng_set(random, 1);
    for (size_t n = 0; n < parts; n++) {
        Arena *a = arena_new();
        ReplayRows part;
        double reached[WAYS][LOOKS];
        if (draw_part(a, r, random, &part)) {
            play(&part, n, reached);
            seen->parts++;
            for (int w = 0; w < WAYS; w++)
                for (int k = 0; k < LOOKS; k++) {
                    seen->sum[w][k] += reached[w][k];
                    seen->lost_2[w][k] += reached[w][k] < 0.98;
                    seen->lost_3[w][k] += reached[w][k] < 0.97;
                }
        }
        arena_free(a);
    }
    gsl_rng_free(random);
}

static void print_parts(const Seen *seen)
{
    double all = (double)seen->parts / 100;
    printf("| %zu parts", seen->parts);
    for (int w = 0; w < WAYS; w++)
        for (int k = 0; k < LOOKS; k++)
            printf(" | %.2f, %.1f, %.1f", seen->sum[w][k] / all, (double)seen->lost_2[w][k] / all,
                   (double)seen->lost_3[w][k] / all);
    printf(" |\n");
}

/* ---------------------------------------------------------------------------------------------- */

int main(int argc, char **argv)
{
    size_t seeds = 20, parts = 0;
    Seen seen = {0};
    for (int c; (c = getopt(argc, argv, "s:p:")) != -1;)
        if (c == 's')
            seeds = strtoul(optarg, NULL, 10);
        else if (c == 'p')
            parts = strtoul(optarg, NULL, 10);
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
        if (t) {
            ReplayRows r = played_rows(a, t, "predicted_cycles", NULL);
            if (parts > 0)
                play_parts(&r, parts, &seen);
            else
                play_whole(&r, slash ? slash + 1 : argv[i], seeds);
        }
        Buf said = {0};
        diag_print(&d, &said);
        fputs(buf_text(&said), stderr);
        buf_free(&said);
        arena_free(a);
    }
    if (parts > 0)
        print_parts(&seen);
    return 0;
}
