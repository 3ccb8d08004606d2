/* What compiling and timing take on the clock of a replayed search. */
#include "tuner/choose/replay.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

enum { ROWS = 4 };

static void assert_near(double is, double wanted)
{
    assert_true(fabs(is - wanted) < 1e-12);
}

/* Codes of 1000 and 3000 bytes, of an unknown size, and of 2000 of which the seconds were recorded: 2000 on average. */
static ReplayRows rows_of(ReplayRow *at)
{
    static const double bytes[ROWS] = {1000, 3000, NAN, 2000};
    for (size_t i = 0; i < ROWS; i++)
        at[i] = (ReplayRow){
            .code_bytes = bytes[i], .compile_s = i == 3 ? 9 : NAN, .ms = NAN, .work = 1};
    return (ReplayRows){.space.count = ROWS, .at = at};
}

/* A quarter of the base for each code, three quarters by its size. */
static void seconds_of_a_compile_grow_with_the_code(void **state)
{
    (void)state;
    static const struct {
        double base;
        size_t workers;
        double mean; /* seconds of a mean compile */
    } all[] = {{2, 1, 2},
               {0, 1, 0.04 + 2000 * 16e-6},
               {0, 8, 1.1 * 0.072},
               {0, 16, 1.3 * 0.072},
               {NAN, 1, 0.072}};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        Arena *a = arena_new();
        ReplayRow at[ROWS];
        const ReplayRows rows = rows_of(at);

        const double *s = replay_compile_seconds(a, &rows, all[k].base, all[k].workers);

        assert_near(s[0], all[k].mean * 0.625);
        assert_near(s[1], all[k].mean * 1.375);
        assert_near(s[2], all[k].mean);
        assert_true(s[3] == 9);
        arena_free(a);
    }
}

static void without_any_size_a_compile_takes_what_is_usual(void **state)
{
    (void)state;
    Arena *a = arena_new();
    ReplayRow at[ROWS];
    const ReplayRows rows = rows_of(at);
    for (size_t i = 0; i < ROWS; i++)
        at[i].code_bytes = 0, at[i].compile_s = 0;

    const double *s = replay_compile_seconds(a, &rows, 0, 1);

    for (size_t i = 0; i < ROWS; i++)
        assert_near(s[i], 0.15);
    arena_free(a);
}

/* 30 ms, and ten runs of 2 ms or three of what is slower than 1.1 times the best for its work. */
static void seconds_of_a_trial_grow_with_its_runs(void **state)
{
    (void)state;
    ReplayRow at[ROWS];
    ReplayRows rows = rows_of(at);
    at[0].ms = at[1].ms = at[2].ms = 2;
    at[2].work = 2;

    assert_near(replay_trial_seconds(&rows, 0, 1.9), 0.03 + 10 * 2e-3);
    assert_near(replay_trial_seconds(&rows, 1, 1.8), 0.03 + 3 * 2e-3);
    assert_near(replay_trial_seconds(&rows, 2, 0.95), 0.03 + 10 * 2e-3);
    assert_near(replay_trial_seconds(&rows, 3, 1.9), 0.03);
    at[1].trial_s = 7;
    assert_near(replay_trial_seconds(&rows, 1, 1.8), 0.03 + 3 * 2e-3);
    rows.by_energy = true;
    assert_true(replay_trial_seconds(&rows, 1, 1.8) == 7);
    assert_near(replay_trial_seconds(&rows, 0, 1.8), 0.03);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(seconds_of_a_compile_grow_with_the_code),
        cmocka_unit_test(without_any_size_a_compile_takes_what_is_usual),
        cmocka_unit_test(seconds_of_a_trial_grow_with_its_runs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
