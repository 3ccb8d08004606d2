/* What ptx_affine says of an instruction's results at time t, against computing them from the
 * sources at time t. */
#include "metrics/ptx/ptx_affine.h"
#include "metrics/ptx/ptx.h"

#include <string.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

enum { ROUNDS = 400, TIMES = 40 };

/* Sources are registers 1 to 3, 4 to 6 (64 bits) and predicate 1. */
static const char text[] =
    ".version 9.0\n.target sm_90\n.address_size 64\n"
    ".entry k() { .reg .pred %p<9>; .reg .b32 %r<9>; .reg .b64 %rd<9>;\n"
    "add.s32 %r7, %r1, %r2; sub.s32 %r7, %r1, %r2; mul.lo.s32 %r7, %r1, %r2;\n"
    "mul.wide.s32 %rd7, %r1, %r2; mul.wide.u32 %rd7, %r1, %r2; mul.hi.u32 %r7, %r1, %r2;\n"
    "mad.lo.s32 %r7, %r1, %r2, %r3; mad.wide.s32 %rd7, %r1, %r2, %rd4;\n"
    "mad.wide.u32 %rd7, %r1, %r2, %rd4; and.b32 %r7, %r1, %r2; or.b32 %r7, %r1, %r2;\n"
    "xor.b32 %r7, %r1, %r2; not.b32 %r7, %r1; neg.s32 %r7, %r1; shl.b32 %r7, %r1, %r2;\n"
    "shr.s32 %r7, %r1, %r2; shr.u32 %r7, %r1, %r2; div.s32 %r7, %r1, %r2;\n"
    "div.u32 %r7, %r1, %r2; rem.s32 %r7, %r1, %r2; rem.u32 %r7, %r1, %r2;\n"
    "min.s32 %r7, %r1, %r2; max.u32 %r7, %r1, %r2; bfe.u32 %r7, %r1, %r2, %r3;\n"
    "cvt.s64.s32 %rd7, %r1; cvt.u64.u32 %rd7, %r1; cvt.u32.u64 %r7, %rd4;\n"
    "add.s64 %rd7, %rd4, %rd5; shl.b64 %rd7, %rd4, %r2; mov.b32 %r7, %r1;\n"
    "setp.lt.s32 %p2, %r1, %r2; setp.ge.u32 %p2, %r1, %r2; setp.eq.s32 %p2, %r1, %r2;\n"
    "setp.ne.b32 %p2, %r1, %r2; setp.gt.s64 %p2, %rd4, %rd5; setp.ls.u32 %p2, %r1, %r2;\n"
    "setp.lt.and.s32 %p2|%p3, %r1, %r2, %p1; selp.b32 %r7, %r1, %r2, %p1;\n"
    "lop3.b32 %r7, %r1, %r2, %r3, 150; prmt.b32 %r7, %r1, %r2, 0x5410; abs.s32 %r7, %r1;\n"
    "ret; }";

static uint64_t random_state = 99;

static uint64_t random_value(void)
{
    random_state = random_state * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return random_state >> 24;
}

/* Small and large, positive and negative, often a power of two. */
static uint64_t random_number(void)
{
    const uint64_t v = random_value();
    switch (v % 6) {
    case 0:
        return v >> 8 & 31;
    case 1:
        return UINT64_C(1) << (v >> 8 & 31);
    case 2:
        return 0 - (v >> 8 & 63);
    case 3:
        return (UINT64_C(1) << (v >> 8 & 31)) - 1;
    case 4:
        return v >> 8 & 1023;
    default:
        return v;
    }
}

static void random_lanes(Lanes *l, bool may_be_unknown)
{
    const uint64_t same = random_number();
    lanes_fill(l, same);
    if (random_value() % 2)
        return;
    lanes_spread(l);
    for (int i = 0; i < PTX_LANES; i++)
        l->v[i] = random_value() % 4 ? same + (uint64_t)i * 4 : random_number();
    if (may_be_unknown && random_value() % 4 == 0)
        l->known = (uint32_t)random_value();
}

static void at_time(const Lanes *v, const Lanes *d, uint64_t t, Lanes *out)
{
    *out = *v;
    lanes_spread(out);
    for (int i = 0; i < PTX_LANES; i++)
        out->v[i] += t * lanes_at(d, i);
}

/* Compares one instruction's claims; returns how many lanes and times were claimed for. */
static uint64_t check(const PtxInstr *in)
{
    Lanes v[4], d[4], now[4], result[2], later[2], change[2];
    const int count = in->count - 1;
    const int bits =
        ptx_types[ptx_result_type(in->form)].bits * (in->form->half == PTX_WIDE ? 2 : 1);
    uint64_t limit = PTX_FOREVER, claims = 0;
    for (int i = 0; i < count && i < 4; i++) {
        const PtxOperand *o = &in->operands[i + 1];
        random_lanes(&v[i], true);
        random_lanes(&d[i], false);
        if (random_value() % 2 || o->kind == PTX_OPERAND_IMMEDIATE || in->form->op == PTX_SELP)
            lanes_fill(&d[i], i == 2 || random_value() % 2 ? 0 : d[i].v[0]);
        if (o->kind == PTX_OPERAND_IMMEDIATE) {
            lanes_fill(&v[i], (uint64_t)o->value);
            lanes_fill(&d[i], 0);
        }
    }
    ptx_eval_result(in->form, v, count, result);
    ptx_affine_result(in->form, v, d, count, result, UINT32_MAX, change, &limit);
    for (uint64_t t = 0; t < TIMES && t < limit; t++) {
        for (int i = 0; i < count; i++)
            at_time(&v[i], &d[i], t, &now[i]);
        ptx_eval_result(in->form, now, count, later);
        for (int i = 0; i < PTX_LANES; i++) {
            if (!(change[0].known >> i & 1))
                continue;
            assert_int_equal(later[0].known >> i & 1, result[0].known >> i & 1);
            if (!(result[0].known >> i & 1))
                continue;
            assert_int_equal(
                ptx_value_truncate(lanes_at(&later[0], i), bits),
                ptx_value_truncate(lanes_at(&result[0], i) + t * lanes_at(&change[0], i), bits));
            claims += t > 0;
        }
    }
    return claims;
}

static void changes_hold_as_long_as_they_are_said_to(void **state)
{
    (void)state;
    Arena *a = arena_new();
    Diag diag = diag_new(a);
    const Source s = {"affine.ptx", text, sizeof text - 1};
    const PtxFunction *f = ptx_find_entry(ptx_parse(a, &s, &diag), NULL);
    assert_int_equal(diag.errors, 0);
    uint64_t claims = 0;
    for (int n = 0; n < ROUNDS; n++)
        for (size_t i = 0; i + 1 < f->instrs.count; i++)
            claims += check(&f->instrs.at[i]);
    assert_int_equal(claims, 6710665); /* rules that give up earlier claim less */
    arena_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(changes_hold_as_long_as_they_are_said_to),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
