/* Sums of profiles of machine code. */
#include "metrics/cubin/sass_profile.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

enum { COUNTS = offsetof(SassProfile, code_bytes) / sizeof(double) };

/* Count k is k + `first`, the instructions (count 0) alone are `instr`. */
static SassProfile made(double instr, double first)
{
    SassProfile p = {.code_bytes = 100, .executed_bytes = 90, .hot_bytes = 80};
    double *at = &p.instr;
    for (size_t k = 0; k < COUNTS; k++)
        at[k] = (double)k + first;
    p.instr = instr;
    return p;
}

static SassSerial serial(double by, double long_waits, double loads)
{
    SassSerial s = {.cycles = 10 * by, .issue = 3 * by, .long_waits = long_waits};
    s.loads_in_flight = loads;
    for (int i = 0; i < SASS_WAITS; i++)
        s.waits[i] = by * (i + 1);
    return s;
}

static void assert_near(double got, double expected)
{
    if (!(fabs(got - expected) < 1e-9))
        fail_msg("%.12g, not %.12g", got, expected);
}

/* Loads in flight are a mean over waits: (4 * 2 + 0.5 * 8 * 5) / (4 + 0.5 * 8). */
static void assert_serial(const SassSerial *s)
{
    assert_near(s->cycles, 10 * (1 + 0.5 * 2));
    assert_near(s->issue, 3 * (1 + 0.5 * 2));
    for (int i = 0; i < SASS_WAITS; i++)
        assert_near(s->waits[i], (i + 1) * (1 + 0.5 * 2));
    assert_near(s->long_waits, 8);
    assert_near(s->loads_in_flight, 3.5);
}

static void sums_are_weighted_and_deviations_are_means(void **state)
{
    (void)state;
    SassProfile sum = {0}, one = made(100, 7), other = made(300, 1000);
    one.deviation = 0.2;
    one.guessed = 1;
    one.ports = (SassPorts){.cycles = 40, .three = 8, .one_bank = 2, .tied_sums = 5};
    one.serial = serial(1, 4, 2);
    other.deviation = 0.1;
    other.ports = (SassPorts){.cycles = 6, .three = 4, .one_bank = 10};
    other.serial = one.loaded = serial(2, 8, 5);
    other.loaded = serial(1, 4, 2);
    other.loaded.capped = true;

    sass_profile_add(&sum, &one, 1);
    assert_near(sum.deviation, 0.2);
    assert_near(sum.loaded.loads_in_flight, 5);
    sass_profile_add(&sum, &other, 0.5);

    assert_near(sum.instr, 250);
    assert_near(sum.deviation, (0.2 * 100 + 0.1 * 150) / 250);
    for (size_t k = 1; k < COUNTS; k++)
        assert_near((&sum.instr)[k], 1.5 * (double)k + 507);
    assert_near(sum.code_bytes, 0);
    assert_near(sum.loop_bytes, 0);
    assert_near(sum.guessed, 1);
    assert_near(sum.ports.cycles, 43);
    assert_near(sum.ports.three, 10);
    assert_near(sum.ports.one_bank, 7);
    assert_serial(&sum.serial);
    assert_near(sum.loaded.cycles, 25);
    assert_near(sum.loaded.long_waits, 10);
    assert_near(sum.loaded.loads_in_flight, (8 * 5 + 2 * 2) / 10.0);
    assert_true(sum.loaded.capped && !sum.serial.capped);
}

static void nothing_adds_nothing(void **state)
{
    (void)state;
    SassProfile sum = {0}, none = {0};
    none.serial.loads_in_flight = 3;
    sass_profile_add(&sum, &none, 2);
    assert_near(sum.deviation, 0);
    assert_near(sum.serial.loads_in_flight, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_are_weighted_and_deviations_are_means),
        cmocka_unit_test(nothing_adds_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
