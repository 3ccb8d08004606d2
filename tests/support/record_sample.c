#include "tests/support/record_sample.h"

#include "metrics/base/file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static const RecordParameter parameters[] = {{"BM", false}, {"TYPE", true}};
static const RecordProblem problem[] = {{"N", {VALUE_INT, .integer = 4096}},
                                        {"LAYOUT", {VALUE_STRING, .string = "row"}}};
static const RecordFact facts[] = {{"sms", 132}, {"clock_hz", 1.98e9}};
static const char *const options[] = {"-use_fast_math", "--std=c++17"};
const RecordHeader sample_header = {
    .space = "synthetic",
    .parameters = parameters,
    .parameter_count = 2,
    .problem = problem,
    .problem_count = 2,
    .arch = "sm_90",
    .device = "Synthetic GPU",
    .uuid = "GPU-0",
    .facts = facts,
    .fact_count = 2,
    .driver = "1.0",
    .nvrtc = "13.0",
    .options = options,
    .option_count = 2,
    .source_hash = "abc",
    .date = "2026-01-01T00:00:00Z",
    .version = "0.1.0",
};

int place_make(void **state)
{
    Arena *a = arena_new();
    Place *p = ARENA_NEW(a, Place);
    char *folder = arena_string(a, "/tmp/test_record_XXXXXX");
    if (!mkdtemp(folder))
        return -1;
    *p = (Place){a, diag_new(a), arena_printf(a, "%s/synthetic.times", folder),
                 arena_printf(a, "%s/synthetic.times.zst", folder)};
    *state = p;
    return 0;
}

int place_remove(void **state)
{
    Place *p = *state;
    unlink(p->path);
    unlink(p->packed);
    rmdir(path_folder(p->arena, p->path));
    arena_free(p->arena);
    return 0;
}

const char *messages(Place *p)
{
    Buf out = {0};
    diag_print(&p->diag, &out);
    const char *text = arena_string(p->arena, buf_text(&out));
    buf_free(&out);
    p->diag = diag_new(p->arena);
    return text;
}

void assert_says(Place *p, const char *words)
{
    const char *text = messages(p);
    if (!strstr(text, words))
        fail_msg("'%s' is not in '%s'", words, text);
}

const double sample_times[6] = {1.25, 0.1, 1.0 / 3, 5e-324, 1.7976931348623157e308, 3};

/* Three rows, two devices, a sentinel and a note. */
void write_sample(Place *p)
{
    TimesRecording *existing;
    TimesWriter *w = times_open_append(p->arena, p->path, &sample_header, &existing, &p->diag);
    assert_non_null(w);
    assert_null(existing);
    const Value v0[] = {value_int(64), value_string("half")};
    const Value v1[] = {value_int(-9223372036854775807 - 1), value_string("\"q\",\n\xc3\xa9")};
    const RecordDevice devices[] = {{0, 0, "Synthetic GPU", "GPU-0"},
                                    {0, 3, "Synthetic GPU", "GPU-3"}};
    int first = times_append_device(w, &devices[0], &p->diag);
    int second = times_append_device(w, &devices[1], &p->diag);
    assert_true(first == 1 && second == 2);
    const RecordRow rows[] = {
        {.values = v0,
         .code = "c0",
         .launch = "g1 b2",
         .status = OUTCOME_OK,
         .times_ms = sample_times,
         .time_count = 6,
         .max_error = 1e-6,
         .seconds = 0.25,
         .compile_s = 0.3125,
         .profile_s = 0.0078125,
         .device = second},
        {.values = v1,
         .status = OUTCOME_COMPILE_ERROR,
         .message = "bad \xff byte",
         .max_error = NAN},
        {.values = v0,
         .code = "c0",
         .launch = "g1 b2",
         .status = OUTCOME_WRONG,
         .times_ms = sample_times,
         .time_count = 1,
         .max_error = INFINITY},
    };
    assert_true(times_append(w, &rows[0], &p->diag));
    const RecordRow sentinel = {
        .values = v0, .times_ms = sample_times, .time_count = 2, .device = first};
    assert_true(times_append_sentinel(w, &sentinel, &p->diag));
    assert_true(times_append(w, &rows[1], &p->diag));
    assert_true(times_append_note(w, "a note", &p->diag));
    assert_true(times_append(w, &rows[2], &p->diag));
    assert_true(times_close(w, &p->diag));
}

const char *sample_text(Place *p, size_t *size)
{
    const char *text = file_read(p->arena, p->path, size, &p->diag);
    assert_non_null(text);
    return text;
}

/* One that may be changed. */
char *file_copy(Place *p, const char *path, size_t *size)
{
    const char *text = file_read(p->arena, path, size, &p->diag);
    assert_non_null(text);
    return arena_copy(p->arena, text, *size);
}

void put(Place *p, const char *path, const char *text, size_t size)
{
    assert_true(file_write(path, text, size, &p->diag));
}

void assert_sample(const TimesRecording *r)
{
    assert_non_null(r);
    assert_string_equal(r->header.space, "synthetic");
    assert_string_equal(r->header.options[1], "--std=c++17");
    assert_string_equal(r->header.problem[1].value.string, "row");
    assert_true(r->header.facts[1].value == 1.98e9);
    assert_int_equal(r->rows.count, 3);
    const RecordRow *row = r->rows.at;
    assert_string_equal(row[0].key, "BM=64,TYPE=half");
    assert_string_equal(row[0].launch, "g1 b2");
    assert_int_equal(row[0].time_count, 6);
    assert_memory_equal(row[0].times_ms, sample_times, sizeof sample_times);
    assert_true(row[0].max_error == 1e-6 && row[0].seconds == 0.25 && row[1].seconds == 0);
    assert_true(row[0].compile_s == 0.3125 && row[0].profile_s == 0.0078125);
    assert_true(row[1].compile_s == 0 && row[1].profile_s == 0);
    assert_int_equal(times_device(r, row[0].device)->ordinal, 3);
    assert_string_equal(times_device(r, row[0].device)->uuid, "GPU-3");
    assert_null(times_device(r, row[1].device));
    assert_string_equal(row[1].key, "BM=-9223372036854775808,TYPE=\"\\\"q\\\",\\n\xc3\xa9\"");
    assert_int_equal(row[1].status, OUTCOME_COMPILE_ERROR);
    assert_string_equal(row[1].message, "bad ? byte");
    assert_null(row[1].code);
    assert_true(isnan(row[1].max_error));
    assert_int_equal(row[2].status, OUTCOME_WRONG);
    assert_true(isinf(row[2].max_error));
    assert_int_equal(r->sentinels.count, 1);
    assert_int_equal(r->sentinels.at[0].after, 1);
    assert_string_equal(times_device(r, r->sentinels.at[0].row.device)->name, "Synthetic GPU");
    assert_int_equal(r->notes.at[0].after, 2);
    assert_false(r->file.cut);
}
