/* What is said of a device from samples at it; all figures are made up. */
#include "tuner/spec/health.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static GpuHealth sample(double mhz, unsigned throttle, int others)
{
    return (GpuHealth){.known = true,
                       .clock_mhz = mhz,
                       .power_w = 500,
                       .power_limit_w = 700,
                       .temperature_c = 60,
                       .throttle = throttle,
                       .others = others};
}

static void expect(const HealthLog *log, const char *text)
{
    Buf out = {0};
    health_print(log, &out);
    assert_string_equal(buf_text(&out), text);
    buf_free(&out);
}

static void without_a_look_nothing_is_said(void **state)
{
    (void)state;
    HealthLog log = {0};
    GpuHealth unknown = {.clock_mhz = 100};

    health_note(&log, &unknown);

    assert_int_equal(log.samples, 0);
    assert_true(health_is_steady(&log));
    expect(&log, "");
}

static void a_steady_device_is_one_line_of_facts(void **state)
{
    (void)state;
    HealthLog log = {0};
    for (int i = 0; i < 3; i++) {
        GpuHealth h = sample(1980 - i, 0, 0);
        health_note(&log, &h);
    }

    assert_true(health_is_steady(&log));
    expect(&log, "clock 1980 MHz; at most 500 of 700 W, 60 °C");
}

static void a_capped_and_shared_device_is_said_to_be_so(void **state)
{
    (void)state;
    HealthLog log = {0};
    GpuHealth samples[] = {sample(1980, 0, 0), sample(1755, THROTTLE_POWER, 2),
                           sample(1800, THROTTLE_POWER | THROTTLE_HEAT, 1), sample(1980, 0, 0)};
    for (int i = 0; i < 4; i++)
        health_note(&log, &samples[i]);

    assert_false(health_is_steady(&log));
    expect(&log,
           "clock 1980 → 1755 MHz, power cap in 2 of 4 samples, heat in 1 of 4 samples; at most "
           "500 of 700 W, 60 °C; SHARED with 2 other processes in 2 of 4 samples");
}

static void each_of_them_alone_makes_times_doubtful(void **state)
{
    (void)state;
    const GpuHealth doubtful[] = {sample(1700, 0, 0), sample(1980, THROTTLE_HARDWARE, 0),
                                  sample(1980, 0, 1)};
    for (int i = 0; i < 3; i++) {
        HealthLog log = {0};
        GpuHealth well = sample(1980, THROTTLE_SETTING, 0);
        health_note(&log, &well);
        assert_true(health_is_steady(&log));

        health_note(&log, &doubtful[i]);

        assert_false(health_is_steady(&log));
    }
}

/* Each reason alone and all together; a clock that moves by 2 % is steady still. */
static void every_reason_has_its_words(void **state)
{
    (void)state;
    static const char *const words[] = {
        "power cap", "heat", "slowed by the board", "a clock that someone set",
        "power cap, heat, slowed by the board, a clock that someone set"};
    for (int i = 0; i < 5; i++) {
        const unsigned throttle = i < 4 ? 1u << i : 15;
        Buf out = {0}, line = {0};
        HealthLog log = {0};
        const GpuHealth fast = sample(1500, 0, 0), slow = sample(1470, throttle, 0);
        health_note(&log, &fast);
        health_note(&log, &slow);
        health_note(&log, &slow);
        health_print_throttle(throttle, &out);
        assert_string_equal(buf_text(&out), words[i]);
        if (i < 4)
            buf_printf(&line, "clock 1500 MHz, %s in 2 of 3 samples; at most 500 of 700 W, 60 °C",
                       words[i]);
        else
            buf_puts(&line, "clock 1500 MHz, power cap in 2 of 3 samples, heat in 2 of 3 samples, "
                            "slowed by the board in "
                            "2 of 3 samples, a clock that someone set in 2 of 3 samples; at most "
                            "500 of 700 W, 60 °C");
        expect(&log, buf_text(&line));
        buf_free(&out);
        buf_free(&line);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_a_look_nothing_is_said),
        cmocka_unit_test(a_steady_device_is_one_line_of_facts),
        cmocka_unit_test(a_capped_and_shared_device_is_said_to_be_so),
        cmocka_unit_test(each_of_them_alone_makes_times_doubtful),
        cmocka_unit_test(every_reason_has_its_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
