/* Arrays of NumPy: which headers are taken, and what is said of the others. */
#include "tuner/run/npy.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

/* A file of this version with the header and four bytes behind it. */
static size_t make_file(char *to, int version, const char *header)
{
    const size_t n = strlen(header), start = version == 1 ? 10 : 12;
    memcpy(to, "\x93NUMPY", 6);
    memcpy(to + 6, (char[]){(char)version, 0, (char)(n % 256), (char)(n / 256), 0, 0}, 6);
    memcpy(to + start, header, n);
    memcpy(to + start + n, "data", 4);
    return start + n + 4;
}

#define HEADER(descr, order, shape)                                                                \
    "{'descr': '" descr "', 'fortran_order': " order ", 'shape': " shape ", }\n"

static void headers_are_taken_or_refused_with_the_reason(void **state)
{
    (void)state;
    static const char fortran[] = "it is in Fortran order; save it with numpy.ascontiguousarray";
    static const struct {
        const char *header;
        TaskScalar want;
        const char *said; /* NULL: it is taken */
    } cases[] = {
        {HEADER("<f4", "False", "(1,)"), TASK_FLOAT, NULL},
        {HEADER("=f4", "False", "(1,)"), TASK_FLOAT, NULL},
        {HEADER("|u1", "False", "(4,)"), TASK_U8, NULL},
        {HEADER(">f4", "False", "(1,)"), TASK_FLOAT, "its type is '>f4' and not float"},
        {HEADER("<i4", "False", "(1,)"), TASK_FLOAT, "its type is '<i4' and not float"},
        {HEADER("<V2", "False", "(2,)"), TASK_BFLOAT16, NULL},
        {HEADER("<u2", "False", "(2,)"), TASK_BFLOAT16, NULL},
        {HEADER("<i2", "False", "(2,)"), TASK_BFLOAT16, "its type is '<i2' and not bfloat16"},
        {HEADER("<f4", "True", "()"), TASK_FLOAT, NULL},
        {HEADER("<f4", "True", "(1,)"), TASK_FLOAT, NULL},
        {HEADER("<f4", "True", "(1, 4)"), TASK_FLOAT, NULL}, /* one row is a column */
        {HEADER("<f4", "True", "(4, 1, 1)"), TASK_FLOAT, NULL},
        {HEADER("<f4", "True", "(2, 2)"), TASK_FLOAT, fortran},
        {HEADER("<f4", "True", "(2, 1, 2)"), TASK_FLOAT, fortran},
        {HEADER("<f4", "False", "(2, 2)"), TASK_FLOAT, NULL},
        {HEADER("<f4", "False", "2"), TASK_FLOAT, "its header is not that of a NumPy file"},
        {"{'fortran_order': False, 'shape': (1,), }", TASK_FLOAT,
         "its header is not that of a NumPy file"},
        {"{'descr': '<f4', 'shape': (1,), }", TASK_FLOAT, "its header is not that of a NumPy file"},
        {"{'descr': '<f4', 'fortran_order': False, }", TASK_FLOAT,
         "its header is not that of a NumPy file"},
    };
    for (size_t i = 0; i < 3 * (sizeof cases / sizeof *cases); i++) {
        const int version = (int)(i % 3) + 1;
        const char *header = cases[i / 3].header, *said = cases[i / 3].said, *data;
        char file[256];
        size_t size;
        Arena *a = arena_new();
        Diag d = diag_new(a);
        const size_t n = make_file(file, version, header);

        if (npy_data(a, file, n, cases[i / 3].want, &data, &size, &d)) {
            assert_null(said);
            assert_ptr_equal(data, file + n - 4);
            assert_int_equal(size, 4);
        } else {
            assert_non_null(said);
            assert_string_equal(diag_first(&d), said);
        }
        arena_free(a);
    }
}

static void what_is_cut_off_or_no_array_is_refused(void **state)
{
    (void)state;
    const char *data;
    size_t size;
    Arena *a = arena_new();
    for (int version = 1; version < 3; version++) {
        char file[256];
        const size_t n = make_file(file, version, HEADER("<f4", "False", "()"));
        for (size_t i = 0; i <= n; i++) {
            Diag d = diag_new(a);
            const bool ok = npy_data(a, file, i, TASK_FLOAT, &data, &size, &d);
            assert_int_equal(ok, i >= n - 4);
            if (ok)
                assert_int_equal(size, i + 4 - n);
            else
                assert_string_equal(diag_first(&d),
                                    i < 12 ? "it is not a NumPy file" : "its header is truncated");
        }
        file[5] = 'X';
        Diag d = diag_new(a);
        assert_false(npy_data(a, file, n, TASK_FLOAT, &data, &size, &d));
        assert_string_equal(diag_first(&d), "it is not a NumPy file");
    }
    arena_free(a);
}

/* Lengths of the header above 255 and, from version 2 on, above 65,535. */
static void long_headers_are_read_to_their_end(void **state)
{
    (void)state;
    static char file[0x20000];
    const char *data;
    size_t size;
    Arena *a = arena_new();
    Diag d = diag_new(a);
    for (int version = 1; version < 3; version++) {
        const size_t start = version == 1 ? 10 : 12, n = version == 1 ? 0x1234 : 0x11234;
        memset(file, ' ', sizeof file);
        make_file(file, version, HEADER("<f4", "False", "()"));
        memset(strchr(file + start, '\n'), ' ', 5);
        memcpy(file + 8, "\x34\x12\x01\x00", version == 1 ? 2 : 4);

        assert_true(npy_data(a, file, start + n + 9, TASK_FLOAT, &data, &size, &d));

        assert_ptr_equal(data, file + start + n);
        assert_int_equal(size, 9);
    }
    arena_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(headers_are_taken_or_refused_with_the_reason),
        cmocka_unit_test(what_is_cut_off_or_no_array_is_refused),
        cmocka_unit_test(long_headers_are_read_to_their_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
