/* Judging choices and playing searches, on synthetic spaces small enough to enumerate. */
#include "tests/support/golden.h"
#include "tests/support/made_table.h"
#include "metrics/base/random.h"
#include "tuner/study/bootstrap.h"
#include "tuner/study/study.h"
#include "tuner/study/fit.h"
#include "tuner/study/judge.h"
#include "tuner/study/race.h"

#include <gsl/gsl_randist.h>
#include <gsl/gsl_sf_gamma.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

/* A grid of `side` x `side` rows whose time is least in one corner and grows away from it; `codes`
 * makes some of them copies. */
static Table *synthetic_grid(Arena *a, int side, const char *const *codes)
{
    size_t n = (size_t)(side * side);
    Table *s = made_table(a, 2, (size_t)side);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t x = i / (uint32_t)side, y = i % (uint32_t)side;
        made_row(s, i, (uint32_t[]){x, y});
        s->ms[i] = 1 + 0.1 * (double)(x + y);
    }
    if (codes)
        memcpy(s->same_as, table_group(a, codes, NULL, n), n * sizeof *s->same_as);
    table_set_metrics(s, metricset_new(a));
    ranking_set(s);
    return s;
}

static void assert_close(double got, double expected)
{
    if (!(fabs(got - expected) < 1e-12))
        fail_msg("%.17g is not %.17g", got, expected);
}

static int make_arena(void **state)
{
    *state = arena_new();
    return 0;
}

static int drop_arena(void **state)
{
    arena_free(*state);
    return 0;
}

/* --- judging ---------------------------------------------------------------------------------- */

static void choosing_the_best_has_no_regret_and_rank_one(void **state)
{
    Table *s = synthetic_grid(*state, 4, NULL);
    bool chosen[16] = {[0] = true, [15] = true};
    Judgement j = judge(s, chosen);
    assert_int_equal(j.chosen, 2);
    assert_int_equal(j.best, 0);
    assert_int_equal(j.rank, 1);
    assert_true(j.found);
    assert_close(j.regret, 0);
    assert_close(j.space_reduction, 1 - 2.0 / 16);
    assert_close(j.time_reduction, 1 - (1 + 1.6) / (16 * 1.3));
}

static void regret_is_relative_to_the_best_of_all(void **state)
{
    Table *s = synthetic_grid(*state, 4, NULL);
    bool chosen[16] = {[5] = true, [6] = true}; /* (1,1) and (1,2): 1.2 and 1.3 */
    Judgement j = judge(s, chosen);
    assert_int_equal(j.best, 5);
    assert_int_equal(j.rank, 4); /* 1.0, 1.1 and 1.1 are faster */
    assert_false(j.found);
    assert_close(j.regret, 0.2);
    assert_close(j.recall, 0);
}

static void copies_of_the_same_code_count_once(void **state)
{
    const char *codes[4] = {"a", "b", "b", "c"};
    Table *s = synthetic_grid(*state, 2, codes);
    assert_int_equal(s->timed, 4);
    assert_int_equal(s->distinct, 3);
    bool chosen[4] = {[1] = true, [2] = true};
    Judgement j = judge(s, chosen);
    assert_int_equal(j.chosen, 1);
    assert_close(j.space_reduction, 1 - 1.0 / 3);
}

static void a_choice_of_failures_has_no_best(void **state)
{
    Table *s = synthetic_grid(*state, 2, NULL);
    s->ms[3] = NAN;
    ranking_set(s);
    bool chosen[4] = {[3] = true};
    Judgement j = judge(s, chosen);
    assert_int_equal(j.chosen, 0);
    assert_int_equal(j.unknown, 1);
    assert_true(isnan(j.regret));
}

/* The mean over every sample there is. */
static double brute_force(const double *times, int n, int sample)
{
    double sum = 0;
    int samples = 0;
    for (unsigned set = 0; set < 1u << n; set++) {
        if (__builtin_popcount(set) != sample)
            continue;
        double best = INFINITY;
        for (int i = 0; i < n; i++)
            if (set >> i & 1 && times[i] < best)
                best = times[i];
        sum += best;
        samples++;
    }
    return sum / samples;
}

static void the_sample_for_a_performance_is_the_smallest_of_brute_force(void **state)
{
    static const double times[] = {3.1, 1.7, 9, 2.2, 1.9, 4.4, 1.6, 5, 8.3, 2.7, 1.65, 7};
    enum { N = sizeof times / sizeof times[0] };
    static const double performances[] = {0.5, 0.8, 0.9, 0.95, 0.999, 1};
    for (size_t p = 0; p < sizeof performances / sizeof performances[0]; p++) {
        int least = 1;
        while (least < N && 1.6 / brute_force(times, N, least) < performances[p] - 1e-13)
            least++;
        size_t count;
        const double *sorted = random_sorted(*state, times, N, &count);
        assert_int_equal(judge_sample_for(sorted, count, performances[p]), least);
    }
}

static void sizes_stay_right_for_a_hundred_thousand_configurations(void **state)
{
    enum { N = 100000 };
    double *times = ARENA_ARRAY(*state, double, N);
    for (int i = 0; i < N; i++)
        times[i] = 1 + i; /* the expected least of s numbers of 1 to N is (N + 1) / (s + 1) */
    size_t s = judge_sample_for(times, N, 0.5);
    assert_true((N + 1.0) / ((double)s + 1) <= 2 && (N + 1.0) / (double)s > 2);
    assert_int_equal(judge_sample_for(times, 0, 0.5), 0);
}

/* Expected best of s of N, by other ways than those of tuner/choose: (A.8) by logarithms of
 * binomials, (A.4) as a sum of steps, in long doubles. */
static double expected_without(const double *t, unsigned n, unsigned s)
{
    long double mean = 0;
    double all = gsl_sf_lnchoose(n, s);
    for (unsigned i = 0; i + s <= n; i++)
        mean += (long double)t[i] * expl((long double)(gsl_sf_lnchoose(n - 1 - i, s - 1) - all));
    return (double)mean;
}

static double expected_with(const double *t, unsigned n, unsigned s)
{
    long double mean = t[0];
    for (unsigned i = 1; i < n; i++)
        mean += ((long double)t[i] - t[i - 1]) * powl((long double)(n - i) / n, s);
    return (double)mean;
}

/* Times as spaces have them: few good ones and a long tail.  At the size that is given the
 * performance is reached, one fewer does not reach it. */
static void sizes_for_90_and_95_percent_are_the_least_of_a_hundred_thousand(void **state)
{
    enum { N = 100000 };
    static const double performances[] = {0.9, 0.95, 0.99};
    double *t = ARENA_ARRAY(*state, double, N);
    for (int i = 0; i < N; i++)
        t[i] = 1 + 0.1 * pow(i, 0.25) + 50 * pow((double)i / N, 3);
    for (size_t k = 0; k < 3; k++) {
        double p = performances[k], slack = 1e-9;
        unsigned s = (unsigned)judge_sample_for(t, N, p);
        assert_true(s > 1 && t[0] / expected_without(t, N, s) >= p - slack);
        assert_true(t[0] / expected_without(t, N, s - 1) < p + slack);
        unsigned d = (unsigned)judge_draws_for(t, N, p, (size_t)100 * N);
        assert_true(d >= s && t[0] / expected_with(t, N, d) >= p - slack);
        assert_true(t[0] / expected_with(t, N, d - 1) < p + slack);
    }
}

/* Drawn from few with repeats, the last of them may stay away for long; where the limit does not
 * suffice it is the answer. */
static void draws_with_repeats_are_the_least_of_all_sequences(void **state)
{
    (void)state;
    static const double t[] = {1, 1.5, 2, 8};
    size_t least = 1;
    while (1 / expected_with(t, 4, (unsigned)least) < 0.95)
        least++;
    assert_int_equal(judge_draws_for(t, 4, 0.95, 500), least);
    assert_int_equal(judge_draws_for(t, 4, 1, 20), 20);
    assert_int_equal(judge_draws_for(t, 0, 0.95, 20), 0);
}

static void a_rank_correlation_is_one_for_any_growing_function(void **state)
{
    static const double x[] = {1, 2, 3, 4, NAN}, y[] = {1, 8, 27, 64, 0}, down[] = {4, 3, 2, 1, 9};
    assert_close(judge_rank_correlation(*state, x, y, 5), 1);
    assert_close(judge_rank_correlation(*state, x, down, 5), -1);
    assert_true(isnan(judge_rank_correlation(*state, x, y, 2)));
}

static void a_place_counts_ties_as_before(void **state)
{
    (void)state;
    static const double values[] = {5, 3, 3, NAN, 9};
    assert_int_equal(judge_place(values, 5, false, 1), 2);
    assert_int_equal(judge_place(values, 5, false, 0), 3);
    assert_int_equal(judge_place(values, 5, true, 4), 1);
    assert_int_equal(judge_place(values, 5, true, 3), 0);
}

/* --- searching -------------------------------------------------------------------------------- */

static void neighbours_differ_in_exactly_one_parameter(void **state)
{
    Table *s = synthetic_grid(*state, 5, NULL);
    Neighbourhood n = neighbourhood_build(*state, s);
    size_t *list = ARENA_ARRAY(*state, size_t, n.most);
    for (size_t i = 0; i < s->count; i++) {
        bool seen[25] = {false};
        assert_int_equal(neighbourhood_list(&n, i, list), 8);
        for (size_t k = 0; k < 8; k++) {
            size_t to = list[k];
            bool row = s->values[2 * i] == s->values[2 * to];
            bool column = s->values[2 * i + 1] == s->values[2 * to + 1];
            assert_true(row != column);
            assert_false(seen[to]);
            seen[to] = true;
        }
    }
}

/* Each rival on a grid with one best point, `seeds` times with so many cores: timings until there.
 */
static double timings_of(Table *t, RivalKind kind, size_t seeds, size_t cores, double *seconds)
{
    Arena *a = arena_new();
    size_t *rows, *places = ARENA_ARRAY(a, size_t, t->count);
    ReplayRows r = played_rows(a, t, NULL, &rows);
    Neighbourhood n = neighbourhood_build(a, t);
    for (size_t k = 0; k < t->count; k++)
        places[rows[k]] = k;
    RivalSpace space = {&n, &r, places, replay_compile_seconds(a, &r, 0.1, cores), cores};
    double sum = 0;
    *seconds = 0;
    for (unsigned long seed = 0; seed < seeds; seed++) {
        ReplayResult x =
            rival_play(a, &space, kind, seed, t->best == SIZE_MAX ? 0 : t->ms[t->best]);
        assert_true(x.timed_count >= 1 && x.timed_count <= t->count);
        assert_true(t->best == SIZE_MAX || x.steps[x.step_count - 1].ms == t->ms[t->best]);
        for (size_t k = 1; k < x.step_count; k++) {
            assert_true(x.steps[k].ms < x.steps[k - 1].ms);
            assert_true(x.steps[k].seconds >= x.steps[k - 1].seconds);
        }
        sum += (double)x.timed_count;
        *seconds += x.seconds / (double)seeds;
    }
    arena_free(a);
    return sum / (double)seeds;
}

static void every_rival_reaches_the_best_sooner_with_more_cores(void **state)
{
    Table *s = synthetic_grid(*state, 9, NULL);
    for (int k = 0; k < RIVAL_KINDS; k++) {
        double one, eight;
        timings_of(s, (RivalKind)k, 50, 1, &one);
        timings_of(s, (RivalKind)k, 50, 8, &eight);
        bool at_once = k == RIVAL_RANDOM || k == RIVAL_GREEDY || k == RIVAL_GENETIC;
        assert_true(eight < (at_once ? 0.8 : 1.2) * one); /* cores share a machine: a tenth more */
    }
}

/* What each of them found after how many trials, until all is paid for: tests/golden/study_rivals.txt. */
static void rivals_play_as_they_did(void **state)
{
    Arena *a = *state;
    Table *s = synthetic_grid(a, 25, NULL);
    size_t *rows, *places = ARENA_ARRAY(a, size_t, s->count);
    ReplayRows r = played_rows(a, s, NULL, &rows);
    Neighbourhood n = neighbourhood_build(a, s);
    SCOPED_BUF out = {0};
    for (size_t k = 0; k < s->count; k++)
        places[rows[k]] = k;
    RivalSpace space = {&n, &r, places, replay_compile_seconds(a, &r, 0.1, 4), 4};
    for (int kind = 0; kind < RIVAL_KINDS; kind++)
        for (unsigned long seed = 0; seed < 4; seed++) {
            const ReplayResult x = rival_play(a, &space, (RivalKind)kind, seed, 0);
            buf_printf(&out, "%s %lu:", rival_name((RivalKind)kind), seed);
            for (size_t k = 0; k < x.step_count; k++)
                buf_printf(&out, " %zu:%zu", x.steps[k].timed, x.steps[k].place);
            buf_printf(&out, "; %zu in %.6g s\n", x.timed_count, x.seconds);
        }
    golden_compare("study_rivals", &out);
}

/* The order of a play by chance is drawn by mt19937 with the seed's successor: 0 is no seed there. */
static void a_play_of_chance_is_what_its_seed_says(void **state)
{
    Arena *a = *state;
    Table *s = synthetic_grid(a, 9, NULL);
    size_t *rows, *places = ARENA_ARRAY(a, size_t, s->count);
    ReplayRows r = played_rows(a, s, NULL, &rows);
    Neighbourhood n = neighbourhood_build(a, s);
    for (size_t k = 0; k < s->count; k++)
        places[rows[k]] = k;
    RivalSpace space = {&n, &r, places, replay_compile_seconds(a, &r, 0.1, 1), 1};
    for (unsigned long seed = 0; seed < 5; seed++) {
        size_t order[81], found = 0;
        double best = INFINITY;
        for (size_t i = 0; i < s->count; i++)
            order[i] = i;
        gsl_rng *random = gsl_rng_alloc(gsl_rng_mt19937);
        gsl_rng_set(random, seed + 1);
        gsl_ran_shuffle(random, order, s->count, sizeof *order);
        gsl_rng_free(random);

        ReplayResult x = rival_play(a, &space, RIVAL_RANDOM, seed, 0);

        for (size_t i = 0; i < s->count; i++) {
            if (s->ms[order[i]] >= best)
                continue;
            best = s->ms[order[i]];
            assert_int_equal(x.steps[found].place, places[order[i]]);
            assert_int_equal(x.steps[found].timed, i + 1);
            found++;
        }
        assert_int_equal(x.step_count, found);
        assert_int_equal(x.timed_count, s->count);
    }
}

static void random_search_needs_half_the_space_and_the_others_less(void **state)
{
    Table *s = synthetic_grid(*state, 20, NULL);
    double seconds, random = timings_of(s, RIVAL_RANDOM, 400, 1, &seconds);
    /* One best in 400: uniform between 1 and 400; the mean of 400 plays is within 25 of it. */
    assert_in_range((uintmax_t)random, 175, 226);
    for (int k = RIVAL_RANDOM + 1; k < RIVAL_KINDS; k++)
        assert_true(timings_of(s, (RivalKind)k, 50, 1, &seconds) < 0.9 * random);
    assert_true(3 * timings_of(s, RIVAL_GREEDY, 100, 1, &seconds) < random);
}

static void races_are_the_same_again_and_the_search_is_among_them(void **state)
{
    Arena *a = *state;
    Table *s = synthetic_grid(a, 9, NULL);
    size_t count, again;
    Race *x = race_all(a, s, NULL, 5, &count), *y = race_all(a, s, NULL, 5, &again);
    assert_int_equal(count, RACE_CORES * (RIVAL_KINDS + 1));
    assert_string_equal(x[0].name, "search");
    for (size_t k = 0; k < count; k++) {
        assert_true(x[k].seconds_02.median == y[k].seconds_02.median &&
                    x[k].seconds_02.worst >= x[k].seconds_02.median);
        assert_true(x[k].seconds_1.median <= x[k].seconds_02.median);
        assert_true(x[k].regret[RACE_TIMES - 1] < 0.002);
        for (int t = 1; t < RACE_TIMES; t++)
            assert_true(x[k].regret[t] <= x[k].regret[t - 1]);
    }
}

static void a_space_without_a_time_is_searched_in_vain_but_ends(void **state)
{
    Table *s = synthetic_grid(*state, 3, NULL);
    for (size_t i = 0; i < s->count; i++)
        s->ms[i] = NAN;
    ranking_set(s);
    double seconds;
    for (int k = 0; k < RIVAL_KINDS; k++)
        assert_true(timings_of(s, (RivalKind)k, 3, 1, &seconds) == (double)s->count);
}

/* --- fitting and resampling ------------------------------------------------------------------- */

/* Two metrics whose sum with weights 2 and 0.5 is the time exactly. */
static Table *synthetic_sum(Arena *a, int side)
{
    Table *s = synthetic_grid(a, side, NULL);
    s->metric = ARENA_ARRAY(a, double *, 2);
    for (int m = 0; m < 2; m++)
        s->metric[m] = ARENA_ARRAY(a, double, s->count);
    for (size_t i = 0; i < s->count; i++) {
        s->metric[0][i] = 1 + s->values[2 * i];
        s->metric[1][i] = 3 + (double)(s->values[2 * i + 1] * s->values[2 * i + 1]);
        s->ms[i] = 2 * s->metric[0][i] + 0.5 * s->metric[1][i];
    }
    return s;
}

static void a_fit_finds_the_weights_that_made_the_times(void **state)
{
    const Table *sets[] = {synthetic_sum(*state, 4), synthetic_sum(*state, 7)};
    static const int metrics[] = {0, 1};
    static const size_t budgets[] = {1, 1};
    Diag d = diag_new(*state);
    size_t n;
    const FitResult *r = fit_metrics(*state, sets, 2, metrics, 2, budgets, 0, &n, &d);
    assert_non_null(r);
    assert_int_equal(n, 3); /* each left out, then all */
    for (size_t k = 0; k < n; k++) {
        assert_true(fabs(r[k].weights[0] - 2) < 1e-9 && fabs(r[k].weights[1] - 0.5) < 1e-9);
        assert_true(r[k].error < 1e-6);
    }
    assert_ptr_equal(r[0].left_out, sets[0]);
    assert_true(r[1].correlation > 0.999);
    assert_close(r[1].regret, 0);
    assert_null(r[2].left_out);
}

/* One metric: of four points it is the time, of forty-nine its half.  Were points alike, the weight would be
 * 2 (4 + 49) / (8 + 49); spaces are: the least of (w - 1)^2 + (w / 2 - 1)^2 is at 1.2. */
static void spaces_count_alike_in_a_fit_however_large(void **state)
{
    Table *sets[] = {synthetic_sum(*state, 2), synthetic_sum(*state, 7)};
    static const int metrics[] = {0};
    static const size_t budgets[] = {1, 1};
    Diag d = diag_new(*state);
    size_t n;
    for (int k = 0; k < 2; k++)
        for (size_t i = 0; i < sets[k]->count; i++)
            sets[k]->metric[0][i] = sets[k]->ms[i] * (k ? 0.5 : 1);
    const FitResult *r =
        fit_metrics(*state, (const Table *const *)sets, 2, metrics, 1, budgets, 0, &n, &d);
    assert_non_null(r);
    assert_true(fabs(r[n - 1].weights[0] - 1.2) < 1e-9);
    assert_true(fabs(r[n - 1].error - sqrt((0.2 * 0.2 + 0.4 * 0.4) / 2)) < 1e-9);
}

static void too_few_points_for_the_weights_are_refused(void **state)
{
    Table *s = synthetic_sum(*state, 1);
    const Table *sets[] = {s};
    static const int metrics[] = {0, 1};
    Diag d = diag_new(*state);
    size_t n;
    assert_null(fit_metrics(*state, sets, 1, metrics, 2, &(size_t){1}, 0, &n, &d));
    assert_int_equal(d.errors, 1);
}

/* Three columns: the first, twice it, and zeroes; then the second of synthetic_sum. */
static void metrics_that_say_nothing_new_are_named_and_the_others_keep_their_weights(void **state)
{
    Table *s = synthetic_sum(*state, 5);
    double *metric[] = {s->metric[0], ARENA_ARRAY(*state, double, s->count),
                        ARENA_ARRAY(*state, double, s->count), s->metric[1]};
    for (size_t i = 0; i < s->count; i++)
        metric[1][i] = 2e200 * metric[0][i];
    s->metric = metric;
    const Table *sets[] = {s};
    static const int metrics[] = {0, 1, 2, 3};
    Diag d = diag_new(*state);
    size_t n;
    const FitResult *r = fit_metrics(*state, sets, 1, metrics, 4, &(size_t){1}, 0, &n, &d);
    assert_non_null(r);
    assert_true(!r->follows[0] && r->follows[1] && r->follows[2] && !r->follows[3]);
    assert_true(fabs(r->weights[0] + 2e200 * r->weights[1] - 2) < 1e-9);
    assert_true(fabs(r->weights[3] - 0.5) < 1e-9);
    assert_true(r->weights[2] == 0);
    assert_true(r->error < 1e-6);
}

/* With the large space left out there is not enough to fit; the other fits stand. */
static void a_space_too_small_to_fit_alone_has_no_weights(void **state)
{
    const Table *sets[] = {synthetic_sum(*state, 1), synthetic_sum(*state, 6)};
    static const int metrics[] = {0, 1};
    static const size_t budgets[] = {1, 1};
    Diag d = diag_new(*state);
    size_t n;
    const FitResult *r = fit_metrics(*state, sets, 2, metrics, 2, budgets, 0, &n, &d);
    assert_non_null(r);
    assert_int_equal(n, 3);
    assert_true(r[0].weights && !r[1].weights && r[2].weights);
    assert_true(isnan(r[1].error) && isnan(r[1].regret));
    assert_int_equal(d.errors, 0);
}

/* A value so large that it has no ratio to the time leaves its point out. */
static void values_that_are_not_finite_leave_their_points_out_of_a_fit(void **state)
{
    Table *s = synthetic_sum(*state, 5);
    s->metric[0][3] = NAN;
    s->metric[1][4] = INFINITY;
    s->metric[1][5] = 1.7e308;
    s->ms[5] = 0.1;
    const Table *sets[] = {s};
    static const int metrics[] = {0, 1};
    Diag d = diag_new(*state);
    size_t n;
    const FitResult *r = fit_metrics(*state, sets, 1, metrics, 2, &(size_t){1}, 0, &n, &d);
    assert_int_equal(r->points, 25 - 3);
    assert_true(fabs(r->weights[0] - 2) < 1e-9);
}

/* Every point of the grid with three samples around its time. */
static void add_samples(Arena *a, Table *s, double noise)
{
    for (size_t i = 0; i < s->count; i++) {
        double *t = ARENA_ARRAY(a, double, 3);
        for (int k = 0; k < 3; k++)
            t[k] = s->ms[i] * (1 + noise * (k - 1));
        s->times[i].ms = t;
        s->times[i].count = 3;
    }
}

static void without_noise_the_interval_of_the_regret_is_the_regret(void **state)
{
    Table *s = synthetic_grid(*state, 4, NULL);
    add_samples(*state, s, 0);
    bool chosen[16] = {[5] = true};
    double low, high;
    bootstrap_regret(s, chosen, 50, &low, &high);
    assert_close(low, 0.2);
    assert_close(high, 0.2);
}

/* However long the runs took. */
static void without_noise_the_interval_of_the_regret_is_that_of_the_energy(void **state)
{
    Table *s = synthetic_grid(*state, 4, NULL);
    s->objective = "energy";
    for (size_t i = 0; i < s->count; i++) {
        double *t = ARENA_ARRAY(*state, double, 2);
        t[0] = t[1] = 100 - (double)i;
        s->times[i] = (TableTimes){.ms = t, .count = 2, .median = t[0]};
    }
    bool chosen[16] = {[5] = true};
    double low, high;
    bootstrap_regret(s, chosen, 50, &low, &high);
    assert_close(low, 0.2);
    assert_close(high, 0.2);
}

/* A GPU is busy for as long as is recorded, not for as many ms as a run uses mJ. */
static void trials_of_energies_take_the_seconds_recorded(void **state)
{
    Table *s = synthetic_grid(*state, 4, NULL);
    size_t *rows;
    for (size_t i = 0; i < s->count; i++)
        s->trial[i].seconds = 4 + (double)i;
    ReplayRows times = played_rows(*state, s, NULL, &rows);
    s->objective = "energy";
    ReplayRows energies = played_rows(*state, s, NULL, &rows);
    for (size_t k = 0; k < s->count; k++) {
        assert_close(replay_trial_seconds(&energies, k, INFINITY), 4 + (double)rows[k]);
        assert_close(replay_trial_seconds(&times, k, INFINITY), 0.03 + 0.01 * times.at[k].ms);
    }
}

static void
intervals_of_sample_sizes_are_the_sizes_without_noise_and_hold_them_with_it(void **state)
{
    static const double performances[] = {0.7, 0.9};
    Table *s = synthetic_grid(*state, 6, NULL);
    double low[2], high[2];
    add_samples(*state, s, 0);
    bootstrap_samples(s, performances, 2, 20, low, high);
    for (int k = 0; k < 2; k++) {
        double size = (double)judge_sample_for(s->sorted, s->distinct, performances[k]);
        assert_true(low[k] == size && high[k] == size);
    }
    add_samples(*state, s, 0.2);
    bootstrap_samples(s, performances, 2, 200, low, high);
    for (int k = 0; k < 2; k++)
        assert_true(low[k] < high[k] && low[k] >= 1 && high[k] <= 36);
    bootstrap_samples(s, performances, 2, 0, low, high);
    assert_true(isnan(low[0]) && isnan(high[1]));
}

/* Nine samples, 1.1 to 1.9, drawn again nine at a time: their median is the second or less in 3.05 % of the
 * draws (five of nine with 2/9), the third or less in 14.5 %.  So 2.5 % lie below the second. */
static void an_interval_holds_the_middle_95_percent(void **state)
{
    Table *s = synthetic_grid(*state, 2, NULL);
    double again[9], low, high;
    for (int k = 0; k < 9; k++)
        again[k] = 1.1 + 0.1 * k;
    for (size_t i = 0; i < s->count; i++) {
        s->ms[i] = i == 0 ? 1 : i == 1 ? 1.5 : 9;
        s->times[i] = (TableTimes){.ms = i == 1 ? again : &s->ms[i], .count = i == 1 ? 9 : 1};
    }
    ranking_set(s);
    const bool chosen[4] = {[1] = true};
    bootstrap_regret(s, chosen, 20000, &low, &high);
    assert_true(fabs(low - 0.2) < 1e-9 && fabs(high - 0.8) < 1e-9);
}

static void with_noise_the_interval_holds_the_regret(void **state)
{
    Table *s = synthetic_grid(*state, 4, NULL);
    add_samples(*state, s, 0.05);
    bool chosen[16] = {[5] = true};
    double low, high;
    bootstrap_regret(s, chosen, 500, &low, &high);
    assert_true(low < 0.2 && 0.2 < high);
    bool none[16] = {false};
    bootstrap_regret(s, none, 50, &low, &high);
    assert_true(isnan(low) && isnan(high));
}

static void intervals_of_correlations_are_these_without_noise_and_hold_them_with_it(void **state)
{
    enum { METRICS = 3 };
    MetricSet metrics = {.metrics = {.count = METRICS}};
    Table *s = synthetic_grid(*state, 5, NULL);
    double own[25], partly[25], same[25] = {0}, low[METRICS], high[METRICS];
    for (size_t i = 0; i < 25; i++) {
        own[i] = (double)(i * 7 % 25);
        partly[i] = i % 4 ? own[i] : NAN;
    }
    s->metrics = &metrics;
    s->metric = (double *[]){own, partly, same};
    add_samples(*state, s, 0);
    bootstrap_correlations(s, 20, low, high);
    for (int m = 0; m < 2; m++) {
        assert_close(low[m], judge_rank_correlation(*state, s->metric[m], s->ms, 25));
        assert_close(high[m], low[m]);
    }
    assert_true(isnan(low[2]) && isnan(high[2]));
    add_samples(*state, s, 0.1);
    bootstrap_correlations(s, 500, low, high);
    for (int m = 0; m < 2; m++) {
        double rho = judge_rank_correlation(*state, s->metric[m], s->ms, 25);
        assert_true(low[m] < rho && rho < high[m]);
    }
}

/* --- the first by a value --------------------------------------------------------------------- */

/* Expected best of the first `most` by `values`: the mean over all sets of as many points that no
 * point outside beats. */
static double mean_of_all_lots(const Table *s, const double *values, size_t most)
{
    double sum = 0;
    int lots = 0;
    for (unsigned set = 0; set < 1u << s->count; set++) {
        double best = INFINITY, worst_in = -INFINITY, best_out = INFINITY;
        for (size_t i = 0; i < s->count; i++) {
            if (set >> i & 1) {
                best = fmin(best, s->ms[i]);
                worst_in = fmax(worst_in, values[i]);
            } else {
                best_out = fmin(best_out, values[i]);
            }
        }
        if ((size_t)__builtin_popcount(set) != most || worst_in > best_out)
            continue;
        sum += best;
        lots++;
    }
    return sum / lots;
}

static void the_first_of_equals_are_worth_the_mean_over_all_lots(void **state)
{
    Table *s = synthetic_grid(*state, 3, NULL);
    static const double cases[][9] = {{0, 0, 0, 0, 0, 0, 0, 0, 0},
                                      {2, 1, 1, 2, 1, 2, 0, 2, 2},
                                      {5, 5, 4, 3, 3, 3, 3, 3, 0},
                                      {9, 8, 7, 6, 5, 4, 3, 2, 1},
                                      {-0.0, 0, 1, 0, -1, -1, 1, 0, 1}};
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++)
        for (size_t most = 1; most <= 9; most++) {
            FirstBy f = first_by(*state, s, cases[c], false, most);
            assert_close(first_regret(s, &f), mean_of_all_lots(s, cases[c], most) / 1.0 - 1);
        }
}

static void a_value_that_says_nothing_is_worth_a_random_sample(void **state)
{
    Table *s = synthetic_grid(*state, 5, NULL);
    double same[25] = {0};
    for (size_t most = 1; most <= 25; most++) {
        FirstBy f = first_by(*state, s, same, true, most);
        assert_close(first_regret(s, &f), judge_random_regret(s, most));
    }
    assert_true(isnan(judge_random_regret(s, 0)));
}

static void the_first_leave_out_copies_and_what_has_no_value(void **state)
{
    const char *codes[4] = {"a", "a", "b", "c"};
    Table *s = synthetic_grid(*state, 2, codes);
    FirstBy f = first_by(*state, s, (double[]){1, 2, NAN, 3}, true, 4);
    assert_true(f.sure[0] && !f.sure[1] && !f.sure[2] && f.sure[3]);
    f = first_by(*state, s, (double[]){NAN, NAN, NAN, NAN}, true, 4);
    assert_true(isnan(first_regret(s, &f)));
}

static void the_interval_of_a_lot_is_its_mean_without_noise(void **state)
{
    Table *s = synthetic_grid(*state, 3, NULL);
    double values[9] = {2, 1, 1, 2, 1, 2, 0, 2, 2}, low, high;
    FirstBy f = first_by(*state, s, values, false, 3);
    add_samples(*state, s, 0);
    bootstrap_first(s, &f, 20, &low, &high);
    assert_close(low, first_regret(s, &f));
    assert_close(high, first_regret(s, &f));
    add_samples(*state, s, 0.05);
    bootstrap_first(s, &f, 500, &low, &high);
    assert_true(low < first_regret(s, &f) && first_regret(s, &f) < high);
}

/* A space of 9 whose metric is the time but for the best two, which it has the wrong way round. */
static void a_study_has_intervals_only_where_it_is_asked_for_them(void **state)
{
    const char *line = "metric m lower \"ms\" \"A guess.\" = registers\n";
    Diag d = diag_new(*state);
    Table *s = synthetic_grid(*state, 3, NULL);
    MetricSet *set = metricset_new(*state);
    assert_true(metricset_read(set, &(Source){"m.metrics", line, strlen(line)}, &d));
    table_set_metrics(s, set);
    for (size_t i = 0; i < s->count; i++)
        s->metric[0][i] = i == 0 ? 1.15 : s->ms[i];
    add_samples(*state, s, 0.05);
    const bool chosen[9] = {[1] = true};
    const StudyChoice choice = {.name = "one", .chosen = chosen, .survives = chosen};
    for (size_t bootstraps = 0; bootstraps <= 50; bootstraps += bootstraps ? 49 : 1) {
        const StudyOptions o = {.bootstraps = bootstraps, .time_metric = "m"};
        const Study y = study_space(*state, s, &choice, 1, &o);
        const StudyMetric *m = &y.metrics[0];
        assert_int_equal(y.budget, 1);
        assert_close(m->regret, 0.1);
        assert_close(y.carvings[0].judgement.regret, 0.1);
        const double *bounds[] = {
            &m->regret_low,       &m->regret_high,           &m->correlation_low,
            &m->correlation_high, &y.carvings[0].regret_low, &y.sample_low[0],
            &y.sample_high[1]};
        for (size_t k = 0; k < sizeof bounds / sizeof *bounds; k++)
            assert_int_equal(isnan(*bounds[k]) != 0, bootstraps == 0);
        if (bootstraps == 1)
            assert_true(m->regret_low == m->regret_high);
        if (bootstraps == 50)
            assert_true(m->regret_low <= 0.1 && m->regret_high >= 0.1);
    }
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, make_arena, drop_arena)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(choosing_the_best_has_no_regret_and_rank_one),
        TEST(regret_is_relative_to_the_best_of_all),
        TEST(copies_of_the_same_code_count_once),
        TEST(a_choice_of_failures_has_no_best),
        TEST(the_sample_for_a_performance_is_the_smallest_of_brute_force),
        TEST(sizes_stay_right_for_a_hundred_thousand_configurations),
        TEST(sizes_for_90_and_95_percent_are_the_least_of_a_hundred_thousand),
        TEST(draws_with_repeats_are_the_least_of_all_sequences),
        TEST(a_rank_correlation_is_one_for_any_growing_function),
        TEST(a_place_counts_ties_as_before),
        TEST(a_fit_finds_the_weights_that_made_the_times),
        TEST(metrics_that_say_nothing_new_are_named_and_the_others_keep_their_weights),
        TEST(a_space_too_small_to_fit_alone_has_no_weights),
        TEST(values_that_are_not_finite_leave_their_points_out_of_a_fit),
        TEST(spaces_count_alike_in_a_fit_however_large),
        TEST(too_few_points_for_the_weights_are_refused),
        TEST(without_noise_the_interval_of_the_regret_is_the_regret),
        TEST(without_noise_the_interval_of_the_regret_is_that_of_the_energy),
        TEST(trials_of_energies_take_the_seconds_recorded),
        TEST(intervals_of_sample_sizes_are_the_sizes_without_noise_and_hold_them_with_it),
        TEST(an_interval_holds_the_middle_95_percent),
        TEST(with_noise_the_interval_holds_the_regret),
        TEST(the_first_of_equals_are_worth_the_mean_over_all_lots),
        TEST(intervals_of_correlations_are_these_without_noise_and_hold_them_with_it),
        TEST(a_value_that_says_nothing_is_worth_a_random_sample),
        TEST(the_first_leave_out_copies_and_what_has_no_value),
        TEST(the_interval_of_a_lot_is_its_mean_without_noise),
        TEST(a_study_has_intervals_only_where_it_is_asked_for_them),
        TEST(neighbours_differ_in_exactly_one_parameter),
        TEST(rivals_play_as_they_did),
        TEST(every_rival_reaches_the_best_sooner_with_more_cores),
        TEST(a_play_of_chance_is_what_its_seed_says),
        TEST(random_search_needs_half_the_space_and_the_others_less),
        TEST(races_are_the_same_again_and_the_search_is_among_them),
        TEST(a_space_without_a_time_is_searched_in_vain_but_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
