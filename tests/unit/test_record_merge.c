/* Joining recordings: parts give the whole, and what does not go together is refused.  All figures
 * are synthetic. */
#include "metrics/base/file.h"
#include "tuner/record/merge.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static const RecordParameter parameters[] = {{"BM", false}};
static const RecordHeader header = {.space = "synthetic",
                                    .parameters = parameters,
                                    .parameter_count = 1,
                                    .arch = "sm_90",
                                    .device = "Synthetic GPU",
                                    .uuid = "GPU-0",
                                    .driver = "1.0",
                                    .nvrtc = "13.0",
                                    .source_hash = "abc",
                                    .version = "0.1.0"};
static const RecordDevice gpus[] = {{0, 0, "Synthetic GPU", "GPU-0"},
                                    {0, 1, "Synthetic GPU", "GPU-1"}};

/* A folder of its own for every test. */
typedef struct Place {
    Arena *arena;
    Diag diag;
    const char *folder;
    const char *from[2]; /* the parts */
    const char *to;
    MergeCounts counts;
} Place;

static const char *in_folder(Place *p, const char *name)
{
    return arena_printf(p->arena, "%s/%s", p->folder, name);
}

static int place_make(void **state)
{
    Arena *a = arena_new();
    Place *p = ARENA_NEW(a, Place);
    char *folder = arena_string(a, "/tmp/test_merge_XXXXXX");
    if (!mkdtemp(folder))
        return -1;
    *p = (Place){.arena = a, .diag = diag_new(a), .folder = folder};
    p->from[0] = in_folder(p, "a.times");
    p->from[1] = in_folder(p, "b.times");
    p->to = in_folder(p, "all.times");
    *state = p;
    return 0;
}

static int place_remove(void **state)
{
    Place *p = *state;
    static const char *const names[] = {"a.times",   "b.times",   "all.times",  "all.times.part",
                                        "a.profile", "b.profile", "all.profile"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        unlink(in_folder(p, names[i]));
    int left = rmdir(p->folder);
    arena_free(p->arena);
    return left;
}

static void assert_says(Place *p, const char *words)
{
    Buf out = {0};
    diag_print(&p->diag, &out);
    if (!strstr(buf_text(&out), words))
        fail_msg("'%s' is not in '%s'", words, buf_text(&out));
    buf_free(&out);
    p->diag = diag_new(p->arena);
}

/* One configuration of a part; `ms` 0: none. */
typedef struct Line {
    int64_t bm;
    const char *code;
    Outcome status;
    double ms;
} Line;

static void write_part(Place *p, int part, const RecordHeader *h, const Line *lines, size_t count)
{
    TimesRecording *none;
    unlink(p->from[part]);
    TimesWriter *w = times_open_append(p->arena, p->from[part], h, &none, &p->diag);
    assert_non_null(w);
    int device = times_append_device(w, &gpus[part], &p->diag);
    for (size_t i = 0; i < count; i++) {
        Value v = value_int(lines[i].bm);
        RecordRow row = {.values = &v,
                         .code = lines[i].code,
                         .launch = "g",
                         .status = lines[i].status,
                         .times_ms = &lines[i].ms,
                         .time_count = lines[i].ms > 0,
                         .max_error = NAN,
                         .device = lines[i].ms > 0 ? device : 0};
        assert_true(times_append(w, &row, &p->diag));
    }
    Value v = value_int(lines[0].bm);
    double ms = 7;
    RecordRow sentinel = {.values = &v, .times_ms = &ms, .time_count = 1, .device = device};
    assert_true(times_append_sentinel(w, &sentinel, &p->diag));
    double rounds[] = {part + 1, part + 2};
    RecordRow final = {.values = &v, .times_ms = rounds, .time_count = 2, .device = device};
    assert_true(times_append_final(w, &final, 1, &p->diag));
    assert_true(times_close(w, &p->diag));
}

static bool merge(Place *p)
{
    return merge_times(p->to, p->from, 2, &p->counts, &p->diag);
}

static const TimesRecording *merged(Place *p)
{
    assert_true(merge(p));
    const TimesRecording *r = times_read(p->arena, p->to, &p->diag);
    assert_non_null(r);
    return r;
}

static const Line first_part[] = {{1, "c1", OUTCOME_OK, 1.5}, {2, "c2", OUTCOME_WRONG, 0}};
static const Line second_part[] = {{3, "c3", OUTCOME_OK, 2.5}, {4, "c4", OUTCOME_FAULT, 0}};

static void parts_give_the_whole_and_rows_keep_their_device(void **state)
{
    Place *p = *state;
    RecordHeader other = header;
    other.uuid = "GPU-1";
    other.date = "2026-01-02T00:00:00Z";
    write_part(p, 0, &header, first_part, 2);
    write_part(p, 1, &other, second_part, 2);

    const TimesRecording *r = merged(p);

    assert_int_equal(r->rows.count, 4);
    assert_int_equal(p->counts.rows, 4);
    assert_int_equal(r->sentinels.count, 2);
    assert_int_equal(r->devices.count, 2);
    const RecordRow *one = times_find(r, "BM=1"), *three = times_find(r, "BM=3");
    assert_true(one->times_ms[0] == 1.5 && three->times_ms[0] == 2.5);
    assert_string_equal(times_device(r, one->device)->uuid, "GPU-0");
    assert_string_equal(times_device(r, three->device)->uuid, "GPU-1");
    assert_int_equal(times_device(r, three->device)->ordinal, 1);
    assert_string_equal(times_device(r, r->sentinels.at[1].row.device)->uuid, "GPU-1");
    assert_int_equal(times_find(r, "BM=4")->status, OUTCOME_FAULT);
    assert_int_equal(r->finals.count, 2);
    assert_true(r->finals.at[0].number == 1 && r->finals.at[1].number == 2);
    assert_true(r->finals.at[1].row.times_ms[0] == 2);
}

static void of_equal_rows_one_is_kept_and_an_outcome_goes_before_none(void **state)
{
    Place *p = *state;
    const Line left_out[] = {{2, "c2", OUTCOME_OK, 3.5}, {1, "c1", OUTCOME_SKIPPED, 0}};
    const Line rest[] = {
        {1, "c1", OUTCOME_OK, 1.5}, {2, "c2", OUTCOME_SKIPPED, 0}, {5, "c5", OUTCOME_SKIPPED, 0}};
    write_part(p, 0, &header, left_out, 2);
    write_part(p, 1, &header, rest, 3);

    const TimesRecording *r = merged(p);

    assert_int_equal(r->rows.count, 3);
    assert_int_equal(p->counts.equal, 2);
    assert_int_equal(p->counts.skipped, 1);
    assert_true(times_find(r, "BM=1")->times_ms[0] == 1.5);
    assert_true(times_find(r, "BM=2")->times_ms[0] == 3.5);

    /* The same file twice is that file once. */
    const char *twice[] = {p->from[0], p->from[0]};
    unlink(p->to);
    assert_true(merge_times(p->to, twice, 2, &p->counts, &p->diag));
    r = times_read(p->arena, p->to, &p->diag);
    assert_int_equal(r->rows.count, 2);
    assert_int_equal(r->finals.count, 1);
    assert_int_equal(p->counts.equal, 2);
    assert_int_equal(p->counts.again, 0);
}

static void what_was_measured_twice_is_kept_twice_and_the_last_counts(void **state)
{
    Place *p = *state;
    const Line again[] = {{1, "c1", OUTCOME_OK, 1.75}};
    write_part(p, 0, &header, first_part, 2);
    write_part(p, 1, &header, again, 1);

    const TimesRecording *r = merged(p);

    assert_int_equal(r->rows.count, 3);
    assert_int_equal(p->counts.again, 1);
    assert_true(times_find(r, "BM=1")->times_ms[0] == 1.75);
}

static void contradictions_are_refused(void **state)
{
    Place *p = *state;
    static const struct {
        Line line;
        const char *words;
    } BAD[] = {
        {{1, "other", OUTCOME_OK, 1.5}, "contradict each other on BM=1: its code is"},
        {{1, "c1", OUTCOME_WRONG, 0}, "its outcome is 'ok' in the first and 'wrong' in the second"},
        {{2, "c2", OUTCOME_FAULT, 0}, "on BM=2: its outcome is 'wrong'"},
    };
    write_part(p, 0, &header, first_part, 2);
    for (size_t i = 0; i < sizeof BAD / sizeof BAD[0]; i++) {
        write_part(p, 1, &header, &BAD[i].line, 1);

        assert_false(merge(p));

        assert_says(p, BAD[i].words);
        assert_false(file_exists(p->to));
        assert_false(file_exists(in_folder(p, "all.times.part")));
    }
}

static void recordings_of_something_else_are_refused(void **state)
{
    Place *p = *state;
    write_part(p, 0, &header, first_part, 2);
    RecordHeader others[4];
    for (int i = 0; i < 4; i++)
        others[i] = header;
    others[0].source_hash = "def";
    others[1].version = "9.9";
    others[2].device = "another";
    others[3].nvrtc = "12.0";
    static const char *const words[] = {"its source is 'def', not 'abc'",
                                        "its aptune version is '9.9'", "its device is 'another'",
                                        "its NVRTC version is '12.0'"};
    for (int i = 0; i < 4; i++) {
        write_part(p, 1, &others[i], second_part, 2);

        assert_false(merge(p));

        assert_says(p, words[i]);
        assert_false(file_exists(p->to));
    }
}

static void what_is_there_stays_and_a_damaged_part_is_named(void **state)
{
    Place *p = *state;
    write_part(p, 0, &header, first_part, 2);
    write_part(p, 1, &header, second_part, 2);
    assert_true(file_write(p->to, "kept", 4, &p->diag));

    assert_false(merge(p));

    assert_says(p, "exists already");
    unlink(p->to);
    size_t size;
    char *text = arena_string(p->arena, file_read(p->arena, p->from[1], &size, &p->diag));
    text[size / 2] ^= 1;
    assert_true(file_write(p->from[1], text, size, &p->diag));
    assert_false(merge(p));
    assert_says(p, "the line is damaged");
    assert_false(file_exists(p->to));
    text[size / 2] ^= 1;
    assert_true(file_write(p->from[1], text, size - 3, &p->diag));
    assert_int_equal(merged(p)->rows.count, 4);
    assert_says(p, "ends inside a line");
}

/* --- profiles --------------------------------------------------------------------------------- */

static const char *const fields[] = {"instr", "regions"};

static void write_profile(Place *p, const char *path, const char *profiler, const char *code,
                          double value)
{
    ProfileHeader h = {.about = header, .profiler = profiler, .fields = fields, .field_count = 2};
    double values[] = {value, NAN};
    ProfileRow rows[] = {{"shared", "g", values, NULL, NULL, 0},
                         {code, "g", values, "note", NULL, 0}};
    unlink(path);
    ProfileWriter *w = profiles_create(p->arena, path, &h, &p->diag);
    assert_non_null(w);
    assert_true(profiles_append(w, &rows[0], &p->diag));
    assert_true(profiles_append(w, &rows[1], &p->diag));
    assert_true(profiles_close(w, &p->diag));
}

static void profiles_are_joined_and_contradictions_refused(void **state)
{
    Place *p = *state;
    const char *from[] = {in_folder(p, "a.profile"), in_folder(p, "b.profile")};
    const char *to = in_folder(p, "all.profile");
    write_profile(p, from[0], "7", "a", 5);
    write_profile(p, from[1], "7", "b", 5);

    assert_true(merge_profiles(to, from, 2, &p->diag));

    const ProfileRecording *r = profiles_read(p->arena, to, &p->diag);
    assert_int_equal(r->rows.count, 3);
    assert_string_equal(profiles_find(r, "b", "g")->note, "note");
    unlink(to);
    write_profile(p, from[1], "7", "b", 6);
    assert_false(merge_profiles(to, from, 2, &p->diag));
    assert_says(p, "contradict each other on the profile of code shared");
    write_profile(p, from[1], "8", "b", 5);
    assert_false(merge_profiles(to, from, 2, &p->diag));
    assert_says(p, "another profiler made it");
    assert_false(file_exists(to));
}

static void a_profile_lies_beside_its_times(void **state)
{
    (void)state;
    Arena *a = arena_new();

    assert_string_equal(record_profile_path(a, "x/mm.times"), "x/mm.profile");
    assert_string_equal(record_profile_path(a, "x.times/mm.times.zst"), "x.times/mm.profile.zst");
    assert_null(record_profile_path(a, "x/mm"));
    arena_free(a);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, place_make, place_remove)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(parts_give_the_whole_and_rows_keep_their_device),
        TEST(of_equal_rows_one_is_kept_and_an_outcome_goes_before_none),
        TEST(what_was_measured_twice_is_kept_twice_and_the_last_counts),
        TEST(contradictions_are_refused),
        TEST(recordings_of_something_else_are_refused),
        TEST(what_is_there_stays_and_a_damaged_part_is_named),
        TEST(profiles_are_joined_and_contradictions_refused),
        cmocka_unit_test(a_profile_lies_beside_its_times),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
