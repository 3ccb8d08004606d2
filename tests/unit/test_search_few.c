/* A search of few trials: each of them is chosen with care. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/support/made_space.h"
#include "tuner/choose/search_parts.h"

#include <math.h>

/* How many were compiled when the first time was known. */
static size_t compiled_first(MadeSpace *m, SearchOptions o)
{
    o.workers = 4;
    ReplayOptions all = {.search = o, .gpus = 1};
    ReplayResult r = replay_search(m->arena, &m->rows, &all);
    assert_int_equal(r.timed_count, o.trials);
    return r.steps[0].compiled;
}

static void few_trials_wait_for_something_to_choose_from(void **state)
{
    (void)state;
    MadeSpace m = made_space(1);
    assert_true(compiled_first(&m, (SearchOptions){.trials = 8}) >= 100);
    assert_true(compiled_first(&m, (SearchOptions){.trials = 60}) < 20);
    /* Another budget could end before the first of them. */
    assert_true(compiled_first(&m, (SearchOptions){.trials = 8, .compiles = 50}) < 20);
    assert_true(compiled_first(&m, (SearchOptions){.trials = 8, .seconds = 1000}) < 20);
    m.rows.space.count = 30;
    assert_true(compiled_first(&m, (SearchOptions){.trials = 8}) <= 30);
    arena_free(m.arena);
}

/* Kernels of two kinds, 50 of each, in no order of their parameters: the first have nine tenths of their time in
 * a unit that takes half as long again as the code says, the others one tenth, but all of these are said to be
 * slower.  Their times by number, and as they are predicted. */
typedef struct Kinds {
    MadeSpace made;
    Search *search;
    double ms[100], predicted[100];
} Kinds;

static Kinds two_kinds(unsigned long seed, bool by_units)
{
    Kinds k = {.made = made_space(1)};
    size_t number;
    k.search =
        search_new(&k.made.rows.space, &(SearchOptions){.seed = seed, .workers = 1, .trials = 8});
    for (size_t i = 0; i < 100; i++) {
        uint16_t v[PARAMETERS];
        for (size_t p = PARAMETERS, rest = (i * 5501 + 17) % POINTS; p-- > 0; rest /= VALUES)
            v[p] = (uint16_t)(rest % VALUES);
        const double predicted = (i < 50 ? 1 : 1.01) + 0.001 * (double)i, slow = i < 50 ? 0.9 : 0.1;
        const double shares[TABLE_PARTS] = {1 - slow, slow, NAN};
        assert_true(search_add(k.search, v, &number));
        k.predicted[number] = predicted;
        k.ms[number] = predicted * (1 + 0.5 * slow);
        const SearchCompiled c = {
            .predicted = predicted, .shares = by_units ? shares : NULL, .same_as = SIZE_MAX};
        search_compiled(k.search, number, &c);
    }
    return k;
}

static double best_of_eight(bool by_units)
{
    Kinds k = two_kinds(0, by_units);
    double best = INFINITY;
    size_t number;
    for (int t = 0; t < 8; t++) {
        assert_true(search_next_trial(k.search, &number));
        search_timed(k.search, number, k.ms[number]);
        best = fmin(best, k.ms[number]);
    }
    search_free(k.search);
    arena_free(k.made.arena);
    return best;
}

static void few_trials_tell_a_unit_that_is_slower_than_said(void **state)
{
    (void)state;
    assert_true(best_of_eight(true) < 1.06 * 1.05 + 1e-9);
    assert_true(best_of_eight(false) > 1.4);
}

/* However many a GPU would take. */
static void each_of_few_trials_waits_for_the_one_before(void **state)
{
    (void)state;
    Kinds k = two_kinds(0, true);
    size_t first, second;
    assert_true(search_next_trial(k.search, &first));
    assert_false(search_next_trial(k.search, &second));
    search_timed(k.search, first, k.ms[first]);
    assert_true(search_next_trial(k.search, &second));
    search_timed(k.search, second, NAN);
    assert_true(search_next_trial(k.search, &first));
    search_free(k.search);
    arena_free(k.made.arena);
}

/* The fifth trial, after times that are a power of what was predicted. */
static size_t fifth_trial(unsigned long seed, double power)
{
    Kinds k = two_kinds(seed, true);
    size_t number;
    for (int t = 0; t < 4; t++) {
        assert_true(search_next_trial(k.search, &number));
        search_timed(k.search, number, pow(k.predicted[number], power));
    }
    assert_true(search_next_trial(k.search, &number));
    search_free(k.search);
    arena_free(k.made.arena);
    return number;
}

/* Predictions that are worth something leave nothing to chance; where the order of times is the opposite, chance
 * has its turn. */
static void few_trials_follow_predictions_as_long_as_these_are_right(void **state)
{
    (void)state;
    bool same[2] = {true, true};
    for (unsigned long seed = 1; seed < 5; seed++)
        for (int right = 0; right < 2; right++)
            same[right] =
                same[right] && fifth_trial(seed, right ? 1 : -1) == fifth_trial(0, right ? 1 : -1);
    assert_true(same[1]);
    assert_false(same[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(few_trials_wait_for_something_to_choose_from),
        cmocka_unit_test(few_trials_tell_a_unit_that_is_slower_than_said),
        cmocka_unit_test(each_of_few_trials_waits_for_the_one_before),
        cmocka_unit_test(few_trials_follow_predictions_as_long_as_these_are_right),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
