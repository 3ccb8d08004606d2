/* Recordings of times: what was written is read, and nothing else is ever believed.  All figures
 * are synthetic. */
#include "metrics/base/file.h"
#include "tests/support/record_sample.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static void what_was_written_is_read(void **state)
{
    Place *p = *state;
    write_sample(p);

    TimesRecording *r = times_read(p->arena, p->path, &p->diag);

    assert_sample(r);
    Buf why = {0};
    assert_true(record_header_same(&r->header, &sample_header, &why));
    assert_string_equal(record_problem_text(p->arena, &r->header), "N=4096,LAYOUT=row");
    buf_free(&why);
}

static void rows_are_found_by_configuration_and_by_code_the_latest_first(void **state)
{
    Place *p = *state;
    write_sample(p);

    TimesRecording *r = times_read(p->arena, p->path, &p->diag);

    assert_ptr_equal(times_find(r, "BM=64,TYPE=half"), &r->rows.at[2]);
    assert_null(times_find(r, "BM=65,TYPE=half"));
}

/* Lines as a newer program might write them, with right checksums. */
static const char *sealed(Arena *a, const char *const *objects, size_t count, size_t *size)
{
    Buf all = {0}, line = {0};
    for (size_t i = 0; i < count; i++) {
        buf_clear(&line);
        buf_puts(&line, objects[i]);
        line_end(&line);
        buf_puts(&all, buf_text(&line));
    }
    *size = all.size;
    const char *text = arena_string(a, buf_text(&all));
    buf_free(&all);
    buf_free(&line);
    return text;
}

/* A row is whole with its newline, and the rows of a prefix are those whose lines end in it. */
static void a_file_cut_at_any_byte_reads_as_its_whole_lines(void **state)
{
    Place *p = *state;
    write_sample(p);
    size_t size, lines = 0, header_size = 0;
    const char *text = sample_text(p, &size);

    for (size_t cut = 0; cut <= size; cut++) {
        lines += cut > 0 && text[cut - 1] == '\n';
        header_size = lines == 0 ? cut + 1 : header_size;
        put(p, p->path, text, cut);
        TimesRecording *r = times_read(p->arena, p->path, &p->diag);
        if (lines == 0) {
            assert_null(r);
            continue;
        }
        assert_non_null(r);
        assert_int_equal(1 + r->rows.count + r->sentinels.count + r->devices.count +
                             r->notes.count + r->closed,
                         lines);
        assert_int_equal(r->file.cut, text[cut - 1] != '\n');
    }
    assert_int_equal(lines, 9);
}

static size_t warnings_of(Place *p, const char *text, size_t size)
{
    Diag d = diag_new(p->arena);
    put(p, p->path, text, size);
    TimesRecording *r = times_read(p->arena, p->path, &d);
    assert_true(r || d.errors > 0);
    return d.messages.count;
}

/* Whatever is missing, a part of a line, the end, lines of the middle or all of a kind, is said; also
 * where a run went on with what another had ended. */
static void what_is_missing_is_said(void **state)
{
    Place *p = *state;
    TimesRecording *existing;
    write_sample(p);
    TimesWriter *w = times_open_append(p->arena, p->path, &sample_header, &existing, &p->diag);
    assert_true(w && existing->closed && times_close(w, &p->diag));
    w = times_open_append(p->arena, p->path, &sample_header, &existing, &p->diag);
    assert_true(w && existing->closed && times_append_note(w, "again", &p->diag));
    assert_true(times_close(w, &p->diag));
    size_t size;
    const char *text = sample_text(p, &size);
    assert_int_equal(warnings_of(p, text, size), 0);

    for (size_t cut = 0; cut < size; cut++)
        assert_true(warnings_of(p, text, cut) > 0);
    const char *at = text;
    for (const char *end; (end = memchr(at, '\n', size - (size_t)(at - text))); at = end + 1) {
        Buf without = {0};
        buf_add(&without, text, (size_t)(at - text));
        buf_add(&without, end + 1, size - (size_t)(end + 1 - text));
        assert_true(warnings_of(p, buf_text(&without), without.size) > 0);
        if (at > text) { /* the line twice */
            buf_clear(&without);
            buf_add(&without, text, (size_t)(end + 1 - text));
            buf_add(&without, at, size - (size_t)(at - text));
            assert_true(warnings_of(p, buf_text(&without), without.size) > 0);
        }
        buf_free(&without);
    }
}

/* A run that is killed at any byte goes on, and what comes of it is whole again. */
static void a_file_cut_at_any_byte_can_be_continued(void **state)
{
    Place *p = *state;
    write_sample(p);
    size_t size;
    const char *text = sample_text(p, &size);

    for (size_t cut = 0; cut <= size; cut++) {
        TimesRecording *existing;
        Diag d = diag_new(p->arena);
        put(p, p->path, text, cut);
        TimesWriter *w = times_open_append(p->arena, p->path, &sample_header, &existing, &d);
        assert_non_null(w);
        assert_true(times_append_note(w, "again", &d) && times_close(w, &d));
        TimesRecording *r = times_read(p->arena, p->path, &d);
        assert_true(r && r->closed && r->rows.count == (existing ? existing->rows.count : 0));
        assert_int_equal(d.messages.count, 0);
    }
}

/* Those of before have format 1 and no chain: they are read and continued as they are. */
static void a_recording_of_before_is_read_with_a_note(void **state)
{
    Place *p = *state;
    static const char *const lines[] = {"{\"aptune\":\"times\",\"format\":1,\"space\":"
                                        "\"synthetic\",\"parameters\":[[\"A\",\"int\"]]",
                                        "{\"v\":[1],\"status\":\"ok\",\"t\":[1.5]"};
    size_t size;
    const char *text = sealed(p->arena, lines, 2, &size);
    put(p, p->path, text, size);

    TimesRecording *r = times_read(p->arena, p->path, &p->diag);

    assert_true(r && r->rows.count == 1 && !r->file.chained);
    assert_says(p, "of an older aptune and does not say how many rows it holds");
    Diag d = diag_new(p->arena);
    TimesRecording *existing;
    TimesWriter *w = times_open_append(p->arena, p->path, &r->header, &existing, &d);
    const Value two[] = {value_int(2)};
    assert_true(times_append(
        w,
        &(RecordRow){
            .values = two, .status = OUTCOME_OK, .times_ms = (double[]){1}, .time_count = 1},
        &d));
    assert_true(times_close(w, &d));
    r = times_read(p->arena, p->path, &d);
    assert_true(r && r->rows.count == 2 && !r->file.chained);
}

/* Whatever one byte is changed to, the reading is refused, or (last newline) the line is not in;
 * where it only ties a line to the one before, that is said. */
static void a_changed_byte_anywhere_is_never_believed(void **state)
{
    Place *p = *state;
    write_sample(p);
    size_t size;
    const char *original = sample_text(p, &size);
    char *text = arena_copy(p->arena, original, size);
    static const unsigned char masks[] = {0x01, 0x20};
    size_t tolerated = 0;

    for (size_t i = 0; i < size; i++) {
        for (size_t m = 0; m <= sizeof masks; m++) {
            char changed = m < sizeof masks ? (char)(original[i] ^ masks[m]) : '\n';
            if (changed == original[i])
                continue;
            Arena *a = arena_new();
            Diag d = diag_new(a);
            text[i] = changed;
            put(p, p->path, text, size);
            TimesRecording *r = times_read(a, p->path, &d);
            if (i == size - 1) {
                assert_true(r && r->file.cut && r->rows.count == 3);
            } else if (r) {
                assert_sample(r);
                assert_true(d.messages.count > 0);
            } else {
                assert_true(d.errors > 0);
            }
            tolerated += r != NULL;
            arena_free(a);
        }
        text[i] = original[i];
    }
    assert_true(tolerated > 10 && tolerated <= 9 * 4 * 2 + 3); /* four digits of each line */
}

static void a_damaged_line_is_named_and_the_rest_is_good_without_it(void **state)
{
    Place *p = *state;
    write_sample(p);
    size_t size;
    char *text = file_copy(p, p->path, &size);
    char *second = strstr(text, "{\"v\""), *third = strchr(second, '\n') + 1;
    char *digit = strstr(second, "1.25");
    *digit = '2';

    put(p, p->path, text, size);
    assert_null(times_read(p->arena, p->path, &p->diag));
    assert_says(p, "synthetic.times:4: the line is damaged");

    memmove(second, third, size - (size_t)(third - text));
    put(p, p->path, text, size - (size_t)(third - second));
    TimesRecording *r = times_read(p->arena, p->path, &p->diag);
    assert_non_null(r);
    assert_int_equal(r->rows.count, 2);
}

static void a_second_run_on_the_same_file_is_refused(void **state)
{
    Place *p = *state;
    TimesRecording *existing;
    TimesWriter *first = times_open_append(p->arena, p->path, &sample_header, &existing, &p->diag);

    TimesWriter *second = times_open_append(p->arena, p->path, &sample_header, &existing, &p->diag);

    assert_non_null(first);
    assert_null(second);
    /* Who, where the system tells: a container may hide it. */
    const char *said = messages(p);
    assert_non_null(strstr(said, "is being written by another run"));
    const char *pid = strstr(said, ", process ");
    if (pid)
        assert_int_equal(atoi(pid + strlen(", process ")), getpid());
    assert_true(times_close(first, &p->diag));
    second = times_open_append(p->arena, p->path, &sample_header, &existing, &p->diag);
    assert_non_null(second);
    assert_non_null(existing);
    times_close(second, &p->diag);
}

static void a_cut_recording_is_continued_from_its_whole_lines(void **state)
{
    Place *p = *state;
    write_sample(p);
    size_t size;
    const char *text = sample_text(p, &size);
    const Value v[] = {value_int(1), value_string("x")};
    const RecordRow row = {
        .status = OUTCOME_OK, .values = v, .times_ms = sample_times, .time_count = 1};

    for (size_t cut = 0; cut < size; cut += 41) {
        put(p, p->path, text, cut);
        TimesRecording *existing;
        TimesWriter *w = times_open_append(p->arena, p->path, &sample_header, &existing, &p->diag);
        assert_non_null(w);
        size_t before = existing ? existing->rows.count : 0;
        assert_true(times_append(w, &row, &p->diag));
        assert_true(times_close(w, &p->diag));

        TimesRecording *r = times_read(p->arena, p->path, &p->diag);
        assert_non_null(r);
        assert_false(r->file.cut);
        assert_int_equal(r->rows.count, before + 1);
    }
}

static void a_recording_of_something_else_is_not_continued(void **state)
{
    Place *p = *state;
    write_sample(p);
    size_t before, after;
    sample_text(p, &before);
    RecordHeader other = sample_header;
    other.driver = "2.0";
    TimesRecording *existing;

    assert_null(times_open_append(p->arena, p->path, &other, &existing, &p->diag));

    assert_says(p, "its driver is '1.0', not '2.0'");
    other = sample_header;
    other.problem_count = 1;
    assert_null(times_open_append(p->arena, p->path, &other, &existing, &p->diag));
    assert_says(p, "its problem sizes are 'N=4096,LAYOUT=row', not 'N=4096'");
    other = sample_header;
    other.source_hash = "other";
    TimesWriter *w = times_open_append(p->arena, p->path, &other, &existing, &p->diag);
    assert_non_null(w);
    times_close(w, &p->diag);
    sample_text(p, &after);
    assert_int_equal(before, after);
}

static void a_file_that_is_no_recording_is_left_as_it_is(void **state)
{
    Place *p = *state;
    const char *texts[] = {"param BM in 64", "{\"aptune\":\"profile\",\"format\":1", "{\"x\":1}\n"};
    for (size_t i = 0; i < 3; i++) {
        put(p, p->path, texts[i], strlen(texts[i]));
        TimesRecording *existing;

        assert_null(times_open_append(p->arena, p->path, &sample_header, &existing, &p->diag));

        assert_says(p, "is not a recording of times");
        size_t size;
        assert_string_equal(sample_text(p, &size), texts[i]);
    }
}

#define HEADER_LINE                                                                                \
    "{\"aptune\":\"times\",\"format\":1,\"space\":\"s\",\"parameters\":[[\"A\",\"int\"]]"

static void unknown_keys_kinds_and_statuses_do_no_harm(void **state)
{
    Place *p = *state;
    const char *const lines[] = {
        HEADER_LINE ",\"new\":{\"x\":[1]}",
        "{\"v\":[1],\"status\":\"ok\",\"t\":[2],\"new\":null",
        "{\"weather\":\"fine\"",
        "{\"v\":[2],\"status\":\"exploded\"",
    };
    size_t size;
    const char *text = sealed(p->arena, lines, 4, &size);
    put(p, p->path, text, size);

    TimesRecording *r = times_read(p->arena, p->path, &p->diag);

    assert_non_null(r);
    assert_int_equal(r->rows.count, 2);
    assert_int_equal(r->rows.at[1].status, OUTCOME_OTHER);
    assert_int_equal(p->diag.errors, 0);
}

static void lines_that_make_no_sense_are_named(void **state)
{
    Place *p = *state;
    static const struct {
        const char *line, *says;
    } cases[] = {
        {"{\"v\":[1],\"status\":\"ok\"", "times:2: the status is ok, but there is no time"},
        {"{\"v\":[1,2],\"status\":\"ok\",\"t\":[1]", "2 values for 1 parameters"},
        {"{\"v\":[\"x\"],\"status\":\"ok\",\"t\":[1]", "the value of 'A' has the wrong type"},
        {"{\"v\":[1.5],\"status\":\"ok\",\"t\":[1]", "a whole number or a string is expected"},
        {"{\"v\":[1],\"t\":[1]", "'status' is missing"},
        {"{\"v\":[1],\"status\":3", "'status' is not a string"},
        {"{\"v\":[1],\"status\":\"ok\",\"t\":[null]", "a time is not finite"},
        {"{\"v\":[1],\"status\":\"ok\",\"t\":[[]]", "a number is expected"},
        {"{\"v\":[1],\"status\":\"ok\",\"t\":7", "'t' is not an array"},
        {"{\"v\":[1],\"status\":\"ok\",\"t\":[1],\"on\":\"1\"",
         "'on' is not a whole number of at least 0"},
        {"{\"v\":[1],\"v\":[2],\"status\":\"ok\",\"t\":[1]", "duplicate"},
        {"{\"v\":[1", "']' expected"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *const lines[] = {HEADER_LINE, cases[i].line};
        size_t size;
        const char *text = sealed(p->arena, lines, 2, &size);
        put(p, p->path, text, size);

        assert_null(times_read(p->arena, p->path, &p->diag));

        assert_int_equal(p->diag.messages.count, 1);
        assert_says(p, cases[i].says);
    }
}

static void a_newer_format_is_named(void **state)
{
    Place *p = *state;
    const char *const lines[] = {"{\"aptune\":\"times\",\"format\":3"};
    size_t size;
    const char *text = sealed(p->arena, lines, 1, &size);
    put(p, p->path, text, size);

    assert_null(times_read(p->arena, p->path, &p->diag));

    assert_says(p, "has format 3; this aptune reads up to format 2");
}

static void a_missing_file_is_an_error(void **state)
{
    Place *p = *state;

    assert_null(times_read(p->arena, p->path, &p->diag));

    assert_says(p, "No such file");
}

static void rows_that_make_no_sense_are_not_written(void **state)
{
    Place *p = *state;
    TimesRecording *existing;
    TimesWriter *w = times_open_append(p->arena, p->path, &sample_header, &existing, &p->diag);
    const Value v[] = {value_int(1), value_string("x")};
    const Value wrong[] = {value_string("1"), value_string("x")};
    const double nan_time[] = {NAN};

    assert_false(times_append(w, &(RecordRow){.status = OUTCOME_OK, .values = v}, &p->diag));
    assert_false(times_append(
        w, &(RecordRow){.status = OUTCOME_OK, .values = v, .times_ms = nan_time, .time_count = 1},
        &p->diag));
    assert_false(times_append(w, &(RecordRow){.values = wrong, .status = OUTCOME_FAULT}, &p->diag));
    assert_false(times_append_sentinel(
        w, &(RecordRow){.status = OUTCOME_OK, .values = v, .times_ms = nan_time, .time_count = 1},
        &p->diag));

    times_close(w, &p->diag);
    assert_int_equal(times_read(p->arena, p->path, &p->diag)->rows.count, 0);
}

static void a_full_device_is_an_error_that_says_so(void **state)
{
    Place *p = *state;
    TimesRecording *existing;

    assert_null(times_open_append(p->arena, "/dev/full", &sample_header, &existing, &p->diag));

    assert_says(p, "No space left on device");
}

/* A limit on the size of files does what a full disk does: a line is written in part. */
static void a_disk_that_fills_up_leaves_a_readable_recording(void **state)
{
    Place *p = *state;
    TimesRecording *existing;
    TimesWriter *w = times_open_append(p->arena, p->path, &sample_header, &existing, &p->diag);
    const Value v[] = {value_int(1), value_string("x")};
    const RecordRow row = {
        .status = OUTCOME_OK, .values = v, .times_ms = sample_times, .time_count = 6};
    assert_true(times_append(w, &row, &p->diag));
    size_t size;
    sample_text(p, &size);
    struct rlimit old, small;
    getrlimit(RLIMIT_FSIZE, &old);
    small = old;
    small.rlim_cur = size + 10;
    signal(SIGXFSZ, SIG_IGN);

    setrlimit(RLIMIT_FSIZE, &small);
    bool full = times_append(w, &row, &p->diag);
    setrlimit(RLIMIT_FSIZE, &old);
    bool again = times_append(w, &row, &p->diag);

    assert_false(full);
    assert_says(p, "File too large; what was recorded before is kept");
    assert_true(again);
    times_close(w, &p->diag);
    TimesRecording *r = times_read(p->arena, p->path, &p->diag);
    assert_false(r->file.cut);
    assert_int_equal(r->rows.count, 2);
}

static void a_rounded_time_is_short_and_stays(void **state)
{
    (void)state;

    assert_true(record_round(0.12345678901) == 0.1234568);
    assert_true(record_round(record_round(1.0 / 3)) == record_round(1.0 / 3));
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, place_make, place_remove)

static void a_final_is_read_as_it_was_written(void **state)
{
    Place *p = *state;
    TimesRecording *existing;
    const double times[] = {1.5, 1.25, 1.75}, warm[] = {0.5};
    const Value values[] = {value_int(64), value_string("half")};
    RecordHeader h = sample_header;
    h.cache = "both";
    TimesWriter *w = times_open_append(p->arena, p->path, &h, &existing, &p->diag);
    RecordRow row = {.status = OUTCOME_OK,
                     .values = values,
                     .times_ms = times,
                     .time_count = 3,
                     .max_error = NAN};
    assert_true(times_append_final(w, &row, 2, &p->diag));
    row.warm_ms = warm;
    row.warm_count = 1;
    assert_true(times_append(w, &row, &p->diag));
    assert_true(times_close(w, &p->diag));

    const TimesRecording *r = times_read(p->arena, p->path, &p->diag);

    assert_non_null(r);
    assert_string_equal(r->header.cache, "both");
    assert_int_equal(r->finals.count, 1);
    assert_int_equal(r->finals.at[0].number, 2);
    assert_string_equal(r->finals.at[0].row.key, r->rows.at[0].key);
    assert_int_equal(r->finals.at[0].row.time_count, 3);
    assert_memory_equal(r->finals.at[0].row.times_ms, times, sizeof times);
    assert_int_equal(r->rows.count, 1);
    assert_int_equal(r->rows.at[0].warm_count, 1);
    assert_true(r->rows.at[0].warm_ms[0] == 0.5);
}

/* Recordings did not say so before, and were all made with a warm cache. */
static void a_recording_goes_on_only_with_the_cache_it_began_with(void **state)
{
    (void)state;
    Buf why = {0};
    RecordHeader silent = sample_header, warm = sample_header, cold = sample_header;
    warm.cache = "warm";
    cold.cache = "cold";

    assert_true(record_header_same(&silent, &warm, &why));
    assert_true(record_header_same(&warm, &silent, &why));
    assert_false(record_header_same(&silent, &cold, &why));

    assert_non_null(strstr(buf_text(&why), "L2 cache"));
    buf_free(&why);
}

/* Each thing changed by itself, and what is said of it; what does not decide may differ. */
static void headers_differ_by_what_decides_alone(void **state)
{
    (void)state;
    static const RecordParameter renamed[] = {{"BN", false}, {"TYPE", true}};
    static const RecordParameter numbers[] = {{"BM", false}, {"TYPE", false}};
    static const RecordProblem larger[] = {{"N", {VALUE_INT, .integer = 8192}},
                                           {"LAYOUT", {VALUE_STRING, .string = "row"}}};
    static const RecordProblem column[] = {{"N", {VALUE_INT, .integer = 4096}},
                                           {"LAYOUT", {VALUE_STRING, .string = "col"}}};
    static const RecordFact facts[] = {{"sms", 1}};
    static const char *const options[] = {"-use_fast_math", "--std=c++20"};
    static const char *const said[] = {
        "its space is 'synthetic', not 'X'",
        "its architecture is 'sm_90', not 'X'",
        "its device is 'Synthetic GPU', not 'X'",
        "its L2 cache is 'warm', not 'X'",
        "its driver is '1.0', not 'X'",
        "its NVRTC version is '13.0', not 'X'",
        "its objective is '', not 'X'",
        "its origin is '', not 'X'",
        "its parameters are 'BM,TYPE:text', not 'BN,TYPE:text'",
        "its parameters are 'BM,TYPE:text', not 'BM,TYPE'",
        "its parameters are 'BM,TYPE:text', not 'BM'",
        "its problem sizes are 'N=4096,LAYOUT=row', not 'N=8192,LAYOUT=row'",
        "its problem sizes are 'N=4096,LAYOUT=row', not 'N=4096,LAYOUT=col'",
        "its compiler options are '-use_fast_math --std=c++17', not '-use_fast_math --std=c++20'",
        "its compiler options are '-use_fast_math --std=c++17', not '-use_fast_math'",
        "",
    };
    enum { CASES = sizeof said / sizeof *said };
    RecordHeader other[CASES];
    for (size_t i = 0; i < CASES; i++)
        other[i] = sample_header;
    const char **texts[] = {&other[0].space,     &other[1].arch,    &other[2].device,
                            &other[3].cache,     &other[4].driver,  &other[5].nvrtc,
                            &other[6].objective, &other[7].imported};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        *texts[i] = "X";
    other[8].parameters = renamed;
    other[9].parameters = numbers;
    other[10].parameter_count = 1;
    other[11].problem = larger;
    other[12].problem = column;
    other[13].options = options;
    other[14].option_count = 1;
    other[15].uuid = other[15].source_hash = other[15].date = other[15].version = "X";
    other[15].facts = facts;
    other[15].fact_count = 1;
    for (size_t i = 0; i < CASES; i++) {
        Buf why = {0};

        assert_int_equal(record_header_same(&sample_header, &other[i], &why), !*said[i]);

        assert_string_equal(buf_text(&why), said[i]);
        buf_free(&why);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(what_was_written_is_read),
        TEST(rows_are_found_by_configuration_and_by_code_the_latest_first),
        TEST(a_file_cut_at_any_byte_reads_as_its_whole_lines),
        TEST(what_is_missing_is_said),
        TEST(a_file_cut_at_any_byte_can_be_continued),
        TEST(a_recording_of_before_is_read_with_a_note),
        TEST(a_changed_byte_anywhere_is_never_believed),
        TEST(a_damaged_line_is_named_and_the_rest_is_good_without_it),
        TEST(a_second_run_on_the_same_file_is_refused),
        TEST(a_cut_recording_is_continued_from_its_whole_lines),
        TEST(a_recording_of_something_else_is_not_continued),
        TEST(a_file_that_is_no_recording_is_left_as_it_is),
        TEST(unknown_keys_kinds_and_statuses_do_no_harm),
        TEST(lines_that_make_no_sense_are_named),
        TEST(a_newer_format_is_named),
        TEST(a_missing_file_is_an_error),
        TEST(rows_that_make_no_sense_are_not_written),
        TEST(a_full_device_is_an_error_that_says_so),
        TEST(a_disk_that_fills_up_leaves_a_readable_recording),
        cmocka_unit_test(headers_differ_by_what_decides_alone),
        cmocka_unit_test(a_rounded_time_is_short_and_stays),
        cmocka_unit_test_setup_teardown(a_final_is_read_as_it_was_written, place_make,
                                        place_remove),
        cmocka_unit_test(a_recording_goes_on_only_with_the_cache_it_began_with),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
