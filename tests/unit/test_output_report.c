/* Reports of a replay, as whole texts (tests/data/cli).
 *
 * The recording is synthetic: hashes, profiles and times are made up here, so that no compiler and
 * no GPU has a say in the texts. */
#include "metrics/base/clock.h"
#include "metrics/base/file.h"
#include "tuner/output/report.h"
#include "tuner/output/report_parts.h"
#include "tuner/run/run_parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static const char *const metric_files[] = {SOURCE_DIR "/metrics/thesis.metrics",
                                           SOURCE_DIR "/metrics/cycles.metrics"};

static Run *new_run(RunOptions options)
{
    Arena *a = arena_new();
    Run *r = ARENA_NEW(a, Run);
    *r = (Run){.arena = a,
               .diag = ARENA_NEW(a, Diag),
               .options = options,
               .home.metric_files = metric_files,
               .home.metric_file_count = 2};
    r->options.space = TEST_DATA "/cli/synthetic.spec";
    r->options.no_gpu = true;
    r->options.jobs = 1;
    *r->diag = diag_new(a);
    return r;
}

static void end_run(Run *r)
{
    run_close(r);
    arena_free(r->arena);
}

/* The first is fastest, the second wrong, the third does not compile. */
static void make_up(Run *r, size_t i)
{
    Table *t = r->table;
    const Geometry *g = &t->launch[i].geometry[0];
    Profile *p = ARENA_NEW(r->arena, Profile);
    *p = profile_new();
    p->value[PROFILE_REGISTERS] = (double)(16 + 8 * (i % 2));
    p->value[PROFILE_INSTR] = (double)(10 + i);
    p->value[PROFILE_REGIONS] = 2;
    p->value[PROFILE_THREADS] = (double)(g->threads * g->blocks);
    p->value[PROFILE_WARPS_PER_BLOCK] = (double)g->threads / 32;
    p->value[PROFILE_BLOCKS_PER_SM] = (double)(8 - i % 4);
    double *times = ARENA_ARRAY(r->arena, double, 2);
    times[0] = times[1] = 0.25 + 0.125 * (double)i;
    t->outcome[i] = i == 2 ? OUTCOME_COMPILE_ERROR : i == 1 ? OUTCOME_WRONG : OUTCOME_OK;
    t->why[i] = i == 2 ? "synthetic.cu(3): error: made up" : NULL;
    t->times[i].ms = times;
    t->times[i].count = i == 1 ? 0 : 2;
    if (i == 2)
        return;
    LaunchProfile *share = ARENA_NEW(r->arena, LaunchProfile);
    *share = (LaunchProfile){p, 1};
    t->profile[i] = (TableProfile){p, share, 1};
    run_set_code(r, i, arena_printf(r->arena, "%032zx", i));
}

static void write_recording(const char *folder)
{
    Run *r = new_run((RunOptions){.arch = "sm_90", .output = folder});
    assert_true(run_open(r) && run_open_sources(r));
    Device device = *r->device;
    device.name = "Synthetic GPU";
    r->device = &device;
    r->code.compiler = "synthetic";
    RecordHeader h = run_record_header(r);
    h.date = "2000-01-01T00:00:00Z";
    TimesRecording *existing;
    const char *path = arena_printf(r->arena, "%s/synthetic.times", folder);
    TimesWriter *w = times_open_append(r->arena, path, &h, &existing, r->diag);
    for (size_t i = 0; i < r->table->count; i++) {
        make_up(r, i);
        assert_true(run_append_row(r, w, &h, i));
    }
    assert_true(times_close(w, r->diag) && run_write_profiles(r, &h));
    end_run(r);
}

static char folder[] = "/tmp/aptune-test-XXXXXX";

static int set_up(void **state)
{
    (void)state;
    if (!mkdtemp(folder))
        return -1;
    write_recording(folder);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    char path[64];
    snprintf(path, sizeof path, "%s/synthetic.times", folder);
    unlink(path);
    snprintf(path, sizeof path, "%s/synthetic.profile", folder);
    unlink(path);
    return rmdir(folder);
}

static Run *replay(void)
{
    Run *r = new_run((RunOptions){.recordings = folder});
    assert_true(run_open(r));
    assert_true(run_compile(r));
    assert_true(r->recorded.profiles);
    run_carve(r);
    assert_true(run_time(r));
    run_judge(r);
    return r;
}

/* Replaces every `from` in a text. */
static char *replace(Arena *a, const char *text, const char *from, const char *to)
{
    Buf b = {0};
    for (const char *at; (at = strstr(text, from)); text = at + strlen(from)) {
        buf_add(&b, text, (size_t)(at - text));
        buf_puts(&b, to);
    }
    buf_puts(&b, text);
    char *out = arena_string(a, buf_text(&b));
    buf_free(&b);
    return out;
}

/* Compares with a file, the folder of the recording, the version and the ledger filtered out.  A
 * text that differs is left in the build folder, to be looked at and, when it is right, copied. */
static void compare(Run *r, const Buf *text, const char *file)
{
    char *got = replace(r->arena, buf_text(text), folder, "FOLDER");
    got = replace(r->arena, got, APTUNE_VERSION, "VERSION");
    char *ledger = strstr(got, "\nledger "), *last = ledger ? strstr(ledger, "\n  total ") : NULL;
    if (last) {
        const char *rest = strchr(last + 1, '\n') + 1;
        memmove(ledger + 1, rest, strlen(rest) + 1);
    }
    size_t size;
    const char *want =
        file_read(r->arena, arena_printf(r->arena, TEST_DATA "/cli/%s", file), &size, r->diag);
    assert_non_null(want);
    if (strcmp(got, want) != 0)
        file_write(arena_printf(r->arena, BUILD_DIR "/%s", file), got, strlen(got), r->diag);
    assert_string_equal(got, want);
}

static void the_report_of_a_replay(void **state)
{
    (void)state;
    Run *r = replay();
    Buf out = {0};

    report_heading(r, &out);
    report_result(r, &out);
    for (size_t i = 0; i < r->table->count; i++)
        report_why(r, i, &out);

    compare(r, &out, "report.txt");
    buf_free(&out);
    end_run(r);
}

static void counts_of_a_dry_run(void **state)
{
    (void)state;
    Run *r = new_run((RunOptions){.dry_run = true, .recordings = TEST_DATA "/cli"});
    Buf out = {0};
    assert_true(run_open(r));

    report_heading(r, &out);
    report_dry_run(r, &out);

    compare(r, &out, "dry_run.txt");
    buf_free(&out);
    end_run(r);
}

/* Profile `i` as it would be with another value in a field. */
static void set_field(Run *r, size_t i, ProfileField f, double value)
{
    Profile *p = ARENA_NEW(r->arena, Profile);
    *p = *r->table->profile[i].whole;
    p->value[f] = value;
    r->table->profile[i].whole = p;
}

static void what_is_estimated_is_counted(void **state)
{
    (void)state;
    Run *r = replay();
    Buf before = {0}, after = {0};
    report_result(r, &before);
    set_field(r, 0, PROFILE_CODE_UNMATCHED, 1);
    set_field(r, 3, PROFILE_CODE_UNMATCHED, 1);
    set_field(r, 3, PROFILE_CODE_GUESSED, 1);

    report_result(r, &after);

    assert_null(strstr(buf_text(&before), "uncertain"));
    assert_non_null(strstr(buf_text(&after),
                           "uncertain             2  whose machine code does not match the PTX"));
    assert_non_null(strstr(buf_text(&after), "1  of them counted from the PTX alone"));
    buf_free(&before);
    buf_free(&after);
    end_run(r);
}

/* The report of a search that drew so many by chance, of which so many were better. */
static bool says_of_chance(size_t drawn, size_t better, const char *words)
{
    Run *r = replay();
    Buf out = {0};
    r->search = (RunSearch){.done = true, .held_since = NAN};
    r->search.state = (SearchState){.left = 1000, .random = drawn, .random_better = better};
    report_result(r, &out);
    bool said = strstr(buf_text(&out), words) != NULL;
    buf_free(&out);
    end_run(r);
    return said;
}

/* The rule of three: where none of n is better, at most 3/n of all are, with 95 % confidence. */
static void chance_bounds_what_is_left(void **state)
{
    (void)state;
    assert_true(says_of_chance(60, 0,
                               "none of 60 random draws was 1 % better when timed: "
                               "with 95 % confidence at most 5 % of the rest are\n"));
    assert_true(says_of_chance(3, 0, "at most 100 % of the rest are\n"));
    assert_false(says_of_chance(2, 0, "random draws"));
    assert_false(says_of_chance(60, 1, "random draws"));
}

/* Kept for 1000 s each: the one loaded and checked for 2 s and timed for 1, the other 30 and 10. */
static void seconds_of_all_gpus_are_added(void **state)
{
    (void)state;
    const double opened = clock_seconds() - 1000;
    RunGpu gpus[] = {{.opened = opened, .timed_s = 1, .busy_s = 3},
                     {.opened = opened, .timed_s = 10, .busy_s = 40}};
    Run *r = replay();
    r->gpus = gpus, r->gpu_count = 2;

    const GpuSeconds all = report_gpu_seconds(r);

    r->gpus = NULL, r->gpu_count = 0;
    end_run(r);
    assert_true(all.timed == 11 && all.verify == 32);
    assert_true(all.idle >= 997 + 960 && all.idle < 997 + 960 + 100);
}

static void seconds_of_stages_stand_in_rows(void **state)
{
    (void)state;
    Run *r = replay();
    Buf out = {0};
    for (int i = 0; i < LEDGER_STAGES; i++)
        r->ledger.seconds[i] = 1.5 * (1 << i), r->ledger.core_seconds[i] = 0.25 * (1 << i);

    report_ledger(r, &out);

    assert_non_null(strstr(buf_text(&out), "ledger            wall s      core s\n"
                                           "  construct         1.50        0.25\n"
                                           "  compile           3.00        0.50\n"
                                           "  profile           6.00        1.00\n"
                                           "  carve            12.00        2.00\n"
                                           "  time             24.00        4.00\n"
                                           "  total            46.50        7.75\n"));
    buf_free(&out);
    end_run(r);
}

static Run *audited(void)
{
    static size_t list[40];
    Run *r = replay();
    r->options.audit = 40, r->options.audit_seed = 7;
    r->audit = (RunAudit){.list = list,
                          .count = 40,
                          .dropped = 500,
                          .outcomes = 38,
                          .failed = 3,
                          .better = 2,
                          .margin = 0.005,
                          .fastest = 0,
                          .ratio = 0.8,
                          .share_high = 0.125,
                          .better_high = 62,
                          .beyond_high = 25,
                          .near_timed = 4,
                          .near = 6,
                          .recall = 0.5,
                          .recall_low = 0.25};
    return r;
}

/* Whether the audit's part of the report is these lines; an @ stands for a configuration's name. */
static void assert_audit(Run *r, const char *want)
{
    Buf out = {0};
    report_result(r, &out);
    const char *text = replace(r->arena, buf_text(&out), table_name(r->arena, r->table, 0), "@");
    if (!strstr(text, want))
        fail_msg("not in:\n%s", text);
    buf_free(&out);
}

static void an_audit_is_told_with_its_bounds(void **state)
{
    (void)state;
    Run *r = audited();

    assert_audit(r, "audit      38 of the 500 dropped, drawn with seed 7: 2 better than the winner by "
                    "more than 0.5 %, 3 failed (2 drawn have no outcome)\n"
                    "           the fastest of them takes 0.2500 ms, -20.0 %: @\n"
                    "           so at most 12.50 % of the dropped, 62, are better (95 % confidence)\n"
                    "recall     4 of the chosen are within 1 % of the winner or better, and 6 of "
                    "those drawn: 50.0 %, at least 25.0 %\n"
                    "regret     25.0 % seen; at most 5.00 % of the dropped, 25, would show more "
                    "(95 % confidence)\n");
    r->audit.outcomes = r->audit.count = 500, r->audit.failed = 0, r->audit.ratio = 1.25;
    assert_audit(r, "audit      500 of the 500 dropped, drawn with seed 7: 2 better than the winner by "
                    "more than 0.5 %\n"
                    "           the fastest of them takes 0.2500 ms, +25.0 %: @\n"
                    "           that is all of them: regret 0.0 %, recall 50.0 %\n");
    r->audit.outcomes = 38, r->audit.fastest = SIZE_MAX;
    assert_audit(r, "regret     not known: none of those drawn gave a right result\n");
    r->audit.outcomes = 0;
    assert_audit(r, "audit      none of those drawn has an outcome\n");
    r->audit.dropped = 0;
    assert_audit(r, "audit      nothing was dropped\n");
    end_run(r);
}

static void the_json_of_an_audit_has_each_number(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        double value;
    } rows[] = {{"seed", 7},           {"dropped", 500},  {"drawn", 40},
                {"audited", 38},       {"failed", 3},     {"confidence", 0.95},
                {"margin", 0.005},     {"better", 2},     {"better_share_high", 0.125},
                {"better_high", 62},   {"regret", 0.25},  {"regret_but_for_share", 0.05},
                {"near", 0.01},        {"near_chosen", 4}, {"near_audited", 6},
                {"recall", 0.5},       {"recall_low", 0.25}};
    Run *r = audited();
    json_t *all = report_audit_json(r), *fastest = json_object_get(all, "fastest");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (fabs(json_number_value(json_object_get(all, rows[i].name)) - rows[i].value) > 1e-12)
            fail_msg("%s", rows[i].name);
    assert_int_equal(json_object_size(all), sizeof rows / sizeof *rows + 1);
    assert_true(json_number_value(json_object_get(fastest, "time_ms")) == 0.25);
    assert_true(json_number_value(json_object_get(fastest, "ratio")) == 0.8);
    json_decref(all);
    r->audit.fastest = SIZE_MAX;
    all = report_audit_json(r);
    assert_true(json_is_null(json_object_get(all, "fastest")));
    assert_true(json_is_null(json_object_get(all, "regret")));
    json_decref(all);
    r->audit.outcomes = 0;
    all = report_audit_json(r);
    assert_true(json_is_null(all));
    end_run(r);
}

static void the_json_of_a_devices_health_has_each_number(void **state)
{
    (void)state;
    Run r = {.watch.health = {.samples = 9,
                              .clock_high_mhz = 1980,
                              .clock_low_mhz = 1755,
                              .power_high_w = 701,
                              .temperature_high_c = 64,
                              .throttle = THROTTLE_POWER | THROTTLE_HEAT,
                              .others = 3}};

    json_t *h = report_health(&r);

    char *text = json_dumps(h, JSON_SORT_KEYS | JSON_COMPACT);
    assert_string_equal(text, "{\"clock_high_mhz\":1980.0,\"clock_low_mhz\":1755.0,"
                              "\"held_back_by\":\"power cap, heat\",\"other_processes\":3,"
                              "\"power_high_w\":701.0,\"steady\":false,"
                              "\"temperature_high_c\":64.0}");
    free(text);
    json_decref(h);
}

static void what_happened_to_the_device_is_told(void **state)
{
    (void)state;
    Run *r = replay();
    Buf out = {0};
    r->watch.sentinels = 3;
    r->watch.sentinel_first_ms = 2, r->watch.sentinel_low_ms = 1.9, r->watch.sentinel_high_ms = 2.5;
    r->watch.lost = 7, r->watch.lost_why = "Xid 79";

    report_result(r, &out);

    assert_non_null(strstr(buf_text(&out),
                           "device     one configuration, timed 3 times in between, "
                           "varied by -5.0 % to +25.0 %\n"));
    assert_non_null(strstr(buf_text(&out), "THE GPU WAS LOST: 7 configurations were not timed"));
    assert_non_null(strstr(buf_text(&out), "Xid 79"));
    buf_free(&out);
    end_run(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(seconds_of_all_gpus_are_added),
        cmocka_unit_test(seconds_of_stages_stand_in_rows),
        cmocka_unit_test(an_audit_is_told_with_its_bounds),
        cmocka_unit_test(the_json_of_an_audit_has_each_number),
        cmocka_unit_test(the_json_of_a_devices_health_has_each_number),
        cmocka_unit_test(what_happened_to_the_device_is_told),
        cmocka_unit_test(the_report_of_a_replay),
        cmocka_unit_test(counts_of_a_dry_run),
        cmocka_unit_test(what_is_estimated_is_counted),
        cmocka_unit_test(chance_bounds_what_is_left),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
