#include "metrics/ptx/ptx_scalar.h"

uint64_t ptx_value_truncate(uint64_t v, int bits)
{
    return bits >= 64 ? v : v & ((UINT64_C(1) << bits) - 1);
}

int64_t ptx_value_signed(uint64_t v, int bits)
{
    if (bits >= 64)
        return (int64_t)v;
    const uint64_t sign = UINT64_C(1) << (bits - 1);
    return (int64_t)((ptx_value_truncate(v, bits) ^ sign) - sign);
}

/* dp4a and friends are 32 bits whatever their types say. */
int ptx_source_bits(const PtxForm *f)
{
    const int bits = ptx_type_bits(ptx_source_type(f));
    return bits == 0 || bits > 64 ? 64 : bits;
}

/* --- arithmetic -------------------------------------------------------------------------- */

__extension__ typedef __int128 Wide;
__extension__ typedef unsigned __int128 WideUnsigned;

static uint64_t high_product(uint64_t a, uint64_t b, int bits, bool is_signed)
{
    if (is_signed) {
        const Wide p = (Wide)ptx_value_signed(a, bits) * ptx_value_signed(b, bits);
        return (uint64_t)(p >> bits);
    }
    const WideUnsigned p = (WideUnsigned)ptx_value_truncate(a, bits) * ptx_value_truncate(b, bits);
    return (uint64_t)(p >> bits);
}

/* Sources extended to 64 bits, so that their product is the wide one. */
static uint64_t wide_product(const PtxScalar *s)
{
    if (s->is_signed)
        return (uint64_t)ptx_value_signed(s->a, s->bits) *
               (uint64_t)ptx_value_signed(s->b, s->bits);
    return ptx_value_truncate(s->a, s->bits) * ptx_value_truncate(s->b, s->bits);
}

static uint64_t product(const PtxScalar *s)
{
    if (s->form->half == PTX_HIGH)
        return high_product(s->a, s->b, s->bits, s->is_signed);
    return wide_product(s);
}

/* mul24: the low 24 bits of the sources, bits 0..31 or 16..47 of the product. */
static uint64_t product24(const PtxScalar *s)
{
    const uint64_t a =
        s->is_signed ? (uint64_t)ptx_value_signed(s->a, 24) : ptx_value_truncate(s->a, 24);
    const uint64_t b =
        s->is_signed ? (uint64_t)ptx_value_signed(s->b, 24) : ptx_value_truncate(s->b, 24);
    return s->form->half == PTX_HIGH ? (a * b) >> 16 : a * b;
}

static uint64_t clamp_signed32(int64_t v)
{
    return (uint64_t)(v > INT32_MAX ? INT32_MAX : v < INT32_MIN ? INT32_MIN : v);
}

static uint64_t quotient(PtxScalar *s)
{
    const bool remainder = s->form->op == PTX_REM;
    s->unknown = ptx_value_truncate(s->b, s->bits) == 0; /* "unspecified, machine-specific value" */
    if (s->unknown)
        return 0;
    if (!s->is_signed)
        return remainder ? s->a % s->b : s->a / s->b;
    const int64_t a = ptx_value_signed(s->a, s->bits), b = ptx_value_signed(s->b, s->bits);
    if (b == -1)
        return remainder ? 0 : 0 - (uint64_t)a;
    return (uint64_t)(remainder ? a % b : a / b);
}

static bool less(const PtxScalar *s, uint64_t a, uint64_t b)
{
    return s->is_signed ? ptx_value_signed(a, s->bits) < ptx_value_signed(b, s->bits) : a < b;
}

static uint64_t magnitude(const PtxScalar *s)
{
    const int64_t x = ptx_value_signed(s->a, s->bits);
    return x < 0 ? 0 - (uint64_t)x : (uint64_t)x;
}

/* --- bits -------------------------------------------------------------------------------- */

/* Amounts beyond the width clamp to it. */
static uint64_t shifted(const PtxScalar *s)
{
    const uint64_t amount = ptx_value_truncate(s->b, 32);
    const int bits = s->bits;
    if (s->form->op == PTX_SHL)
        return amount >= (uint64_t)bits ? 0 : s->a << amount;
    if (s->is_signed)
        return (uint64_t)(ptx_value_signed(s->a, bits) >>
                          (amount >= (uint64_t)bits ? bits - 1 : (int)amount));
    return amount >= (uint64_t)bits ? 0 : s->a >> amount;
}

/* shf: the 64 bits b:a moved by c, clamped to 32 or modulo 32. */
static uint64_t funnel(const PtxScalar *s)
{
    const uint64_t both = s->b << 32 | ptx_value_truncate(s->a, 32);
    const uint64_t c = ptx_value_truncate(s->c, 32);
    const uint64_t amount = s->form->flags & PTX_FLAG_WRAP ? c & 31 : c > 32 ? 32 : c;
    return s->form->flags & PTX_FLAG_LEFT ? both << amount >> 32 : both >> amount;
}

static uint64_t leading_zeros(uint64_t v, int bits)
{
    return v == 0 ? (uint64_t)bits : (uint64_t)(__builtin_clzll(v) - (64 - bits));
}

/* Position of the most significant bit that is not a sign bit, or all ones. */
static uint64_t found_bit(const PtxScalar *s)
{
    uint64_t v = s->a;
    if (s->is_signed && ptx_value_signed(v, s->bits) < 0)
        v = ptx_value_truncate(~v, s->bits);
    if (v == 0)
        return UINT32_MAX;
    const uint64_t zeros = leading_zeros(v, s->bits);
    return s->form->flags & PTX_FLAG_SHIFTAMT ? zeros : (uint64_t)s->bits - 1 - zeros;
}

static uint64_t reversed_bits(const PtxScalar *s)
{
    uint64_t r = 0;
    for (int i = 0; i < s->bits; i++)
        r |= (s->a >> i & 1) << (s->bits - 1 - i);
    return r;
}

/* bfe: c bits from position b; beyond the top they repeat the sign, which for a field that
 * ends above the top is the top bit. */
static uint64_t extracted_field(const PtxScalar *s)
{
    const int position = (int)(s->b & 255), length = (int)(s->c & 255);
    const int top = s->bits - 1;
    if (length == 0)
        return 0;
    const int last = position + length - 1 < top ? position + length - 1 : top;
    const uint64_t sign = s->is_signed ? s->a >> last & 1 : 0;
    uint64_t r = 0;
    for (int i = 0; i <= top; i++)
        r |= (i < length && position + i <= top ? s->a >> (position + i) & 1 : sign) << i;
    return r;
}

/* bfi: the low d bits of a put into b at position c. */
static uint64_t inserted_field(const PtxScalar *s)
{
    const int position = (int)(s->c & 255), length = (int)(s->d & 255);
    uint64_t r = s->b;
    for (int i = 0; i < length && position + i < s->bits; i++) {
        const uint64_t bit = UINT64_C(1) << (position + i);
        r = s->a >> i & 1 ? r | bit : r & ~bit;
    }
    return r;
}

/* The selector that a mode of prmt stands for (ISA 9.7.9.7, table of the modes). */
static uint64_t selector_of_mode(int mode, uint64_t c)
{
    static const uint16_t selectors[6][4] = {
        {0x3210, 0x4321, 0x5432, 0x6543}, /* f4e */
        {0x5670, 0x6701, 0x7012, 0x0123}, /* b4e */
        {0x0000, 0x1111, 0x2222, 0x3333}, /* rc8 */
        {0x3210, 0x3211, 0x3222, 0x3333}, /* ecl */
        {0x0000, 0x1110, 0x2210, 0x3210}, /* ecr */
        {0x1010, 0x3232, 0x1010, 0x3232}, /* rc16 */
    };
    return mode == 0 ? c : selectors[mode - 1][c & 3];
}

static uint64_t permuted(const PtxScalar *s)
{
    const uint64_t bytes = s->b << 32 | ptx_value_truncate(s->a, 32);
    const uint64_t selector = selector_of_mode(s->form->mode, s->c);
    uint64_t r = 0;
    for (int i = 0; i < 4; i++) {
        const uint64_t select = selector >> (4 * i) & 15;
        uint64_t byte = bytes >> (8 * (select & 7)) & 255;
        if (select & 8)
            byte = byte & 128 ? 255 : 0;
        r |= byte << (8 * i);
    }
    return r;
}

static uint64_t looked_up(const PtxScalar *s)
{
    uint64_t r = 0;
    for (int i = 0; i < 8; i++)
        if (s->d >> i & 1)
            r |= (i & 4 ? s->a : ~s->a) & (i & 2 ? s->b : ~s->b) & (i & 1 ? s->c : ~s->c);
    return r;
}

/* --- comparison and conversion ----------------------------------------------------------- */

static bool holds(const PtxScalar *s)
{
    PtxScalar u = *s;
    u.is_signed = false;
    switch (s->form->compare) {
    case PTX_EQ:
        return s->a == s->b;
    case PTX_NE:
        return s->a != s->b;
    case PTX_LT:
        return less(s, s->a, s->b);
    case PTX_LE:
        return !less(s, s->b, s->a);
    case PTX_GT:
        return less(s, s->b, s->a);
    case PTX_GE:
        return !less(s, s->a, s->b);
    case PTX_LO:
        return less(&u, s->a, s->b);
    case PTX_LS:
        return !less(&u, s->b, s->a);
    case PTX_HI:
        return less(&u, s->b, s->a);
    case PTX_HS:
        return !less(&u, s->a, s->b);
    default:
        return false;
    }
}

static bool combine(bool p, PtxCombine how, bool c)
{
    switch (how) {
    case PTX_COMBINE_AND:
        return p && c;
    case PTX_COMBINE_OR:
        return p || c;
    case PTX_COMBINE_XOR:
        return p != c;
    default:
        return p;
    }
}

/* p = (a op b) combined with c; q = !(a op b) combined with c */
uint64_t ptx_scalar_decide(PtxScalar *s, bool p)
{
    const bool c = s->count > 2 && (s->c & 1);
    s->result[0] = combine(p, s->form->combine, c);
    s->result[1] = combine(!p, s->form->combine, c);
    if (s->form->op == PTX_SET)
        s->result[0] = s->result[0] ? UINT64_MAX : 0;
    return s->result[0];
}

static uint64_t compared(PtxScalar *s)
{
    return ptx_scalar_decide(s, holds(s));
}

/* Between integers: extended from the source type, then cut or saturated to the result's. */
static uint64_t converted(const PtxScalar *s)
{
    const PtxType to = s->form->types[0];
    const int64_t v =
        s->is_signed ? ptx_value_signed(s->a, s->bits) : (int64_t)ptx_value_truncate(s->a, s->bits);
    if (!(s->form->flags & PTX_FLAG_SAT))
        return (uint64_t)v;
    const int bits = ptx_type_bits(to);
    const bool huge = !s->is_signed && v < 0;
    if (ptx_type_is_signed(to)) {
        const int64_t most = (int64_t)(UINT64_MAX >> (65 - bits));
        return (uint64_t)(huge || v > most ? most : v < -most - 1 ? -most - 1 : v);
    }
    const uint64_t most = ptx_value_truncate(UINT64_MAX, bits);
    return v < 0 && !huge ? 0 : (uint64_t)v > most ? most : (uint64_t)v;
}

/* Sign of slct's third source decides; the floating form needs only the sign bit and NaN, so it is
 * left unknown. */
static uint64_t selected_by_sign(PtxScalar *s)
{
    s->unknown = ptx_type_is_float(ptx_source_type(s->form));
    return ptx_value_signed(s->c, 32) >= 0 ? s->a : s->b;
}

static uint64_t dot4(const PtxScalar *s)
{
    const bool sa = ptx_type_is_signed(s->form->types[0]);
    const bool sb = ptx_type_is_signed(ptx_source_type(s->form));
    uint64_t all = s->c;
    for (int i = 0; i < 32; i += 8) {
        const uint64_t a = s->a >> i & 255, b = s->b >> i & 255;
        all += (uint64_t)((sa ? ptx_value_signed(a, 8) : (int64_t)a) *
                          (sb ? ptx_value_signed(b, 8) : (int64_t)b));
    }
    return all;
}

static bool saturates(const PtxForm *f)
{
    return f->flags & PTX_FLAG_SAT;
}

static uint64_t sum(const PtxScalar *s)
{
    if (saturates(s->form))
        return clamp_signed32(ptx_value_signed(s->a, 32) + ptx_value_signed(s->b, 32));
    return s->a + s->b;
}

static uint64_t difference(const PtxScalar *s)
{
    if (saturates(s->form))
        return clamp_signed32(ptx_value_signed(s->a, 32) - ptx_value_signed(s->b, 32));
    return s->a - s->b;
}

static uint64_t product_and_sum(const PtxScalar *s)
{
    if (saturates(s->form) && s->form->half == PTX_HIGH)
        return clamp_signed32(ptx_value_signed(product(s), 32) + ptx_value_signed(s->c, 32));
    return product(s) + s->c;
}

void ptx_scalar_eval(PtxScalar *s)
{
    switch (s->form->op) {
#define OP(id, text, class, writes)
#define REAL(id, text, class, sources, value)
#define INTEGER(id, text, class, sources, value)                                                   \
    case PTX_##id:                                                                                 \
        s->result[0] = value;                                                                      \
        return;
#define BOTH(id, text, class, sources, integer, real) INTEGER(id, text, class, sources, integer)
#include "metrics/ptx/ptx_ops.def"
    default:
        s->unknown = true;
    }
}
