#include "metrics/ptx/ptx_float.h"

#include <string.h>

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
    case PTX_RCP:
    case PTX_SQRT:
    case PTX_RSQRT:
    case PTX_SIN:
    case PTX_COS:
    case PTX_LG2:
    case PTX_EX2:
    case PTX_TANH:
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
    case PTX_COPYSIGN:
        return 2;
    case PTX_MAD:
    case PTX_FMA:
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
    if (ignores_type(f->op))
        return f->types[0] != PTX_B128;
    if (ptx_float_calculates(f))
        return ptx_float_computes(f);
    return ptx_type_bits(ptx_source_type(f)) > 0 && ptx_type_bits(ptx_source_type(f)) <= 64;
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
    PtxScalar start;
    int result_bits;
    bool cut_b; /* the second source has the instruction's type too; else it is an amount */
    bool is_float;
    bool fills_sign; /* a converted value fills a wider register by its sign (ISA 9.4.1) */
} Recipe;

static Recipe recipe_of(const PtxForm *f, int count)
{
    Recipe r = {.start = {.form = f, .bits = source_bits(f), .count = count}};
    r.start.is_signed = ptx_type_is_signed(ptx_source_type(f));
    r.result_bits = result_bits(f);
    r.is_float = ptx_float_calculates(f);
    r.cut_b = f->op != PTX_SHL && f->op != PTX_SHR && f->op != PTX_BFE;
    r.fills_sign = f->op == PTX_CVT && ptx_type_is_signed(f->types[0]);
    return r;
}

static bool eval_lane(const Recipe *r, const Lanes *sources, int count, int lane,
                      uint64_t result[2])
{
    PtxScalar s = r->start;
    uint64_t *const values[4] = {&s.a, &s.b, &s.c, &s.d};
    for (int i = 0; i < count && i < 4; i++)
        *values[i] = lanes_at(&sources[i], lane);
    s.a = ptx_value_truncate(s.a, s.bits);
    if (r->cut_b)
        s.b = ptx_value_truncate(s.b, s.bits);
    if (!(r->is_float ? ptx_float_eval(&s) : ptx_scalar_eval(&s)))
        return false;
    result[0] = ptx_value_truncate(s.result[0], r->result_bits);
    if (r->fills_sign)
        result[0] = (uint64_t)ptx_value_signed(result[0], r->result_bits);
    result[1] = s.result[1] & 1;
    return true;
}

/* --- all lanes at once: the commonest operations, as loops that a compiler makes vectors of --- */

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
    if (r->is_float || f->flags & (PTX_FLAG_SAT | PTX_FLAG_CC) || f->half == PTX_HIGH || count > 3)
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
    if (ptx_float_calculates(f) || count != 2 ||
        (f->op != PTX_AND && f->op != PTX_MUL && f->op != PTX_OR))
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
