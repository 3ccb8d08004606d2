#include "metrics/ptx/ptx_scalar.h"

#include <math.h>

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

int ptx_source_bits(const PtxForm *f)
{
    const int bits = ptx_types[ptx_source_type(f)].bits;
    return bits == 0 || bits > 64 ? 64 : bits;
}

/* --- integer arithmetic ---------------------------------------------------------------------- */

__extension__ typedef __int128 Wide;
__extension__ typedef unsigned __int128 WideUnsigned;

/* The low bits of a source, extended to 64 by its type. */
static uint64_t extended(const PtxScalar *s, uint64_t v, int bits)
{
    return s->is_signed ? (uint64_t)ptx_value_signed(v, bits) : ptx_value_truncate(v, bits);
}

static uint64_t high_product(const PtxScalar *s)
{
    const uint64_t a = extended(s, s->a, s->bits), b = extended(s, s->b, s->bits);
    if (s->is_signed)
        return (uint64_t)((Wide)(int64_t)a * (int64_t)b >> s->bits);
    return (uint64_t)((WideUnsigned)a * b >> s->bits);
}

/* The full-width product, as sources are extended to 64 bits. */
static uint64_t product(const PtxScalar *s)
{
    if (s->form->half == PTX_HIGH)
        return high_product(s);
    return extended(s, s->a, s->bits) * extended(s, s->b, s->bits);
}

/* mul24: the low 24 bits of the sources, bits 0..31 or 16..47 of the product. */
static uint64_t product24(const PtxScalar *s)
{
    const uint64_t all = extended(s, s->a, 24) * extended(s, s->b, 24);
    return s->form->half == PTX_HIGH ? all >> 16 : all;
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

/* --- bits ------------------------------------------------------------------------------------ */

/* Amounts beyond the width clamp to the width. */
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

/* shf: the 64 bits b:a shifted by c, clamped to 32 or modulo 32. */
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

/* Position of the most significant non-sign bit, or all ones. */
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

/* bfe: c bits from position b. Higher ones repeat the field's last bit, or the top bit if it ends above. */
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

/* bfi: inserts the low d bits of a into b at position c. */
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

/* The selector for a mode of prmt (ISA 9.7.9.7, table of the modes). */
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

/* --- comparison and conversion --------------------------------------------------------------- */

static unsigned order_of(const PtxScalar *s)
{
    PtxScalar u = *s;
    u.is_signed = s->is_signed && (s->form->compare < PTX_LO || s->form->compare > PTX_HS);
    return s->a == s->b ? PTX_SAME : less(&u, s->a, s->b) ? PTX_LESS : PTX_MORE;
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
static uint64_t decide(const PtxForm *f, bool p, uint64_t c, uint64_t *q)
{
    const bool result = combine(p, f->combine, c & 1);
    *q = combine(!p, f->combine, c & 1);
    return f->op == PTX_SET ? result ? UINT64_MAX : 0 : result;
}

static uint64_t compared(PtxScalar *s)
{
    return decide(s->form, ptx_orders(s->form->compare) & order_of(s), s->count > 2 ? s->c : 0,
                  &s->result[1]);
}

/* Between integers: extended from the source type, then cut or saturated to the result type. */
static uint64_t converted(const PtxScalar *s)
{
    const PtxType to = s->form->types[0];
    const int64_t v = (int64_t)extended(s, s->a, s->bits);
    if (!(s->form->flags & PTX_FLAG_SAT))
        return (uint64_t)v;
    const int bits = ptx_types[to].bits;
    const bool huge = !s->is_signed && v < 0;
    if (ptx_types[to].is_signed) {
        const int64_t most = (int64_t)(UINT64_MAX >> (65 - bits));
        return (uint64_t)(huge || v > most ? most : v < -most - 1 ? -most - 1 : v);
    }
    const uint64_t most = ptx_value_truncate(UINT64_MAX, bits);
    return v < 0 && !huge ? 0 : (uint64_t)v > most ? most : (uint64_t)v;
}

/* slct selects by the sign of its third source. The float form (sign bit and NaN) is left unknown. */
static uint64_t selected_by_sign(PtxScalar *s)
{
    s->unknown = ptx_types[ptx_source_type(s->form)].is_float;
    return ptx_value_signed(s->c, 32) >= 0 ? s->a : s->b;
}

static uint64_t dot4(const PtxScalar *s)
{
    const bool sa = ptx_types[s->form->types[0]].is_signed;
    const bool sb = ptx_types[ptx_source_type(s->form)].is_signed;
    uint64_t all = s->c;
    for (int i = 0; i < 32; i += 8) {
        const uint64_t a = s->a >> i & 255, b = s->b >> i & 255;
        all += (uint64_t)((sa ? ptx_value_signed(a, 8) : (int64_t)a) *
                          (sb ? ptx_value_signed(b, 8) : (int64_t)b));
    }
    return all;
}

static uint64_t sum(const PtxScalar *s, int64_t sign)
{
    if (s->form->flags & PTX_FLAG_SAT)
        return clamp_signed32(ptx_value_signed(s->a, 32) + sign * ptx_value_signed(s->b, 32));
    return s->a + (uint64_t)sign * s->b;
}

static uint64_t product_and_sum(const PtxScalar *s)
{
    if (s->form->flags & PTX_FLAG_SAT && s->form->half == PTX_HIGH)
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

/* --- floats as bits -------------------------------------------------------------------------- */

static double from_bits(uint64_t v, PtxType t)
{
    const uint32_t low = (uint32_t)v;
    float single;
    double wide;
    memcpy(&single, &low, sizeof single);
    memcpy(&wide, &v, sizeof wide);
    return t == PTX_F32 ? (double)single : wide;
}

static uint64_t to_bits(double v, PtxType t)
{
    const float single = (float)v;
    uint32_t low;
    uint64_t wide;
    memcpy(&low, &single, sizeof low);
    memcpy(&wide, &v, sizeof wide);
    return t == PTX_F32 ? low : wide;
}

static double flush(const PtxForm *f, double v)
{
    return f->flags & PTX_FLAG_FTZ && fabs(v) < 0x1p-126 ? copysign(0, v) : v;
}

/* --- which floats are computed --------------------------------------------------------------- */

static bool is_float(PtxType t)
{
    return t == PTX_F32 || t == PTX_F64;
}

bool ptx_float_calculates(const PtxForm *f)
{
    if (f->op == PTX_MOV || f->op == PTX_SELP || f->op == PTX_LD || f->op == PTX_ST)
        return false;
    return ptx_types[f->types[0]].is_float || ptx_types[ptx_source_type(f)].is_float;
}

static bool is_number(PtxType t)
{
    return is_float(t) ||
           (!ptx_types[t].is_float && ptx_types[t].bits >= 8 && ptx_types[t].bits <= 64);
}

bool ptx_float_computes(const PtxForm *f)
{
    const bool nearest = f->rounding == PTX_NO_ROUNDING || f->rounding == PTX_RN;
    switch (f->op) {
#define OP(id, text, class, writes)
#define INTEGER(id, text, class, sources, value)
#define REAL(id, text, class, sources, value)         case PTX_##id:
#define BOTH(id, text, class, sources, integer, real) case PTX_##id:
#include "metrics/ptx/ptx_ops.def"
        return is_float(f->types[0]) && f->type_count == 1 && nearest;
    case PTX_SETP:
        return is_float(f->types[0]);
    case PTX_SET:
        return is_float(ptx_source_type(f)) && !ptx_types[f->types[0]].is_float;
    case PTX_CVT:
        return ptx_float_calculates(f) && is_number(f->types[0]) && is_number(ptx_source_type(f)) &&
               (nearest || f->rounding >= PTX_RNI);
    default:
        return false;
    }
}

/* --- float arithmetic ------------------------------------------------------------------------ */

/* In single precision, sums, products, quotients and roots may be rounded to double first (twice 24 bits
 * and 2 fit in 53: S. Figueroa, "When is double rounding innocuous?", 1995); a fused multiply-add may not. */
static double fused(const PtxForm *f, double a, double b, double c)
{
    return f->types[0] == PTX_F32 ? (double)fmaf((float)a, (float)b, (float)c) : fma(a, b, c);
}

/* A source in so many lanes; 0 if there is none. */
static void reals(const PtxForm *f, PtxType t, const uint64_t *bits, int lanes, double *out)
{
    for (int i = 0; i < lanes; i++)
        out[i] = bits ? from_bits(bits[i], t) : 0;
    for (int i = 0; f->flags & PTX_FLAG_FTZ && i < lanes; i++)
        out[i] = flush(f, out[i]);
}

static void calculate(const PtxForm *f, double (*v)[PTX_LANES], int lanes, double *out)
{
    switch (f->op) {
#define OP(id, text, class, writes)
#define INTEGER(id, text, class, sources, value)
#define REAL(id, text, class, sources, value)                                                      \
    case PTX_##id:                                                                                 \
        for (int i = 0; i < lanes; i++) {                                                          \
            const double a = v[0][i], b = v[1][i], c = v[2][i];                                    \
            (void)b, (void)c;                                                                      \
            out[i] = value;                                                                        \
        }                                                                                          \
        return;
#define BOTH(id, text, class, sources, integer, real) REAL(id, text, class, sources, real)
#include "metrics/ptx/ptx_ops.def"
    default:
        for (int i = 0; i < lanes; i++)
            out[i] = NAN;
    }
}

static void finish(const PtxForm *f, PtxType t, const double *value, int lanes, uint64_t *out)
{
    for (int i = 0; i < lanes; i++) {
        const double v = value[i];
        const double r = !(f->flags & PTX_FLAG_SAT) ? v : isnan(v) ? 0 : fmin(fmax(v, 0), 1);
        out[i] = to_bits(t == PTX_F32 ? flush(f, (double)(float)r) : r, t);
    }
}

static unsigned order_of_reals(double a, double b)
{
    return a == b ? PTX_SAME : a < b ? PTX_LESS : a > b ? PTX_MORE : PTX_UNORDERED;
}

/* --- float conversion ------------------------------------------------------------------------ */

static double to_whole(PtxRounding r, double v)
{
    switch (r) {
    case PTX_RZI:
        return trunc(v);
    case PTX_RMI:
        return floor(v);
    case PTX_RPI:
        return ceil(v);
    default:
        return nearbyint(v);
    }
}

/* Saturates to the type's range; NaN gives 0. */
static uint64_t to_integer(double v, PtxType t)
{
    const int bits = ptx_types[t].bits;
    const bool is_signed = ptx_types[t].is_signed;
    const double top = ldexp(1, is_signed ? bits - 1 : bits), bottom = is_signed ? -top : 0;
    if (isnan(v))
        return 0;
    if (v >= top)
        return UINT64_MAX >> (is_signed ? 65 - bits : 64 - bits);
    if (v <= bottom)
        return is_signed ? (uint64_t)INT64_MIN >> (64 - bits) : 0;
    return is_signed ? (uint64_t)(int64_t)v : (uint64_t)v;
}

static double from_integer(uint64_t bits, PtxType from, PtxType to)
{
    const uint64_t v = ptx_value_truncate(bits, ptx_types[from].bits);
    const int64_t with_sign = ptx_value_signed(v, ptx_types[from].bits);
    if (ptx_types[from].is_signed)
        return to == PTX_F32 ? (double)(float)with_sign : (double)with_sign;
    return to == PTX_F32 ? (double)(float)v : (double)v;
}

static uint64_t converted_real(const PtxForm *f, uint64_t bits)
{
    const PtxType to = f->types[0], from = ptx_source_type(f);
    double v = is_float(from) ? from_bits(bits, from) : from_integer(bits, from, to);
    uint64_t result;
    if (from == PTX_F32)
        v = flush(f, v);
    if (!is_float(to) || f->rounding >= PTX_RNI)
        v = to_whole(f->rounding, v);
    if (!is_float(to))
        return to_integer(v, to);
    finish(f, to, &v, 1, &result);
    return result;
}

void ptx_float_eval(const PtxForm *f, const uint64_t *const sources[3], int lanes, uint64_t *result,
                    uint64_t *complement)
{
    const PtxType t = f->op == PTX_SET ? ptx_source_type(f) : f->types[0];
    const bool compares = f->op == PTX_SETP || f->op == PTX_SET;
    double v[3][PTX_LANES], calculated[PTX_LANES];
    for (int i = 0; f->op == PTX_CVT && i < lanes; i++)
        result[i] = converted_real(f, sources[0][i]);
    if (f->op == PTX_CVT)
        return;
    for (int k = 0; k < (compares ? 2 : 3); k++)
        reals(f, t, sources[k], lanes, v[k]);
    for (int i = 0; compares && i < lanes; i++)
        result[i] = decide(f, ptx_orders(f->compare) & order_of_reals(v[0][i], v[1][i]),
                           sources[2] ? sources[2][i] : 0, &complement[i]);
    if (compares)
        return;
    calculate(f, v, lanes, calculated);
    finish(f, t, calculated, lanes, result);
}

/* --- paths of the machine code --------------------------------------------------------------- */

bool ptx_float_has_ways(const PtxForm *f)
{
    const bool divides = f->op == PTX_DIV || f->op == PTX_SQRT || f->op == PTX_RCP;
    return divides && is_float(f->types[0]) && f->rounding == PTX_RN;
}

static int exponent32(uint32_t v)
{
    return v >> 23 & 0xff;
}

/* FCHK's rule is not published. This is what the inlined path needs so that the reciprocal, the quotient
 * and the correcting remainder are not denormal. */
static bool divides_as_usual(uint32_t a, uint32_t b)
{
    enum { LEAST = 24, MOST_TO_INVERT = 252, FURTHEST = 125 };
    const int ea = exponent32(a), eb = exponent32(b), apart = ea - eb;
    return ea >= LEAST && ea < 255 && eb > 0 && eb <= MOST_TO_INVERT && -FURTHEST <= apart &&
           apart <= FURTHEST;
}

/* The tests in the code of CUDA 13.0, identical from sm_75 to sm_120. */
static bool usual32(PtxOp op, uint32_t a, uint32_t b)
{
    switch (op) {
    case PTX_SQRT:
        return a - UINT32_C(0x0d000000) <= UINT32_C(0x727fffff);
    case PTX_RCP:
        return ((a + UINT32_C(0x01800000)) & UINT32_C(0x7f800000)) > UINT32_C(0x01ffffff);
    default:
        return divides_as_usual(a, b);
    }
}

/* These test the upper halves, some as single-precision numbers. */
static bool usual64(PtxOp op, uint64_t a, uint64_t b)
{
    const uint32_t high = (uint32_t)(a >> 32), size = UINT32_C(0x7fffffff),
                   infinite =
                       UINT32_C(0x7f800000); /* in single precision; what is larger is NaN there */
    const double q = from_bits(a, PTX_F64) / from_bits(b, PTX_F64);
    const uint32_t quotient = (uint32_t)(to_bits(q, PTX_F64) >> 32);
    switch (op) {
    case PTX_SQRT:
        return high - UINT32_C(0x03500000) < UINT32_C(0x7ca00000);
    case PTX_RCP:
        return ((high + UINT32_C(0x00300402)) & size) >= UINT32_C(0x00400402);
    default:
        return (high & size) >= UINT32_C(0x03600000) && (quotient & size) > UINT32_C(0x00100000) &&
               (quotient & size) <= infinite && ((uint32_t)(b >> 32) & size) < infinite;
    }
}

static bool is_plain(double v)
{
    return v == 0 || !isfinite(v);
}

PtxFloatWay ptx_float_way(const PtxForm *f, uint64_t a, uint64_t b)
{
    const PtxType t = f->types[0];
    const double x = flush(f, from_bits(a, t)), y = flush(f, from_bits(b, t));
    if (t == PTX_F32 ? usual32(f->op, (uint32_t)a, (uint32_t)b) : usual64(f->op, a, b))
        return PTX_FLOAT_USUAL;
    if (isnan(x) || (f->op == PTX_DIV && isnan(y)))
        return PTX_FLOAT_NAN;
    if (f->op == PTX_DIV && t == PTX_F32 && (isinf(x) || y == 0) && isinf(x / y))
        return PTX_FLOAT_INFINITE;
    return is_plain(x) || (f->op == PTX_DIV && is_plain(y)) || (f->op == PTX_SQRT && x < 0)
               ? PTX_FLOAT_PLAIN
               : PTX_FLOAT_SCALED;
}
