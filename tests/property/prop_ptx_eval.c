/* Instructions on random operands against plain C written from the ISA's own words. */
#include "metrics/ptx/ptx_eval.h"
#include "metrics/ptx/ptx.h"

#include <stdio.h>
#include <string.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

enum { ROUNDS = 60, SEED = 2008 };

static uint64_t random_state = SEED;

static uint64_t random_bits(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state * UINT64_C(0x2545F4914F6CDD1D);
}

/* Small, large, near the ends of ranges: where mistakes are. */
static uint64_t random_value(void)
{
    static const uint64_t special[] = {0,          1,          2,
                                       31,         32,         33,
                                       63,         64,         UINT32_MAX,
                                       INT32_MAX,  0x80000000, INT64_MAX,
                                       UINT64_MAX, 255,        UINT64_C(1) << 63,
                                       0xFFFF,     0x80000001, UINT64_MAX - 1};
    const uint64_t r = random_bits();
    if (r % 3 == 0)
        return special[(r >> 8) % (sizeof special / sizeof *special)];
    return r % 3 == 1 ? random_bits() : random_bits() % 100;
}

typedef uint64_t Reference(uint64_t a, uint64_t b, uint64_t c, uint64_t d);

#define U32(x) ((uint32_t)(x))
#define S32(x) ((int32_t)(uint32_t)(x))
#define S64(x) ((int64_t)(x))
#define S24(x) ((int64_t)((uint64_t)(x) << 40) >> 40)

/* One line an instruction: the form, its number of sources, what C makes of it. */
#define CASES(X)                                                                                   \
    X(add_u32, "add.u32", 2, U32(a + b))                                                           \
    X(add_s64, "add.s64", 2, a + b)                                                                \
    X(add_sat, "add.sat.s32", 2, U32(clamp((int64_t)S32(a) + S32(b))))                             \
    X(sub_s32, "sub.s32", 2, U32(a - b))                                                           \
    X(sub_sat, "sub.sat.s32", 2, U32(clamp((int64_t)S32(a) - S32(b))))                             \
    X(mul_lo, "mul.lo.s32", 2, U32(U32(a) * (uint64_t)U32(b)))                                     \
    X(mul_hi_u, "mul.hi.u32", 2, (U32(a) * (uint64_t)U32(b)) >> 32)                                \
    X(mul_hi_s, "mul.hi.s32", 2, U32((uint64_t)((int64_t)S32(a) * S32(b)) >> 32))                  \
    X(mul_wide_s, "mul.wide.s32", 2, (uint64_t)((int64_t)S32(a) * S32(b)))                         \
    X(mul_wide_u, "mul.wide.u32", 2, (uint64_t)U32(a) * U32(b))                                    \
    X(mul_wide_u16, "mul.wide.u16", 2, (a & 0xFFFF) * (b & 0xFFFF))                                \
    X(mul_hi_u64, "mul.hi.u64", 2, high64(a, b))                                                   \
    X(mad_lo, "mad.lo.s32", 3, U32(U32(a) * (uint64_t)U32(b) + c))                                 \
    X(mad_wide, "mad.wide.s32", 3, (uint64_t)((int64_t)S32(a) * S32(b)) + c)                       \
    X(div_u, "div.u32", 2, U32(b) ? U32(a) / U32(b) : 0)                                           \
    X(div_s, "div.s32", 2, S32(b) ? U32((int64_t)S32(a) / S32(b)) : 0)                             \
    X(rem_s, "rem.s32", 2, S32(b) ? U32((int64_t)S32(a) % S32(b)) : 0)                             \
    X(rem_u64, "rem.u64", 2, b ? a % b : 0)                                                        \
    X(abs_s, "abs.s32", 1, U32(S32(a) < 0 ? 0 - a : a))                                            \
    X(neg_s, "neg.s32", 1, U32(0 - a))                                                             \
    X(min_s, "min.s32", 2, U32(S32(a) < S32(b) ? a : b))                                           \
    X(max_u, "max.u32", 2, U32(a) > U32(b) ? U32(a) : U32(b))                                      \
    X(max_s64, "max.s64", 2, S64(a) > S64(b) ? a : b)                                              \
    X(and_b, "and.b32", 2, U32(a &b))                                                              \
    X(or_b, "or.b64", 2, a | b)                                                                    \
    X(xor_b, "xor.b32", 2, U32(a ^ b))                                                             \
    X(not_b, "not.b32", 1, U32(~a))                                                                \
    X(not_p, "not.pred", 1, ~a & 1)                                                                \
    X(shl_b, "shl.b32", 2, U32(b) > 31 ? 0 : U32(U32(a) << U32(b)))                                \
    X(shl_b64, "shl.b64", 2, U32(b) > 63 ? 0 : a << U32(b))                                        \
    X(shr_u, "shr.u32", 2, U32(b) > 31 ? 0 : U32(a) >> U32(b))                                     \
    X(shr_s, "shr.s32", 2, U32(S32(a) >> (U32(b) > 31 ? 31 : U32(b))))                             \
    X(shr_s64, "shr.s64", 2, (uint64_t)(S64(a) >> (U32(b) > 63 ? 63 : U32(b))))                    \
    X(shf_l_wrap, "shf.l.wrap.b32", 3,                                                             \
      (c & 31) ? U32(b << (c & 31)) | U32(a) >> (32 - (c & 31)) : U32(b))                          \
    X(shf_r_wrap, "shf.r.wrap.b32", 3,                                                             \
      (c & 31) ? U32(U32(b) << (32 - (c & 31))) | U32(a) >> (c & 31) : U32(a))                     \
    X(shf_r_clamp, "shf.r.clamp.b32", 3,                                                           \
      U32(c) >= 32 ? U32(b)                                                                        \
      : U32(c)     ? U32(U32(b) << (32 - U32(c))) | U32(a) >> U32(c)                               \
                   : U32(a))                                                                           \
    X(bfe_u, "bfe.u32", 3, field(U32(a), b & 255, c & 255))                                        \
    X(bfi_b, "bfi.b32", 4, insert(U32(a), U32(b), c & 255, d & 255))                               \
    X(popc_b, "popc.b64", 1, bits_set(a))                                                          \
    X(clz_b, "clz.b32", 1, zeros(U32(a)))                                                          \
    X(brev_b, "brev.b32", 1, reversed(U32(a)))                                                     \
    X(bfind_u, "bfind.u32", 1, U32(31 - zeros(U32(a))))                                            \
    X(prmt_b, "prmt.b32", 3, bytes(U32(a), U32(b), c))                                             \
    X(prmt_f4e, "prmt.b32.f4e", 3, chosen(a, b, c, first_up))                                      \
    X(prmt_b4e, "prmt.b32.b4e", 3, chosen(a, b, c, first_down))                                    \
    X(prmt_rc8, "prmt.b32.rc8", 3, chosen(a, b, c, the_one))                                       \
    X(prmt_ecl, "prmt.b32.ecl", 3, chosen(a, b, c, not_below))                                     \
    X(prmt_ecr, "prmt.b32.ecr", 3, chosen(a, b, c, not_above))                                     \
    X(prmt_rc16, "prmt.b32.rc16", 3, chosen(a, b, c, half_of))                                     \
    X(sad_u, "sad.u32", 3, U32(c + (U32(a) < U32(b) ? U32(b) - U32(a) : U32(a) - U32(b))))         \
    X(selp_b, "selp.b32", 3, U32(c & 1 ? a : b))                                                   \
    X(setp_lt, "setp.lt.s32", 2, S32(a) < S32(b))                                                  \
    X(setp_hi, "setp.hi.u32", 2, U32(a) > U32(b))                                                  \
    X(setp_and, "setp.ne.and.b32", 3, U32(a) != U32(b) && (c & 1))                                 \
    X(setp_xor, "setp.ge.xor.u64", 3, (a >= b) != (c & 1))                                         \
    X(set_le, "set.le.u32.s32", 2, S32(a) <= S32(b) ? UINT32_MAX : 0)                              \
    X(cvt_wide, "cvt.s64.s32", 1, (uint64_t)(int64_t)S32(a))                                       \
    X(cvt_u, "cvt.u64.u32", 1, U32(a))                                                             \
    X(cvt_low, "cvt.u32.u64", 1, U32(a))                                                           \
    X(cvt_byte, "cvt.s32.s8", 1, (uint64_t)(int64_t)(int8_t)(uint8_t)a)                            \
    X(cvt_sat, "cvt.sat.u8.s32", 1, (uint64_t)(S32(a) < 0 ? 0 : S32(a) > 255 ? 255 : S32(a)))      \
    X(shf_l_clamp, "shf.l.clamp.b32", 3,                                                           \
      U32(c) >= 32 ? U32(a)                                                                        \
      : U32(c)     ? U32(b << U32(c)) | U32(a) >> (32 - U32(c))                                    \
                   : U32(b))                                                                           \
    X(bfe_s, "bfe.s32", 3, U32(field_signed(S32(a), b & 255, c & 255)))                            \
    X(bfind_s, "bfind.s32", 1, U32(31 - zeros(U32(S32(a) < 0 ? ~a : a))))                          \
    X(bfind_amount, "bfind.shiftamt.u32", 1, U32(a) ? zeros(U32(a)) : UINT32_MAX)                  \
    X(mul24_lo, "mul24.lo.s32", 2, U32(S24(a) * S24(b)))                                           \
    X(mul24_hi, "mul24.hi.u32", 2, U32((a & 0xFFFFFF) * (b & 0xFFFFFF) >> 16))                     \
    X(mul24_hi_s, "mul24.hi.s32", 2, U32((uint64_t)(S24(a) * S24(b)) >> 16))                       \
    X(mad24_lo, "mad24.lo.u32", 3, U32((a & 0xFFFFFF) * (b & 0xFFFFFF) + c))                       \
    X(mad_hi, "mad.hi.s32", 3, U32(((uint64_t)((int64_t)S32(a) * S32(b)) >> 32) + c))              \
    X(dp4a_u, "dp4a.u32.u32", 3, U32(c + products(a, b, false, false)))                            \
    X(dp4a_s, "dp4a.s32.s32", 3, U32(c + products(a, b, true, true)))                              \
    X(dp4a_su, "dp4a.s32.u32", 3, U32(c + products(a, b, true, false)))                            \
    X(slct_b, "slct.b32.s32", 3, U32(S32(c) >= 0 ? a : b))                                         \
    X(div_s64, "div.s64", 2, S64(b) == -1 ? 0 - a : b ? (uint64_t)(S64(a) / S64(b)) : 0)           \
    X(rem_s64, "rem.s64", 2, S64(b) == -1 || !b ? 0 : (uint64_t)(S64(a) % S64(b)))                 \
    X(min_u64, "min.u64", 2, a < b ? a : b)                                                        \
    X(abs_s64, "abs.s64", 1, S64(a) < 0 ? 0 - a : a)                                               \
    X(sad_s, "sad.s32", 3, U32(c + (S32(a) < S32(b) ? b - a : a - b)))                             \
    X(cnot_b, "cnot.b32", 1, U32(a) == 0)                                                          \
    X(and_p, "and.pred", 2, a &b & 1)                                                              \
    X(xor_p, "xor.pred", 2, (a ^ b) & 1)                                                           \
    X(popc_b32, "popc.b32", 1, bits_set(U32(a)))                                                   \
    X(setp_lo, "setp.lo.u32", 2, U32(a) < U32(b))                                                  \
    X(setp_ls, "setp.ls.u64", 2, a <= b)                                                           \
    X(setp_hs, "setp.hs.u32", 2, U32(a) >= U32(b))                                                 \
    X(setp_or, "setp.eq.or.s32", 3, U32(a) == U32(b) || (c & 1))                                   \
    X(setp_gt, "setp.gt.s64", 2, S64(a) > S64(b))                                                  \
    X(cvt_sat_s8, "cvt.sat.s8.s32", 1,                                                             \
      (uint64_t)(S32(a) < -128  ? -128                                                             \
                 : S32(a) > 127 ? 127                                                              \
                                : S32(a)))                                                         \
    X(cvt_sat_u16, "cvt.sat.u16.u32", 1, U32(a) > 65535 ? 65535 : U32(a))                          \
    X(cvt_sat_s32, "cvt.sat.s32.u64", 1, a > INT32_MAX ? INT32_MAX : a)                            \
    X(lop3_xor, "lop3.b32", 4, U32(lookup(a, b, c, d)))                                            \
    X(mov_b, "mov.b64", 1, a)                                                                      \
    X(cvta_g, "cvta.to.global.u64", 1, a)

static int64_t clamp(int64_t v)
{
    return v > INT32_MAX ? INT32_MAX : v < INT32_MIN ? INT32_MIN : v;
}

/* Schoolbook, in halves of 32 bits. */
static uint64_t high64(uint64_t a, uint64_t b)
{
    const uint64_t al = U32(a), ah = a >> 32, bl = U32(b), bh = b >> 32;
    const uint64_t low = al * bl, m1 = ah * bl + (low >> 32), m2 = al * bh + U32(m1);
    return ah * bh + (m1 >> 32) + (m2 >> 32);
}

static uint64_t field(uint64_t a, uint64_t position, uint64_t length)
{
    if (position > 31 || length == 0)
        return 0;
    return a >> position & (length > 31 ? UINT32_MAX : (UINT64_C(1) << length) - 1);
}

/* Bit by bit, as the ISA writes it: behind the field, and behind the word, stands the field's top. */
static int64_t field_signed(int32_t a, uint64_t position, uint64_t length)
{
    const uint64_t last = position + length - 1 < 31 ? position + length - 1 : 31;
    const bool negative = length > 0 && a >> last & 1;
    uint32_t r = 0;
    for (uint64_t i = 0; i < 32; i++) {
        const bool inside = i < length && position + i <= 31;
        r |= (uint32_t)(inside ? a >> (position + i) & 1 : negative) << i;
    }
    return (int32_t)r;
}

/* Of the four bytes of each. */
static uint64_t products(uint64_t a, uint64_t b, bool signed_a, bool signed_b)
{
    int64_t sum = 0;
    for (int i = 0; i < 32; i += 8) {
        const uint8_t x = (uint8_t)(a >> i), y = (uint8_t)(b >> i);
        sum += (signed_a ? (int8_t)x : x) * (int64_t)(signed_b ? (int8_t)y : y);
    }
    return (uint64_t)sum;
}

static uint64_t insert(uint64_t a, uint64_t b, uint64_t position, uint64_t length)
{
    if (position > 31)
        return b;
    const uint64_t mask = (length > 31 ? UINT32_MAX : (UINT64_C(1) << length) - 1) << position;
    return U32((b & ~mask) | (a << position & mask));
}

static uint64_t bits_set(uint64_t a)
{
    uint64_t n = 0;
    for (; a; a &= a - 1)
        n++;
    return n;
}

static uint64_t zeros(uint32_t a)
{
    uint64_t n = 32;
    for (; a; a >>= 1)
        n--;
    return n;
}

static uint64_t reversed(uint32_t a)
{
    uint32_t r = 0;
    for (int i = 0; i < 32; i++, a >>= 1)
        r = r << 1 | (a & 1);
    return r;
}

static uint64_t bytes(uint32_t a, uint32_t b, uint64_t selector)
{
    uint32_t r = 0;
    for (int i = 0; i < 4; i++) {
        const uint32_t s = (uint32_t)(selector >> (4 * i)) & 15, from = s & 4 ? b : a;
        uint32_t byte = from >> (8 * (s & 3)) & 255;
        if (s & 8)
            byte = byte > 127 ? 255 : 0;
        r |= byte << (8 * i);
    }
    return r;
}

/* The modes of prmt: which of the eight bytes becomes byte `i`, by the two low bits of c. */
static int first_up(int c, int i)
{
    return (c + i) & 7;
}

static int first_down(int c, int i)
{
    return (c - i) & 7;
}

static int the_one(int c, int i)
{
    (void)i;
    return c;
}

static int not_below(int c, int i)
{
    return i > c ? i : c;
}

static int not_above(int c, int i)
{
    return i < c ? i : c;
}

static int half_of(int c, int i)
{
    return 2 * (c & 1) + (i & 1);
}

static uint64_t chosen(uint64_t a, uint64_t b, uint64_t c, int (*byte)(int c, int i))
{
    uint64_t selector = 0;
    for (int i = 0; i < 4; i++)
        selector |= (uint64_t)byte((int)(c & 3), i) << (4 * i);
    return bytes(U32(a), U32(b), selector);
}

static uint64_t lookup(uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
    uint64_t r = 0;
    for (int i = 0; i < 32; i++) {
        const uint64_t index = (a >> i & 1) << 2 | (b >> i & 1) << 1 | (c >> i & 1);
        r |= (d >> index & 1) << i;
    }
    return r;
}

#define FUNCTION(id, text, count, value)                                                           \
    static uint64_t ref_##id(uint64_t a, uint64_t b, uint64_t c, uint64_t d)                       \
    {                                                                                              \
        (void)a, (void)b, (void)c, (void)d;                                                        \
        return (uint64_t)(value);                                                                  \
    }
CASES(FUNCTION)

typedef struct Case {
    const char *form;
    int count;
    Reference *reference;
} Case;

static const Case cases[] = {
#define ENTRY(id, text, count, value) {text, count, ref_##id},
    CASES(ENTRY)};

static const PtxForm *form_of(Arena *a, const char *text)
{
    Source *s = ARENA_NEW(a, Source);
    const char *body = arena_printf(a, ".entry k() { .reg .b32 x; %s x; }", text);
    *s = (Source){"form", body, strlen(body)};
    Diag d = diag_new(a);
    const PtxModule *m = ptx_parse(a, s, &d);
    assert_int_equal(d.errors, 0);
    return m->functions.at[0]->instrs.at[0].form;
}

static bool divides_by_zero(const PtxForm *f, uint64_t b)
{
    const int bits = ptx_types[f->types[0]].bits;
    return (f->op == PTX_DIV || f->op == PTX_REM) && ptx_value_truncate(b, bits) == 0;
}

static void check_round(const Case *x, const PtxForm *f)
{
    Lanes sources[4], result[2];
    for (int k = 0; k < 4; k++) {
        sources[k].known = k == 0 ? ~UINT32_C(2) : UINT32_MAX; /* lane 1 is not known */
        sources[k].uniform = false;
        for (int i = 0; i < PTX_LANES; i++)
            sources[k].v[i] = random_value();
    }
    ptx_eval_result(f, sources, x->count, result);
    for (int i = 0; i < PTX_LANES; i++) {
        const uint64_t expected =
            x->reference(sources[0].v[i], sources[1].v[i], sources[2].v[i], sources[3].v[i]);
        const bool known = result[0].known >> i & 1;
        if (i == 1 || divides_by_zero(f, sources[1].v[i])) {
            /* An and, or, product may be decided by the other side alone. */
            assert_true(!known || f->op == PTX_AND || f->op == PTX_OR || f->op == PTX_MUL);
            continue;
        }
        const int bits = f->op == PTX_CVT ? ptx_types[f->types[0]].bits : 64;
        if (!known ||
            ptx_value_truncate(lanes_at(&result[0], i), bits) != ptx_value_truncate(expected, bits))
            fail_msg("%s of %llx %llx %llx %llx: %llx, not %llx", x->form,
                     (unsigned long long)sources[0].v[i], (unsigned long long)sources[1].v[i],
                     (unsigned long long)sources[2].v[i], (unsigned long long)sources[3].v[i],
                     (unsigned long long)lanes_at(&result[0], i), (unsigned long long)expected);
    }
}

static void instructions_do_what_c_does(void **state)
{
    (void)state;
    Arena *a = arena_new();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const PtxForm *f = form_of(a, cases[i].form);
        assert_true(ptx_eval_computes(f));
        for (int round = 0; round < ROUNDS; round++)
            check_round(&cases[i], f);
    }
    arena_free(a);
}

/* The short way for values that all lanes share gives what the long way gives. */
static void uniform_values_give_the_same(void **state)
{
    (void)state;
    Arena *a = arena_new();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const PtxForm *f = form_of(a, cases[i].form);
        Lanes same[4], spread[4], first[2], second[2];
        for (int k = 0; k < 4; k++) {
            lanes_fill(&same[k], random_value());
            spread[k] = same[k];
            lanes_spread(&spread[k]);
        }
        ptx_eval_result(f, same, cases[i].count, first);
        ptx_eval_result(f, spread, cases[i].count, second);
        assert_int_equal(first[0].known, second[0].known);
        for (int k = 0; k < PTX_LANES && first[0].known; k++)
            assert_true(lanes_at(&first[0], k) == lanes_at(&second[0], k));
    }
    arena_free(a);
}

static void half_precision_and_loads_are_unknown(void **state)
{
    (void)state;
    const char *forms[] = {"add.f16",        "fma.rn.f16x2",       "ld.global.u32",
                           "setp.lt.bf16",   "cvt.rn.f16.f32",     "add.rz.f32",
                           "cvt.rz.f32.f64", "shfl.sync.down.b32", "addc.u32"};
    Arena *a = arena_new();
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        Lanes sources[4], result[2];
        for (int k = 0; k < 4; k++)
            lanes_fill(&sources[k], 1);
        ptx_eval_result(form_of(a, forms[i]), sources, 4, result);
        assert_int_equal(result[0].known, 0);
    }
    arena_free(a);
}

static void both_predicates_of_a_pair_are_set(void **state)
{
    (void)state;
    Arena *a = arena_new();
    Lanes s[3], r[2];
    lanes_fill(&s[0], 3);
    lanes_fill(&s[1], 4);
    lanes_fill(&s[2], 1);

    ptx_eval_result(form_of(a, "setp.gt.and.s32"), s, 3, r);

    assert_int_equal(lanes_at(&r[0], 0), 0);
    assert_int_equal(lanes_at(&r[1], 0), 1);
    arena_free(a);
}

static void threads_are_numbered_x_first(void **state)
{
    (void)state;
    const PtxLaunch l = {.grid = {5, 6, 7}, .block = {6, 5, 4}, .has_geometry = true};
    const PtxState s = {.launch = &l, .place = {.block = {4, 3, 2}, .warp = 1}};
    for (int lane = 0; lane < PTX_LANES; lane++) {
        const uint64_t t = 32 + (uint64_t)lane;
        Lanes x, y, z;
        ptx_eval_special(&s, PTX_TID_X, &x);
        ptx_eval_special(&s, PTX_TID_Y, &y);
        ptx_eval_special(&s, PTX_TID_Z, &z);
        assert_int_equal(lanes_at(&x, lane) + 6 * (lanes_at(&y, lane) + 5 * lanes_at(&z, lane)), t);
        assert_true(lanes_at(&x, lane) < 6 && lanes_at(&y, lane) < 5);
    }
    Lanes c;
    ptx_eval_special(&s, PTX_CTAID_Y, &c);
    assert_int_equal(lanes_at(&c, 9), 3);
    ptx_eval_special(&s, PTX_NCTAID_Z, &c);
    assert_int_equal(lanes_at(&c, 9), 7);
    assert_int_equal(ptx_warp_mask(&l, 3), 0x00FFFFFF); /* 120 threads */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(instructions_do_what_c_does),
        cmocka_unit_test(uniform_values_give_the_same),
        cmocka_unit_test(half_precision_and_loads_are_unknown),
        cmocka_unit_test(both_predicates_of_a_pair_are_set),
        cmocka_unit_test(threads_are_numbered_x_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
