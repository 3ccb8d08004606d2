/* Contents of memory as walks ask for them, described and read again. */
#include "tuner/compile/data.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#define AT(n) (INT64_C(1) << 40 << (n))

/* A file of the numbers 256, 513, 770 … behind six bytes. */
static void make_file(char *path, int count)
{
    unsigned char bytes[64] = "header";
    for (int i = 0; i < count; i++) {
        bytes[6 + 2 * i] = (unsigned char)i;
        bytes[7 + 2 * i] = (unsigned char)(i + 1);
    }
    strcpy(path, "/tmp/test_data_XXXXXX");
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, bytes, 6 + 2 * (size_t)count), 6 + 2 * count);
    close(fd);
}

static DataName names[] = {{.name = "N", .kind = VALUE_INT, .integer = 5},
                           {.name = "half", .kind = VALUE_REAL, .real = 0.5}};

/* 2 i + lane + 5 of elements of two lanes. */
static DataContents line(void)
{
    return (DataContents){
        .kind = DATA_FORMULA, .formula = "2 * i + lane + N", .names = names, .name_count = 2};
}

static void assert_loads(const WalkData *w, int64_t address, int bytes, uint64_t wanted)
{
    uint64_t value = 99;
    assert_true(w->load(w->context, (uint64_t)address, bytes, &value));
    assert_int_equal(value, wanted);
}

static void assert_unknown(const WalkData *w, int64_t address, int bytes)
{
    uint64_t value;
    assert_false(w->load(w->context, (uint64_t)address, bytes, &value));
}

static void numbers_of_all_kinds_are_read(void **state)
{
    (void)state;
    Arena *a = arena_new();
    char path[32];
    make_file(path, 4);
    DataContents formula = line(), turns = {.kind = DATA_FORMULA, .formula = "7 * i % 5"};
    const DataBuffer buffers[] = {
        {.address = AT(0), .scalar = TASK_U32, .lanes = 2, .is = formula},
        {.address = AT(1),
         .scalar = TASK_U16,
         .lanes = 1,
         .is = {.kind = DATA_FILE, .path = path, .offset = 6, .bytes = 8}},
        {.address = AT(2),
         .scalar = TASK_I32,
         .lanes = 1,
         .is = {.kind = DATA_SORTED, .of = &turns, .bytes = 20}},
        {.address = AT(3),
         .scalar = TASK_DOUBLE,
         .lanes = 1,
         .is = {.kind = DATA_TAKEN,
                .of = &formula,
                .scalar = TASK_U32,
                .lanes = 2,
                .first = 1,
                .step = 2,
                .wrap = 3}},
        {.address = AT(4),
         .symbol = "table",
         .scalar = TASK_U8,
         .lanes = 1,
         .is = {.kind = DATA_FORMULA, .formula = "i", .name_count = 0}},
    };
    Data *d = data_open(data_describe(a, buffers, 5));
    const WalkData *w = data_of_walk(d);

    for (int i = 0; i < 9; i++)
        assert_loads(w, AT(0) + 4 * i, 4, (uint64_t)(i / 2 * 2 + i % 2 + 5));
    assert_loads(w, AT(0) + 4, 8, UINT64_C(7) << 32 | 6);
    assert_loads(w, AT(0) + 2, 4, UINT64_C(6) << 16);
    for (int i = 0; i < 4; i++)
        assert_loads(w, AT(1) + 2 * i, 2, (uint64_t)(i + 1) << 8 | (uint64_t)i);
    assert_loads(w, AT(1) + 3, 1, 2);
    assert_loads(w, AT(1) + 3, 2, 2 | 2 << 8);
    assert_unknown(w, AT(1) + 8, 2);
    assert_unknown(w, AT(1) + 6, 4);
    for (int i = 0; i < 5; i++)
        assert_loads(w, AT(2) + 4 * i, 4, (uint64_t)i);
    assert_unknown(w, AT(2) + 20, 4);
    static const double taken[] = {6, 8, 10, 7, 9, 11, 8};
    for (int i = 0; i < 7; i++) {
        uint64_t bits;
        memcpy(&bits, &taken[i], sizeof bits);
        assert_loads(w, AT(3) + 8 * i, 8, bits);
    }
    assert_loads(w, AT(4) + 200, 1, 200);
    assert_unknown(w, AT(4) + 256, 1); /* does not fit */
    assert_unknown(w, AT(5), 4);
    uint64_t address;
    assert_true(w->symbol(w->context, "table", &address));
    assert_int_equal(address, AT(4));
    assert_false(w->symbol(w->context, "tables", &address));
    assert_int_equal(address, 0);

    assert_ptr_equal(data_reopen(d, data_describe(a, buffers, 5)), d);
    d = data_reopen(d, data_describe(a, buffers, 1));
    assert_unknown(data_of_walk(d), AT(1), 2);
    data_close(d);
    unlink(path);
    arena_free(a);
}

static void what_is_written_or_kept_is_known_before_it_or_first_of_all(void **state)
{
    (void)state;
    Arena *a = arena_new();
    const DataBuffer buffers[] = {
        {.address = AT(0), .scalar = TASK_U32, .lanes = 2, .is = line(), .written = true},
        {.address = AT(1), .scalar = TASK_U32, .lanes = 1, .is.task.kind = TASK_KEPT},
        {.address = AT(2), .scalar = TASK_U32, .lanes = 1, .is.task.kind = TASK_UNDEFINED},
        {.address = AT(3), .scalar = TASK_U32, .lanes = 0, .is = line()},
        {.address = AT(4), .scalar = TASK_U32, .lanes = 1, .is.kind = DATA_FILE},
        {.address = AT(5),
         .scalar = TASK_U32,
         .lanes = 1,
         .is = {.kind = DATA_FORMULA, .formula = "i + unknown"}},
        {.address = AT(6), .scalar = TASK_U32, .lanes = 1, .is = {.kind = DATA_TAKEN}},
    };
    static const bool known[][3] = {
        {false, true, true},   {false, false, true},  {false, false, false}, {false, false, false},
        {false, false, false}, {false, false, false}, {false, false, false}};
    Data *d = data_open(data_describe(a, buffers, 7));
    const WalkData *w = data_of_walk(d);
    for (int i = 0; i < 7; i++) {
        uint64_t v;
        assert_int_equal(w->load(w->context, (uint64_t)AT(i), 4, &v), known[i][0]);
        assert_int_equal(w->before(w->context, (uint64_t)AT(i), 4, &v), known[i][1]);
        assert_int_equal(w->first(w->context, (uint64_t)AT(i), 4, &v), known[i][2]);
    }
    data_close(d);
    data_close(NULL);
    d = data_reopen(NULL, "no list");
    assert_unknown(data_of_walk(d), AT(0), 4);
    data_close(d);
    arena_free(a);
}

static void contents_that_cannot_be_had_are_said(void **state)
{
    (void)state;
    Arena *a = arena_new();
    char path[32];
    make_file(path, 4);
    DataContents inner = {.kind = DATA_FORMULA, .formula = "200 * i"};
    /* A file that has more is only mapped: it is another one than was seen. */
    static const struct {
        int64_t offset, bytes;
        bool mapped, read;
    } files[] = {{6, 8, true, true},    {0, 14, true, true},   {0, 13, true, false},
                 {6, 7, true, false},   {6, 9, false, false},  {7, 8, false, false},
                 {14, 1, false, false}, {15, 1, false, false}, {6, 0, false, false},
                 {-1, 4, false, false}};
    for (int mapped = 0; mapped < 2; mapped++)
        for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
            Diag d = diag_new(a);
            DataMaps maps = {0};
            DataContents c = {.kind = DATA_FILE,
                              .path = path,
                              .offset = files[i].offset,
                              .bytes = files[i].bytes};
            const bool ok = data_ready(a, &c, TASK_U8, 1, 64, mapped ? &maps : NULL, &d);
            assert_int_equal(ok, mapped ? files[i].mapped : files[i].read);
            assert_int_equal(d.errors, !ok);
        }
    const struct {
        DataContents c;
        TaskScalar s;
        int64_t lanes;
        const char *said;
    } sorted[] = {
        {{.kind = DATA_SORTED, .of = &inner, .bytes = 64}, TASK_U32, 1, NULL},
        {{.kind = DATA_SORTED, .of = &inner, .bytes = 65},
         TASK_U32,
         1,
         "sorted contents have at most 0 MB"},
        {{.kind = DATA_SORTED, .of = &inner, .bytes = 64},
         TASK_U32,
         2,
         "sorted contents have at most 0 MB"},
        {{.kind = DATA_SORTED, .bytes = 64}, TASK_U32, 1, "sorted contents have at most 0 MB"},
        {{.kind = DATA_SORTED, .of = &inner, .bytes = 3},
         TASK_U8,
         1,
         "the value for i = 2 does not fit into uint8"},
    };
    for (size_t i = 0; i < sizeof sorted / sizeof *sorted; i++) {
        Diag d = diag_new(a);
        DataContents c = sorted[i].c;
        const bool ok = data_ready(a, &c, sorted[i].s, sorted[i].lanes, 64, NULL, &d);
        assert_int_equal(ok, !sorted[i].said);
        if (!ok)
            assert_string_equal(diag_first(&d), sorted[i].said);
    }
    unlink(path);
    arena_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_of_all_kinds_are_read),
        cmocka_unit_test(what_is_written_or_kept_is_known_before_it_or_first_of_all),
        cmocka_unit_test(contents_that_cannot_be_had_are_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
