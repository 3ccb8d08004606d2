#include "metrics/ptx/ptx.h"

typedef struct TypeInfo {
    const char *name;
    int bits;
    char kind; /* p b u s f */
} TypeInfo;

static const TypeInfo types[PTX_TYPE_COUNT] = {
    [PTX_NO_TYPE] = {"", 0, 'b'},       [PTX_PRED] = {"pred", 1, 'p'},
    [PTX_B8] = {"b8", 8, 'b'},          [PTX_B16] = {"b16", 16, 'b'},
    [PTX_B32] = {"b32", 32, 'b'},       [PTX_B64] = {"b64", 64, 'b'},
    [PTX_B128] = {"b128", 128, 'b'},    [PTX_U8] = {"u8", 8, 'u'},
    [PTX_U16] = {"u16", 16, 'u'},       [PTX_U32] = {"u32", 32, 'u'},
    [PTX_U64] = {"u64", 64, 'u'},       [PTX_S8] = {"s8", 8, 's'},
    [PTX_S16] = {"s16", 16, 's'},       [PTX_S32] = {"s32", 32, 's'},
    [PTX_S64] = {"s64", 64, 's'},       [PTX_F16] = {"f16", 16, 'f'},
    [PTX_F16X2] = {"f16x2", 32, 'f'},   [PTX_BF16] = {"bf16", 16, 'f'},
    [PTX_BF16X2] = {"bf16x2", 32, 'f'}, [PTX_TF32] = {"tf32", 32, 'f'},
    [PTX_F32] = {"f32", 32, 'f'},       [PTX_F64] = {"f64", 64, 'f'},
};

static const char *const classes[PTX_CLASS_COUNT] = {
    [PTX_CLASS_UNKNOWN] = "unknown", [PTX_CLASS_FP32] = "fp32",
    [PTX_CLASS_INT] = "int",         [PTX_CLASS_FP64] = "fp64",
    [PTX_CLASS_HALF] = "half",       [PTX_CLASS_SFU] = "sfu",
    [PTX_CLASS_TENSOR] = "tensor",   [PTX_CLASS_COMPARE] = "compare",
    [PTX_CLASS_MOVE] = "move",       [PTX_CLASS_CONVERT] = "convert",
    [PTX_CLASS_ADDRESS] = "address", [PTX_CLASS_LOAD] = "load",
    [PTX_CLASS_STORE] = "store",     [PTX_CLASS_ATOMIC] = "atomic",
    [PTX_CLASS_TEXTURE] = "texture", [PTX_CLASS_ASYNC] = "async",
    [PTX_CLASS_WARP] = "warp",       [PTX_CLASS_BARRIER] = "barrier",
    [PTX_CLASS_FENCE] = "fence",     [PTX_CLASS_BRANCH] = "branch",
    [PTX_CLASS_CALL] = "call",       [PTX_CLASS_OTHER] = "other",
};

static const char *const spaces[PTX_SPACE_COUNT] = {
    [PTX_GENERIC] = "generic", [PTX_CONST] = "const", [PTX_GLOBAL] = "global",
    [PTX_LOCAL] = "local",     [PTX_PARAM] = "param", [PTX_SHARED] = "shared",
};

static const char *const ops[PTX_OP_COUNT] = {
    [PTX_UNKNOWN] = "unknown",
#define OP(id, text, class, writes) [PTX_##id] = text,
#include "metrics/ptx/ptx_ops.def"
};

static const char *const specials[PTX_SPECIAL_COUNT] = {
    [PTX_TID_X] = "%tid.x",
    [PTX_TID_Y] = "%tid.y",
    [PTX_TID_Z] = "%tid.z",
    [PTX_NTID_X] = "%ntid.x",
    [PTX_NTID_Y] = "%ntid.y",
    [PTX_NTID_Z] = "%ntid.z",
    [PTX_CTAID_X] = "%ctaid.x",
    [PTX_CTAID_Y] = "%ctaid.y",
    [PTX_CTAID_Z] = "%ctaid.z",
    [PTX_NCTAID_X] = "%nctaid.x",
    [PTX_NCTAID_Y] = "%nctaid.y",
    [PTX_NCTAID_Z] = "%nctaid.z",
    [PTX_LANEID] = "%laneid",
    [PTX_WARPID] = "%warpid",
    [PTX_NWARPID] = "%nwarpid",
    [PTX_LANEMASK_EQ] = "%lanemask_eq",
    [PTX_LANEMASK_LE] = "%lanemask_le",
    [PTX_LANEMASK_LT] = "%lanemask_lt",
    [PTX_LANEMASK_GE] = "%lanemask_ge",
    [PTX_LANEMASK_GT] = "%lanemask_gt",
    [PTX_WARP_SIZE] = "WARP_SZ",
};

int ptx_type_bits(PtxType t)
{
    return types[t].bits;
}

const char *ptx_type_name(PtxType t)
{
    return types[t].name;
}

bool ptx_type_is_float(PtxType t)
{
    return types[t].kind == 'f';
}

bool ptx_type_is_signed(PtxType t)
{
    return types[t].kind == 's';
}

const char *ptx_class_name(PtxClass c)
{
    return classes[c];
}

const char *ptx_space_name(PtxSpace s)
{
    return spaces[s];
}

const char *ptx_op_name(PtxOp op)
{
    return ops[op];
}

const char *ptx_special_name(PtxSpecial s)
{
    return specials[s];
}

PtxType ptx_result_type(const PtxForm *f)
{
    switch (f->op) {
    case PTX_SETP:
    case PTX_ISSPACEP:
    case PTX_TESTP:
        return PTX_PRED;
    case PTX_POPC:
    case PTX_CLZ:
    case PTX_BFIND:
        return PTX_U32;
    default:
        return f->types[0];
    }
}

PtxType ptx_source_type(const PtxForm *f)
{
    return f->type_count > 1 ? f->types[1] : f->types[0];
}

PtxFunction *ptx_find_function(const PtxModule *m, const char *name)
{
    for (size_t i = 0; i < m->functions.count; i++)
        if (strcmp(m->functions.at[i]->name, name) == 0)
            return m->functions.at[i];
    return NULL;
}

PtxFunction *ptx_find_entry(const PtxModule *m, const char *name)
{
    for (size_t i = 0; i < m->functions.count; i++) {
        PtxFunction *f = m->functions.at[i];
        if (f->is_entry && f->has_body && (!name || strcmp(f->name, name) == 0))
            return f;
    }
    return NULL;
}

const PtxAttribute *ptx_find_attribute(const PtxFunction *f, const char *name)
{
    return NAME_FIND(f->attributes.at, f->attributes.count, name, name);
}

uint64_t ptx_local_bytes(const PtxFunction *f, PtxSpace s)
{
    uint64_t end = 0;
    for (size_t i = 0; i < f->locals.count; i++) {
        const PtxVariable *v = f->locals.at[i];
        if (v->space != s)
            continue;
        end = (end + v->align - 1) / v->align * v->align + v->size;
    }
    return end;
}

bool ptx_issues(const PtxInstr *in)
{
    const PtxForm *f = in->form;
    if ((f->op == PTX_LD || f->op == PTX_ST) && f->space == PTX_PARAM)
        return false;
    if (f->op == PTX_MOV)
        return in->count == 2 && in->operands[1].kind == PTX_OPERAND_SPECIAL;
    return f->op != PTX_CVTA;
}

size_t ptx_line(const PtxFunction *f, size_t instr)
{
    size_t line = 0, column = 0;
    if (instr < f->instrs.count && f->instrs.at[instr].at.source)
        source_position(f->instrs.at[instr].at.source, f->instrs.at[instr].at.offset, &line,
                        &column);
    return line;
}

static void visit_operand(const PtxOperand *o, bool writes, int depth, PtxVisit *visit,
                          void *context)
{
    if (o->kind == PTX_OPERAND_REGISTER) {
        visit(context, o->index, writes);
        return;
    }
    if (o->kind < PTX_OPERAND_ADDRESS || depth > 4)
        return;
    for (size_t i = 0; i < o->count; i++)
        visit_operand(&o->parts[i], writes && o->kind != PTX_OPERAND_ADDRESS, depth + 1, visit,
                      context);
}

void ptx_visit_registers(const PtxInstr *in, PtxVisit *visit, void *context)
{
    if (in->guard != PTX_NO_GUARD)
        visit(context, in->guard, false);
    const bool both = in->form->op == PTX_WGMMA_MMA || in->form->op == PTX_UNKNOWN;
    for (int i = 0; i < in->count; i++) {
        const bool writes = i < in->form->writes;
        if (!writes || both)
            visit_operand(&in->operands[i], false, 0, visit, context);
    }
    for (int i = 0; i < in->count && i < in->form->writes; i++)
        visit_operand(&in->operands[i], true, 0, visit, context);
}
