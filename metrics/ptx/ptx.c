#include "metrics/ptx/ptx.h"

typedef struct TypeInfo {
    const char *name;
    int bits;
    char kind; /* p b u s f */
} TypeInfo;

static const TypeInfo types[] = {
#define TYPE(id, word, bits, kind) {word, bits, kind},
#include "metrics/ptx/ptx_words.def"
};

static const char *const classes[] = {
#define CLASS(id, word) word,
#include "metrics/ptx/ptx_words.def"
};

static const char *const spaces[] = {
#define SPACE(id, word) word,
#include "metrics/ptx/ptx_words.def"
};

static const char *const ops[PTX_OP_COUNT] = {
    [PTX_UNKNOWN] = "unknown",
#define OP(id, text, class, writes) [PTX_##id] = text,
#include "metrics/ptx/ptx_ops.def"
};

static const char *const specials[PTX_SPECIAL_COUNT] = {
    NULL,
#define SPECIAL(id, word) word,
#include "metrics/ptx/ptx_words.def"
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
