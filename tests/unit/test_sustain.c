/* Runs back to back on a device that is made up: time, work and its energy counter are numbers. */
#include "metrics/base/clock.h"

#define clock_seconds now_seconds
static double now_seconds(void);

#include "tuner/gpu/rival.h"
#include "tuner/gpu/worker/sustain.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

/* Seconds, watts.  The counter stands still for `period` and then is what was used up to then. */
static struct {
    double now, work_ends, piece_s;
    double watts, idle_watts, idle_s, heat_ends, period;
    double held_up_at, held_up_s; /* a question asked then takes so long */
    double run_ms;
    int batch, graphs_freed;
    double throttled_from,
        throttled_to; /* reason 4 in between; reason 1 in the half of a second after 2 */
} gpu;

static double ends[256]; /* of what was given before each event */
static size_t events;

static double now_seconds(void)
{
    return gpu.now += 1e-6;
}

static double used(double until)
{
    double busy = until - gpu.idle_s;
    return busy * gpu.watts + gpu.idle_s * gpu.idle_watts;
}

/* --- what the worker's other files do ----------------------------------------------------------- */

DriverStatus driver_event_new(Driver *v, DriverEvent **e)
{
    (void)v;
    *e = (DriverEvent *)&ends[events++ % 256];
    return DRIVER_OK;
}

void driver_event_free(Driver *v, DriverEvent *e)
{
    (void)v;
    (void)e;
}

DriverStatus driver_event_record(Driver *v, DriverEvent *e)
{
    (void)v;
    *(double *)e = gpu.work_ends;
    return DRIVER_OK;
}

DriverStatus driver_event_wait(Driver *v, DriverEvent *e)
{
    (void)v;
    gpu.now = fmax(gpu.now, *(double *)e);
    return DRIVER_OK;
}

DriverStatus driver_event_ms(Driver *v, DriverEvent *from, DriverEvent *to, double *ms)
{
    (void)v;
    *ms = 1e3 * (*(double *)to - *(double *)from);
    return DRIVER_OK;
}

DriverStatus driver_wait(Driver *v)
{
    (void)v;
    gpu.now = fmax(gpu.now, gpu.work_ends);
    return DRIVER_OK;
}

DriverStatus problem_reset(Problem *p, Reset reset)
{
    (void)p;
    (void)reset;
    return DRIVER_OK;
}

DriverStatus sampler_open(Sampler *s, Bench *b, const ReadyRun *run, bool cold, double sample_ms,
                          double run_ms)
{
    (void)sample_ms;
    (void)run_ms;
    *s = (Sampler){.bench = b, .run = run, .cold = cold, .batch = gpu.batch, .run_ms = gpu.run_ms};
    return DRIVER_OK;
}

void sampler_submit(const Sampler *s)
{
    (void)s;
    if (gpu.now > gpu.work_ends) {
        gpu.idle_s += gpu.work_ends > 0 ? gpu.now - gpu.work_ends : 0;
        gpu.work_ends = gpu.now;
    }
    gpu.work_ends += gpu.piece_s;
}

void driver_graph_free(Driver *v, DriverGraph *g)
{
    (void)v;
    (void)g;
    gpu.graphs_freed++;
}

void sampler_close(Sampler *s)
{
    (void)s;
}

double nvml_joules(const Nvml *n)
{
    (void)n;
    double told = gpu.now + 1e-4;
    if (gpu.held_up_s > 0 && gpu.now >= gpu.held_up_at) {
        told += gpu.held_up_s;
        gpu.held_up_s = 0;
    }
    gpu.now = told;
    return 1 + used(floor(told / gpu.period) * gpu.period);
}

void nvml_sample(Nvml *n)
{
    (void)n;
}

/* A degree more every quarter of a second, up to `heat_ends`. */
GpuHealth nvml_health(const Nvml *n)
{
    (void)n;
    return (GpuHealth){.known = true,
                       .clock_mhz = 1980,
                       .throttle =
                           (gpu.now >= gpu.throttled_from && gpu.now < gpu.throttled_to ? 4u : 0u) |
                           (gpu.throttled_to > 0 && gpu.now >= 2 && gpu.now < 2.5 ? 1u : 0u),
                       .temperature_c = 40 + floor(4 * fmin(gpu.now, gpu.heat_ends))};
}

/* --- tests -------------------------------------------------------------------------------------- */

static TrialSustained sustained_of(const ReadyRun *run, double seconds)
{
    Arena *a = arena_new();
    Bench b = {0};
    TrialSustained t;
    events = 0;
    assert_int_equal(sustain(a, &b, run, seconds, &t), DRIVER_OK);
    arena_free(a);
    return t;
}

static TrialSustained sustained(double seconds)
{
    const ReadyRun kernel = {0};
    return sustained_of(&kernel, seconds);
}

static int make_device(void **state)
{
    (void)state;
    memset(&gpu, 0, sizeof gpu);
    gpu.piece_s = 0.01;
    gpu.batch = 20;
    gpu.watts = 500;
    gpu.idle_watts = 100;
    gpu.period = 0.09;
    return 0;
}

static void time_and_energy_are_those_of_a_run(void **state)
{
    (void)state;
    TrialSustained t = sustained(3);

    assert_true(fabs(t.ms - 0.5) < 1e-6);
    assert_true(fabs(t.joules / (500 * 0.5e-3) - 1) < 0.003);
    assert_true(t.idle == 0 && t.clock_mhz == 1980);
    assert_true(t.runs > 280 * 20 && t.runs < 320 * 20);
    assert_true(gpu.now > 4 && gpu.now < 5); /* one second first, and what was given ahead */
}

/* Reasons of any moment that counts; what was before it does not. */
static void reasons_to_throttle_are_gathered_while_it_counts(void **state)
{
    (void)state;
    assert_int_equal(sustained(3).throttle, 0);
    make_device(NULL);
    gpu.throttled_from = 3;
    gpu.throttled_to = 3.4;
    assert_int_equal(sustained(3).throttle, 4 | 1);
    make_device(NULL);
    gpu.throttled_from = 0;
    gpu.throttled_to = 0.5; /* the device warms up */
    assert_int_equal(sustained(3).throttle, 1);
}

/* Held up for less than the device was given ahead, it does not wait. */
static void a_question_that_takes_long_does_not_leave_the_device_idle(void **state)
{
    (void)state;
    gpu.held_up_at = 2;
    gpu.held_up_s = 0.3;

    TrialSustained t = sustained(3);

    assert_true(gpu.held_up_s == 0 && gpu.idle_s == 0 && t.idle == 0);
    assert_true(fabs(t.ms - 0.5) < 1e-6);
    assert_true(fabs(t.joules / (500 * 0.5e-3) - 1) < 0.01);
}

/* Held up for longer, it is measured again. */
static void a_stretch_that_the_device_waited_in_is_measured_again(void **state)
{
    (void)state;
    gpu.held_up_at = 2;
    gpu.held_up_s = 2;

    TrialSustained t = sustained(3);

    assert_true(gpu.idle_s > 1 && t.idle == 0);
    assert_true(fabs(t.ms - 0.5) < 1e-6);
    assert_true(fabs(t.joules / (500 * 0.5e-3) - 1) < 0.003);
}

static void it_counts_once_the_board_grows_no_warmer(void **state)
{
    (void)state;
    gpu.heat_ends = 4;

    TrialSustained t = sustained(3);

    assert_true(t.runs > 0);
    assert_true(gpu.now > 4 + 1 + 3 && gpu.now < 4 + 1 + 3 + 1);

    make_device(state);
    gpu.heat_ends = 1000; /* never: not for ever */
    (void)sustained(3);
    assert_true(gpu.now < 6 + 3 + 1);
}

/* Of runs of a second the device has few ahead. */
static void long_runs_are_not_given_far_ahead(void **state)
{
    (void)state;
    gpu.piece_s = 1;
    gpu.batch = 1;

    TrialSustained t = sustained(3);

    assert_true(fabs(t.ms - 1000) < 1e-6);
    assert_true(fabs(t.joules / 500 - 1) < 0.05);
    assert_true(gpu.now < 12);
}

/* Of calls too short for that, and of kernels, the graph stays. */
static void calls_of_a_library_are_made_one_by_one(void **state)
{
    AptuneRival library = {0};
    const ReadyRun call = {.rival = &library};
    gpu.run_ms = 0.5;
    (void)sustained(1);
    assert_int_equal(gpu.graphs_freed, 0);
    (void)sustained_of(&call, 1);
    assert_int_equal(gpu.graphs_freed, 1);

    make_device(state);
    gpu.run_ms = 0.002;
    (void)sustained_of(&call, 1);
    assert_int_equal(gpu.graphs_freed, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(time_and_energy_are_those_of_a_run, make_device),
        cmocka_unit_test_setup(reasons_to_throttle_are_gathered_while_it_counts, make_device),
        cmocka_unit_test_setup(a_question_that_takes_long_does_not_leave_the_device_idle,
                               make_device),
        cmocka_unit_test_setup(a_stretch_that_the_device_waited_in_is_measured_again, make_device),
        cmocka_unit_test_setup(it_counts_once_the_board_grows_no_warmer, make_device),
        cmocka_unit_test_setup(calls_of_a_library_are_made_one_by_one, make_device),
        cmocka_unit_test_setup(long_runs_are_not_given_far_ahead, make_device),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
