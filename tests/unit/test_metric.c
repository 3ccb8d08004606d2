/* Metrics: formulas from text, values with reasons, and the thesis's numbers. */
#include "metrics/base/file.h"
#include "metrics/metric/metricset.h"

#include <setjmp.h>
#include <stdint.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <math.h>
#include <string.h>

enum { MOST = 8 };

typedef struct Case {
    Arena *arena;
    Diag diag;
    MetricSet *set;
    Profile profile;
    MetricValue values[MOST];
} Case;

static Case case_new(void)
{
    Case c = {.arena = arena_new(), .profile = profile_new()};
    c.diag = diag_new(c.arena);
    c.set = metricset_new(c.arena);
    return c;
}

static bool case_read(Case *c, const char *text)
{
    Source *s = ARENA_NEW(c->arena, Source);
    *s = (Source){"test.metrics", text, strlen(text)};
    return metricset_read(c->set, s, &c->diag);
}

/* Everything that was said, as a user sees it. */
static const char *case_messages(Case *c)
{
    Buf b = {0};
    diag_print(&c->diag, &b);
    const char *text = arena_string(c->arena, buf_text(&b));
    buf_free(&b);
    return text;
}

static void case_evaluate(Case *c, const char *device)
{
    assert_true(c->set->metrics.count <= MOST);
    metricset_evaluate(c->arena, c->set, &(LaunchProfile){&c->profile, 1}, 1,
                       device ? device_find(device) : NULL, c->values);
}

static void case_end(Case *c)
{
    arena_free(c->arena);
}

/* Section 5.3.4: matrix multiplication of 4096 x 4096, 15 150 instructions in 769 regions. */
static void thesis_numbers_come_out(void **state)
{
    (void)state;
    Case c = case_new();
    const Source *s = source_read(c.arena, SOURCE_DIR "/metrics/thesis.metrics", &c.diag);
    assert_non_null(s);
    assert_true(metricset_read(c.set, s, &c.diag));
    BlockUse use = {.registers = 13, .static_shared = 2088, .threads = 256};
    profile_set_launch(&c.profile, device_find("8800gtx"), &use, 65536);
    c.profile.value[PROFILE_INSTR] = 15150;
    c.profile.value[PROFILE_REGIONS] = 769;
    c.profile.value[PROFILE_LONG_REGIONS] = 257; /* without the 512 barriers */

    case_evaluate(&c, "8800gtx");

    double efficiency = c.values[metricset_find(c.set, "efficiency")].value;
    double utilization = c.values[metricset_find(c.set, "utilization")].value;
    double simple = c.values[metricset_find(c.set, "utilization_simple")].value;
    assert_true(fabs(efficiency * 1e12 - 3.93) < 0.005);
    assert_true(fabs(utilization - 227) < 0.5);
    assert_true(fabs(simple - 15150.0 / 257 * 15) < 1e-9);
    const char *const higher[] = {"efficiency", "utilization", "utilization_simple"};
    for (size_t i = 0; i < sizeof higher / sizeof higher[0]; i++)
        assert_true(c.set->metrics.at[metricset_find(c.set, higher[i])].higher);
    case_end(&c);
}

static double value_of(const Case *c, const char *name)
{
    return c->values[metricset_find(c->set, name)].value;
}

/* A loop of ten iterations: 20 instructions up to a wait, 4 of them behind the load, 20 more up to
 * a barrier, 60 more up to a wait that is all but covered.  With 4 issues a cycle, 500 cycles for a load, 8 warps in a
 * block, 2 blocks:
 *     work 10 and 15 cycles, stall 496 and 5
 *     mintime = 10 + max(496, 7 * 10) = 506 and 15 + max(5, 7 * 15) = 120             (6.2)
 *     work = min(506, 8 * 10 + 8 * 1000 / 4 / 11) and min(120, 8 * 15 + the same)      (6.3) */
static void cycles_of_the_thesis_are_summed_over_its_regions(void **state)
{
    (void)state;
    Case c = case_new();
    assert_true(metricset_read(
        c.set, source_read(c.arena, SOURCE_DIR "/metrics/thesis.metrics", &c.diag), &c.diag));
    ProfileRegion rows[4] = {{{0}}};
    for (int i = 0; i < 4; i++)
        rows[i].value[REGION_TIMES] = 10;
    rows[0].value[REGION_STALLS] = 1;
    rows[0].value[REGION_INSTR] = 20;
    rows[0].value[REGION_COVERED] = 4;
    rows[0].value[REGION_SECTORS] = 8;
    rows[1].value[REGION_BARRIERS] = 1;
    rows[1].value[REGION_INSTR] = 20;
    rows[2].value[REGION_SYNC] = 1;
    rows[2].value[REGION_STALLS] = 1;
    rows[2].value[REGION_INSTR] = 60;
    rows[2].value[REGION_COVERED] = 495;
    rows[3].value[REGION_SYNC] = 1;
    rows[3].value[REGION_BARRIERS] = 1;
    profile_set_regions(c.arena, &c.profile, rows, 4);
    c.profile.value[PROFILE_INSTR] = 1000;
    c.profile.value[PROFILE_LONG_REGIONS] = 11;
    c.profile.value[PROFILE_WARPS_PER_BLOCK] = 8;
    c.profile.value[PROFILE_BLOCKS_PER_SM] = 2;

    case_evaluate(&c, "h200");

    const double others = 8 * 1000 / 4.0 / 11;
    assert_int_equal(c.profile.sync_count, 2);
    assert_true(fabs(value_of(&c, "mintime") - (10 * 506 + 10 * 120)) < 1e-9);
    assert_true(fabs(value_of(&c, "utilization_cycle") - (10 * (80 + others) + 10 * 120) / 6260) <
                1e-12);
    assert_true(fabs(value_of(&c, "stall_share") - 5010.0 / 1000) < 1e-12);
    assert_true(fabs(value_of(&c, "bandwidth_use") -
                     32 * 80 / (1000 / 4.0) * 132 / (4.8e12 / device_find("h200")->clock_hz)) <
                1e-9);
    case_end(&c);
}

static void without_regions_a_sum_over_them_is_not_known(void **state)
{
    (void)state;
    Case c = case_new();
    assert_true(case_read(&c, "metric m lower \"1\" \"M.\" = sum(sync_regions, region_times)\n"));

    case_evaluate(&c, "h200");

    assert_true(isnan(c.values[0].value));
    assert_string_equal(c.values[0].reason, "'sync_regions' is not known");
    case_end(&c);
}

static void mistakes_in_a_sum_are_shown_where_they_are(void **state)
{
    (void)state;
    Case c = case_new();

    assert_false(case_read(&c, "metric a lower \"1\" \"A.\" = sum(region, 1)\n"
                               "metric b lower \"1\" \"B.\" = sum(stall_regions, region_time)\n"
                               "metric c lower \"1\" \"C.\" = region_times\n"
                               "metric d lower \"1\" \"D.\" = sum(stall_regions)\n"));

    const char *text = case_messages(&c);
    assert_non_null(strstr(text, "sum needs a table such as 'stall_regions'"));
    assert_non_null(strstr(text, "did you mean 'region_times'?"));
    assert_non_null(strstr(text, "unknown name 'region_times'"));
    assert_non_null(strstr(text, "sum takes a table and an expression"));
    case_end(&c);
}

static void a_metric_uses_fields_devices_and_earlier_metrics(void **state)
{
    (void)state;
    Case c = case_new();
    assert_true(case_read(&c, "# Synthetic.\n\n"
                              "metric a higher \"x\" \"First.\" = blocks / device_sms  # so\n"
                              "metric b lower \"y\" \"Second.\" = max(\n  a * 2, 7 // 2)\n"
                              "metric c lower \"\" \"Third.\" = b > a"));
    c.profile.value[PROFILE_BLOCKS] = 264;
    case_evaluate(&c, "h200");

    assert_true(c.values[0].value == 2);
    assert_true(c.values[1].value == 4);
    assert_true(c.values[2].value == 1);
    assert_null(c.values[0].reason);
    assert_true(c.set->metrics.at[0].higher);
    assert_false(c.set->metrics.at[1].higher);
    assert_string_equal(c.set->metrics.at[1].unit, "y");
    assert_string_equal(c.set->metrics.at[1].meaning, "Second.");
    case_end(&c);
}

static void what_cannot_be_computed_says_why(void **state)
{
    (void)state;
    Case c = case_new();
    assert_true(case_read(&c, "metric zero higher \"\" \"A.\" = 1 / blocks\n"
                              "metric after higher \"\" \"B.\" = zero + 1\n"
                              "metric hidden higher \"\" \"C.\" = instr > 5 ? 1 : min(waves, 2)\n"
                              "metric clock higher \"\" \"D.\" = device_clock_hz\n"
                              "metric huge higher \"\" \"E.\" = 10 ** 300 * 10 ** 300\n"
                              "metric fine higher \"\" \"F.\" = blocks + 1\n"));
    c.profile.value[PROFILE_BLOCKS] = 0;
    c.profile.value[PROFILE_INSTR] = 9;
    case_evaluate(&c, "sm_88");

    const char *const reasons[] = {"division by zero", "'zero' is not known",
                                   "'waves' is not known", "'device_clock_hz' is not known",
                                   "the result is not a finite number"};
    for (int i = 0; i < 5; i++) {
        assert_true(isnan(c.values[i].value));
        assert_string_equal(c.values[i].reason, reasons[i]);
    }
    assert_int_equal(c.values[0].at.offset, strlen("metric zero higher \"\" \"A.\" = "));
    assert_true(c.values[5].value == 1);
    case_end(&c);
}

static void without_a_device_its_fields_are_not_known(void **state)
{
    (void)state;
    Case c = case_new();
    assert_true(case_read(&c, "metric a higher \"\" \"A.\" = device_shared_reserved\n"));

    case_evaluate(&c, NULL);
    assert_string_equal(c.values[0].reason, "'device_shared_reserved' is not known");
    case_evaluate(&c, "t4"); /* where it is zero, and zero is right */
    assert_true(c.values[0].value == 0);
    case_end(&c);
}

/* Each text has one mistake; the message as the user reads it. */
static void mistakes_are_shown_where_they_are(void **state)
{
    (void)state;
    const char *const rows[][2] = {
        {"metric a higher \"u\" \"M.\" = block_per_sm\n",
         "test.metrics:1:28: error: unknown name 'block_per_sm'; did you mean 'blocks_per_sm'?\n"},
        {"metric a up \"u\" \"M.\" = 1\n",
         "test.metrics:1:10: error: expected 'higher' or 'lower', whichever is better, found "
         "'up'\n"},
        {"metric a higher 1 \"M.\" = 1\n",
         "test.metrics:1:17: error: expected a unit in quotes, found '1'\n"},
        {"metric a higher not \"u\" \"M.\" = 1\n",
         "test.metrics:1:21: error: expected 'additive' after 'not', found the string \"u\"\n"},
        {"metric a higher \"u\" = 1\n",
         "test.metrics:1:21: error: expected a sentence in quotes that says what it means, found "
         "'='\n"},
        {"metric a higher \"u\" \"\" = 1\n",
         "test.metrics:1:21: error: a metric needs a sentence that says what it means\n"},
        {"metric a higher \"u\" \"M.\" 1\n",
         "test.metrics:1:26: error: expected '=' before the formula, found '1'\n"},
        {"metric 7 higher \"u\" \"M.\" = 1\n",
         "test.metrics:1:8: error: expected the name of a metric, found '7'\n"},
        {"metric waves higher \"u\" \"M.\" = 1\n",
         "test.metrics:1:8: error: 'waves' is a field of the profile; a metric needs another "
         "name\n"},
        {"metric device_sms higher \"u\" \"M.\" = 1\n",
         "test.metrics:1:8: error: 'device_sms' is a field of the device; a metric needs another "
         "name\n"},
        {"metric not higher \"u\" \"M.\" = 1\n",
         "test.metrics:1:8: error: 'not' is a reserved word of the expression language\n"},
        {"metric a higher \"u\" \"M.\" = \"text\"\n",
         "test.metrics:1:28: error: a metric must be a number, this is a string\n"},
        {"metric a higher \"u\" \"M.\" = a + 1\n", "test.metrics:1:28: error: unknown name 'a'\n"},
        {"metric a higher \"u\" \"M.\" = 1 2\n",
         "test.metrics:1:30: error: expected the end of the line, found '2'\n"},
        {"metric a higher \"u\" \"M.\" = known(1 + waves, 0)\n",
         "test.metrics:1:34: error: known takes a name first, as in known(x, 0)\n"},
        {"metrics a\n",
         "test.metrics:1:1: error: unknown statement 'metrics'; did you mean 'metric'?\n"},
        {"carve a\n", "test.metrics:1:1: error: expected 'metric', found 'carve'\n"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        Case c = case_new();
        assert_false(case_read(&c, rows[i][0]));
        const char *said = case_messages(&c);
        if (strncmp(said, rows[i][1], strlen(rows[i][1])) != 0)
            assert_string_equal(said, rows[i][1]);
        assert_int_equal(c.diag.errors, 1);
        assert_int_equal(c.set->metrics.count, 0);
        case_end(&c);
    }
}

/* The statement says it; where it does not, the unit does.  A metric of the run reads the sums. */
static void an_additive_metric_is_summed_over_launches(void **state)
{
    (void)state;
    Case c = case_new();
    Profile small = profile_new(), large = profile_new();
    small.value[PROFILE_INSTR] = 10;
    large.value[PROFILE_INSTR] = 100;
    small.value[PROFILE_THREADS] = large.value[PROFILE_THREADS] = 32;
    const LaunchProfile launches[] = {{&small, 3}, {&large, 2}};
    static const double expected[] = {230, 100, 230, 100, 100, 2 * 230 + 100, 560 + 5};

    assert_true(case_read(&c, "metric launches lower \"launches\" \"M.\" = 1\n"
                              "metric a lower additive \"1\" \"M.\" = instr\n"
                              "metric b lower not additive \"cycles\" \"M.\" = instr\n"
                              "metric c lower \"cycles\" \"M.\" = instr\n"
                              "metric d lower \"1\" \"M.\" = instr\n"
                              "metric e higher \"1\" \"M.\" = c\n"
                              "metric f lower run \"cycles\" \"M.\" = 2 * c + d\n"
                              "metric g lower run \"1\" \"M.\" = f + launches\n"));

    metricset_evaluate(c.arena, c.set, launches, 2, NULL, c.values);
    for (int i = 0; i < 7; i++)
        assert_true(c.values[1 + i].value == expected[i]);
    assert_true(c.set->metrics.at[6].additive && !c.set->metrics.at[7].additive);
    assert_string_equal(case_messages(&c), "");
    case_end(&c);
}

/* It would quietly not add up over the launches of a configuration. */
static void a_unit_that_is_nearly_one_that_adds_up_is_warned_of(void **state)
{
    (void)state;
    Case c = case_new();

    assert_true(case_read(&c, "metric a lower \"cycle\" \"M.\" = 1\n"
                              "metric b lower \"cycles\" \"M.\" = 1\n"
                              "metric c lower \"1/cycles\" \"M.\" = 1\n"
                              "metric d lower \"1\" \"M.\" = 1\n"
                              "metric e lower not additive \"cycle\" \"M.\" = 1\n"));

    assert_string_equal(case_messages(&c),
                        "test.metrics:1:16: warning: a metric in 'cycle' is additive over "
                        "launches only if it says so; did you mean 'cycles'?\n"
                        "    metric a lower \"cycle\" \"M.\" = 1\n"
                        "                   ^~~~~~~\n");
    assert_int_equal(c.set->metrics.count, 5);
    case_end(&c);
}

static void a_second_definition_points_to_the_first(void **state)
{
    (void)state;
    Case c = case_new();

    assert_false(case_read(&c, "metric a higher \"u\" \"M.\" = 1\n"
                               "metric a lower \"u\" \"M.\" = 2\n"));

    assert_string_equal(case_messages(&c), "test.metrics:2:8: error: metric 'a' is defined twice\n"
                                           "    metric a lower \"u\" \"M.\" = 2\n"
                                           "           ^\n"
                                           "test.metrics:1:8: note: the first definition\n"
                                           "    metric a higher \"u\" \"M.\" = 1\n"
                                           "           ^\n");
    assert_int_equal(c.set->metrics.count, 1);
    case_end(&c);
}

static void reading_goes_on_after_a_mistake(void **state)
{
    (void)state;
    Case c = case_new();

    assert_false(case_read(&c, "metric a higher \"u\" \"M.\" = 1 +\n"
                               "metric b wrong \"u\" \"M.\" = 1\n"
                               "garbage $ here\n"
                               "metric c higher \"u\" \"M.\" = 3\n"));

    assert_int_equal(c.diag.errors, 3);
    assert_true(metricset_find(c.set, "c") >= 0);
    assert_int_equal(metricset_find(c.set, "b"), -1);
    case_end(&c);
}

/* Carving reads its conditions in the scope of the set. */
static void other_formulas_can_use_the_scope(void **state)
{
    (void)state;
    Case c = case_new();
    assert_true(case_read(&c, "metric a higher \"\" \"A.\" = 1 / blocks\n"));
    Source s = {"carve", "a < 1 and device_sms == 132", 27};
    Lexer l = lexer_new(c.arena, &s, &c.diag);
    Expr *e = expr_parse(&l);
    Scope scope = metricset_scope(c.arena, c.set);
    assert_true(expr_bind(e, &scope, &c.diag));

    c.profile.value[PROFILE_BLOCKS] = 4;
    case_evaluate(&c, "h200");
    Value *slots = ARENA_ARRAY(c.arena, Value, metricset_slot_count(c.set));
    metricset_slots(c.set, &c.profile, device_find("h200"), c.values, slots);
    Evaluation ev = {.arena = c.arena};
    Value v = {0};

    assert_true(expr_eval(e, slots, &ev, &v));
    assert_true(v.kind == VALUE_BOOL && v.boolean);
    assert_string_equal(metricset_slot_name(c.set, (int)metricset_slot_count(c.set) - 1), "a");
    case_end(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(thesis_numbers_come_out),
        cmocka_unit_test(cycles_of_the_thesis_are_summed_over_its_regions),
        cmocka_unit_test(without_regions_a_sum_over_them_is_not_known),
        cmocka_unit_test(mistakes_in_a_sum_are_shown_where_they_are),
        cmocka_unit_test(a_metric_uses_fields_devices_and_earlier_metrics),
        cmocka_unit_test(what_cannot_be_computed_says_why),
        cmocka_unit_test(without_a_device_its_fields_are_not_known),
        cmocka_unit_test(mistakes_are_shown_where_they_are),
        cmocka_unit_test(an_additive_metric_is_summed_over_launches),
        cmocka_unit_test(a_unit_that_is_nearly_one_that_adds_up_is_warned_of),
        cmocka_unit_test(a_second_definition_points_to_the_first),
        cmocka_unit_test(reading_goes_on_after_a_mistake),
        cmocka_unit_test(other_formulas_can_use_the_scope),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
