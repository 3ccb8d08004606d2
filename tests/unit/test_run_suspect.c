/* Predictions that cannot be; a table of 6 times 6 made-up configurations. */
#include "tests/support/made_table.h"
#include "metrics/base/file.h"
#include "metrics/metric/device.h"
#include "tuner/run/run_parts.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

enum { SIDE = 6, ALL = SIDE * SIDE };

static Run *run_new(void)
{
    static const char text[] =
        "metric predicted_cycles lower \"cycles\" \"As issued.\" = 1000 * issued\n"
        "metric bound_cycles lower \"cycles\" \"As issued.\" = 900 * issued\n";
    static Spec spec;
    Arena *a = arena_new(), *scratch = arena_new();
    Diag d = diag_new(a);
    Run *r = ARENA_NEW(a, Run);
    Source *source = ARENA_NEW(a, Source);
    *source = (Source){"test.metrics", text, sizeof text - 1};
    *r =
        (Run){.arena = a, .spec = &spec, .space = {.spec = &spec}, .table = made_table(a, 2, SIDE)};
    r->table->device = device_find("h200");
    r->table->metrics = metricset_new(a);
    assert_true(metricset_read(r->table->metrics, source, &d));
    table_set_metrics(r->table, r->table->metrics);
    for (uint32_t i = 0; i < ALL; i++) {
        const size_t row = made_row(r->table, i, (uint32_t[]){i / SIDE, i % SIDE});
        Profile *p = ARENA_NEW(a, Profile);
        *p = profile_new();
        p->value[PROFILE_INSTR] = 1000 * (1 + i % SIDE);
        p->value[PROFILE_ISSUED] = (900 + 40 * (i / SIDE)) * (1 + i % SIDE);
        r->table->profile[row] = (TableProfile){.whole = p};
        r->table->work[row] = 1;
    }
    arena_free(scratch);
    return r;
}

static void evaluate(Run *r)
{
    Arena *scratch = arena_new();
    for (size_t i = 0; i < ALL; i++) {
        const LaunchProfile one = {.profile = r->table->profile[i].whole, .times = 1};
        table_evaluate(scratch, r->table, i, &one, 1);
    }
    arena_free(scratch);
}

static void set_issued(Run *r, size_t row, double issued)
{
    Profile *p = ARENA_NEW(r->arena, Profile);
    *p = *r->table->profile[row].whole;
    p->value[PROFILE_ISSUED] = issued;
    r->table->profile[row].whole = p;
}

static void configurations_like_each_other_are_left_alone(void **state)
{
    (void)state;
    Run *r = run_new();
    evaluate(r);
    run_suspects_find(r);
    assert_int_equal(r->suspects.found, 0);
    assert_true(r->table->metric[0][0] == 900 * 1000);
    arena_free(r->arena);
}

/* A loop that was counted once: 28 instructions for 3000 of the PTX's. */
static void one_that_issues_less_than_its_neighbours_is_raised_to_them(void **state)
{
    (void)state;
    Run *r = run_new();
    const size_t row = 2 * SIDE + 2;
    set_issued(r, row, 28);
    evaluate(r);
    run_suspects_find(r);
    assert_int_equal(r->suspects.found, 1);
    assert_non_null(r->table->suspect[row]);
    /* Of those beside it five issue 0.98 of the PTX's, the others more or less. */
    const double mean = pow(0.9 * 0.94 * 1.02 * 1.06 * 1.1 * pow(0.98, 5), 0.1);
    assert_true(fabs(r->table->metric[0][row] / (mean * 3000 * 1000) - 1) < 1e-9);
    assert_true(fabs(r->table->metric[1][row] / (mean * 3000 * 900) - 1) < 1e-9);
    arena_free(r->arena);
}

static void a_search_judges_by_the_rows_that_it_has_seen(void **state)
{
    (void)state;
    Run *r = run_new();
    set_issued(r, ALL - 1, 60);
    evaluate(r);
    for (size_t i = 0; i + 1 < ALL; i++)
        assert_true(run_suspect_row(r, i) == 1);
    /* The median issues 0.98 of the PTX's, 5880 of 6000. */
    assert_true(fabs(run_suspect_row(r, ALL - 1) - 98) < 1e-9);
    arena_free(r->arena);
}

/* Two operations a cycle and lane of the fastest unit that the code uses: an H200 makes 2 * 126 in single precision,
 * many more by its tensor cores. */
static void nothing_is_faster_than_its_operations_through_the_units(void **state)
{
    (void)state;
    Run *r = run_new();
    const DeviceRates *k = device_rates(r->table->device);
    const double most = 2 * k->fp32 * r->table->device->sms, flop = 4e6 * most;
    ((Spec *)r->spec)->work[OBJECTIVE_FLOP] = expr_of_value(r->arena, value_real(flop));
    set_issued(r, 0, 900);
    Profile *p = ARENA_NEW(r->arena, Profile);
    *p = *r->table->profile[1].whole;
    p->value[PROFILE_TENSOR_ISSUED] = 8;
    r->table->profile[1].whole = p;
    evaluate(r);

    /* Predicted to take 0.9 and 1.8 million cycles. */
    assert_true(fabs(run_suspect_row(r, 0) - 4e6 / 0.9e6) < 1e-9);
    assert_string_equal(r->table->suspect[0],
                        "predicted to take 0.23 of the minimum time for its work");
    assert_true(fabs(r->table->metric[0][0] - 4e6) < 1e-3);
    assert_true(run_suspect_row(r, 1) == 1);
    assert_null(r->table->suspect[1]);
    ((Spec *)r->spec)->work[OBJECTIVE_FLOP] = NULL;
    arena_free(r->arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(configurations_like_each_other_are_left_alone),
        cmocka_unit_test(one_that_issues_less_than_its_neighbours_is_raised_to_them),
        cmocka_unit_test(a_search_judges_by_the_rows_that_it_has_seen),
        cmocka_unit_test(nothing_is_faster_than_its_operations_through_the_units),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
