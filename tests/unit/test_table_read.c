/* Points from recordings: which profiles belong to which point, and what is not known of it.  All
 * figures are synthetic. */
#include "metrics/base/file.h"
#include "metrics/metric/profile_build.h"
#include "tuner/record/profile.h"
#include "tuner/record/table_read.h"
#include "tuner/record/times.h"
#include "tuner/study/judge.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

typedef struct Place {
    Arena *arena;
    Diag diag;
    const char *folder, *times, *profile;
    MetricSet *metrics;
} Place;

/* `work` adds up over launches, `share` does not, and divides by zero where there are no regions.
 */
static const char metric_text[] = "metric work lower \"cycles\" \"Made up.\" = instr\n"
                                  "metric share lower \"1\" \"Made up.\" = instr / regions\n";

static int place_make(void **state)
{
    Arena *a = arena_new();
    Place *p = ARENA_NEW(a, Place);
    char *folder = arena_string(a, "/tmp/test_points_XXXXXX");
    if (!mkdtemp(folder))
        return -1;
    *p = (Place){.arena = a,
                 .diag = diag_new(a),
                 .folder = folder,
                 .times = arena_printf(a, "%s/synthetic.times", folder),
                 .profile = arena_printf(a, "%s/synthetic.profile", folder),
                 .metrics = metricset_new(a)};
    Source *s = ARENA_NEW(a, Source);
    *s = (Source){"synthetic.metrics", metric_text, sizeof metric_text - 1};
    *state = p;
    return metricset_read(p->metrics, s, &p->diag) ? 0 : -1;
}

static int place_remove(void **state)
{
    Place *p = *state;
    unlink(p->times);
    unlink(p->profile);
    rmdir(p->folder);
    arena_free(p->arena);
    return 0;
}

/* --- recordings ------------------------------------------------------------------------------- */

typedef struct Made {
    const char *code, *launch;
    Outcome status;
    double ms, work;
} Made;

static void write_weighed(Place *p, const char *objective, const Made *rows, size_t count)
{
    static const RecordParameter parameter = {"N", false};
    const RecordHeader h = {.space = "synthetic",
                            .arch = "sm_90",
                            .objective = objective,
                            .parameters = &parameter,
                            .parameter_count = 1};
    TimesRecording *existing;
    TimesWriter *w = times_open_append(p->arena, p->times, &h, &existing, &p->diag);
    assert_non_null(w);
    for (size_t i = 0; i < count; i++) {
        Value v = value_int((int64_t)i);
        RecordRow row = {.values = &v,
                         .code = rows[i].code,
                         .launch = rows[i].launch,
                         .status = rows[i].status,
                         .times_ms = &rows[i].ms,
                         .time_count = rows[i].status == OUTCOME_OK,
                         .work = rows[i].work,
                         .max_error = NAN};
        assert_true(times_append(w, &row, &p->diag));
    }
    assert_true(times_close(w, &p->diag));
}

static void write_times(Place *p, const Made *rows, size_t count)
{
    write_weighed(p, "", rows, count);
}

typedef struct MadeProfile {
    const char *code, *launch;
    double values[3];
} MadeProfile;

static void write_profile_of(Place *p, int profiler, const MadeProfile *rows, size_t count)
{
    static const char *const fields[] = {"instr", "regions", "threads"};
    const ProfileHeader h = {.about = {.space = "synthetic"},
                             .profiler = arena_printf(p->arena, "%d", profiler),
                             .fields = fields,
                             .field_count = 3};
    ProfileWriter *w = profiles_create(p->arena, p->profile, &h, &p->diag);
    assert_non_null(w);
    for (size_t i = 0; i < count; i++) {
        ProfileRow row = {.code = rows[i].code, .launch = rows[i].launch, .values = rows[i].values};
        assert_true(profiles_append(w, &row, &p->diag));
    }
    assert_true(profiles_close(w, &p->diag));
}

static void write_profile(Place *p, const MadeProfile *rows, size_t count)
{
    write_profile_of(p, PROFILER_VERSION, rows, count);
}

static void assert_warns_once(Place *p, const char *words)
{
    assert_int_equal(p->diag.errors, 0);
    assert_int_equal(p->diag.messages.count, 1);
    if (!strstr(p->diag.messages.at[0].text, words))
        fail_msg("'%s' is not in '%s'", words, p->diag.messages.at[0].text);
}

static Table *read_points(Place *p)
{
    Table *t = table_read(p->arena, p->times, p->metrics, &p->diag);
    if (t)
        ranking_set(t);
    return t;
}

enum { WORK, SHARE };

/* --- profiles and points ---------------------------------------------------------------------- */

static void a_point_of_several_launches_takes_the_sum_and_copies_share_their_profile(void **state)
{
    Place *p = *state;
    static const Made rows[] = {{"a", "g", OUTCOME_OK, 1, 0},
                                {"a+b", "g*2+h", OUTCOME_OK, 2, 0},
                                {"a", "g;h*3", OUTCOME_OK, 3, 0},
                                {"a", "g", OUTCOME_OK, 4, 0},
                                {"a+c", "g+g", OUTCOME_OK, 5, 0},
                                {"d", "g", OUTCOME_OK, 6, 0},
                                {NULL, NULL, OUTCOME_COMPILE_ERROR, 0, 0}};
    static const MadeProfile profiles[] = {{"a", "g", {7, 1, 1}},
                                           {"b", "h", {100, 10, 1}},
                                           {"e", "g", {5, 5, 1}},
                                           {"a", "g", {10, 2, 1}}};
    write_times(p, rows, 7);
    write_profile(p, profiles, 4);
    const Table *s = read_points(p);
    assert_non_null(s);
    assert_int_equal(s->count, 7);
    assert_true(s->metric[WORK][0] == 10); /* the latest row counts */
    assert_true(s->metric[WORK][1] == 2 * 10 + 100);
    assert_true(s->metric[SHARE][1] == 10);    /* of the launch that does most */
    assert_true(s->metric[WORK][2] == 4 * 10); /* what is known stands for all four launches */
    assert_int_equal(s->same_as[3], 0);
    assert_true(s->metric[WORK][3] == 10 && s->profile[3].whole == s->profile[0].whole);
    for (size_t i = 4; i < 7; i++) /* a kernel, or all, without a profile */
        assert_true(isnan(s->metric[WORK][i]) && !s->profile[i].whole);
    assert_int_equal(s->profiled, 4);
    assert_int_equal(s->timed, 6);
    assert_int_equal(s->distinct, 5);
    assert_int_equal(s->best, 0);
}

static void a_metric_that_cannot_be_computed_is_counted_and_says_why(void **state)
{
    Place *p = *state;
    static const Made rows[] = {{"a", "g", OUTCOME_OK, 1, 0},
                                {"b", "g", OUTCOME_OK, 2, 0},
                                {"c", "g", OUTCOME_OK, 3, 0},
                                {"d", "g", OUTCOME_OK, 4, 0}};
    static const MadeProfile profiles[] = {
        {"a", "g", {10, 2, 1}}, {"b", "g", {10, 0, 1}}, {"c", "g", {10, NAN, 1}}};
    write_times(p, rows, 4);
    write_profile(p, profiles, 3);
    const Table *s = read_points(p);
    assert_int_equal(s->gaps[WORK].points, 0);
    assert_null(s->gaps[WORK].reason);
    assert_int_equal(s->gaps[SHARE].points, 2);
    assert_string_equal(s->gaps[SHARE].reason, "division by zero");
    assert_int_equal(s->gaps[SHARE].at.offset,
                     strstr(metric_text, "instr / regions") - metric_text);
}

/* Equal code that does more work is another configuration, of the same profile. */
static void with_an_objective_times_and_cycles_are_for_the_same_work(void **state)
{
    Place *p = *state;
    static const Made rows[] = {{"a", "g", OUTCOME_OK, 4, 200},
                                {"a", "g", OUTCOME_OK, 3, 100},
                                {"b", "g", OUTCOME_OK, 6, 400},
                                {NULL, NULL, OUTCOME_COMPILE_ERROR, 0, 400},
                                {"b", "g", OUTCOME_OK, 7, 400}};
    static const MadeProfile profiles[] = {{"a", "g", {10, 2, 1}}, {"b", "g", {20, 2, 1}}};
    write_weighed(p, "items", rows, 5);
    write_profile(p, profiles, 2);
    const Table *s = read_points(p);
    assert_non_null(s);
    assert_string_equal(s->objective, "items");
    assert_true(s->ms[0] == 2 && s->ms[1] == 3 && s->ms[2] == 1.5 && isnan(s->ms[3]));
    assert_true(s->times[2].ms[0] / s->work[2] == 1.5);
    assert_int_equal(s->best, 2);
    assert_int_equal(s->distinct, 3);
    assert_true(s->same_as[1] == 1 && s->same_as[4] == 2);
    assert_true(s->metric[WORK][0] == 5 && s->metric[WORK][1] == 10 && s->metric[WORK][2] == 5);
    assert_true(s->metric[SHARE][0] == 5 && s->metric[SHARE][1] == 5 && s->metric[SHARE][2] == 10);
}

static void a_row_without_its_work_is_neither_written_nor_believed(void **state)
{
    Place *p = *state;
    const RecordHeader h = {.space = "synthetic", .objective = "flop"};
    const double ms = 1;
    RecordRow row = {.status = OUTCOME_OK, .times_ms = &ms, .time_count = 1, .max_error = NAN};
    TimesRecording *existing;
    TimesWriter *w = times_open_append(p->arena, p->times, &h, &existing, &p->diag);
    assert_non_null(w);
    assert_false(times_append(w, &row, &p->diag));
    row.work = NAN;
    assert_false(times_append(w, &row, &p->diag));
    row.work = 3;
    assert_true(times_append(w, &row, &p->diag));
    assert_true(times_close(w, &p->diag));
    const TimesRecording *r = times_read(p->arena, p->times, &p->diag);
    assert_true(r->rows.at[0].work == 3);
    assert_string_equal(r->header.objective, "flop");
}

static void without_a_profile_nothing_static_is_known_and_a_warning_says_so(void **state)
{
    Place *p = *state;
    static const Made rows[] = {{"a", "g", OUTCOME_OK, 1, 0}, {"b", "g", OUTCOME_FAULT, 0, 0}};
    write_times(p, rows, 2);
    const Table *s = read_points(p);
    assert_non_null(s);
    assert_int_equal(s->profiled, 0);
    assert_int_equal(s->timed, 1);
    assert_true(isnan(s->metric[WORK][0]));
    assert_warns_once(p, "the space has no static metrics");
}

static void a_profile_of_another_version_is_read_with_a_warning(void **state)
{
    Place *p = *state;
    static const Made rows[] = {{"a", "g", OUTCOME_OK, 1, 0}};
    static const MadeProfile profiles[] = {{"a", "g", {10, 2, 1}}};
    write_times(p, rows, 1);
    write_profile_of(p, PROFILER_VERSION + 1, profiles, 1);
    const Table *s = read_points(p);
    assert_true(s->metric[WORK][0] == 10);
    assert_warns_once(p, "was made by profiler");
}

static void points_that_the_profile_lacks_are_counted_in_a_warning(void **state)
{
    Place *p = *state;
    static const Made rows[] = {{"a", "g", OUTCOME_OK, 1, 0},
                                {"b", "g", OUTCOME_OK, 2, 0},
                                {"c", "g", OUTCOME_OK, 3, 0},
                                {"d", "g", OUTCOME_FAULT, 0, 0}};
    static const MadeProfile profiles[] = {{"a", "g", {10, 2, 1}}};
    write_times(p, rows, 4);
    write_profile(p, profiles, 1);
    assert_int_equal(read_points(p)->profiled, 1);
    assert_warns_once(p, "2 configurations of '");
}

static void times_that_are_none_count_as_not_timed(void **state)
{
    Place *p = *state;
    static const Made rows[] = {
        {"a", "g", OUTCOME_OK, 0, 0}, {"b", "g", OUTCOME_OK, -2, 0}, {"c", "g", OUTCOME_OK, 3, 0}};
    static const MadeProfile profiles[] = {
        {"a", "g", {10, 2, 1}}, {"b", "g", {10, 2, 1}}, {"c", "g", {10, 2, 1}}};
    write_times(p, rows, 3);
    write_profile(p, profiles, 3);
    const Table *s = read_points(p);
    assert_int_equal(s->timed, 1);
    assert_int_equal(s->best, 2);
    assert_warns_once(p, "2 configurations in '");
}

static void a_recording_that_ends_inside_a_line_is_read_with_a_warning(void **state)
{
    Place *p = *state;
    static const Made rows[] = {{"a", "g", OUTCOME_OK, 1, 0}, {"b", "g", OUTCOME_OK, 2, 0}};
    static const MadeProfile profiles[] = {{"a", "g", {10, 2, 1}}};
    write_times(p, rows, 2);
    write_profile(p, profiles, 1);
    size_t size;
    const char *text = file_read(p->arena, p->times, &size, &p->diag);
    const char *second = strstr(strstr(text, "{\"v\"") + 1, "{\"v\"");
    assert_true(file_write(p->times, text, (size_t)(second - text) + 9, &p->diag));
    assert_int_equal(read_points(p)->count, 1);
    assert_warns_once(p, "ends inside a line, which is left out");
}

static void a_damaged_profile_is_an_error(void **state)
{
    Place *p = *state;
    static const Made rows[] = {{"a", "g", OUTCOME_OK, 1, 0}};
    static const MadeProfile profiles[] = {{"a", "g", {10, 2, 1}}};
    write_times(p, rows, 1);
    write_profile(p, profiles, 1);
    size_t size;
    char *text = arena_string(p->arena, file_read(p->arena, p->profile, &size, &p->diag));
    *strstr(text, "[10") = '(';
    assert_true(file_write(p->profile, text, size, &p->diag));
    assert_null(read_points(p));
    assert_int_equal(p->diag.errors, 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, place_make, place_remove)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_point_of_several_launches_takes_the_sum_and_copies_share_their_profile),
        TEST(a_metric_that_cannot_be_computed_is_counted_and_says_why),
        TEST(with_an_objective_times_and_cycles_are_for_the_same_work),
        TEST(a_row_without_its_work_is_neither_written_nor_believed),
        TEST(without_a_profile_nothing_static_is_known_and_a_warning_says_so),
        TEST(a_profile_of_another_version_is_read_with_a_warning),
        TEST(points_that_the_profile_lacks_are_counted_in_a_warning),
        TEST(times_that_are_none_count_as_not_timed),
        TEST(a_recording_that_ends_inside_a_line_is_read_with_a_warning),
        TEST(a_damaged_profile_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
