/* Compressed recordings: they read like plain ones, or as the part that is left.  All figures are
 * synthetic. */
#include "tests/support/record_sample.h"

#include "metrics/base/file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static void a_packed_recording_reads_like_the_plain_one(void **state)
{
    Place *p = *state;
    write_sample(p);

    assert_true(record_compress(p->path, p->packed, &p->diag));

    assert_sample(times_read(p->arena, p->packed, &p->diag));
    TimesRecording *existing;
    assert_null(times_open_append(p->arena, p->packed, &sample_header, &existing, &p->diag));
    assert_says(p, "is compressed; decompress it");
}

/* Enough rows for several blocks, each of them unlike the others, so that they pack badly. */
static void write_many(Place *p, size_t rows)
{
    TimesRecording *existing;
    TimesWriter *w = times_open_append(p->arena, p->path, &sample_header, &existing, &p->diag);
    uint64_t seed = 7;
    for (size_t i = 0; i < rows; i++) {
        double t[40];
        for (size_t k = 0; k < 40; k++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            t[k] = (double)(seed >> 11) * 0x1p-53;
        }
        const Value v[] = {value_int((int64_t)i), value_string("x")};
        assert_true(times_append(
            w, &(RecordRow){.status = OUTCOME_OK, .values = v, .times_ms = t, .time_count = 40},
            &p->diag));
    }
    times_close(w, &p->diag);
}

static void a_truncated_packed_recording_gives_a_prefix_and_says_cut(void **state)
{
    Place *p = *state;
    write_many(p, 600);
    assert_true(record_compress(p->path, p->packed, &p->diag));
    size_t size, most = 0;
    const char *packed = file_read(p->arena, p->packed, &size, &p->diag);

    for (size_t cut = 4; cut < size; cut += size / 50) {
        put(p, p->path, packed, cut);
        TimesRecording *r = times_read(p->arena, p->path, &p->diag);
        if (!r) {
            assert_says(p, "is truncated before its first line");
            continue;
        }
        assert_true(r->file.cut);
        assert_true(r->rows.count >= most && r->rows.count < 600);
        most = r->rows.count;
        for (size_t i = 0; i < r->rows.count; i++)
            assert_int_equal(r->rows.at[i].values[0].integer, i);
    }
    assert_true(most > 100);
}

static void a_changed_byte_in_a_packed_recording_is_never_believed(void **state)
{
    Place *p = *state;
    write_sample(p);
    assert_true(record_compress(p->path, p->packed, &p->diag));
    size_t size;
    char *packed = file_copy(p, p->packed, &size);

    for (size_t i = 0; i < size; i++) {
        packed[i] ^= 0x10;
        put(p, p->path, packed, size);
        TimesRecording *r = times_read(p->arena, p->path, &p->diag);
        /* Some bytes of a frame's header carry nothing; then all is as written. */
        if (r && !r->file.cut)
            assert_sample(r);
        packed[i] ^= 0x10;
    }
}

static void a_damaged_recording_is_not_packed_and_a_cut_one_with_a_warning(void **state)
{
    Place *p = *state;
    write_sample(p);
    size_t size;
    char *text = file_copy(p, p->path, &size);

    put(p, p->path, text, size - 3);
    assert_true(record_compress(p->path, p->packed, &p->diag));
    assert_says(p, "that line is left out");
    assert_int_equal(times_read(p->arena, p->packed, &p->diag)->rows.count, 3);
    assert_false(times_read(p->arena, p->packed, &p->diag)->file.cut);

    text[size / 2] ^= 1;
    put(p, p->path, text, size);
    assert_false(record_compress(p->path, p->packed, &p->diag));
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, place_make, place_remove)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_packed_recording_reads_like_the_plain_one),
        TEST(a_truncated_packed_recording_gives_a_prefix_and_says_cut),
        TEST(a_changed_byte_in_a_packed_recording_is_never_believed),
        TEST(a_damaged_recording_is_not_packed_and_a_cut_one_with_a_warning),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
