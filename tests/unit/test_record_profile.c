/* Profiles in files, and which recording of a folder answers a question.  All figures are
 * synthetic. */
#include "metrics/base/file.h"
#include "tuner/record/find.h"
#include "tuner/record/profile.h"
#include "tuner/record/times.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static const char *const fields[] = {"instr", "regions", "serial_cycles"};
static const char *const columns[] = {"region_times", "region_instr"};
static const ProfileHeader profile_header = {
    .about = {.space = "synthetic", .arch = "sm_90", .nvrtc = "13.0"},
    .profiler = "7",
    .fields = fields,
    .field_count = 3,
    .columns = columns,
    .column_count = 2,
};

typedef struct Place {
    Arena *arena;
    Diag diag;
    const char *folder;
    const char *path;
} Place;

static int place_make(void **state)
{
    Arena *a = arena_new();
    Place *p = ARENA_NEW(a, Place);
    char *folder = arena_string(a, "/tmp/test_record_XXXXXX");
    if (!mkdtemp(folder))
        return -1;
    *p = (Place){a, diag_new(a), folder, arena_printf(a, "%s/synthetic.profile", folder)};
    *state = p;
    return 0;
}

static const char *const files[] = {
    "synthetic.profile", "synthetic.profile.zst", "a.times", "b.times",
    "c.times",           "d.times.zst",           "e.times", "f.times"};

static int place_remove(void **state)
{
    Place *p = *state;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        unlink(arena_printf(p->arena, "%s/%s", p->folder, files[i]));
    rmdir(p->folder);
    arena_free(p->arena);
    return 0;
}

static void assert_says(Place *p, const char *words)
{
    Buf out = {0};
    diag_print(&p->diag, &out);
    const char *text = arena_string(p->arena, buf_text(&out));
    buf_free(&out);
    p->diag = diag_new(p->arena);
    if (!strstr(text, words))
        fail_msg("'%s' is not in '%s'", words, text);
}

static const double some_values[] = {15150, 769, 1.0 / 3};
static const double some_regions[] = {512, 20, 1, 0.5};
static const double gaps[] = {NAN, INFINITY, -INFINITY};

static void write_profile(Place *p)
{
    ProfileWriter *w = profiles_create(p->arena, p->path, &profile_header, &p->diag);
    assert_non_null(w);
    const ProfileRow rows[] = {
        {.code = "c0",
         .launch = "g1",
         .values = some_values,
         .regions = some_regions,
         .region_count = 2},
        {.code = "c0", .launch = "g2", .values = gaps, .note = "a loop"},
    };
    assert_true(profiles_append(w, &rows[0], &p->diag));
    assert_true(profiles_append(w, &rows[1], &p->diag));
    assert_true(profiles_close(w, &p->diag));
}

static void assert_profile(const ProfileRecording *r)
{
    assert_non_null(r);
    assert_int_equal(r->rows.count, 2);
    assert_int_equal(profiles_field(&r->header, "regions"), 1);
    assert_true(profiles_field(&r->header, "region") == SIZE_MAX);
    const ProfileRow *row = profiles_find(r, "c0", "g1");
    assert_memory_equal(row->values, some_values, sizeof some_values);
    assert_int_equal(row->region_count, 2);
    assert_memory_equal(row->regions, some_regions, sizeof some_regions);
    row = profiles_find(r, "c0", "g2");
    assert_true(isnan(row->values[0]) && row->values[1] == INFINITY && row->values[2] == -INFINITY);
    assert_string_equal(row->note, "a loop");
    assert_int_equal(row->region_count, 0);
    assert_null(profiles_find(r, "c0", NULL));
    assert_null(profiles_find(r, "c1", "g1"));
}

static void what_was_written_is_read_plain_and_packed(void **state)
{
    Place *p = *state;
    write_profile(p);
    const char *packed = arena_printf(p->arena, "%s.zst", p->path);

    assert_true(record_compress(p->path, packed, &p->diag));

    assert_profile(profiles_read(p->arena, p->path, &p->diag));
    assert_profile(profiles_read(p->arena, packed, &p->diag));
}

/* A newer program may keep more regions: the first are taken, as many as there is room for. */
static void regions_are_taken_as_far_as_there_is_room(void **state)
{
    Place *p = *state;
    enum { MORE = PROFILE_REGION_ROOM + 2 };
    double numbers[MORE * REGION_COLUMNS];
    for (size_t i = 0; i < MORE * REGION_COLUMNS; i++)
        numbers[i] = (double)i;
    const ProfileHeader h = {.columns = profile_column_names, .column_count = REGION_COLUMNS};
    const ProfileColumns c = profiles_columns(&h);
    for (size_t count = PROFILE_REGION_ROOM - 1; count <= MORE; count++) {
        const ProfileRow row = {.code = "c", .regions = numbers, .region_count = count};

        const Profile *taken = profiles_take(p->arena, &c, &row);

        const size_t expected = count < PROFILE_REGION_ROOM ? count : PROFILE_REGION_ROOM;
        assert_int_equal(taken->region_count, expected);
        assert_true(taken->regions[expected - 1].value[1] ==
                    (double)((expected - 1) * REGION_COLUMNS + 1));
    }
}

static void a_profile_that_exists_is_not_written_to(void **state)
{
    Place *p = *state;
    write_profile(p);
    assert_null(profiles_create(p->arena, p->path, &profile_header, &p->diag));
    assert_says(p, "exists already");
    assert_profile(profiles_read(p->arena, p->path, &p->diag));
}

static void a_profile_cut_or_changed_at_any_byte_is_a_prefix_or_refused(void **state)
{
    Place *p = *state;
    write_profile(p);
    size_t size;
    const char *original = file_read(p->arena, p->path, &size, &p->diag);
    char *text = arena_copy(p->arena, original, size);

    size_t lines = 0;
    for (size_t i = 0; i < size; i++) {
        Arena *a = arena_new();
        Diag d = diag_new(a);
        assert_true(file_write(p->path, original, i, &d));
        ProfileRecording *r = profiles_read(a, p->path, &d);
        assert_int_equal(r ? r->rows.count + 1 : 0, lines);
        lines += original[i] == '\n';
        text[i] ^= 2;
        assert_true(file_write(p->path, text, size, &d));
        r = profiles_read(a, p->path, &d);
        assert_true(!r || (i == size - 1 && r->file.cut && r->rows.count == 1));
        text[i] ^= 2;
        arena_free(a);
    }
}

/* A packed one too: what is read of it is a prefix of what was written, and told to be cut. */
static void a_packed_profile_cut_or_changed_at_any_byte_is_a_prefix_or_refused(void **state)
{
    Place *p = *state;
    write_profile(p);
    const char *packed = arena_printf(p->arena, "%s.zst", p->path);
    assert_true(record_compress(p->path, packed, &p->diag));
    size_t size;
    const char *original = file_read(p->arena, packed, &size, &p->diag);
    char *bytes = arena_copy(p->arena, original, size);

    for (size_t i = 0; i < size; i++) {
        Arena *a = arena_new();
        Diag d = diag_new(a);
        assert_true(file_write(packed, original, i, &d));
        ProfileRecording *r = profiles_read(a, packed, &d);
        assert_true(!r || (r->file.cut && r->rows.count <= 2));
        bytes[i] ^= 2;
        assert_true(file_write(packed, bytes, size, &d));
        r = profiles_read(a, packed, &d);
        /* Some bits of a frame's header carry nothing; then all is as written. */
        if (r && !r->file.cut)
            assert_profile(r);
        bytes[i] ^= 2;
        arena_free(a);
    }
}

static void a_profile_is_not_taken_for_times(void **state)
{
    Place *p = *state;
    write_profile(p);

    assert_null(times_read(p->arena, p->path, &p->diag));

    assert_says(p, "is not a recording of times");
}

/* --- finding ---------------------------------------------------------------------------------- */

static const RecordParameter parameters[] = {{"BM", false}};
static const RecordProblem problem_4096[] = {{"N", {VALUE_INT, .integer = 4096}}};
static const RecordProblem problem_1024[] = {{"N", {VALUE_INT, .integer = 1024}}};
static const RecordHeader times_header = {
    .space = "mm",
    .parameters = parameters,
    .parameter_count = 1,
    .problem = problem_4096,
    .problem_count = 1,
    .arch = "sm_90",
    .device = "Synthetic H",
    .uuid = "GPU-0",
};

static void write_times(Place *p, const char *name, const RecordHeader *h)
{
    TimesRecording *existing;
    const char *path = arena_printf(p->arena, "%s/%s", p->folder, name);
    TimesWriter *w = times_open_append(p->arena, path, h, &existing, &p->diag);
    assert_non_null(w);
    assert_true(times_close(w, &p->diag));
}

static void assert_match(Place *p, const RecordMatch *m, const char *name, RecordFit fit,
                         const char *why)
{
    assert_string_equal(m->path, arena_printf(p->arena, "%s/%s", p->folder, name));
    assert_int_equal(m->fit, fit);
    if (!strstr(m->why, why) || (!why[0] && m->why[0]))
        fail_msg("'%s' is not in '%s'", why, m->why);
}

static void recordings_of_a_folder_come_best_fit_first_with_reasons(void **state)
{
    Place *p = *state;
    RecordHeader h = times_header;
    h.space = "transpose";
    write_times(p, "a.times", &h);
    h = times_header;
    h.arch = "sm_80";
    h.problem = problem_1024;
    write_times(p, "b.times", &h);
    h = times_header;
    h.problem = problem_1024;
    write_times(p, "c.times", &h);
    write_times(p, "e.times", &times_header);
    const char *e = arena_printf(p->arena, "%s/e.times", p->folder);
    assert_true(record_compress(e, arena_printf(p->arena, "%s/d.times.zst", p->folder), &p->diag));
    unlink(e);
    h = times_header;
    h.uuid = "GPU-1";
    write_times(p, "e.times", &h);
    assert_true(file_write(arena_printf(p->arena, "%s/f.times", p->folder), "x\n", 2, &p->diag));
    write_profile(p);

    size_t count;
    const RecordMatch *m = record_find(p->arena, p->folder, &times_header, &count, &p->diag);

    assert_int_equal(count, 6);
    assert_match(p, &m[0], "d.times.zst", FIT_EXACT, "");
    assert_match(p, &m[1], "e.times", FIT_SAME_MODEL, "its device's UUID is 'GPU-1', not 'GPU-0'");
    assert_match(p, &m[2], "c.times", FIT_OTHER_PROBLEM, "its problem is 'N=1024', not 'N=4096'");
    assert_match(p, &m[3], "b.times", FIT_OTHER_ARCH,
                 "its architecture is 'sm_80', not 'sm_90'; its problem is 'N=1024', not 'N=4096'");
    assert_match(p, &m[4], "a.times", FIT_NONE, "its space is 'transpose', not 'mm'");
    assert_match(p, &m[5], "f.times", FIT_NONE, "is not a recording of times");
    assert_int_equal(p->diag.errors, 0);
}

static void what_is_not_asked_for_does_not_matter(void **state)
{
    (void)state;
    Buf why = {0};
    RecordHeader want = {.space = "mm"};
    RecordHeader other = {.space = "mm", .device = "Synthetic A", .arch = "sm_90"};
    const RecordParameter renamed[] = {{"BN", false}};
    RecordHeader stranger = {.space = "mm", .parameters = renamed, .parameter_count = 1};

    assert_int_equal(record_fit(&times_header, &want, &why), FIT_EXACT);
    assert_int_equal(why.size, 0);
    assert_int_equal(record_fit(&times_header, &other, &why), FIT_OTHER_DEVICE);
    assert_int_equal(record_fit(&times_header, &stranger, &why), FIT_NONE);
    buf_free(&why);
}

static void a_folder_that_is_not_there_is_an_error_and_an_empty_one_is_not(void **state)
{
    Place *p = *state;
    size_t count = 1;

    assert_non_null(record_find(p->arena, p->folder, &times_header, &count, &p->diag));
    assert_int_equal(count, 0);
    const char *none = arena_printf(p->arena, "%s/none", p->folder);
    assert_null(record_find(p->arena, none, &times_header, &count, &p->diag));
    assert_says(p, "cannot read recordings from");
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, place_make, place_remove)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(what_was_written_is_read_plain_and_packed),
        TEST(regions_are_taken_as_far_as_there_is_room),
        TEST(a_profile_that_exists_is_not_written_to),
        TEST(a_profile_cut_or_changed_at_any_byte_is_a_prefix_or_refused),
        TEST(a_packed_profile_cut_or_changed_at_any_byte_is_a_prefix_or_refused),
        TEST(a_profile_is_not_taken_for_times),
        TEST(recordings_of_a_folder_come_best_fit_first_with_reasons),
        cmocka_unit_test(what_is_not_asked_for_does_not_matter),
        TEST(a_folder_that_is_not_there_is_an_error_and_an_empty_one_is_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
