/* Floating-point instructions on values worked out by hand. */
#include "metrics/ptx/ptx_scalar.h"
#include "metrics/ptx/ptx_parser.h"
#include "metrics/ptx/ptx_eval.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <string.h>
#include <cmocka.h>

static uint64_t single(float v)
{
    uint32_t bits;
    memcpy(&bits, &v, sizeof bits);
    return bits;
}

static uint64_t wide(double v)
{
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    return bits;
}

/* What a form makes of up to three values; UINT64_MAX where it is not known.  In all lanes, and, with the same result, in
 * one of which the neighbours are unknown or have other values. */
static uint64_t result_of(const char *text, int count, uint64_t a, uint64_t b, uint64_t c)
{
    enum { LANE = 5 };
    Arena *arena = arena_new();
    const uint64_t values[] = {a, b, c};
    Lanes same[3], different[3], result[2], alone[2];
    for (int i = 0; i < 3; i++) {
        lanes_unknown(&different[i]);
        for (int k = 0; k < PTX_LANES; k++)
            lanes_set(&different[i], k, k == LANE ? values[i] : values[i] + (uint64_t)k);
        lanes_forget(&different[i], UINT32_C(1) << (LANE + 1 + i));
        lanes_fill(&same[i], values[i]);
    }
    Map words = ptx_words_new(arena);
    bool fresh;
    const PtxForm *form = ptx_words_form(&words, text, strlen(text), &fresh);
    ptx_eval_result(form, same, count, result);
    ptx_eval_result(form, different, count, alone);
    const uint64_t v = result[0].known ? lanes_at(&result[0], LANE) : UINT64_MAX;
    for (int i = 0; i < 2; i++) {
        const uint32_t unknown = ((UINT32_C(1) << count) - 1) << (LANE + 1);
        assert_int_equal(alone[i].known, result[i].known & ~unknown);
        if (result[i].known)
            assert_int_equal(lanes_at(&alone[i], LANE), lanes_at(&result[i], LANE));
    }
    arena_free(arena);
    return v;
}

static void arithmetic_rounds_once_to_its_precision(void **state)
{
    (void)state;

    assert_int_equal(result_of("add.f32", 2, single(0.1F), single(0.2F), 0), 0x3e99999a);
    assert_int_equal(result_of("add.f32", 2, single(0x1p24F), single(1), 0), single(0x1p24F));
    assert_int_equal(result_of("add.f64", 2, wide(0x1p24), wide(1), 0), wide(0x1.000001p24));
    /* (1 + e)² - 1 with e = 2^-23: fused 2e + e², in two steps 2e. */
    assert_int_equal(
        result_of("fma.rn.f32", 3, single(0x1.000002p0F), single(0x1.000002p0F), single(-1)),
        single(0x1.000001p-22F));
    assert_int_equal(result_of("div.rn.f32", 2, single(1), single(3), 0), 0x3eaaaaab);
    assert_int_equal(result_of("sqrt.rn.f32", 1, single(2), 0, 0), 0x3fb504f3);
    assert_int_equal(result_of("copysign.f32", 2, single(-2), single(3), 0), single(-3));
    assert_int_equal(result_of("add.rz.f32", 2, single(1), single(1), 0), UINT64_MAX);
}

static void flushed_and_clamped_where_it_is_written(void **state)
{
    (void)state;

    assert_int_equal(result_of("mul.f32", 2, single(0x1p-100F), single(0x1p-40F), 0), 0x200);
    assert_int_equal(result_of("mul.ftz.f32", 2, single(0x1p-100F), single(0x1p-40F), 0), 0);
    assert_int_equal(result_of("add.sat.f32", 2, single(0.75F), single(0.5F), 0), single(1));
    assert_int_equal(result_of("add.sat.f32", 2, single(-0.75F), single(0.5F), 0), single(0));
}

static void comparisons_know_what_is_no_number(void **state)
{
    (void)state;
    const uint64_t nan = single(NAN), one = single(1), two = single(2);

    assert_int_equal(result_of("setp.lt.f32", 2, one, two, 0), 1);
    assert_int_equal(result_of("setp.lt.f32", 2, single(-1), single(-2), 0), 0);
    assert_int_equal(result_of("setp.lt.f32", 2, one, nan, 0), 0);
    assert_int_equal(result_of("setp.ltu.f32", 2, one, nan, 0), 1);
    assert_int_equal(result_of("setp.ne.f32", 2, nan, nan, 0), 0);
    assert_int_equal(result_of("setp.neu.f32", 2, nan, nan, 0), 1);
    assert_int_equal(result_of("setp.num.f32", 2, one, two, 0), 1);
    assert_int_equal(result_of("setp.num.f32", 2, one, nan, 0), 0);
    assert_int_equal(result_of("setp.nan.f32", 2, one, nan, 0), 1);
}

static void conversions_round_and_stop_at_the_ends(void **state)
{
    (void)state;

    assert_int_equal((int32_t)result_of("cvt.rzi.s32.f32", 1, single(-2.75F), 0, 0), -2);
    assert_int_equal((int32_t)result_of("cvt.rni.s32.f32", 1, single(2.5F), 0, 0), 2);
    assert_int_equal((int32_t)result_of("cvt.rmi.s32.f32", 1, single(-2.25F), 0, 0), -3);
    assert_int_equal((int32_t)result_of("cvt.rpi.s32.f32", 1, single(2.25F), 0, 0), 3);
    assert_int_equal((int32_t)result_of("cvt.rzi.s32.f32", 1, single(3e9F), 0, 0), INT32_MAX);
    assert_int_equal((int32_t)result_of("cvt.rzi.s32.f32", 1, single(-3e9F), 0, 0), INT32_MIN);
    assert_int_equal(result_of("cvt.rzi.u32.f32", 1, single(-1), 0, 0), 0);
    assert_int_equal(result_of("cvt.rzi.s32.f32", 1, single(NAN), 0, 0), 0);
    assert_int_equal(result_of("cvt.rn.f32.s32", 1, (uint32_t)-16777217, 0, 0), single(-0x1p24F));
    assert_int_equal(result_of("cvt.rn.f32.f64", 1, wide(1 + 0x1p-30), 0, 0), single(1));
    assert_int_equal(result_of("cvt.f64.f32", 1, single(0.1F), 0, 0), wide((double)0.1F));
    assert_int_equal(result_of("cvt.rn.f16.f32", 1, single(1), 0, 0), UINT64_MAX);
}

static PtxFloatWay way_of(const char *text, uint64_t a, uint64_t b)
{
    PtxFloatWay way;
    Arena *arena = arena_new();
    Map words = ptx_words_new(arena);
    bool fresh;
    const PtxForm *f = ptx_words_form(&words, text, strlen(text), &fresh);
    assert_true(ptx_float_has_ways(f));
    way = ptx_float_way(f, a, b);
    arena_free(arena);
    return way;
}

static void odd_operands_leave_the_usual_way(void **state)
{
    (void)state;
    const uint64_t three = single(3), denormal = 1;

    assert_int_equal(way_of("div.rn.f32", single(1), three), PTX_FLOAT_USUAL);
    assert_int_equal(way_of("div.rn.f32", 0, three), PTX_FLOAT_PLAIN);
    assert_int_equal(way_of("div.rn.f32", three, single(INFINITY)), PTX_FLOAT_PLAIN);
    assert_int_equal(way_of("div.rn.f32", three, 0), PTX_FLOAT_INFINITE);
    assert_int_equal(way_of("div.rn.f32", single(INFINITY), three), PTX_FLOAT_INFINITE);
    assert_int_equal(way_of("div.rn.f32", 0, 0), PTX_FLOAT_PLAIN);
    assert_int_equal(way_of("div.rn.f32", denormal, three), PTX_FLOAT_SCALED);
    assert_int_equal(way_of("div.rn.f32", single(0x1p100F), single(0x1p-100F)), PTX_FLOAT_SCALED);
    assert_int_equal(way_of("sqrt.rn.f32", three, 0), PTX_FLOAT_USUAL);
    assert_int_equal(way_of("sqrt.rn.f32", 0, 0), PTX_FLOAT_PLAIN);
    assert_int_equal(way_of("sqrt.rn.f32", single(-1), 0), PTX_FLOAT_PLAIN);
    assert_int_equal(way_of("sqrt.rn.f32", single(0x1p-102F), 0), PTX_FLOAT_SCALED);
    assert_int_equal(way_of("rcp.rn.f32", three, 0), PTX_FLOAT_USUAL);
    assert_int_equal(way_of("rcp.rn.f32", single(0x1p127F), 0), PTX_FLOAT_SCALED);
    assert_int_equal(way_of("div.rn.f64", wide(1), wide(3)), PTX_FLOAT_USUAL);
    assert_int_equal(way_of("div.rn.f64", 0, wide(3)), PTX_FLOAT_PLAIN);
    assert_int_equal(way_of("sqrt.rn.f64", wide(2), 0), PTX_FLOAT_USUAL);
    assert_int_equal(way_of("sqrt.rn.f64", 0, 0), PTX_FLOAT_PLAIN);
    assert_int_equal(way_of("rcp.rn.f64", wide(2), 0), PTX_FLOAT_USUAL);
    assert_int_equal(way_of("rcp.rn.f64", denormal, 0), PTX_FLOAT_SCALED);
    /* the upper halves of a NaN and of an infinity are NaN in single precision */
    assert_int_equal(way_of("div.rn.f64", wide(NAN), wide(3)), PTX_FLOAT_NAN);
    assert_int_equal(way_of("div.rn.f64", wide(3), wide(NAN)), PTX_FLOAT_NAN);
    assert_int_equal(way_of("div.rn.f64", wide(3), wide(0)), PTX_FLOAT_PLAIN);
    assert_int_equal(way_of("div.rn.f64", wide(3), wide(0x1p1020)), PTX_FLOAT_SCALED);
    assert_int_equal(way_of("div.rn.f64", wide(0x1p1000), wide(0x1p-20)), PTX_FLOAT_SCALED);
    assert_int_equal(way_of("div.rn.f64", wide(0x1p1000), wide(0x1p-10)), PTX_FLOAT_USUAL);
}

/* mov joins parts, the lowest first, and takes of each no more than fits. */
static void moves_join_parts(void **state)
{
    (void)state;

    assert_int_equal(result_of("mov.b32", 2, 0x1234, 0xabcd, 0), 0xabcd1234);
    assert_int_equal(result_of("mov.b32", 2, 0x91234, 0xabcd, 0), 0xabcd1234);
    assert_int_equal(result_of("mov.b64", 2, 0x89abcdef, 0x01234567, 0), 0x0123456789abcdef);
    assert_int_equal(result_of("mov.b32", 1, 0x89abcdef, 0, 0), 0x89abcdef);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arithmetic_rounds_once_to_its_precision),
        cmocka_unit_test(flushed_and_clamped_where_it_is_written),
        cmocka_unit_test(comparisons_know_what_is_no_number),
        cmocka_unit_test(conversions_round_and_stop_at_the_ends),
        cmocka_unit_test(odd_operands_leave_the_usual_way),
        cmocka_unit_test(moves_join_parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
