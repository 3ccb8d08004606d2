#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/support/record_sample.h"
#include "metrics/base/file.h"
#include "tuner/output/export.h"
#include "tuner/output/import.h"
#include "tuner/output/scan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

/* --- the scanner ------------------------------------------------------------------------------ */

static void elements_are_found_whatever_stands_in_them(void **state)
{
    (void)state;
    const char *text = " { \"a\\\"}\" : [1, {\"]\": \"}\"}], \"b\":-1.5e3 ,\"c\":\"x,\\\\\" } ";
    Scan s = scan_new(text, strlen(text));
    ScanText key = {0}, value = {0};

    assert_true(scan_take(&s, '{'));
    assert_true(scan_more(&s, '}') && scan_key(&s, &key) && scan_value(&s, &value));
    assert_true(scan_is(key, "a\\\"}") && scan_is(value, "[1, {\"]\": \"}\"}]"));
    assert_true(scan_more(&s, '}') && scan_key(&s, &key) && scan_value(&s, &value));
    assert_true(scan_is(key, "b") && scan_is(value, "-1.5e3"));
    assert_true(scan_more(&s, '}') && scan_key(&s, &key) && scan_value(&s, &value));
    assert_true(scan_is(key, "c") && scan_is(value, "\"x,\\\\\""));
    assert_false(scan_more(&s, '}'));

    assert_false(s.cut || s.bad);
}

/* Of a text cut anywhere, each row that was whole is read, and that it is cut is noticed. */
static void a_text_cut_anywhere_loses_only_what_is_cut(void **state)
{
    (void)state;
    const char *text = "{\"results\":[{\"a\":[1]},{\"a\":\"}\"},{\"a\":{}}]}";
    const size_t ends[] = {21, 31, 40}; /* bytes after which each row is whole */

    for (size_t size = 0; size < strlen(text); size++) {
        Scan s = scan_new(text, size);
        ScanText key, value;
        size_t rows = 0, whole = 0;
        for (size_t i = 0; i < 3; i++)
            whole += size >= ends[i];
        if (scan_take(&s, '{') && scan_more(&s, '}') && scan_key(&s, &key) && scan_take(&s, '['))
            while (scan_more(&s, ']'))
                rows += scan_value(&s, &value);
        if (size < strlen(text) - 1)
            assert_true(s.cut);
        assert_false(s.bad);
        assert_int_equal(rows, whole);
    }
}

static void what_json_lacks_is_read_as_null_but_not_in_texts(void **state)
{
    (void)state;
    Buf copy = {0};
    ScanAnomalies odd;
    const char *text = "{\"NaN\":NaN,\"b\":[-Infinity,\"Infinity\",1]}";

    json_t *v = scan_load((ScanText){text, strlen(text)}, &copy, &odd);

    assert_non_null(v);
    assert_true(odd.not_number && !odd.huge);
    assert_true(json_is_null(json_object_get(v, "NaN")));
    const json_t *list = json_object_get(v, "b");
    assert_true(json_is_null(json_array_get(list, 0)));
    assert_string_equal(json_string_value(json_array_get(list, 1)), "Infinity");
    json_decref(v);
    buf_free(&copy);
}

/* --- words ------------------------------------------------------------------------------------ */

static void units_are_known_in_any_spelling(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        double ms;
    } units[] = {{"ms", 1},           {"miliseconds", 1},  {"Milliseconds", 1},
                 {"us", 1e-3},        {"\xc2\xb5s", 1e-3}, {"Microseconds", 1e-3},
                 {"s", 1e3},          {"seconds", 1e3},    {"Nanoseconds", 1e-6},
                 {"milli-second", 1}, {"fortnights", 0},   {"", 0}};

    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        assert_true(foreign_unit_ms(units[i].name) == units[i].ms);
}

/* What T4 calls an outcome is read back as the same one, but for what T4 does not tell apart. */
static void outcomes_survive_the_way_through_t4(void **state)
{
    (void)state;
    for (int s = OUTCOME_OK; s < OUTCOME_OTHER; s++) {
        Outcome back = foreign_status(export_invalidity((Outcome)s));
        bool refused = s == OUTCOME_LAUNCH_FAILED || s == OUTCOME_LOAD_FAILED;
        assert_int_equal(back, refused ? OUTCOME_FAULT : (Outcome)s);
    }
    assert_int_equal(foreign_status(export_invalidity(OUTCOME_COMPILE_TIMEOUT)),
                     OUTCOME_COMPILE_ERROR);
    assert_int_equal(foreign_status("nothing known"), OUTCOME_OTHER);
}

/* --- tables
 * --------------------------------------------------------------------------------------- */

static ForeignTable *read_text(Arena *a, Diag *d, const char *text, const char *unit)
{
    return foreign_read(a, "synthetic.json", text, strlen(text), unit, NULL, d);
}

static void a_column_is_whole_numbers_only_if_all_are(void **state)
{
    (void)state;
    Arena *a = arena_new();
    Diag d = diag_new(a);
    ForeignTable *t = read_text(
        a, &d,
        "{\"results\":["
        "{\"configuration\":{\"i\":1,\"s\":\"2\",\"r\":1,\"t\":1,\"z\":\"007\",\"b\":true},"
        "\"times\":{\"runtimes\":[1]},\"invalidity\":\"correct\"},"
        "{\"configuration\":{\"i\":2,\"s\":3,\"r\":\"2.50\",\"t\":\"half\",\"z\":\"8\",\"b\":0},"
        "\"times\":{\"runtimes\":[1]},\"invalidity\":\"correct\"}]}",
        "ms");
    assert_non_null(t);

    RecordParameter *p = import_parameters(t);
    const Value *one = import_values(a, p, 6, t->rows.at[0].values);
    const Value *two = import_values(a, p, 6, t->rows.at[1].values);

    assert_true(!p[0].is_text && one[0].integer == 1);
    assert_true(!p[1].is_text && one[1].integer == 2 && two[1].integer == 3);
    assert_true(p[2].is_text);
    assert_string_equal(two[2].string, "2.5");
    assert_true(p[3].is_text);
    assert_string_equal(one[3].string, "1");
    assert_true(p[4].is_text); /* 007 is a number, but not the text of one */
    assert_true(!p[5].is_text && one[5].integer == 1 && two[5].integer == 0);
    arena_free(a);
}

/* A row of Kernel Tuner's cache that does not repeat its parameters has them in its key. */
static void a_row_takes_from_its_key_what_it_does_not_say(void **state)
{
    (void)state;
    Arena *a = arena_new();
    Diag d = diag_new(a);
    ForeignTable *t = read_text(a, &d,
                                "{\"device_name\":\"X\",\"kernel_name\":\"k\",\"problem_size\":1,"
                                "\"tune_params_keys\":[\"p\",\"q\",\"r\"],"
                                "\"tune_params\":{\"p\":[1,2],\"q\":[3,4],\"r\":[5,6]},"
                                "\"cache\":{\"1,4,6\":{\"r\":6,\"time\":0.5},"
                                "\"2,3,5\":{\"time\":0.25}}}",
                                "ms");
    assert_non_null(t);
    assert_int_equal(t->rows.count, 2);

    RecordParameter *p = import_parameters(t);
    static const int64_t expected[2][3] = {{1, 4, 6}, {2, 3, 5}};
    for (size_t i = 0; i < 2; i++) {
        const Value *v = import_values(a, p, 3, t->rows.at[i].values);
        for (size_t k = 0; k < 3; k++)
            assert_true(v[k].kind == VALUE_INT && v[k].integer == expected[i][k]);
    }
    arena_free(a);
}

static void times_come_in_milliseconds_whatever_the_file_has(void **state)
{
    (void)state;
    static const struct {
        const char *said, *asked;
        double ms;
    } cases[] = {{"microseconds", NULL, 0.25},
                 {"s", NULL, 250000},
                 {"", NULL, 250},
                 {"seconds", "ms", 250},
                 {"moons", "us", 0.25}};

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        Arena *a = arena_new();
        Diag d = diag_new(a);
        /* The unit may stand behind the rows. */
        const char *metadata =
            *cases[i].said ? arena_printf(a, ",\"metadata\":{\"timeunit\":\"%s\"}", cases[i].said)
                           : "";
        ForeignTable *t = read_text(
            a, &d,
            arena_printf(a,
                         "{\"results\":[{\"configuration\":{\"a\":1},\"times\":{\"runtimes\":"
                         "[250]},\"invalidity\":\"correct\"}]%s}",
                         metadata),
            cases[i].asked);
        assert_non_null(t);
        assert_true(t->rows.at[0].times[0] == cases[i].ms);
        assert_int_equal(t->anomalies[ANOMALY_NO_UNIT], !*cases[i].said);
        arena_free(a);
    }
}

/* A unit that stands with the measurement alone is that of the runtimes, too. */
static void a_measurements_unit_is_that_of_its_row(void **state)
{
    (void)state;
    static const char *const runtimes[] = {"", "\"runtimes\":[250]"};
    for (int k = 0; k < 2; k++) {
        Arena *a = arena_new();
        Diag d = diag_new(a);
        ForeignTable *t = read_text(
            a, &d,
            arena_printf(a,
                         "{\"results\":[{\"configuration\":{\"a\":1},\"times\":{%s},"
                         "\"invalidity\":\"correct\",\"measurements\":[{\"name\":\"time\","
                         "\"value\":250,\"unit\":\"us\"}]}]}",
                         runtimes[k]),
            NULL);
        assert_non_null(t);
        assert_true(t->rows.at[0].times[0] == 0.25);
        arena_free(a);
    }
}

/* KTT writes "correct" beside a correctness of 0. */
static void a_row_of_no_correctness_is_wrong(void **state)
{
    (void)state;
    static const char *const values[] = {"1", "0", "0.5"};
    for (int k = 0; k < 3; k++) {
        Arena *a = arena_new();
        Diag d = diag_new(a);
        ForeignTable *t = read_text(
            a, &d,
            arena_printf(a,
                         "{\"results\":[{\"configuration\":{\"a\":1},\"invalidity\":\"correct\","
                         "\"correctness\":%s,\"times\":{\"runtimes\":[2]}}]}",
                         values[k]),
            "ms");
        assert_non_null(t);
        assert_int_equal(t->rows.at[0].status, k == 1 ? OUTCOME_WRONG : OUTCOME_OK);
        arena_free(a);
    }
}

static void a_unit_that_is_not_known_is_refused(void **state)
{
    (void)state;
    Arena *a = arena_new();
    Diag d = diag_new(a);
    const char *text = "{\"metadata\":{\"timeunit\":\"moons\"},\"results\":[{\"configuration\":{"
                       "\"a\":1},\"times\":{\"runtimes\":[1]},\"invalidity\":\"correct\"}]}";

    assert_null(read_text(a, &d, text, NULL));

    assert_non_null(strstr(d.messages.at[0].text, "'moons'"));
    arena_free(a);
}

/* The hub has T4 files whose objective is a score and that have no times at all. */
static void a_file_without_any_time_is_refused_with_its_objective(void **state)
{
    (void)state;
    Arena *a = arena_new();
    Diag d = diag_new(a);
    const char *text = "{\"results\":[{\"configuration\":{\"a\":1},\"times\":{\"compilation\":3},"
                       "\"invalidity\":\"correct\",\"objectives\":[\"score\"]}]}";

    assert_null(read_text(a, &d, text, NULL));

    assert_non_null(strstr(d.messages.at[0].text, "its objective is 'score'"));
    arena_free(a);
}

/* Every row of the file is in the table or counted among those left out. */
static void no_row_is_lost_without_being_counted(void **state)
{
    (void)state;
    Arena *a = arena_new();
    Diag d = diag_new(a);
    const char *text = "{\"results\":[1,{\"configuration\":{\"a\":1},\"times\":{\"runtimes\":[1]},"
                       "\"invalidity\":\"correct\"},{\"configuration\":{}},{\"x\":},"
                       "{\"configuration\":{\"a\":2},\"invalidity\":\"odd\"}]}";

    ForeignTable *t = read_text(a, &d, text, "ms");

    assert_non_null(t);
    assert_int_equal(t->read, 5);
    assert_int_equal(t->rows.count, 2);
    assert_int_equal(t->anomalies[ANOMALY_BROKEN] + t->anomalies[ANOMALY_NO_PARAMETER], 3);
    assert_int_equal(t->anomalies[ANOMALY_STATUS], 1);
    assert_int_equal(t->rows.at[1].status, OUTCOME_FAULT);
    assert_string_equal(t->rows.at[1].message, "odd");
    arena_free(a);
}

/* Kernel Tuner's words for a failure, wherever they stand, and numbers that are none. */
static void failures_of_kernel_tuner_are_known_in_each_place(void **state)
{
    (void)state;
    static const struct {
        const char *row;
        Outcome status;
    } cases[] = {{"\"time\":\"InvalidConfig\"", OUTCOME_SKIPPED},
                 {"\"time\":\"CompilationFailedConfig\",\"times\":[]", OUTCOME_COMPILE_ERROR},
                 {"\"__error__\":\"RuntimeFailedConfig\"", OUTCOME_FAULT},
                 {"\"GFLOP/s\":\"RuntimeFailedConfig\",\"time\":1", OUTCOME_FAULT},
                 {"\"time\":1e20", OUTCOME_FAULT},
                 {"\"time\":\"\"", OUTCOME_FAULT},
                 {"\"time\":\"2.5\"", OUTCOME_OK},
                 {"\"time\":\"2.5 ms too late\",\"times\":[2]", OUTCOME_FAULT},
                 {"\"time\":\"nan\"", OUTCOME_FAULT},
                 {"\"time\":2.5,\"times\":[2,3]", OUTCOME_OK}};

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        Arena *a = arena_new();
        Diag d = diag_new(a);
        ForeignTable *t =
            read_text(a, &d,
                      arena_printf(a,
                                   "{\"tune_params_keys\":[\"a\"],\"objective\":\"GFLOP/s\","
                                   "\"cache\":{\"1\":{\"a\":1,%s},\"2\":{\"a\":2,\"time\":1}}}",
                                   cases[i].row),
                      NULL);
        assert_non_null(t);
        assert_int_equal(t->rows.at[0].status, cases[i].status);
        assert_int_equal(t->rows.at[0].time_count > 0, cases[i].status == OUTCOME_OK);
        arena_free(a);
    }
}

static void a_file_of_countless_parameters_is_refused(void **state)
{
    (void)state;
    Arena *a = arena_new();
    Diag d = diag_new(a);
    Buf text = {0};
    buf_puts(&text, "{\"results\":[{\"times\":{\"runtimes\":[1]},\"configuration\":{\"p\":1");
    for (int i = 0; i < FOREIGN_PARAMETERS_MOST; i++)
        buf_printf(&text, ",\"p%d\":1", i);
    buf_puts(&text, "}}]}");

    assert_null(read_text(a, &d, buf_text(&text), "ms"));

    assert_non_null(strstr(d.messages.at[0].text, "has 1025 parameters; at most 1024 are read"));
    buf_free(&text);
    arena_free(a);
}

/* --- packed files ----------------------------------------------------------------------------- */

/* `count` zeros as gzip packs them; the packed size. */
static size_t pack_zeros(unsigned char *out, size_t room, size_t count)
{
    unsigned char *zeros = calloc(count, 1);
    z_stream z = {.next_in = zeros, .avail_in = (uInt)count, .next_out = out};
    z.avail_out = (uInt)room;
    assert_int_equal(deflateInit2(&z, 9, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY), Z_OK);
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    deflateEnd(&z);
    free(zeros);
    return room - z.avail_out;
}

/* A few bytes may stand for any number of them: the bound holds before memory is taken. */
static void what_unpacks_beyond_the_bound_is_refused(void **state)
{
    (void)state;
    enum { ZEROS = 10000000, BOUND = 1000000 };
    unsigned char packed[20000];
    size_t size = pack_zeros(packed, sizeof packed, ZEROS);
    Arena *a = arena_new();
    Diag d = diag_new(a);
    char path[] = "/tmp/aptune-exchange-XXXXXX";
    close(mkstemp(path));
    assert_true(file_write(path, (const char *)packed, size, &d));
    assert_non_null(import_text(a, path, ZEROS, &size, &d));
    assert_int_equal(size, ZEROS);
    const size_t used = arena_used(a);
    assert_null(import_text(a, path, BOUND, &size, &d));
    assert_in_range(size, BOUND, 3 * BOUND);
    assert_in_range(arena_used(a) - used, 0, BOUND);
    assert_non_null(strstr(d.messages.at[0].text, "has more than the 1000000 bytes"));
    unlink(path);
    arena_free(a);
}

/* Cell number `k` of a line of CSV that has no quotes. */
static const char *cell(Arena *a, const char *line, size_t k)
{
    for (; k > 0; k--)
        line = strchr(line, ',') + 1;
    return arena_copy(a, line, strcspn(line, ",\n"));
}

/* Of the sample's rows of one configuration the first kept the GPU for a known time. */
static void a_cell_is_empty_where_nothing_is_known(void **state)
{
    Place *p = *state;
    enum { MEDIAN = 6, SECONDS = 10 };
    const char *path = arena_printf(p->arena, "%s.csv", p->path);
    ExportSource s;
    size_t rows, size;
    write_sample(p);
    assert_true(export_open(p->arena, p->path, metricset_new(p->arena), &s, &p->diag));

    assert_true(export_write(&s, EXPORT_CSV, path, &rows, &p->diag));

    const char *text = file_copy(p, path, &size);
    const char *first = strstr(text, "\nearlier,64,half,") + 1;
    const char *second = strstr(text, "\nrow,64,half,") + 1;
    assert_string_equal(cell(p->arena, first, SECONDS), "0.25");
    assert_string_equal(cell(p->arena, second, SECONDS), "");
    assert_true(strtod(cell(p->arena, second, MEDIAN), NULL) == sample_times[0]);
}

/* A row for each configuration, and what was timed again counts. */
static void t4_is_json_with_a_result_for_each_configuration(void **state)
{
    Place *p = *state;
    const char *path = arena_printf(p->arena, "%s.json", p->path);
    ExportSource s;
    size_t rows, size;
    write_sample(p);
    assert_true(export_open(p->arena, p->path, metricset_new(p->arena), &s, &p->diag));
    for (int with = 0; with < 2; with++) {
        assert_true(export_write(&s, with ? EXPORT_T4_1_1 : EXPORT_T4, path, &rows, &p->diag));
        const char *text = file_copy(p, path, &size);
        json_t *t4 = json_loadb(text, size, 0, NULL);
        assert_non_null(t4);
        assert_string_equal(json_string_value(json_object_get(t4, "schema_version")),
                            with ? "1.1.0" : "1.0.0");
        assert_int_equal(json_array_size(json_object_get(t4, "results")), rows);
        json_decref(t4);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(elements_are_found_whatever_stands_in_them),
        cmocka_unit_test_setup_teardown(t4_is_json_with_a_result_for_each_configuration, place_make,
                                        place_remove),
        cmocka_unit_test(a_text_cut_anywhere_loses_only_what_is_cut),
        cmocka_unit_test(what_json_lacks_is_read_as_null_but_not_in_texts),
        cmocka_unit_test(what_unpacks_beyond_the_bound_is_refused),
        cmocka_unit_test(units_are_known_in_any_spelling),
        cmocka_unit_test(outcomes_survive_the_way_through_t4),
        cmocka_unit_test(a_column_is_whole_numbers_only_if_all_are),
        cmocka_unit_test(a_row_takes_from_its_key_what_it_does_not_say),
        cmocka_unit_test(times_come_in_milliseconds_whatever_the_file_has),
        cmocka_unit_test(a_measurements_unit_is_that_of_its_row),
        cmocka_unit_test(a_row_of_no_correctness_is_wrong),
        cmocka_unit_test(a_unit_that_is_not_known_is_refused),
        cmocka_unit_test(a_file_without_any_time_is_refused_with_its_objective),
        cmocka_unit_test(no_row_is_lost_without_being_counted),
        cmocka_unit_test(a_file_of_countless_parameters_is_refused),
        cmocka_unit_test(failures_of_kernel_tuner_are_known_in_each_place),
        cmocka_unit_test_setup_teardown(a_cell_is_empty_where_nothing_is_known, place_make,
                                        place_remove),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
