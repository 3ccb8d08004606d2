#include "metrics/ptx/ptx_eval.h"

#include <string.h>

/* One lane's operation: up to four values in, one or two out; false when unknown. */
typedef struct Scalar {
    const PtxForm *form;
    int bits; /* of the sources */
    bool is_signed;
    uint64_t a, b, c, d;
    int count; /* of sources */
    uint64_t result[2];
} Scalar;

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
static uint64_t wide_product(const Scalar *s)
{
    if (s->is_signed)
        return (uint64_t)ptx_value_signed(s->a, s->bits) *
               (uint64_t)ptx_value_signed(s->b, s->bits);
    return ptx_value_truncate(s->a, s->bits) * ptx_value_truncate(s->b, s->bits);
}

static uint64_t product(const Scalar *s)
{
    if (s->form->half == PTX_HIGH)
        return high_product(s->a, s->b, s->bits, s->is_signed);
    return wide_product(s);
}

/* mul24: the low 24 bits of the sources, bits 0..31 or 16..47 of the product. */
static uint64_t product24(const Scalar *s)
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

static bool divide(Scalar *s, bool remainder)
{
    if (ptx_value_truncate(s->b, s->bits) == 0)
        return false; /* "unspecified, machine-specific value" */
    if (!s->is_signed) {
        s->result[0] = remainder ? s->a % s->b : s->a / s->b;
        return true;
    }
    const int64_t a = ptx_value_signed(s->a, s->bits), b = ptx_value_signed(s->b, s->bits);
    if (b == -1)
        s->result[0] = remainder ? 0 : 0 - (uint64_t)a;
    else
        s->result[0] = (uint64_t)(remainder ? a % b : a / b);
    return true;
}

static bool less(const Scalar *s, uint64_t a, uint64_t b)
{
    return s->is_signed ? ptx_value_signed(a, s->bits) < ptx_value_signed(b, s->bits) : a < b;
}

static uint64_t magnitude(uint64_t v, int bits)
{
    const int64_t x = ptx_value_signed(v, bits);
    return x < 0 ? 0 - (uint64_t)x : (uint64_t)x;
}

/* --- bits -------------------------------------------------------------------------------- */

/* Amounts beyond the width clamp to it. */
static uint64_t shift(const Scalar *s, bool left)
{
    const uint64_t amount = ptx_value_truncate(s->b, 32);
    const int bits = s->bits;
    if (left)
        return amount >= (uint64_t)bits ? 0 : s->a << amount;
    if (s->is_signed)
        return (uint64_t)(ptx_value_signed(s->a, bits) >>
                          (amount >= (uint64_t)bits ? bits - 1 : (int)amount));
    return amount >= (uint64_t)bits ? 0 : s->a >> amount;
}

/* shf: the 64 bits b:a moved by c, clamped to 32 or modulo 32. */
static uint64_t funnel(const Scalar *s)
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
static uint64_t find_bit(const Scalar *s)
{
    uint64_t v = s->a;
    if (s->is_signed && ptx_value_signed(v, s->bits) < 0)
        v = ptx_value_truncate(~v, s->bits);
    if (v == 0)
        return UINT32_MAX;
    const uint64_t zeros = leading_zeros(v, s->bits);
    return s->form->flags & PTX_FLAG_SHIFTAMT ? zeros : (uint64_t)s->bits - 1 - zeros;
}

static uint64_t reverse_bits(uint64_t v, int bits)
{
    uint64_t r = 0;
    for (int i = 0; i < bits; i++)
        r |= (v >> i & 1) << (bits - 1 - i);
    return r;
}

/* bfe: c bits from position b; beyond the top they repeat the sign, which for a field that
 * ends above the top is the top bit. */
static uint64_t extract_field(const Scalar *s)
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
static uint64_t insert_field(const Scalar *s)
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

static uint64_t permute(const Scalar *s)
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

static uint64_t look_up3(const Scalar *s)
{
    uint64_t r = 0;
    for (int i = 0; i < 8; i++)
        if (s->d >> i & 1)
            r |= (i & 4 ? s->a : ~s->a) & (i & 2 ? s->b : ~s->b) & (i & 1 ? s->c : ~s->c);
    return r;
}

/* --- comparison and conversion ----------------------------------------------------------- */

static bool compare(const Scalar *s, PtxCompare how)
{
    Scalar u = *s;
    u.is_signed = false;
    switch (how) {
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
static void set_predicates(Scalar *s)
{
    const bool p = compare(s, s->form->compare);
    const bool c = s->count > 2 && (s->c & 1);
    s->result[0] = combine(p, s->form->combine, c);
    s->result[1] = combine(!p, s->form->combine, c);
}

/* Between integers: extended from the source type, then cut or saturated to the result's. */
static bool convert(Scalar *s)
{
    const PtxType to = s->form->types[0], from = ptx_source_type(s->form);
    if (ptx_type_is_float(to) || ptx_type_is_float(from))
        return false;
    const int64_t v =
        s->is_signed ? ptx_value_signed(s->a, s->bits) : (int64_t)ptx_value_truncate(s->a, s->bits);
    s->result[0] = (uint64_t)v;
    if (!(s->form->flags & PTX_FLAG_SAT))
        return true;
    const int bits = ptx_type_bits(to);
    const bool huge = !s->is_signed && v < 0;
    if (ptx_type_is_signed(to)) {
        const int64_t most = (int64_t)(UINT64_MAX >> (65 - bits));
        s->result[0] = (uint64_t)(huge || v > most ? most : v < -most - 1 ? -most - 1 : v);
    } else {
        const uint64_t most = ptx_value_truncate(UINT64_MAX, bits);
        s->result[0] = v < 0 && !huge ? 0 : (uint64_t)v > most ? most : (uint64_t)v;
    }
    return true;
}

/* Sign of slct's third source decides; the floating form needs only the sign bit and NaN, so it is
 * left unknown. */
static bool select_by_sign(Scalar *s)
{
    if (ptx_type_is_float(ptx_source_type(s->form)))
        return false;
    s->result[0] = ptx_value_signed(s->c, 32) >= 0 ? s->a : s->b;
    return true;
}

static uint64_t dot4(const Scalar *s)
{
    const bool sa = ptx_type_is_signed(s->form->types[0]);
    const bool sb = ptx_type_is_signed(ptx_source_type(s->form));
    uint64_t sum = s->c;
    for (int i = 0; i < 32; i += 8) {
        const uint64_t a = s->a >> i & 255, b = s->b >> i & 255;
        sum += (uint64_t)((sa ? ptx_value_signed(a, 8) : (int64_t)a) *
                          (sb ? ptx_value_signed(b, 8) : (int64_t)b));
    }
    return sum;
}

static bool saturates(const PtxForm *f)
{
    return f->flags & PTX_FLAG_SAT;
}

static uint64_t add(const Scalar *s, uint64_t b)
{
    if (saturates(s->form))
        return clamp_signed32(ptx_value_signed(s->a, 32) + ptx_value_signed(b, 32));
    return s->a + b;
}

static uint64_t subtract(const Scalar *s)
{
    if (saturates(s->form))
        return clamp_signed32(ptx_value_signed(s->a, 32) - ptx_value_signed(s->b, 32));
    return s->a - s->b;
}

static uint64_t multiply_add(const Scalar *s)
{
    if (saturates(s->form) && s->form->half == PTX_HIGH)
        return clamp_signed32(ptx_value_signed(product(s), 32) + ptx_value_signed(s->c, 32));
    return product(s) + s->c;
}

/* One lane; false when the result is not known. */
static bool eval_scalar(Scalar *s)
{
    uint64_t *r = &s->result[0];
    switch (s->form->op) {
    case PTX_MOV:
    case PTX_CVTA: /* generic addresses of this model are those of the space */
        *r = s->a;
        return true;
    case PTX_ADD:
        *r = add(s, s->b);
        return true;
    case PTX_SUB:
        *r = subtract(s);
        return true;
    case PTX_MUL:
        *r = product(s);
        return true;
    case PTX_MAD:
        *r = multiply_add(s);
        return true;
    case PTX_MUL24:
        *r = product24(s);
        return true;
    case PTX_MAD24:
        *r = product24(s) + s->c;
        return true;
    case PTX_DIV:
        return divide(s, false);
    case PTX_REM:
        return divide(s, true);
    case PTX_ABS:
        *r = magnitude(s->a, s->bits);
        return true;
    case PTX_NEG:
        *r = 0 - s->a;
        return true;
    case PTX_MIN:
        *r = less(s, s->b, s->a) ? s->b : s->a;
        return true;
    case PTX_MAX:
        *r = less(s, s->a, s->b) ? s->b : s->a;
        return true;
    case PTX_SAD:
        *r = s->c + (less(s, s->a, s->b) ? s->b - s->a : s->a - s->b);
        return true;
    case PTX_DP4A:
        *r = dot4(s);
        return true;
    case PTX_AND:
        *r = s->a & s->b;
        return true;
    case PTX_OR:
        *r = s->a | s->b;
        return true;
    case PTX_XOR:
        *r = s->a ^ s->b;
        return true;
    case PTX_NOT:
        *r = ~s->a;
        return true;
    case PTX_CNOT:
        *r = s->a == 0;
        return true;
    case PTX_LOP3:
        *r = look_up3(s);
        return true;
    case PTX_SHL:
        *r = shift(s, true);
        return true;
    case PTX_SHR:
        *r = shift(s, false);
        return true;
    case PTX_SHF:
        *r = funnel(s);
        return true;
    case PTX_BFE:
        *r = extract_field(s);
        return true;
    case PTX_BFI:
        *r = insert_field(s);
        return true;
    case PTX_PRMT:
        *r = permute(s);
        return true;
    case PTX_POPC:
        *r = (uint64_t)__builtin_popcountll(s->a);
        return true;
    case PTX_CLZ:
        *r = leading_zeros(s->a, s->bits);
        return true;
    case PTX_BREV:
        *r = reverse_bits(s->a, s->bits);
        return true;
    case PTX_BFIND:
        *r = find_bit(s);
        return true;
    case PTX_SELP:
        *r = s->c & 1 ? s->a : s->b;
        return true;
    case PTX_SLCT:
        return select_by_sign(s);
    case PTX_SETP:
        set_predicates(s);
        return true;
    case PTX_SET:
        set_predicates(s);
        *r = *r ? UINT64_MAX : 0;
        return true;
    case PTX_CVT:
        return convert(s);
    default:
        return false;
    }
}

/* How many sources an operation needs; 0: it is not computed. */
static int sources_needed(PtxOp op)
{
    switch (op) {
    case PTX_MOV:
    case PTX_CVTA:
    case PTX_ABS:
    case PTX_NEG:
    case PTX_NOT:
    case PTX_CNOT:
    case PTX_POPC:
    case PTX_CLZ:
    case PTX_BREV:
    case PTX_BFIND:
    case PTX_CVT:
        return 1;
    case PTX_ADD:
    case PTX_SUB:
    case PTX_MUL:
    case PTX_MUL24:
    case PTX_DIV:
    case PTX_REM:
    case PTX_MIN:
    case PTX_MAX:
    case PTX_AND:
    case PTX_OR:
    case PTX_XOR:
    case PTX_SHL:
    case PTX_SHR:
    case PTX_SETP:
    case PTX_SET:
        return 2;
    case PTX_MAD:
    case PTX_MAD24:
    case PTX_SAD:
    case PTX_DP4A:
    case PTX_SHF:
    case PTX_BFE:
    case PTX_PRMT:
    case PTX_SELP:
    case PTX_SLCT:
        return 3;
    case PTX_BFI:
    case PTX_LOP3:
        return 4;
    default:
        return 0;
    }
}

/* Moving, selecting and turning bits around mean the same for floats. */
static bool ignores_type(PtxOp op)
{
    return op == PTX_MOV || op == PTX_SELP || op == PTX_SLCT;
}

bool ptx_eval_computes(const PtxForm *f)
{
    if (sources_needed(f->op) == 0)
        return false;
    if (f->op == PTX_CVT || f->op == PTX_SET)
        return !ptx_type_is_float(f->types[0]) && !ptx_type_is_float(ptx_source_type(f));
    if (ignores_type(f->op))
        return f->types[0] != PTX_B128;
    return !ptx_type_is_float(ptx_source_type(f)) && ptx_type_bits(ptx_source_type(f)) > 0 &&
           ptx_type_bits(ptx_source_type(f)) <= 64;
}

/* The width operations are done in; dp4a and friends are 32 bits whatever their types say. */
static int source_bits(const PtxForm *f)
{
    const int bits = ptx_type_bits(ptx_source_type(f));
    return bits == 0 || bits > 64 ? 64 : bits;
}

static int result_bits(const PtxForm *f)
{
    const int bits = ptx_type_bits(ptx_result_type(f));
    if (f->half == PTX_WIDE)
        return bits >= 32 ? 64 : bits * 2;
    return bits == 0 || bits > 64 ? 64 : bits;
}

/* What the lanes of one instruction have in common. */
typedef struct Recipe {
    Scalar start;
    int result_bits;
    bool cut_b;      /* the second source has the instruction's type too; else it is an amount */
    bool fills_sign; /* a converted value fills a wider register by its sign (ISA 9.4.1) */
} Recipe;

static Recipe recipe_of(const PtxForm *f, int count)
{
    Recipe r = {.start = {.form = f, .bits = source_bits(f), .count = count}};
    r.start.is_signed = ptx_type_is_signed(ptx_source_type(f));
    r.result_bits = result_bits(f);
    r.cut_b = f->op != PTX_SHL && f->op != PTX_SHR && f->op != PTX_BFE;
    r.fills_sign = f->op == PTX_CVT && ptx_type_is_signed(f->types[0]);
    return r;
}

static bool eval_lane(const Recipe *r, const Lanes *sources, int count, int lane,
                      uint64_t result[2])
{
    Scalar s = r->start;
    uint64_t *const values[4] = {&s.a, &s.b, &s.c, &s.d};
    for (int i = 0; i < count && i < 4; i++)
        *values[i] = lanes_at(&sources[i], lane);
    s.a = ptx_value_truncate(s.a, s.bits);
    if (r->cut_b)
        s.b = ptx_value_truncate(s.b, s.bits);
    if (!eval_scalar(&s))
        return false;
    result[0] = ptx_value_truncate(s.result[0], r->result_bits);
    if (r->fills_sign)
        result[0] = (uint64_t)ptx_value_signed(result[0], r->result_bits);
    result[1] = s.result[1] & 1;
    return true;
}

/* --- all lanes at once: the commonest operations, as loops that a compiler makes vectors of ------
 */

/* Every lane's value, in `room` where they are all the same. */
static const uint64_t *every_lane(const Lanes *l, uint64_t room[PTX_LANES])
{
    if (!l->uniform)
        return l->v;
    for (int i = 0; i < PTX_LANES; i++)
        room[i] = l->v[0];
    return room;
}

static void extend(uint64_t *to, const uint64_t *from, int bits, bool is_signed)
{
    const int shift = 64 - bits;
    if (is_signed)
        for (int i = 0; i < PTX_LANES; i++)
            to[i] = (uint64_t)((int64_t)(from[i] << shift) >> shift);
    else
        for (int i = 0; i < PTX_LANES; i++)
            to[i] = from[i] << shift >> shift;
}

static void multiply_lanes(const Recipe *r, const uint64_t *a, const uint64_t *b, uint64_t *out)
{
    uint64_t x[PTX_LANES], y[PTX_LANES];
    extend(x, a, r->start.bits, r->start.is_signed);
    extend(y, b, r->start.bits, r->start.is_signed);
    for (int i = 0; i < PTX_LANES; i++)
        out[i] = x[i] * y[i];
}

/* False: not one of them. */
static bool eval_together(const Recipe *r, const Lanes *sources, int count, uint64_t *out)
{
    const PtxForm *f = r->start.form;
    uint64_t rooms[3][PTX_LANES];
    const uint64_t *v[3] = {0};
    if (f->flags & (PTX_FLAG_SAT | PTX_FLAG_CC) || f->half == PTX_HIGH || count > 3)
        return false;
    for (int i = 0; i < count; i++)
        v[i] = every_lane(&sources[i], rooms[i]);
    switch (f->op) {
    case PTX_ADD:
        for (int i = 0; i < PTX_LANES; i++)
            out[i] = v[0][i] + v[1][i];
        break;
    case PTX_SUB:
        for (int i = 0; i < PTX_LANES; i++)
            out[i] = v[0][i] - v[1][i];
        break;
    case PTX_AND:
        for (int i = 0; i < PTX_LANES; i++)
            out[i] = v[0][i] & v[1][i];
        break;
    case PTX_OR:
        for (int i = 0; i < PTX_LANES; i++)
            out[i] = v[0][i] | v[1][i];
        break;
    case PTX_XOR:
        for (int i = 0; i < PTX_LANES; i++)
            out[i] = v[0][i] ^ v[1][i];
        break;
    case PTX_MUL:
        multiply_lanes(r, v[0], v[1], out);
        break;
    case PTX_MAD:
        multiply_lanes(r, v[0], v[1], out);
        for (int i = 0; i < PTX_LANES; i++)
            out[i] += v[2][i];
        break;
    case PTX_SHL:
        if (!sources[1].uniform || (uint32_t)v[1][0] >= (uint32_t)r->start.bits)
            return false;
        for (int i = 0; i < PTX_LANES; i++)
            out[i] = v[0][i] << (v[1][0] & 63);
        break;
    default:
        return false;
    }
    extend(out, out, r->result_bits, false);
    return true;
}

static bool all_uniform(const Lanes *sources, int count)
{
    for (int i = 0; i < count; i++)
        if (!sources[i].uniform)
            return false;
    return true;
}

/* A side that decides alone: `and` with a known 0, a product with a known 0, selp of equal ones. */
static uint32_t lanes_decided(const PtxForm *f, const Lanes *s, int count, Lanes *out)
{
    uint32_t decided = 0;
    if (count != 2 || (f->op != PTX_AND && f->op != PTX_MUL && f->op != PTX_OR))
        return 0;
    const uint64_t deciding = f->op == PTX_OR ? ptx_value_truncate(UINT64_MAX, source_bits(f)) : 0;
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < PTX_LANES; i++)
            if (s[side].known >> i & 1 && lanes_at(&s[side], i) == deciding) {
                decided |= UINT32_C(1) << i;
                out->v[i] = deciding;
            }
    return decided;
}

/* mov.b64 {a, b}: parts make a whole */
static void pack(const PtxForm *f, const Lanes *sources, int count, Lanes *out)
{
    const int part = ptx_type_bits(f->types[0]) / count;
    out->known = UINT32_MAX;
    out->uniform = false;
    for (int i = 0; i < PTX_LANES; i++)
        out->v[i] = 0;
    for (int k = 0; k < count; k++) {
        out->known &= sources[k].known;
        for (int i = 0; i < PTX_LANES; i++)
            out->v[i] |= ptx_value_truncate(lanes_at(&sources[k], i), part) << (k * part);
    }
}

void ptx_eval_result(const PtxForm *f, const Lanes *sources, int count, Lanes result[2])
{
    lanes_unknown(&result[0]);
    lanes_unknown(&result[1]);
    const int needed = sources_needed(f->op);
    if (count < needed || !ptx_eval_computes(f))
        return;
    if (f->op == PTX_MOV && count > 1 && ptx_type_bits(f->types[0]) / count >= 8) {
        pack(f, sources, count, &result[0]);
        return;
    }
    uint64_t v[2] = {0};
    const Recipe recipe = recipe_of(f, count);
    if (all_uniform(sources, count)) {
        if (eval_lane(&recipe, sources, count, 0, v)) {
            lanes_fill(&result[0], v[0]);
            lanes_fill(&result[1], v[1]);
        }
        return;
    }
    uint32_t known = UINT32_MAX;
    for (int k = 0; k < count; k++)
        known &= sources[k].known;
    if (known == UINT32_MAX && eval_together(&recipe, sources, count, result[0].v)) {
        result[0].known = known;
        return;
    }
    result[0].known = lanes_decided(f, sources, count, &result[0]) & ~known;
    for (int i = 0; i < PTX_LANES; i++) {
        if (!(known >> i & 1) || !eval_lane(&recipe, sources, count, i, v))
            continue;
        result[0].known |= UINT32_C(1) << i;
        result[1].known |= UINT32_C(1) << i;
        result[0].v[i] = v[0];
        result[1].v[i] = v[1];
    }
}
