/* Who wins and who is tied, by times that are made up. */
#include "tests/support/made_table.h"
#include "tuner/run/timer.h"

#include <math.h>
#include <string.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

enum { CONFIGS = 40 };

/* A run whose configurations were timed once, one after the other. */
typedef struct Fixture {
    Run run;
    Table *table;
    Profile profiles[CONFIGS];
    Diag diag;
} Fixture;

static void start(Fixture *f, size_t count)
{
    *f = (Fixture){.run = {.arena = arena_new()}};
    f->diag = diag_new(f->run.arena);
    f->run.diag = &f->diag;
    f->run.table = f->table = made_table(f->run.arena, 1, CONFIGS);
    for (uint32_t i = 0; i < count; i++) {
        made_row(f->table, i, &i);
        f->table->selected[i] = true;
        f->table->outcome[i] = OUTCOME_OK;
        f->table->times[i] = (TableTimes){.median = 1 + 0.01 * (double)i,
                                          .low = 0.999 + 0.01 * (double)i,
                                          .high = 1.001 + 0.01 * (double)i};
        f->table->profile[i].whole = &f->profiles[i];
        f->profiles[i].value[PROFILE_REGISTERS] = 64;
    }
}

static void end(Fixture *f)
{
    arena_free(f->run.arena);
}

/* A timer whose final gives these configurations these true times, with a drift and some noise. */
typedef struct Truth {
    Run *run;
    const double *ms; /* of each configuration */
    size_t asked;     /* finalists of the last final */
    int rounds;
} Truth;

static bool truth_final(void *state, RunFinal *f)
{
    Truth *t = state;
    const size_t count = f->count, rounds = (size_t)f->rounds;
    double *out = ARENA_ARRAY(t->run->arena, double, count *rounds);
    uint32_t seed = 1;
    for (size_t i = 0; i < rounds; i++)
        for (size_t k = 0; k < count; k++) {
            seed = seed * 1664525u + 1013904223u; /* of Numerical Recipes */
            double noise = (double)(seed >> 8) / (1 << 24) - 0.5;
            f->list[k].times_ms = out + k * rounds;
            out[k * rounds + i] =
                t->ms[f->list[k].config] * (1 + 0.02 * (double)i) * (1 + 0.002 * noise);
        }
    t->asked = count;
    t->rounds = f->rounds;
    return true;
}

static void decide(Fixture *f, Truth *t, const double *ms)
{
    *t = (Truth){.run = &f->run, .ms = ms};
    Timer timer = {.state = t, .final = truth_final};
    assert_true(run_final(&f->run, &timer));
}

static void those_close_to_the_best_are_timed_again(void **state)
{
    (void)state;
    static const double ms[] = {1, 1.01, 1.02, 1.03, 1.04};
    Fixture f;
    Truth t;
    start(&f, 5);

    decide(&f, &t, ms);

    assert_int_equal(t.asked, 4); /* within 3 % */
    assert_true(t.rounds > 6);
    assert_int_equal(f.run.final.fastest, 0);
    assert_int_equal(f.run.final.tie_count, 1);
    end(&f);
}

static void an_interval_that_reaches_down_to_the_best_makes_a_finalist(void **state)
{
    (void)state;
    static const double ms[] = {1, 1.1, 1.2, 1.3, 1.4};
    Fixture f;
    Truth t;
    start(&f, 5);
    for (size_t i = 1; i < 5; i++)
        f.table->times[i].median = 2;
    f.table->times[3].low = 0.9;

    decide(&f, &t, ms);

    assert_true(run_finalist(&f.run.final, 3));
    assert_true(!run_finalist(&f.run.final, 4));
    end(&f);
}

static TableTimes exactly(double ms)
{
    return (TableTimes){.median = ms, .low = ms, .high = ms};
}

/* 3 s for all rounds, but from 11 to 31 of them. */
static void rounds_share_three_seconds(void **state)
{
    (void)state;
    static const struct {
        double ms;
        int rounds;
    } rows[] = {{1, 31}, {48, 31}, {49, 30}, {50, 30}, {100, 15}, {125, 12}, {130, 11}, {1000, 11}};
    static const double same[] = {1, 1};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        Fixture f;
        Truth t;
        start(&f, 2);
        for (size_t k = 0; k < 2; k++)
            f.table->times[k] = exactly(rows[i].ms);

        decide(&f, &t, same);

        assert_int_equal(t.rounds, rows[i].rounds);
        end(&f);
    }
}

/* Times whose intervals are apart; two at least, 24 at most. */
static void finalists_lie_within_three_percent(void **state)
{
    (void)state;
    static const struct {
        double second, third;
        size_t asked;
    } rows[] = {{1.0299, 1.0301, 2}, {1.0298, 1.0299, 3}, {1.5, 1.6, 2}, {1.0298, 1.5, 2}};
    double ms[CONFIGS];
    Fixture f;
    Truth t;
    for (size_t i = 0; i < CONFIGS; i++)
        ms[i] = 1;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const double medians[] = {1, rows[i].second, rows[i].third};
        start(&f, 3);
        for (size_t k = 0; k < 3; k++)
            f.table->times[k] = exactly(medians[k]);
        decide(&f, &t, ms);
        assert_int_equal(t.asked, rows[i].asked);
        end(&f);
    }
    start(&f, CONFIGS);
    for (size_t k = 0; k < CONFIGS; k++)
        f.table->times[k] = f.table->times[0];
    decide(&f, &t, ms);
    assert_int_equal(t.asked, 24);
    end(&f);
}

/* Without noise: half a percent apart is tied, more is not; a tenth of a percent apart may win the tie. */
static bool exact_final(void *state, RunFinal *f)
{
    Truth *t = state;
    EACH (Finalist, x, f->list, f->count) {
        double *out = ARENA_ARRAY(t->run->arena, double, (size_t)f->rounds);
        for (int i = 0; i < f->rounds; i++)
            out[i] = t->ms[x->config];
        x->times_ms = out;
    }
    return true;
}

static void margins_of_a_tie_and_of_its_winner(void **state)
{
    (void)state;
    static const struct {
        double second;
        size_t ties, first;
    } rows[] = {{1.00095, 2, 1}, {1.00105, 2, 0}, {1.00495, 2, 0}, {1.00505, 1, 0}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const double ms[] = {1, rows[i].second};
        Fixture f;
        start(&f, 2);
        f.profiles[1].value[PROFILE_REGISTERS] = 8;
        Truth t = {.run = &f.run, .ms = ms};
        Timer timer = {.state = &t, .final = exact_final};

        assert_true(run_final(&f.run, &timer));

        assert_int_equal(f.run.final.tie_count, rows[i].ties);
        assert_int_equal(f.run.final.ties[0], rows[i].first);
        const Finalist *second = &f.run.final.list[1];
        assert_true(second->ratio == rows[i].second && second->interval.low == rows[i].second &&
                    second->interval.high == rows[i].second && f.run.final.within == 0.005);
        end(&f);
    }
}

/* The times of the final count, not those that made a finalist. */
static void the_final_overturns_what_was_measured_before(void **state)
{
    (void)state;
    static const double ms[] = {1.05, 1.03, 1, 1.02};
    Fixture f;
    Truth t;
    start(&f, 4);

    decide(&f, &t, ms);

    assert_int_equal(f.run.final.fastest, 2);
    assert_int_equal(f.run.final.ties[0], 2);
    assert_int_equal(f.run.final.tie_count, 1);
    end(&f);
}

/* The second one does twice the work in 1.98 times the time: 1 % faster for equal work. */
static void finalists_are_compared_for_equal_work(void **state)
{
    (void)state;
    static const double ms[] = {1, 1.98};
    Fixture f;
    Truth t;
    start(&f, 2);
    f.table->work[0] = 1;
    f.table->work[1] = 2;
    f.table->times[1] = (TableTimes){.median = 1.98, .low = 1.979, .high = 1.981};

    decide(&f, &t, ms);

    const RunFinal *final = &f.run.final;
    const Finalist *other = run_finalist(final, 0), *best = run_finalist(final, 1);
    assert_int_equal(t.asked, 2);
    assert_int_equal(final->fastest, 1);
    assert_true(fabs(other->ratio - 1 / 0.99) < 0.002);
    assert_true(other->interval.low < 1 / 0.99 && 1 / 0.99 < other->interval.high);
    assert_true(best->ratio == 1);
    end(&f);
}

/* Per work the best takes 1, at most 1.02: within 3 % of it are 1 and 5, 2 and 4 reach down to it, and 3
 * is 4 % slower. */
static void those_close_for_equal_work_are_finalists(void **state)
{
    (void)state;
    static const struct {
        double work, median, low, high;
        bool is_finalist;
    } all[] = {{2, 2, 1.98, 2.04, true},    {4, 4.116, 4.11, 4.2, true},
               {2, 2.08, 2.03, 2.1, true},  {0.5, 0.52, 0.515, 0.53, false},
               {0.5, 0.6, 0.49, 0.7, true}, {4, 4.118, 4.11, 4.2, true}};
    static const double ms[] = {2, 4, 2, 0.5, 0.5, 4};
    Fixture f;
    Truth t;
    start(&f, 6);
    for (size_t i = 0; i < 6; i++) {
        f.table->work[i] = all[i].work;
        f.table->times[i] =
            (TableTimes){.median = all[i].median, .low = all[i].low, .high = all[i].high};
    }

    decide(&f, &t, ms);

    for (size_t i = 0; i < 6; i++)
        assert_int_equal(run_finalist(&f.run.final, i) != NULL, all[i].is_finalist);
    end(&f);
}

static void ties_go_to_fewer_registers_then_less_shared_memory_then_order(void **state)
{
    (void)state;
    static const double ms[] = {1, 1.0005, 1.0009, 1.0002, 1.5};
    static const double registers[] = {64, 40, 40, 40, 8}, shared[] = {0, 100, 50, 50, 0};
    Fixture f;
    Truth t;
    start(&f, 5);
    for (size_t i = 0; i < 5; i++) {
        f.table->times[i].median = 1;
        f.profiles[i].value[PROFILE_REGISTERS] = registers[i];
        f.profiles[i].value[PROFILE_SHARED_BYTES] = shared[i];
    }

    decide(&f, &t, ms);

    static const size_t order[] = {2, 3, 1, 0};
    assert_int_equal(f.run.final.tie_count, 4);
    for (size_t k = 0; k < 4; k++)
        assert_int_equal(f.run.final.ties[k], order[k]);
    assert_false(run_final_is_tied(&f.run.final, 4));
    end(&f);
}

/* It is named, so that a run in which it is nearer and wins does not contradict this one. */
static void one_at_the_edge_is_tied_but_does_not_win(void **state)
{
    (void)state;
    static const double ms[] = {1, 1.0015, 1.02};
    Fixture f;
    Truth t;
    start(&f, 3);
    f.profiles[1].value[PROFILE_REGISTERS] = 8;

    decide(&f, &t, ms);

    assert_int_equal(f.run.final.tie_count, 2);
    assert_int_equal(f.run.final.ties[0], 0);
    assert_true(run_final_is_tied(&f.run.final, 1));
    end(&f);
}

/* Different noise, the same answer. */
static void the_winner_does_not_depend_on_the_order_of_the_finalists(void **state)
{
    (void)state;
    static const double ms[] = {1, 1.0004, 1.0002, 1.2};
    for (int swap = 0; swap < 4; swap++) {
        Fixture f;
        Truth t;
        start(&f, 4);
        for (size_t i = 0; i < 4; i++)
            f.table->times[i].median = 1 + 1e-4 * (double)((i + (size_t)swap) % 4);
        f.profiles[1].value[PROFILE_REGISTERS] = 32;

        decide(&f, &t, ms);

        assert_int_equal(f.run.final.ties[0], 1);
        assert_int_equal(f.run.final.tie_count, 3);
        end(&f);
    }
}

static void the_user_says_how_many_are_finalists(void **state)
{
    (void)state;
    double ms[CONFIGS];
    Fixture f;
    Truth t;
    start(&f, CONFIGS);
    for (size_t i = 0; i < CONFIGS; i++)
        ms[i] = 1 + 0.01 * (double)i;
    f.run.options.finalists = 33;

    decide(&f, &t, ms);

    assert_int_equal(t.asked, 33);
    end(&f);
}

static void a_wrong_one_is_no_finalist(void **state)
{
    (void)state;
    static const double ms[] = {1, 1.001, 1.002};
    Fixture f;
    Truth t;
    start(&f, 3);
    f.table->outcome[0] = OUTCOME_WRONG;
    f.table->selected[1] = false;

    decide(&f, &t, ms);

    assert_int_equal(f.run.final.count, 1);
    assert_int_equal(f.run.final.fastest, 2);
    assert_int_equal(f.run.final.rounds, 0); /* against whom? */
    end(&f);
}

/* As from a recording without a final. */
static void without_a_final_the_fastest_wins_and_overlaps_are_named(void **state)
{
    (void)state;
    Fixture f;
    start(&f, 3);
    f.table->times[1].low = 1.0005;
    f.profiles[1].value[PROFILE_REGISTERS] = 8;
    Timer timer = {0};

    assert_true(run_final(&f.run, &timer));

    assert_int_equal(f.run.final.rounds, 0);
    assert_int_equal(f.run.final.fastest, 0);
    assert_int_equal(f.run.final.tie_count, 2);
    assert_int_equal(f.run.final.ties[0], 0);
    end(&f);
}

static void with_nothing_right_there_is_no_final(void **state)
{
    (void)state;
    Fixture f;
    Truth t;
    start(&f, 2);
    f.table->outcome[0] = f.table->outcome[1] = OUTCOME_FAULT;

    decide(&f, &t, NULL);

    assert_int_equal(f.run.final.count, 0);
    assert_true(f.run.final.fastest == SIZE_MAX);
    end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(those_close_to_the_best_are_timed_again),
        cmocka_unit_test(an_interval_that_reaches_down_to_the_best_makes_a_finalist),
        cmocka_unit_test(rounds_share_three_seconds),
        cmocka_unit_test(finalists_lie_within_three_percent),
        cmocka_unit_test(margins_of_a_tie_and_of_its_winner),
        cmocka_unit_test(the_final_overturns_what_was_measured_before),
        cmocka_unit_test(finalists_are_compared_for_equal_work),
        cmocka_unit_test(those_close_for_equal_work_are_finalists),
        cmocka_unit_test(ties_go_to_fewer_registers_then_less_shared_memory_then_order),
        cmocka_unit_test(one_at_the_edge_is_tied_but_does_not_win),
        cmocka_unit_test(the_winner_does_not_depend_on_the_order_of_the_finalists),
        cmocka_unit_test(the_user_says_how_many_are_finalists),
        cmocka_unit_test(a_wrong_one_is_no_finalist),
        cmocka_unit_test(without_a_final_the_fastest_wins_and_overlaps_are_named),
        cmocka_unit_test(with_nothing_right_there_is_no_final),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
