/* What stands in the buffers: reproducible, in its bounds, evenly spread. */
#include "tuner/spec/contents.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

enum { COUNT = 100000 };

static TaskContents uniform(double lo, double hi, uint64_t seed)
{
    return (TaskContents){.kind = TASK_UNIFORM, .lo = lo, .hi = hi, .seed = seed};
}

static void pieces_in_any_order_give_the_whole(void **state)
{
    (void)state;
    static unsigned char whole[8 * 1000], pieces[8 * 1000];

    for (int s = 0; s < TASK_SCALARS; s++) {
        size_t size = task_scalar_size((TaskScalar)s);
        TaskContents c = uniform(-50, 120, 9);
        contents_fill(c, (TaskScalar)s, 0, 1000, whole);
        for (int at = 900; at >= 0; at -= 100)
            contents_fill(c, (TaskScalar)s, (uint64_t)at, 100, pieces + (size_t)at * size);
        assert_memory_equal(whole, pieces, 1000 * size);
    }
}

static void nothing_is_written_beyond_what_was_asked_for(void **state)
{
    (void)state;
    const TaskContents kinds[] = {{.kind = TASK_ZERO},
                                  {.kind = TASK_CONSTANT, .value = 3},
                                  uniform(1, 5, 7),
                                  {.kind = TASK_NORMAL, .lo = 0, .hi = 1, .seed = 7}};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        for (int s = TASK_I8; s <= TASK_DOUBLE; s++) {
            unsigned char bytes[4 * 8];
            const size_t size = task_scalar_size((TaskScalar)s);
            for (size_t i = 0; i < sizeof bytes; i++)
                bytes[i] = 0xa5;
            contents_fill(kinds[k], (TaskScalar)s, 0, 3, bytes);
            for (size_t i = 3 * size; i < sizeof bytes; i++)
                assert_int_equal(bytes[i], 0xa5);
        }
}

/* Recorded once: a recording made years ago must stay comparable. */
static void the_stream_of_a_seed_never_changes(void **state)
{
    (void)state;
    float f[3];

    contents_fill(uniform(-1, 1, 42), TASK_FLOAT, 0, 3, f);

    assert_true(contents_bits(0, 0) == UINT64_C(0x7FF8D327B4B703ED));
    assert_true(contents_bits(42, 1000000007) == UINT64_C(0x4F13E5877AD38763));
    assert_true(f[0] == (float)(2 * ((double)(contents_bits(42, 0) >> 11) * 0x1p-53) - 1));
}

static void uniform_numbers_fill_their_interval_evenly(void **state)
{
    (void)state;
    static float f[COUNT];
    int bins[20] = {0};
    double sum = 0;

    contents_fill(uniform(-3, 5, 7), TASK_FLOAT, 0, COUNT, f);
    for (int i = 0; i < COUNT; i++) {
        assert_true(f[i] >= -3 && f[i] <= 5);
        int bin = (int)((f[i] + 3) / 8 * 20);
        bins[bin < 20 ? bin : 19]++;
        sum += f[i];
    }

    /* Chi-squared with 19 degrees of freedom: 43.8 is passed once in a thousand; the seed is fixed.
     */
    double chi = 0;
    for (int i = 0; i < 20; i++)
        chi += pow(bins[i] - COUNT / 20.0, 2) / (COUNT / 20.0);
    assert_true(chi < 43.8);
    assert_true(fabs(sum / COUNT - 1) < 0.03);
}

static void integers_take_every_value_and_no_other(void **state)
{
    (void)state;
    static int8_t v[COUNT];
    int seen[7] = {0};

    contents_fill(uniform(-3, 3, 1), TASK_I8, 0, COUNT, v);
    for (int i = 0; i < COUNT; i++) {
        assert_in_range(v[i] + 3, 0, 6);
        seen[v[i] + 3]++;
    }

    for (int i = 0; i < 7; i++)
        assert_true(abs(seen[i] - COUNT / 7) < 600);
}

static void neighbouring_seeds_have_nothing_in_common(void **state)
{
    (void)state;
    int equal = 0, bits = 0;

    for (uint64_t i = 0; i < 1000; i++) {
        uint64_t difference = contents_bits(1, i) ^ contents_bits(2, i);
        bits += __builtin_popcountll(difference);
        for (uint64_t k = 0; k < 50; k++)
            equal += contents_bits(1, i) == contents_bits(2, k);
    }

    assert_int_equal(equal, 0);
    assert_in_range(bits, 31500, 32500);
}

static const struct NarrowType {
    TaskScalar s;
    unsigned largest; /* the bits of its largest number */
    bool finite;      /* no infinity is made */
} NARROW[] = {{TASK_HALF, 0x7bff, false},
              {TASK_BFLOAT16, 0x7f7f, false},
              {TASK_E4M3, 0x7e, true},
              {TASK_E5M2, 0x7b, true}};

static double from_bits(TaskScalar s, unsigned bits)
{
    uint16_t two = (uint16_t)bits; /* little-endian, as CUDA's hosts are */
    return contents_value(s, &two);
}

static unsigned to_bits(TaskScalar s, double v)
{
    uint16_t two = 0;
    contents_store(s, v, &two);
    return two;
}

static void every_narrow_number_survives_the_way_to_double_and_back(void **state)
{
    (void)state;
    for (size_t t = 0; t < sizeof NARROW / sizeof *NARROW; t++) {
        const unsigned sign = task_scalar_size(NARROW[t].s) == 1 ? 0x80 : 0x8000;
        for (unsigned bits = 0; bits <= NARROW[t].largest; bits++) {
            double v = from_bits(NARROW[t].s, bits);
            assert_true(isfinite(v));
            assert_int_equal(to_bits(NARROW[t].s, v), bits);
            assert_int_equal(to_bits(NARROW[t].s, -v), sign | bits);
        }
        assert_true(isnan(from_bits(NARROW[t].s, 2 * sign - 1)));
        assert_true(isnan(from_bits(NARROW[t].s, to_bits(NARROW[t].s, (double)NAN))));
    }
}

/* Halfway between two numbers goes to the even one; a little beside goes to the nearer. */
static void narrow_numbers_are_rounded_to_the_nearest_even(void **state)
{
    (void)state;
    for (size_t t = 0; t < sizeof NARROW / sizeof *NARROW; t++) {
        const TaskScalar s = NARROW[t].s;
        const unsigned sign = task_scalar_size(s) == 1 ? 0x80 : 0x8000;
        for (unsigned bits = 0; bits < NARROW[t].largest; bits++) {
            double a = from_bits(s, bits), b = from_bits(s, bits + 1);
            double middle = (a + b) / 2;
            assert_int_equal(to_bits(s, middle), bits + (bits & 1));
            assert_int_equal(to_bits(s, nextafter(middle, a)), bits);
            assert_int_equal(to_bits(s, -nextafter(middle, b)), sign | (bits + 1));
        }
        const unsigned beyond = NARROW[t].largest + !NARROW[t].finite;
        assert_int_equal(to_bits(s, 1e300), beyond);
        assert_int_equal(to_bits(s, -(double)INFINITY), sign | beyond);
        assert_int_equal(to_bits(s, 1e-50), 0);
    }
    assert_int_equal(to_bits(TASK_HALF, 65519.9), 0x7bff);
    assert_int_equal(to_bits(TASK_HALF, 65520), 0x7c00);
    assert_int_equal(to_bits(TASK_BFLOAT16, 3.14159), 0x4049);
    assert_true(from_bits(TASK_E4M3, 0x7e) == 448 && from_bits(TASK_E4M3, 1) == 0x1p-9);
    assert_true(from_bits(TASK_E5M2, 0x7b) == 57344 && isinf(from_bits(TASK_E5M2, 0x7c)));
}

static void integers_keep_to_their_range(void **state)
{
    (void)state;
    static const struct {
        TaskScalar s;
        double v, expected;
    } CASES[] = {
        {TASK_I8, 300, 127},        {TASK_I8, -300, -128},
        {TASK_U8, -1, 0},           {TASK_U16, 65535, 65535},
        {TASK_I32, -7.9, -7},       {TASK_U32, 4294967295.0, 4294967295.0},
        {TASK_I64, -1e30, -0x1p63}, {TASK_U64, 0x1p63, 0x1p63},
        {TASK_I16, -2, -2},         {TASK_HALF, 1.5, 1.5},
        {TASK_FLOAT, 0.25, 0.25},   {TASK_DOUBLE, 1e300, 1e300},
    };

    static const double ends[][2] = {{-128, 127},
                                     {0, 255},
                                     {-32768, 32767},
                                     {0, 65535},
                                     {-0x1p31, 0x1p31 - 1},
                                     {0, 0x1p32 - 1},
                                     {-0x1p63, 0x1p63 - 1024},
                                     {0, 0x1p64 - 2048}};

    for (int s = TASK_I8; s <= TASK_U64; s++)
        for (int end = 0; end < 2; end++) {
            unsigned char bytes[8];
            contents_store((TaskScalar)s, end ? 1e30 : -1e30, bytes);
            assert_true(contents_value((TaskScalar)s, bytes) == ends[s][end]);
        }
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        unsigned char bytes[8];
        TaskContents c = {.kind = TASK_CONSTANT, .value = CASES[i].v};
        contents_fill(c, CASES[i].s, 0, 1, bytes);
        assert_true(contents_value(CASES[i].s, bytes) == CASES[i].expected);
    }
}

static void types_are_found_by_their_cuda_names_and_by_those_printed(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        TaskScalar s;
        int lanes;
    } CASES[] = {
        {"float", TASK_FLOAT, 1},
        {"float4", TASK_FLOAT, 4},
        {"half2", TASK_HALF, 2},
        {"int8", TASK_I8, 1},
        {"int4", TASK_I32, 4},
        {"uint64", TASK_U64, 1},
        {"uchar3", TASK_U8, 3},
        {"unsigned int", TASK_U32, 1},
        {"double2", TASK_DOUBLE, 2},
        {"int64_t", TASK_I64, 1},
        {"unsigned short", TASK_U16, 1},
        {"longlong2", TASK_I64, 2},
        {"__nv_bfloat16", TASK_BFLOAT16, 1},
        {"__nv_bfloat162", TASK_BFLOAT16, 2},
        {"__nv_fp8x4_e4m3", TASK_E4M3, 4},
        {"fp8_e5m2", TASK_E5M2, 1},
    };
    TaskType t;

    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        assert_true(task_type_find(CASES[i].name, &t));
        assert_int_equal(t.scalar, CASES[i].s);
        assert_int_equal(t.lanes, CASES[i].lanes);
    }
    for (int s = 0; s < TASK_SCALARS; s++) {
        for (int lanes = 1; lanes <= 2; lanes++) { /* all of CUDA's scalars have these */
            Buf name = {0};
            task_type_print((TaskType){(TaskScalar)s, lanes}, &name);
            assert_true(task_type_find(buf_text(&name), &t));
            assert_int_equal(t.scalar, s);
            assert_int_equal(t.lanes, lanes);
            buf_free(&name);
        }
    }
    assert_false(task_type_find("float5", &t));
    assert_false(task_type_find("int322", &t));
    assert_false(task_type_find("bool2", &t));
    assert_false(task_type_find("4", &t));
    assert_false(task_type_find("", &t));
}

/* The moments of a normal distribution, and the parts of it within one and two deviations (0.6827
 * and 0.9545); five times their standard errors. */
static void normal_numbers_are_normally_distributed(void **state)
{
    (void)state;
    static double v[COUNT];
    TaskContents c = {.kind = TASK_NORMAL, .lo = 3, .hi = 2, .seed = 5};
    double sum = 0, squares = 0, within[2] = {0, 0};

    contents_fill(c, TASK_DOUBLE, 0, COUNT, v);

    for (int i = 0; i < COUNT; i++) {
        double z = (v[i] - 3) / 2;
        sum += z;
        squares += z * z;
        within[0] += fabs(z) < 1;
        within[1] += fabs(z) < 2;
    }
    assert_true(fabs(sum / COUNT) < 5 / sqrt(COUNT));
    assert_true(fabs(squares / COUNT - 1) < 5 * sqrt(2.0 / COUNT));
    assert_true(fabs(within[0] / COUNT - 0.6827) < 5 * sqrt(0.25 / COUNT));
    assert_true(fabs(within[1] / COUNT - 0.9545) < 5 * sqrt(0.25 / COUNT));
}

static void a_copy_in_double_precision_holds_the_very_same_numbers(void **state)
{
    (void)state;
    static float f[5000];
    static double d[5000];
    static const TaskContentsKind kinds[] = {TASK_UNIFORM, TASK_NORMAL, TASK_CONSTANT};

    for (size_t k = 0; k < 3; k++) {
        TaskContents c = {.kind = kinds[k], .lo = 0.1, .hi = 0.7, .value = 0.1, .seed = 3};
        contents_fill(c, TASK_FLOAT, 7, 5000, f);
        c.converted = true;
        c.made_as = TASK_FLOAT;
        contents_fill(c, TASK_DOUBLE, 7, 5000, d);
        for (int i = 0; i < 5000; i++)
            assert_true(d[i] == f[i]);
    }
}

/* Numbers whose order as bytes or without their sign is another one. */
static void numbers_of_every_type_are_sorted(void **state)
{
    (void)state;
    static const double with_sign[] = {3, -2, 64, -48, 0, 1}, sorted[] = {-48, -2, 0, 1, 3, 64},
                        without[] = {3, 240, 64, 128, 0, 1}, rising[] = {0, 1, 3, 64, 128, 240};
    for (int t = 0; t < TASK_SCALARS; t++) {
        const TaskScalar s = (TaskScalar)t;
        const bool bare = s == TASK_U8 || s == TASK_U16 || s == TASK_U32 || s == TASK_U64;
        const size_t size = task_scalar_size(s);
        unsigned char at[6 * 8];
        for (size_t i = 0; i < 6; i++)
            contents_store(s, bare ? without[i] : with_sign[i], at + i * size);

        contents_sort(s, at, 6);

        for (size_t i = 0; i < 6; i++)
            assert_true(contents_value(s, at + i * size) == (bare ? rising[i] : sorted[i]));
    }
}

static void bytes_come_as_they_are_given_and_zeros_behind_them(void **state)
{
    (void)state;
    static const int32_t given[] = {5, -6, 7};
    TaskContents c = {.kind = TASK_BYTES, .bytes = given, .size = sizeof given};
    int32_t got[4];
    double wide[2];

    contents_fill(c, TASK_I32, 1, 4, got);
    c.converted = true;
    c.made_as = TASK_I32;
    contents_fill(c, TASK_DOUBLE, 0, 2, wide);

    assert_memory_equal(got, ((int32_t[]){-6, 7, 0, 0}), sizeof got);
    assert_true(wide[0] == 5 && wide[1] == -6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_in_any_order_give_the_whole),
        cmocka_unit_test(nothing_is_written_beyond_what_was_asked_for),
        cmocka_unit_test(the_stream_of_a_seed_never_changes),
        cmocka_unit_test(uniform_numbers_fill_their_interval_evenly),
        cmocka_unit_test(integers_take_every_value_and_no_other),
        cmocka_unit_test(neighbouring_seeds_have_nothing_in_common),
        cmocka_unit_test(every_narrow_number_survives_the_way_to_double_and_back),
        cmocka_unit_test(narrow_numbers_are_rounded_to_the_nearest_even),
        cmocka_unit_test(integers_keep_to_their_range),
        cmocka_unit_test(types_are_found_by_their_cuda_names_and_by_those_printed),
        cmocka_unit_test(normal_numbers_are_normally_distributed),
        cmocka_unit_test(a_copy_in_double_precision_holds_the_very_same_numbers),
        cmocka_unit_test(numbers_of_every_type_are_sorted),
        cmocka_unit_test(bytes_come_as_they_are_given_and_zeros_behind_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
