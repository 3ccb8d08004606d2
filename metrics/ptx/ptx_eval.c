#include "metrics/ptx/ptx_eval.h"

/* --- operands -------------------------------------------------------------------------------- */

void lanes_spread(Lanes *l)
{
    if (!l->uniform)
        return;
    for (int i = 1; i < PTX_LANES; i++)
        l->v[i] = l->v[0];
    l->uniform = false;
}

void lanes_assign(Lanes *l, const Lanes *source, uint32_t mask)
{
    if (mask == UINT32_MAX) {
        if (source->uniform)
            lanes_fill(l, source->v[0]);
        else
            *l = *source;
        return;
    }
    lanes_spread(l);
    l->known = (l->known & ~mask) | (source->known & mask);
    l->common = source->common & mask; /* other lanes share another number */
    l->own = source->own;
    l->twos = source->twos;
    for (int i = 0; i < PTX_LANES; i++)
        if (mask >> i & 1)
            l->v[i] = lanes_at(source, i);
}

void lanes_forget(Lanes *l, uint32_t lanes)
{
    lanes_spread(l);
    l->known &= ~lanes;
    l->common &= ~lanes;
}

void lanes_meet(Lanes *l, const Lanes *other, uint32_t lanes)
{
    if (l->uniform && other->uniform && l->v[0] == other->v[0])
        return;
    lanes_spread(l);
    EACH_LANE (i, lanes)
        if (!(other->known & l->known & UINT32_C(1) << i && lanes_at(other, i) == l->v[i]))
            lanes_forget(l, UINT32_C(1) << i);
}

void lanes_share(Lanes *l, uint32_t lanes)
{
    lanes_unknown(l)->common = lanes;
    l->own = false;
    l->twos = 0;
    for (int i = 0; i < PTX_LANES; i++)
        l->v[i] = 0;
}

bool lanes_agree(const Lanes *l, uint32_t lanes)
{
    if (lanes & ~l->known && (l->own || lanes & ~l->common))
        return false;
    EACH_LANE (i, l->uniform ? 0 : lanes)
        if (l->v[i] != l->v[__builtin_ctz(lanes)])
            return false;
    return true;
}

uint32_t lanes_true(const Lanes *l)
{
    if (l->uniform)
        return l->v[0] & 1 ? UINT32_MAX : 0;
    uint32_t mask = 0;
    for (int i = 0; i < PTX_LANES; i++)
        mask |= (uint32_t)(l->v[i] & 1) << i;
    return mask & l->known;
}

uint32_t ptx_warps_in_block(const PtxLaunch *l)
{
    return (uint32_t)((ptx_block_count(l->block) + PTX_LANES - 1) / PTX_LANES);
}

uint32_t ptx_warp_mask(const PtxLaunch *l, uint32_t warp)
{
    if (!l->has_geometry)
        return UINT32_MAX;
    const uint64_t first = (uint64_t)warp * PTX_LANES, threads = ptx_block_count(l->block);
    if (first >= threads)
        return 0;
    const uint64_t left = threads - first;
    return left >= PTX_LANES ? UINT32_MAX : (UINT32_C(1) << left) - 1;
}

bool ptx_launch_param(const PtxLaunch *l, uint64_t offset, int bytes, uint64_t *value)
{
    uint64_t v = 0;
    if (!l->params || offset > l->param_bytes || (uint64_t)bytes > l->param_bytes - offset ||
        bytes > 8)
        return false;
    for (int i = 0; i < bytes; i++) {
        if (l->known && !l->known[offset + (uint64_t)i])
            return false;
        v |= (uint64_t)l->params[offset + (uint64_t)i] << (8 * i);
    }
    *value = v;
    return true;
}

static void thread_coordinates(const PtxState *s, PtxSpecial which, Lanes *out)
{
    const PtxDim b = s->launch->block;
    if (!s->launch->has_geometry || b.x == 0 || b.y == 0) {
        lanes_unknown(out);
        return;
    }
    lanes_unknown(out)->known = UINT32_MAX;
    bool same = true;
    for (uint32_t i = 0; i < PTX_LANES; i++) {
        const uint64_t t = (uint64_t)s->place.warp * PTX_LANES + i;
        const uint64_t row = t / b.x;
        out->v[i] = which == PTX_TID_X ? t % b.x : which == PTX_TID_Y ? row % b.y : row / b.y;
        same &= out->v[i] == out->v[0];
    }
    out->uniform = same;
}

/* %laneid and the masks derived from it. */
static void lane_numbers(PtxSpecial which, Lanes *out)
{
    lanes_unknown(out)->known = UINT32_MAX;
    for (uint32_t i = 0; i < PTX_LANES; i++) {
        const uint32_t own = UINT32_C(1) << i, below = own - 1;
        const uint32_t masks[] = {own, own | below, below, ~below, ~(own | below)};
        out->v[i] = which == PTX_LANEID ? i : masks[which - PTX_LANEMASK_EQ];
    }
}

void ptx_eval_special(const PtxState *s, PtxSpecial special, Lanes *out)
{
    if (special >= PTX_TID_X && special <= PTX_TID_Z)
        thread_coordinates(s, special, out);
    else if (special == PTX_LANEID || (special >= PTX_LANEMASK_EQ && special <= PTX_LANEMASK_GT))
        lane_numbers(special, out);
    else if (special == PTX_WARP_SIZE)
        lanes_fill(out, PTX_LANES);
    else if (special == PTX_SPECIAL_OTHER || !s->launch->has_geometry)
        lanes_unknown(out);
    else if (special == PTX_WARPID) /* in practice; the ISA promises nothing */
        lanes_fill(out, s->place.warp);
    else if (special == PTX_NWARPID)
        lanes_fill(out, ptx_warps_in_block(s->launch));
    else if (special >= PTX_NCTAID_X)
        lanes_fill(out, *ptx_along((PtxDim[]){s->launch->grid}, (int)(special - PTX_NCTAID_X)));
    else if (special >= PTX_CTAID_X)
        lanes_fill(out, *ptx_along((PtxDim[]){s->place.block}, (int)(special - PTX_CTAID_X)));
    else
        lanes_fill(out, *ptx_along((PtxDim[]){s->launch->block}, (int)(special - PTX_NTID_X)));
}

static uint64_t float_bits(const PtxOperand *o, PtxType type)
{
    union {
        double d;
        uint64_t u;
    } wide = {.u = (uint64_t)o->value};
    union {
        float f;
        uint32_t u;
    } narrow;
    if (o->index == 32 || type != PTX_F32)
        return (uint64_t)o->value;
    narrow.f = (float)wide.d;
    return narrow.u;
}

static void variable_address(const PtxState *s, const PtxOperand *o, Lanes *out)
{
    uint64_t address = 0;
    const PtxVariable *v = o->variable;
    if (v->is_parameter && v->function && v->function->is_entry)
        address = v->offset;
    else if (!s->address || !s->address(s->context, v, &address)) {
        lanes_unknown(out);
        return;
    }
    lanes_fill(out, address + (uint64_t)o->value);
}

void ptx_eval_operand(const PtxState *s, const PtxOperand *o, PtxType type, Lanes *out)
{
    switch (o->kind) {
    case PTX_OPERAND_REGISTER:
        if (o->name)
            lanes_unknown(out); /* parts are not computed */
        else
            lanes_assign(out, &s->registers[o->index], UINT32_MAX);
        break;
    case PTX_OPERAND_IMMEDIATE:
        lanes_fill(out, (uint64_t)o->value);
        break;
    case PTX_OPERAND_FLOAT:
        lanes_fill(out, float_bits(o, type));
        break;
    case PTX_OPERAND_SPECIAL:
        ptx_eval_special(s, (PtxSpecial)o->index, out);
        break;
    case PTX_OPERAND_VARIABLE:
        variable_address(s, o, out);
        break;
    default:
        lanes_unknown(out);
    }
    for (int i = 0; o->negated && i < (out->uniform ? 1 : PTX_LANES); i++)
        out->v[i] ^= 1;
    if (o->negated && !lanes_agree(out, out->common))
        out->common = 0;
}

void ptx_eval_address(const PtxState *s, const PtxOperand *o, Lanes *out)
{
    if (o->kind != PTX_OPERAND_ADDRESS || o->count == 0) {
        lanes_unknown(out);
        return;
    }
    ptx_eval_operand(s, &o->parts[0], PTX_U64, out);
    for (int i = 0; i < (out->uniform ? 1 : PTX_LANES); i++)
        out->v[i] += (uint64_t)o->value;
}

int ptx_eval_operands(const PtxState *s, const PtxInstr *in, Lanes out[PTX_SOURCES])
{
    const PtxType type = ptx_source_type(in->form);
    int n = 0;
    for (int i = in->form->writes; i < in->count; i++) {
        const PtxOperand *o = &in->operands[i];
        const bool vector = o->kind == PTX_OPERAND_VECTOR;
        for (size_t k = 0; k < (vector ? o->count : 1) && n < PTX_SOURCES; k++, n++) {
            if (o->kind == PTX_OPERAND_ADDRESS)
                ptx_eval_address(s, o, &out[n]);
            else
                ptx_eval_operand(s, vector ? &o->parts[k] : o, type, &out[n]);
        }
    }
    return n;
}

/* --- results --------------------------------------------------------------------------------- */

/* Sources an operation needs; 0: it is not computed. */
static int sources_needed(PtxOp op)
{
    static const uint8_t needed[PTX_OP_COUNT] = {
#define OP(id, text, class, writes)
#define INTEGER(id, text, class, sources, value)      [PTX_##id] = sources,
#define REAL(id, text, class, sources, value)         [PTX_##id] = sources,
#define BOTH(id, text, class, sources, integer, real) [PTX_##id] = sources,
#include "metrics/ptx/ptx_ops.def"
    };
    return needed[op];
}

bool ptx_eval_computes(const PtxForm *f)
{
    if (sources_needed(f->op) == 0)
        return false;
    if (f->op == PTX_MOV || f->op == PTX_SELP || f->op == PTX_SLCT) /* floats are bits here */
        return f->types[0] != PTX_B128;
    if (ptx_float_calculates(f))
        return ptx_float_computes(f);
    return ptx_types[ptx_source_type(f)].bits > 0 && ptx_types[ptx_source_type(f)].bits <= 64;
}

static int result_bits(const PtxForm *f)
{
    const int bits = ptx_types[ptx_result_type(f)].bits;
    if (f->half == PTX_WIDE)
        return bits >= 32 ? 64 : bits * 2;
    return bits == 0 || bits > 64 ? 64 : bits;
}

/* What is common to all lanes of one instruction. */
typedef struct Recipe {
    PtxScalar start;
    int result_bits;
    bool cut_b;      /* cut the second source to the type's width: it is no amount */
    bool fills_sign; /* a converted value is sign-extended to the register (ISA 9.4.1) */
} Recipe;

static Recipe recipe_of(const PtxForm *f, int count)
{
    Recipe r = {.start = {.form = f, .bits = ptx_source_bits(f), .count = count}};
    r.start.is_signed = ptx_types[ptx_source_type(f)].is_signed;
    r.result_bits = result_bits(f);
    r.cut_b = f->op != PTX_SHL && f->op != PTX_SHR && f->op != PTX_BFE;
    r.fills_sign = f->op == PTX_CVT && ptx_types[f->types[0]].is_signed;
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
    ptx_scalar_eval(&s);
    if (s.unknown)
        return false;
    result[0] = ptx_value_truncate(s.result[0], r->result_bits);
    if (r->fills_sign)
        result[0] = (uint64_t)ptx_value_signed(result[0], r->result_bits);
    result[1] = s.result[1] & 1;
    return true;
}

/* --- all lanes at once: common operations as vectorizable loops ------------------------------ */

/* All lanes' values; `room` is used if they are uniform. */
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

#define LANEWISE(op, value)                                                                        \
    case op:                                                                                       \
        for (int i = 0; i < PTX_LANES; i++)                                                        \
            out[i] = (value);                                                                      \
        break

/* False if the operation is not among them. */
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
        LANEWISE(PTX_ADD, v[0][i] + v[1][i]);
        LANEWISE(PTX_SUB, v[0][i] - v[1][i]);
        LANEWISE(PTX_AND, v[0][i] & v[1][i]);
        LANEWISE(PTX_OR, v[0][i] | v[1][i]);
        LANEWISE(PTX_XOR, v[0][i] ^ v[1][i]);
    case PTX_MUL:
    case PTX_MAD:
        multiply_lanes(r, v[0], v[1], out);
        for (int i = 0; f->op == PTX_MAD && i < PTX_LANES; i++)
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

static void eval_floats(const Recipe *r, const Lanes *sources, int count, Lanes result[2])
{
    const bool uniform = lanes_uniform(sources, count);
    uint64_t rooms[3][PTX_LANES], values[2][PTX_LANES] = {{0}};
    const uint64_t *v[3] = {0};
    uint32_t known = UINT32_MAX;
    for (int i = 0; i < count && i < 3; i++)
        v[i] = uniform ? sources[i].v : every_lane(&sources[i], rooms[i]);
    for (int k = 0; k < count; k++)
        known &= sources[k].known;
    ptx_float_eval(r->start.form, v, uniform ? 1 : PTX_LANES, values[0], values[1]);
    extend(values[0], values[0], r->result_bits, r->fills_sign);
    for (int k = 0; k < 2; k++)
        if (uniform) {
            lanes_fill(&result[k], values[k][0]);
        } else {
            memcpy(result[k].v, values[k], sizeof result[k].v);
            result[k].known = known;
        }
}

/* Lanes whose result follows from one known source: `and` or a product with 0, `or` with all ones. */
static uint32_t lanes_decided(const PtxForm *f, const Lanes *s, int count, Lanes *out)
{
    uint32_t decided = 0;
    if (count != 2 || (f->op != PTX_AND && f->op != PTX_MUL && f->op != PTX_OR))
        return 0;
    const uint64_t deciding =
        f->op == PTX_OR ? ptx_value_truncate(UINT64_MAX, ptx_source_bits(f)) : 0;
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < PTX_LANES; i++)
            if (s[side].known >> i & 1 && lanes_at(&s[side], i) == deciding) {
                decided |= UINT32_C(1) << i;
                out->v[i] = deciding;
            }
    return decided;
}

/* mov.b64 d, {a, b}: packs parts, lowest first. */
static void pack(const PtxForm *f, const Lanes *sources, int count, Lanes *out)
{
    const int part = ptx_types[f->types[0]].bits / count;
    lanes_unknown(out)->known = UINT32_MAX;
    for (int i = 0; i < PTX_LANES; i++)
        out->v[i] = 0;
    for (int k = 0; k < count; k++) {
        out->known &= sources[k].known;
        for (int i = 0; i < PTX_LANES; i++)
            out->v[i] |= ptx_value_truncate(lanes_at(&sources[k], i), part) << (k * part);
    }
}

/* --- what is known of unknown lanes ------------------------------------------------------------- */

enum { OWN_TWOS = 3 }; /* wider than a word: less tells nothing of its bank */

/* v[i] of a source, as a signed number if lanes share the rest of it. */
static uint64_t part_of(const Lanes *l, int lane, const PtxForm *f, int bits)
{
    const uint64_t v = lanes_at(l, lane);
    return l->common || ptx_types[ptx_source_type(f)].is_signed
               ? (uint64_t)ptx_value_signed(v, bits)
               : v;
}

/* True if bits of b, below the lowest of the number that a shares, are set only where v has none: or adds. */
static bool is_beside(const Lanes *a, const Lanes *b, uint32_t lanes)
{
    bool beside = a->common && !b->common;
    EACH_LANE (i, beside ? lanes : 0)
        beside &= lanes_at(b, i) >> a->twos == 0 && (lanes_at(a, i) & lanes_at(b, i)) == 0;
    return beside;
}

/* An integer operation as product plus sum, of[0] * of[1] + of[2]; false if it is none. room: for numbers. */
static bool as_sum(const PtxForm *f, const Lanes *s, int count, uint32_t lanes, Lanes room[2],
                   const Lanes *of[3])
{
    const Lanes *zero = lanes_fill(&room[0], 0), *factor = lanes_fill(&room[1], 1);
    memcpy(of, (const Lanes *[]){&s[0], factor, zero}, 3 * sizeof *of);
    switch (f->op) {
    case PTX_MOV:
    case PTX_CVT:
    case PTX_CVTA:
        return count == 1;
    case PTX_OR:
        of[2] = &s[1];
        return is_beside(&s[0], &s[1], lanes) || is_beside(&s[1], &s[0], lanes);
    case PTX_ADD:
        of[2] = &s[1];
        return true;
    case PTX_SUB:
        lanes_fill(&room[1], UINT64_MAX);
        of[0] = &s[1];
        of[2] = &s[0];
        return true;
    case PTX_SHL:
        if (s[1].common || !lanes_agree(&s[1], lanes))
            return false;
        lanes_fill(&room[1], UINT64_C(1) << (lanes_at(&s[1], __builtin_ctz(lanes)) & 63));
        return true;
    case PTX_MAD:
        of[2] = &s[2];
        of[1] = &s[1];
        return true;
    case PTX_MUL:
        of[1] = &s[1];
        return true;
    default:
        return false;
    }
}

/* Sums, and products by a number that is known and the same in these lanes: what they share stays shared.
 * Numbers are assumed not to overflow. False if the operation is no such one. */
static bool eval_common(const PtxForm *f, const Lanes *s, int count, uint32_t lanes, Lanes *out)
{
    const int bits = ptx_source_bits(f);
    const Lanes *of[3];
    Lanes room[2];
    if (ptx_float_calculates(f) || f->flags & (PTX_FLAG_SAT | PTX_FLAG_CC) || f->half == PTX_HIGH ||
        result_bits(f) < 32 || !as_sum(f, s, count, lanes, room, of))
        return false;
    const bool second = of[1]->common != 0;
    const Lanes *x = of[second], *by = of[!second], *more = of[2];
    if (x->common && (by->common || !lanes_agree(by, lanes)))
        return false;
    EACH_LANE (i, lanes)
        out->v[i] = ptx_value_truncate(part_of(x, i, f, bits) * part_of(by, i, f, bits) +
                                           part_of(more, i, f, f->half == PTX_WIDE ? 64 : bits),
                                       result_bits(f));
    const uint64_t factor = part_of(by, __builtin_ctz(lanes), f, bits);
    const int twos = x->common && factor ? x->twos + __builtin_ctzll(factor) : 63;
    out->twos = (uint8_t)(more->common && more->twos < twos ? more->twos : twos < 63 ? twos : 63);
    out->own = (x->common && x->own) || (more->common && more->own);
    return true;
}

/* A mask clears low bits. */
static bool eval_masked(const PtxForm *f, const Lanes *s, int count, uint32_t lanes, Lanes *out)
{
    if (f->op != PTX_AND || count != 2 || result_bits(f) < 32)
        return false;
    const bool second = s[0].common == 0;
    const Lanes *x = &s[second], *by = &s[!second];
    if (by->common || !lanes_agree(by, lanes))
        return false;
    const uint64_t mask = ptx_value_truncate(lanes_at(by, __builtin_ctz(lanes)), result_bits(f));
    const int twos = mask ? __builtin_ctzll(mask) : 63;
    EACH_LANE (i, lanes)
        out->v[i] = x->v[i] & mask & ((UINT64_C(1) << x->twos) - 1);
    out->twos = (uint8_t)(x->twos > twos ? x->twos : twos);
    out->own = true;
    return true;
}

/* What is known of a number of which nothing is known. */
static Lanes as_own(const Lanes *l, uint32_t lanes)
{
    Lanes own = *l;
    const uint32_t nothing = lanes & ~l->known & ~l->common;
    if (!nothing)
        return own;
    lanes_spread(&own);
    own.common |= nothing;
    own.own = true;
    own.twos = 0;
    EACH_LANE (i, nothing)
        own.v[i] = 0;
    return own;
}

/* Products and masks make zeros of the low bits of any number: `table[x][lane]` is at a known bank. */
static void own_result(const PtxForm *f, const Lanes *s, int count, Lanes *out)
{
    enum { SOURCES = 3 };
    const uint32_t lanes = ~out->known;
    Lanes own[SOURCES];
    if (!lanes || out->common || count > SOURCES ||
        (f->op != PTX_SHL && f->op != PTX_MUL && f->op != PTX_MAD && f->op != PTX_AND))
        return;
    for (int k = 0; k < count; k++)
        own[k] = as_own(&s[k], lanes);
    if ((eval_masked(f, own, count, lanes, out) || eval_common(f, own, count, lanes, out)) &&
        out->twos >= OWN_TWOS)
        out->common = lanes;
}

/* Where sources are unknown but shared, the result may be, too. */
static void share_result(const PtxForm *f, const Lanes *s, int count, Lanes *out)
{
    uint32_t lanes = ~out->known;
    bool alike = true;
    for (int k = 0; k < count; k++)
        lanes &= s[k].known | s[k].common;
    for (int k = 0; k < count; k++)
        alike &= lanes_agree(&s[k], lanes);
    if (!lanes)
        return;
    if (eval_common(f, s, count, lanes, out))
        out->common = lanes;
    else if (alike && !out->known)
        lanes_share(out, lanes);
}

/* Lanes of which all sources are known, or enough of them. */
static void eval_result(const PtxForm *f, const Lanes *sources, int count, Lanes result[2])
{
    if (f->op == PTX_MOV && count > 1 && ptx_types[f->types[0]].bits / count >= 8) {
        pack(f, sources, count, &result[0]);
        return;
    }
    uint64_t v[2] = {0};
    const Recipe recipe = recipe_of(f, count);
    if (ptx_float_calculates(f)) {
        if (ptx_float_computes(f))
            eval_floats(&recipe, sources, count, result);
        return;
    }
    if (lanes_uniform(sources, count)) {
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
    EACH_LANE (i, known)
        if (eval_lane(&recipe, sources, count, i, v)) {
            lanes_set(&result[0], i, v[0]);
            lanes_set(&result[1], i, v[1]);
        }
}

void ptx_eval_result(const PtxForm *f, const Lanes *sources, int count, Lanes result[2])
{
    uint32_t common = 0;
    lanes_unknown(&result[0]);
    lanes_unknown(&result[1]);
    if (count < sources_needed(f->op) || !ptx_eval_computes(f))
        return;
    eval_result(f, sources, count, result);
    for (int k = 0; k < count; k++)
        common |= sources[k].common;
    if (common)
        share_result(f, sources, count, &result[0]);
    own_result(f, sources, count, &result[0]);
}

/* --- whole instructions ---------------------------------------------------------------------- */

static int count_results(const PtxInstr *in)
{
    if (in->form->writes == 0 || in->count == 0)
        return 0;
    const PtxOperand *o = &in->operands[0];
    const bool many = o->kind == PTX_OPERAND_VECTOR || o->kind == PTX_OPERAND_PAIR;
    const size_t n = many ? o->count : 1;
    return n < PTX_SOURCES ? (int)n : PTX_SOURCES;
}

static void load_params(const PtxState *s, const PtxInstr *in, Lanes *results, int count)
{
    const PtxType type = in->form->types[0];
    const int bytes = ptx_types[type].bits / 8;
    Lanes address;
    if (in->count < 2 || bytes == 0)
        return;
    ptx_eval_address(s, &in->operands[1], &address);
    for (int k = 0; k < count && address.uniform; k++) {
        uint64_t v = 0;
        if (!ptx_launch_param(s->launch, address.v[0] + (uint64_t)(k * bytes), bytes, &v))
            continue;
        if (ptx_types[type].is_signed)
            v = (uint64_t)ptx_value_signed(v, ptx_types[type].bits);
        lanes_fill(&results[k], v);
    }
}

/* mov.b64 {a, b}, c: unpacks parts, lowest first. */
static void unpack(const PtxForm *f, Lanes *results, int count)
{
    const int part = ptx_types[f->types[0]].bits / count;
    if (part == 0 || part >= 64)
        return;
    results[0].common = 0;
    for (int k = count - 1; k >= 0; k--) {
        results[k] = results[0];
        for (int i = 0; i < (results[0].uniform ? 1 : PTX_LANES); i++)
            results[k].v[i] = ptx_value_truncate(results[0].v[i] >> (k * part), part);
    }
}

int ptx_eval_instr(const PtxState *s, const PtxInstr *in, Lanes results[PTX_SOURCES])
{
    const int count = count_results(in);
    for (int k = 0; k < count; k++)
        lanes_unknown(&results[k]);
    if (in->form->op == PTX_LD && in->form->space == PTX_PARAM)
        load_params(s, in, results, count);
    if (!ptx_eval_computes(in->form))
        return count;
    Lanes sources[PTX_SOURCES], result[2];
    const int n = ptx_eval_operands(s, in, sources);
    ptx_eval_result(in->form, sources, n, result);
    if (count > 0)
        results[0] = result[0];
    if (count == 2 && in->form->op == PTX_SETP)
        results[1] = result[1];
    else if (count > 1 && in->form->op == PTX_MOV)
        unpack(in->form, results, count);
    return count;
}
