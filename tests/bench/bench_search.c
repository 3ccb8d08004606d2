/* The search of the default run, played on the recordings with the cost model of
 * tuner/choose/replay.h: seconds until the best time is within 1 % and 0.2 % of the recorded best,
 * and what the search ends with.
 *
 *     bench_search [-e] [-s SEEDS] [-w WORKERS] [-p recorded|constant|inverted|random] [-L LEARNED] RECORDING…
 *     bench_search -u [-s SEEDS] [-w WORKERS] RECORDING…
 *
 * With -L the search begins with what another recording teaches, as --learn does.  -f: the first seed; -l: a line for each.
 * -e: ends a run once it holds 0.2 %; what is printed of its end is then of this moment.
 *
 * One line for each recording: median, 90th percentile and worst of the seeds.  With -u what useless
 * predictions cost, beside a local search without a model (the study's rival "greedy"): geometric
 * means of the seconds to 1 %, twice the length of a search where it ended before. */
#include "metrics/base/clock.h"
#include "metrics/base/file.h"
#include "metrics/metric/metricset.h"
#include "tuner/record/table_read.h"
#include "tuner/study/race.h"
#include "tuner/study/rivals.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const metric_files[] = {SOURCE_DIR "/metrics/thesis.metrics",
                                           SOURCE_DIR "/metrics/cycles.metrics"};

/* Seconds of a mean compile and its profile: processor seconds of nine configurations of each space
 * on another machine's core, times 1.25, which is what makes mm 279 ms as on one core of an H200
 * machine (2026-11-22). */
static const struct {
    const char *space;
    double seconds;
} compile_base[] = {
    {"access", 0.05},     {"branching", 0.073},   {"convolution", 0.137},
    {"cp", 0.059},        {"mapping", 0.049},     {"mm", 0.279},
    {"mm-core", 0.279},   {"mm-thesis", 0.051},   {"mri-fhd", 0.075},
    {"mri-q", 0.063},     {"reduce-2008", 0.135}, {"rsqrt", 0.051},
    {"sad", 0.089},       {"saxpy", 0.048},       {"scan-two-pass", 0.193},
    {"sync", 0.038},      {"transpose", 0.069},   {"transpose-tutorial", 0.043},
    {"vectoradd", 0.047},
};

typedef enum Guess { GUESS_RECORDED, GUESS_CONSTANT, GUESS_INVERTED, GUESS_RANDOM, GUESSES } Guess;

static const char *const guess_names[] = {"recorded", "constant", "inverted", "random"};

typedef struct Asked {
    size_t seeds, first, workers;
    Guess guess;
    bool early, lines, useless;
    const Table *learned; /* NULL: nothing is */
} Asked;

/* --- lies ------------------------------------------------------------------------------------- */

static double lie(double truth, Guess g, gsl_rng *random)
{
    return g == GUESS_CONSTANT ? 1 : g == GUESS_INVERTED ? 1 / truth : gsl_rng_uniform_pos(random);
}

/* Random numbers are others for each seed. */
static ReplayRows lie_of_all(Arena *a, ReplayRows r, Guess g, size_t seed)
{
    const size_t n = g == GUESS_RECORDED ? 0 : r.space.count;
    ReplayRow *at = ARENA_ARRAY(a, ReplayRow, r.space.count);
    gsl_rng *random = gsl_rng_alloc(gsl_rng_mt19937);
    gsl_rng_set(random, seed + 1);
    memcpy(at, r.at, r.space.count * sizeof *at);
    r.at = at;
    for (size_t k = 0; k < n; k++)
        at[k].code.predicted = lie(at[k].code.predicted, g, random);
    gsl_rng_free(random);
    return r;
}

/* --- the table -------------------------------------------------------------------------------- */

static int number_compare(const void *pa, const void *pb)
{
    double a = *(const double *)pa, b = *(const double *)pb;
    return (a > b) - (a < b);
}

static void print_three(double *all, size_t n)
{
    qsort(all, n, sizeof *all, number_compare);
    printf(" %6.2f %6.2f %6.2f |", all[n / 2], all[9 * (n - 1) / 10], all[n - 1]);
}

static double base_of(const char *space)
{
    for (size_t i = 0; i < sizeof compile_base / sizeof *compile_base; i++)
        if (strcmp(space, compile_base[i].space) == 0)
            return compile_base[i].seconds;
    return 0;
}

static double best_of(const ReplayRows *rows)
{
    double best = INFINITY;
    for (size_t k = 0; k < rows->space.count; k++)
        best = fmin(best, rows->at[k].ms);
    return best;
}

/* Places that are 1 % faster than the best found. */
static double better(const ReplayRows *rows, double found)
{
    double count = 0;
    for (size_t k = 0; k < rows->space.count; k++)
        count += rows->at[k].ms < 0.99 * found;
    return count;
}

static const Learned *learn(Arena *a, const Table *s, const Table *from)
{
    size_t *searched = ARENA_ARRAY(a, size_t, s->parameter_count), count = 0, shared;
    for (size_t p = 0; p < s->parameter_count; p++)
        if (s->parameters[p].values.count > 1)
            searched[count++] = p;
    Learned *l = learned_new(a, s->parameters, searched, count);
    return from && learned_add(l, from, &shared) > 0 ? l : NULL;
}

static void play(const Table *s, const Asked *q)
{
    enum { ONE, FIFTH, STOP, REGRET, COMPILED, TIMED, FIGURES };
    Arena *a = arena_new();
    double *figures[FIGURES], best, geometric[2] = {0}, expected = 0, were = 0,
                                    since = clock_seconds();
    size_t off = 0;
    ReplayRows rows = played_rows(a, s, "predicted_cycles", NULL);
    best = best_of(&rows);
    for (int f = 0; f < FIGURES; f++)
        figures[f] = ARENA_ARRAY(a, double, q->seeds);
    const Learned *learned = learn(a, s, q->learned);
    for (size_t seed = 0; seed < q->seeds; seed++) {
        Arena *scratch = arena_new();
        ReplayOptions o = {
            .search = {.seed = q->first + seed, .workers = q->workers, .learned = learned},
            .gpus = 1,
            .base = base_of(s->name),
            .enough = q->early ? 1.002 * best : 0};
        ReplayRows told = lie_of_all(scratch, rows, q->guess, q->first + seed);
        ReplayResult r = replay_search(scratch, &told, &o);
        figures[ONE][seed] = replay_seconds_to(&r, 1.01 * best);
        figures[FIFTH][seed] = replay_seconds_to(&r, 1.002 * best);
        figures[STOP][seed] = r.seconds;
        figures[REGRET][seed] = 100 * (replay_best_at(&r, INFINITY) / best - 1);
        figures[COMPILED][seed] = (double)r.compiled_count;
        figures[TIMED][seed] = (double)r.timed_count;
        off += figures[REGRET][seed] > 1;
        expected += (isnan(r.expected) ? 0 : r.expected) / (double)q->seeds;
        were += better(&rows, replay_best_at(&r, INFINITY)) / (double)q->seeds;
        if (q->lines)
            printf("%s %zu: %.3f %.3f stop %.2f regret %.3f compiled %zu timed %zu %s, expected "
                   "%.2f\n",
                   s->name, q->first + seed, figures[ONE][seed], figures[FIFTH][seed], r.seconds,
                   figures[REGRET][seed], r.compiled_count, r.timed_count, search_end_text(r.end),
                   r.expected);
        geometric[0] += log(fmin(figures[ONE][seed], 2 * r.seconds)) / (double)q->seeds;
        geometric[1] += log(fmin(figures[FIFTH][seed], 2 * r.seconds)) / (double)q->seeds;
        arena_free(scratch);
    }
    printf("%-18s %5zu |", s->name, s->count);
    for (int f = 0; f < FIGURES; f++)
        print_three(figures[f], q->seeds);
    printf(" %2zu off | %5.2f %5.2f | %.3f %.3f | %.2f s each\n", off, expected, were,
           exp(geometric[0]), exp(geometric[1]), (clock_seconds() - since) / (double)q->seeds);
    fflush(stdout);
    arena_free(a);
}

/* --- what useless predictions cost ------------------------------------------------------------ */

static double local_search(Arena *a, const Table *s, const Asked *q)
{
    size_t *rows;
    ReplayRows played = played_rows(a, s, NULL, &rows);
    Neighbourhood near = neighbourhood_build(a, s);
    size_t *places = ARENA_ARRAY(a, size_t, s->count);
    for (size_t k = 0; k < s->count; k++)
        places[rows[k]] = k;
    const double *seconds = replay_compile_seconds(a, &played, base_of(s->name), q->workers);
    RivalSpace space = {&near, &played, places, seconds, q->workers};
    double best = best_of(&played), sum = 0;
    for (size_t seed = 0; seed < q->seeds; seed++) {
        Arena *scratch = arena_new();
        ReplayResult r = rival_play(scratch, &space, RIVAL_GREEDY, q->first + seed, 1.01 * best);
        sum += log(replay_seconds_to(&r, 1.01 * best));
        arena_free(scratch);
    }
    return exp(sum / (double)q->seeds);
}

static double search_with(Arena *a, const Table *s, const Asked *q, Guess g, size_t *missed)
{
    ReplayRows rows = played_rows(a, s, "predicted_cycles", NULL);
    double best = best_of(&rows), sum = 0;
    for (size_t seed = 0; seed < q->seeds; seed++) {
        Arena *scratch = arena_new();
        ReplayOptions o = {.search = {.seed = q->first + seed, .workers = q->workers},
                           .gpus = 1,
                           .base = base_of(s->name),
                           .enough = 1.01 * best};
        ReplayRows told = lie_of_all(scratch, rows, g, q->first + seed);
        ReplayResult r = replay_search(scratch, &told, &o);
        double held = replay_seconds_to(&r, 1.01 * best);
        *missed += isinf(held) ? 1 : 0;
        sum += log(fmin(held, 2 * r.seconds));
        arena_free(scratch);
    }
    return exp(sum / (double)q->seeds);
}

static void compare_useless(const char *name, const Table *s, const Asked *q)
{
    Arena *a = arena_new();
    double local = local_search(a, s, q);
    printf("| %s | %.2f |", name, local);
    for (int g = 0; g < GUESSES; g++) {
        size_t missed = 0;
        double held = search_with(a, s, q, (Guess)g, &missed);
        printf(" %s%.2f%s", held > local ? "**" : "", held, held > local ? "**" : "");
        if (missed > 0)
            printf(" (%zu ended before)", missed);
        printf(" |");
    }
    putchar('\n');
    fflush(stdout);
    arena_free(a);
}

/* The recording's name without its folder and its ends. */
static const char *file_of(const char *path)
{
    static char name[100];
    const char *slash = strrchr(path, '/');
    snprintf(name, sizeof name, "%s", slash ? slash + 1 : path);
    name[strcspn(name, ".")] = 0;
    return name;
}

static void print_head(const Asked *q)
{
    if (q->useless)
        printf("| recording | local search | search | constant | inverted | random |\n"
               "|---|---|---|---|---|---|\n");
    else
        printf("%zu seeds, %zu workers, prediction %s; each three: median, 90th percentile, worst\n"
               "space, points | seconds to 1 %% | to 0.2 %% | at the end | regret %% | compiled | "
               "timed | ended more than 1 %% off | better ones expected, were | geometric means | "
               "program\n",
               q->seeds, q->workers, guess_names[q->guess]);
}

static const Table *read_table(Arena *a, const char *path)
{
    Diag d = diag_new(a);
    MetricSet *metrics = metricset_new(a);
    for (size_t k = 0; k < 2; k++)
        metricset_read(metrics, source_read(a, metric_files[k], &d), &d);
    const Table *t = table_read(a, path, metrics, &d);
    Buf said = {0};
    diag_print(&d, &said);
    fputs(buf_text(&said), stderr);
    buf_free(&said);
    return t;
}

int main(int argc, char **argv)
{
    Arena *kept = arena_new();
    Asked q = {.seeds = 20, .workers = 16};
    for (int c; (c = getopt(argc, argv, "s:f:w:p:L:elu")) != -1;) {
        if (c == 's')
            q.seeds = strtoul(optarg, NULL, 10);
        else if (c == 'f')
            q.first = strtoul(optarg, NULL, 10);
        else if (c == 'w')
            q.workers = strtoul(optarg, NULL, 10);
        else if (c == 'e')
            q.early = true;
        else if (c == 'l')
            q.lines = true;
        else if (c == 'u')
            q.useless = true;
        else if (c == 'L')
            q.learned = read_table(kept, optarg);
        for (int g = 0; c == 'p' && g < GUESSES; g++)
            if (strcmp(optarg, guess_names[g]) == 0)
                q.guess = (Guess)g;
    }
    print_head(&q);
    for (int i = optind; i < argc; i++) {
        Arena *a = arena_new();
        const Table *s = read_table(a, argv[i]);
        if (s && q.useless)
            compare_useless(file_of(argv[i]), s, &q);
        else if (s)
            play(s, &q);
        arena_free(a);
    }
    arena_free(kept);
    return 0;
}
