#include "metrics/ptx/ptx_float.h"

#include <math.h>
#include <string.h>

/* --- bits ------------------------------------------------------------------------------------- */

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

/* --- which ------------------------------------------------------------------------------------- */

static bool is_float(PtxType t)
{
    return t == PTX_F32 || t == PTX_F64;
}

bool ptx_float_calculates(const PtxForm *f)
{
    if (f->op == PTX_MOV || f->op == PTX_SELP || f->op == PTX_LD || f->op == PTX_ST)
        return false;
    return ptx_type_is_float(f->types[0]) || ptx_type_is_float(ptx_source_type(f));
}

static bool is_number(PtxType t)
{
    return is_float(t) ||
           (!ptx_type_is_float(t) && ptx_type_bits(t) >= 8 && ptx_type_bits(t) <= 64);
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
        return is_float(ptx_source_type(f)) && !ptx_type_is_float(f->types[0]);
    case PTX_CVT:
        return ptx_float_calculates(f) && is_number(f->types[0]) && is_number(ptx_source_type(f)) &&
               (nearest || f->rounding >= PTX_RNI);
    default:
        return false;
    }
}

/* --- arithmetic --------------------------------------------------------------------------------- */

/* Of single precision: sums, products, quotients and roots may be rounded to double first (twice 24 bits
 * and 2 fit in 53: S. Figueroa, "When is double rounding innocuous?", 1995). */
static double fused(const PtxForm *f, double a, double b, double c)
{
    return f->types[0] == PTX_F32 ? (double)fmaf((float)a, (float)b, (float)c) : fma(a, b, c);
}

static double calculate(const PtxForm *f, double a, double b, double c)
{
    switch (f->op) {
#define OP(id, text, class, writes)
#define INTEGER(id, text, class, sources, value)
#define REAL(id, text, class, sources, value)                                                      \
    case PTX_##id:                                                                                 \
        return value;
#define BOTH(id, text, class, sources, integer, real) REAL(id, text, class, sources, real)
#include "metrics/ptx/ptx_ops.def"
    default:
        return NAN;
    }
}

/* --- comparison ---------------------------------------------------------------------------------- */

static bool ordered(PtxCompare how, double a, double b)
{
    switch (how) {
    case PTX_EQ:
    case PTX_EQU:
        return a == b;
    case PTX_NE:
    case PTX_NEU:
        return a != b;
    case PTX_LT:
    case PTX_LTU:
        return a < b;
    case PTX_LE:
    case PTX_LEU:
        return a <= b;
    case PTX_GT:
    case PTX_GTU:
        return a > b;
    case PTX_GE:
    case PTX_GEU:
        return a >= b;
    default:
        return how == PTX_NUM;
    }
}

static bool compare(PtxCompare how, double a, double b)
{
    if (isnan(a) || isnan(b))
        return how >= PTX_EQU && how != PTX_NUM;
    return ordered(how, a, b);
}

/* --- conversion ---------------------------------------------------------------------------------- */

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

/* Beyond the range the nearest end of it, and 0 for NaN. */
static uint64_t to_integer(double v, PtxType t)
{
    const int bits = ptx_type_bits(t);
    const bool is_signed = ptx_type_is_signed(t);
    const double top = ldexp(1, is_signed ? bits - 1 : bits), bottom = is_signed ? -top : 0;
    if (isnan(v))
        return 0;
    if (v >= top)
        return UINT64_MAX >> (is_signed ? 65 - bits : 64 - bits);
    if (v <= bottom)
        return is_signed ? (uint64_t)INT64_MIN >> (64 - bits) : 0;
    return is_signed ? (uint64_t)(int64_t)v : (uint64_t)v;
}

static double from_integer(const PtxScalar *s, PtxType to)
{
    if (s->is_signed) {
        const int64_t v = ptx_value_signed(s->a, s->bits);
        return to == PTX_F32 ? (double)(float)v : (double)v;
    }
    return to == PTX_F32 ? (double)(float)s->a : (double)s->a;
}

static void convert(PtxScalar *s)
{
    const PtxForm *f = s->form;
    const PtxType to = f->types[0], from = ptx_source_type(f);
    double v = is_float(from) ? from_bits(s->a, from) : from_integer(s, to);
    if (from == PTX_F32)
        v = flush(f, v);
    if (!is_float(to)) {
        s->result[0] = to_integer(to_whole(f->rounding, v), to);
        return;
    }
    if (f->rounding >= PTX_RNI)
        v = to_whole(f->rounding, v);
    if (f->flags & PTX_FLAG_SAT)
        v = isnan(v) ? 0 : fmin(fmax(v, 0), 1);
    s->result[0] = to_bits(to == PTX_F32 ? flush(f, (double)(float)v) : v, to);
}

void ptx_float_eval(PtxScalar *s)
{
    const PtxForm *f = s->form;
    const PtxType t = f->op == PTX_SET ? ptx_source_type(f) : f->types[0];
    s->unknown = !ptx_float_computes(f);
    if (s->unknown)
        return;
    if (f->op == PTX_CVT) {
        convert(s);
        return;
    }
    const double a = flush(f, from_bits(s->a, t)), b = flush(f, from_bits(s->b, t));
    if (f->op == PTX_SETP || f->op == PTX_SET) {
        ptx_scalar_decide(s, compare(f->compare, a, b));
        return;
    }
    double r = calculate(f, a, b, flush(f, from_bits(s->c, t)));
    if (f->flags & PTX_FLAG_SAT)
        r = isnan(r) ? 0 : fmin(fmax(r, 0), 1);
    s->result[0] = to_bits(t == PTX_F32 ? flush(f, (double)(float)r) : r, t);
}

/* --- the way through the machine code -------------------------------------------------------- */

bool ptx_float_has_ways(const PtxForm *f)
{
    const bool divides = f->op == PTX_DIV || f->op == PTX_SQRT || f->op == PTX_RCP;
    return divides && is_float(f->types[0]) && f->rounding == PTX_RN;
}

static int exponent32(uint32_t v)
{
    return v >> 23 & 0xff;
}

/* FCHK's rule is not published: this is what the usual way needs, so that the reciprocal, the quotient and
 * the remainder that corrects it are no denormal numbers. */
static bool divides_as_usual(uint32_t a, uint32_t b)
{
    enum { LEAST = 24, MOST_TO_INVERT = 252, FURTHEST = 125 };
    const int ea = exponent32(a), eb = exponent32(b), apart = ea - eb;
    return ea >= LEAST && ea < 255 && eb > 0 && eb <= MOST_TO_INVERT && -FURTHEST <= apart &&
           apart <= FURTHEST;
}

/* The tests in the code of CUDA 13.0, the same from sm_75 to sm_120. */
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

/* They look at the upper halves, some of them as numbers of single precision. */
static bool usual64(PtxOp op, uint64_t a, uint64_t b)
{
    const uint32_t high = (uint32_t)(a >> 32), size = UINT32_C(0x7fffffff);
    const double q = from_bits(a, PTX_F64) / from_bits(b, PTX_F64);
    const uint32_t quotient = (uint32_t)(to_bits(q, PTX_F64) >> 32);
    switch (op) {
    case PTX_SQRT:
        return high - UINT32_C(0x03500000) < UINT32_C(0x7ca00000);
    case PTX_RCP:
        return ((high + UINT32_C(0x00300402)) & size) >= UINT32_C(0x00400402);
    default:
        return (high & size) >= UINT32_C(0x03600000) && (quotient & size) > UINT32_C(0x00100000);
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
    return is_plain(x) || (f->op == PTX_DIV && is_plain(y)) || (f->op == PTX_SQRT && x < 0)
               ? PTX_FLOAT_PLAIN
               : PTX_FLOAT_SCALED;
}
