/* Values of operands in a machine state: registers, special registers, parameters, addresses. */
#include "metrics/ptx/ptx_eval.h"

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
    for (int i = 0; i < PTX_LANES; i++)
        if (mask >> i & 1)
            l->v[i] = lanes_at(source, i);
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

static uint64_t threads_in_block(const PtxLaunch *l)
{
    return (uint64_t)l->block.x * l->block.y * l->block.z;
}

uint32_t ptx_warp_mask(const PtxLaunch *l, uint32_t warp)
{
    if (!l->has_geometry)
        return UINT32_MAX;
    const uint64_t first = (uint64_t)warp * PTX_LANES, threads = threads_in_block(l);
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

/* Threads are numbered x first, then y, then z. */
static void thread_coordinates(const PtxState *s, PtxSpecial which, Lanes *out)
{
    const PtxDim b = s->launch->block;
    if (!s->launch->has_geometry || b.x == 0 || b.y == 0) {
        lanes_unknown(out);
        return;
    }
    out->known = UINT32_MAX;
    out->uniform = false;
    bool same = true;
    for (uint32_t i = 0; i < PTX_LANES; i++) {
        const uint64_t t = (uint64_t)s->place.warp * PTX_LANES + i;
        const uint64_t row = t / b.x;
        out->v[i] = which == PTX_TID_X ? t % b.x : which == PTX_TID_Y ? row % b.y : row / b.y;
        same &= out->v[i] == out->v[0];
    }
    out->uniform = same;
}

static void lane_masks(PtxSpecial which, Lanes *out)
{
    out->known = UINT32_MAX;
    out->uniform = false;
    for (uint32_t i = 0; i < PTX_LANES; i++) {
        const uint32_t own = UINT32_C(1) << i, below = own - 1;
        const uint32_t masks[] = {own, own | below, below, ~below, ~(own | below)};
        out->v[i] = masks[which - PTX_LANEMASK_EQ];
    }
}

static void lane_numbers(Lanes *out)
{
    out->known = UINT32_MAX;
    out->uniform = false;
    for (uint32_t i = 0; i < PTX_LANES; i++)
        out->v[i] = i;
}

static uint32_t dim_at(PtxDim d, int axis)
{
    return axis == 0 ? d.x : axis == 1 ? d.y : d.z;
}

void ptx_eval_special(const PtxState *s, PtxSpecial special, Lanes *out)
{
    if (special >= PTX_TID_X && special <= PTX_TID_Z)
        thread_coordinates(s, special, out);
    else if (special == PTX_LANEID)
        lane_numbers(out);
    else if (special >= PTX_LANEMASK_EQ && special <= PTX_LANEMASK_GT)
        lane_masks(special, out);
    else if (special == PTX_WARP_SIZE)
        lanes_fill(out, PTX_LANES);
    else if (special == PTX_SPECIAL_OTHER || !s->launch->has_geometry)
        lanes_unknown(out);
    else if (special == PTX_WARPID) /* in practice; the ISA promises nothing */
        lanes_fill(out, s->place.warp);
    else if (special == PTX_NWARPID)
        lanes_fill(out, (threads_in_block(s->launch) + PTX_LANES - 1) / PTX_LANES);
    else if (special >= PTX_NCTAID_X)
        lanes_fill(out, dim_at(s->launch->grid, (int)(special - PTX_NCTAID_X)));
    else if (special >= PTX_CTAID_X)
        lanes_fill(out, dim_at(s->place.block, (int)(special - PTX_CTAID_X)));
    else
        lanes_fill(out, dim_at(s->launch->block, (int)(special - PTX_NTID_X)));
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

static void negate(Lanes *out)
{
    for (int i = 0; i < (out->uniform ? 1 : PTX_LANES); i++)
        out->v[i] ^= 1;
}

void ptx_eval_operand(const PtxState *s, const PtxOperand *o, PtxType type, Lanes *out)
{
    switch (o->kind) {
    case PTX_OPERAND_REGISTER:
        if (o->name)
            lanes_unknown(out); /* a part: not computed */
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
    if (o->negated)
        negate(out);
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
    const int bytes = ptx_type_bits(type) / 8;
    Lanes address;
    if (in->count < 2 || bytes == 0)
        return;
    ptx_eval_address(s, &in->operands[1], &address);
    for (int k = 0; k < count && address.uniform; k++) {
        uint64_t v = 0;
        if (!ptx_launch_param(s->launch, address.v[0] + (uint64_t)(k * bytes), bytes, &v))
            continue;
        if (ptx_type_is_signed(type))
            v = (uint64_t)ptx_value_signed(v, ptx_type_bits(type));
        lanes_fill(&results[k], v);
    }
}

/* mov.b64 {a, b}, c: a whole falls into parts, the lowest first */
static void unpack(const PtxForm *f, Lanes *results, int count)
{
    const int part = ptx_type_bits(f->types[0]) / count;
    if (part == 0 || part >= 64)
        return;
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
