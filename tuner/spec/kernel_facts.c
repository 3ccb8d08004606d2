#include "tuner/spec/kernel_facts.h"

enum { THREADS = 7, BLOCKS = 7 << 3, MANY = 1 << 6 };

typedef struct Facts {
    KernelFacts out;
    uint64_t *from; /* per register: the parameters that its value may be based on */
    uint64_t *held; /* per register: parameters through which what its value depends on was read */
    uint64_t kept;  /* the same of all values in shared and local memory */
    /* per register: bits 0 to 2 threadIdx.x, .y, .z, bits 3 to 5 blockIdx.x, .y, .z, as summands; bit 6:
     * multiplied blockIdx */
    uint8_t *ranks;
    const PtxFunction *entry;
    bool changed;
    const PtxVariable *parameter; /* the struct whose words are followed; NULL: all parameters */
    KernelMembers members;
    uint64_t several; /* parameters through which values of several types are accessed */
} Facts;

/* The bit of the followed struct's word that an operand addresses; 0: another address. */
static uint64_t word_of(const Facts *f, const PtxOperand *o)
{
    const int64_t at = o->value + (o->count > 0 ? o->parts[0].value : 0);
    return o->kind == PTX_OPERAND_ADDRESS && o->count > 0 &&
                   o->parts[0].kind == PTX_OPERAND_VARIABLE &&
                   o->parts[0].variable == f->parameter && at >= 0 && at < 512
               ? (uint64_t)1 << at / 8
               : 0;
}

/* The parameters that an operand's value may be based on. */
static uint64_t origin(const Facts *f, const PtxOperand *o)
{
    uint64_t all = 0;
    if (o->kind == PTX_OPERAND_REGISTER)
        return f->from[o->index];
    if (f->parameter && word_of(f, o))
        return word_of(f, o);
    if (o->kind == PTX_OPERAND_VARIABLE)
        return !f->parameter && o->variable && o->variable->is_parameter &&
                       o->variable->function == f->entry &&
                       o->variable->index < KERNEL_FACTS_PARAMETERS
                   ? (uint64_t)1 << o->variable->index
                   : 0;
    if (o->kind == PTX_OPERAND_ADDRESS || o->kind == PTX_OPERAND_VECTOR ||
        o->kind == PTX_OPERAND_LIST || o->kind == PTX_OPERAND_PAIR)
        for (size_t i = 0; i < o->count; i++)
            all |= origin(f, &o->parts[i]);
    return all;
}

static void note_special(KernelFacts *out, const PtxOperand *o)
{
    if (o->kind != PTX_OPERAND_SPECIAL)
        return;
    if (o->index >= PTX_TID_X && o->index <= PTX_TID_Z)
        out->thread[o->index - PTX_TID_X] = true;
    if (o->index >= PTX_CTAID_X && o->index <= PTX_CTAID_Z)
        out->block[o->index - PTX_CTAID_X] = true;
    if (o->index >= PTX_NTID_X && o->index <= PTX_NTID_Z)
        out->block_size = true;
    if (o->index >= PTX_NCTAID_X && o->index <= PTX_NCTAID_Z)
        out->grid_size = true;
    /* The address of the grid's barrier (cooperative_groups.h). */
    out->cooperative =
        out->cooperative || strcmp(o->name, "%envreg1") == 0 || strcmp(o->name, "%envreg2") == 0;
}

static void give(Facts *f, const PtxOperand *o, uint64_t from)
{
    if (o->kind == PTX_OPERAND_REGISTER && (f->from[o->index] | from) != f->from[o->index]) {
        f->from[o->index] |= from;
        f->changed = true;
    }
    if (o->kind == PTX_OPERAND_VECTOR || o->kind == PTX_OPERAND_PAIR)
        for (size_t i = 0; i < o->count; i++)
            give(f, &o->parts[i], from);
}

/* Factors, shifted and divided values are offsets (a row pitch, an index), not base addresses. */
static bool carries(const PtxInstr *in, size_t operand)
{
    switch (in->form->op) {
    case PTX_MUL:
    case PTX_DIV:
    case PTX_REM:
    case PTX_SHL:
    case PTX_SHR:
        return false;
    case PTX_MAD:
        return operand == 3;
    default:
        return true;
    }
}

/* The thread and block indices that an operand is a sum of. */
static uint8_t rank_of(const Facts *f, const PtxOperand *o)
{
    const bool thread = o->index >= PTX_TID_X && o->index <= PTX_TID_Z;
    const bool block = o->index >= PTX_CTAID_X && o->index <= PTX_CTAID_Z;
    if (o->kind == PTX_OPERAND_REGISTER)
        return f->ranks[o->index];
    if (o->kind != PTX_OPERAND_SPECIAL || (!thread && !block))
        return 0;
    return (uint8_t)(thread ? 1 << (o->index - PTX_TID_X) : 8 << (o->index - PTX_CTAID_X));
}

static void follow_rank(Facts *f, const PtxInstr *in)
{
    static const PtxOp SUMS[] = {PTX_MOV, PTX_CVT, PTX_ADD, PTX_SUB, PTX_MUL, PTX_MAD, PTX_SHL};
    bool sums = in->count > 1 && in->operands[0].kind == PTX_OPERAND_REGISTER;
    bool known = false;
    for (size_t i = 0; i < COUNT_OF(SUMS); i++)
        known = known || in->form->op == SUMS[i];
    for (size_t i = 1; i < in->count && sums && known; i++) {
        uint8_t *to = &f->ranks[in->operands[0].index];
        const uint8_t rank = rank_of(f, &in->operands[i]);
        const bool many = rank & BLOCKS && !carries(in, i);
        const uint8_t all = (uint8_t)(*to | rank | (many ? MANY : 0));
        f->changed = f->changed || all != *to;
        *to = all;
    }
}

/* Notes a comparison of an index with a parameter; the first is the guard's. */
static void note_bound(Facts *f, const PtxInstr *in)
{
    for (size_t i = 1; i < 3 && in->form->op == PTX_SETP && in->count >= 3; i++) {
        const PtxOperand *index = &in->operands[i], *limit = &in->operands[3 - i];
        const uint8_t rank = rank_of(f, index);
        const int blocks = (rank & BLOCKS) >> 3;
        const uint64_t of = origin(f, limit);
        /* The start of a block's part: the part's size is unknown here. */
        const bool part = rank & MANY && !(rank & THREADS);
        if (!blocks || part || !of || of & (of - 1) || rank_of(f, limit))
            continue;
        const int k = blocks == 1 ? 0 : blocks == 2 ? 1 : blocks == 4 ? 2 : 3;
        if (f->out.bound[k])
            continue;
        f->out.bound[k] = __builtin_ctzll(of) + 1;
        f->out.bound_threads[k] = rank & THREADS;
    }
}

static void note_type(Facts *f, int parameter, PtxType type)
{
    PtxType *known = &f->out.type[parameter];
    const uint64_t bit = (uint64_t)1 << parameter;
    f->several |= *known != PTX_NO_TYPE && *known != type ? bit : 0;
    *known = f->several & bit ? PTX_NO_TYPE : type;
}

static void add(Facts *f, uint64_t *to, uint64_t bits)
{
    f->changed = f->changed || (*to | bits) != *to;
    *to |= bits;
}

/* Follows what was read. */
static void follow_held(Facts *f, const PtxInstr *in)
{
    const PtxForm *form = in->form;
    const bool async = form->class == PTX_CLASS_ASYNC;
    const bool stores = form->class == PTX_CLASS_STORE || form->class == PTX_CLASS_ATOMIC || async;
    uint64_t buffers = 0, held = 0;
    VEC_EACH (const int, reg, in->reads)
        held |= f->held[*reg];
    for (size_t i = 0; i < in->count && form->space != PTX_PARAM; i++) {
        const PtxOperand *o = &in->operands[i];
        if (o->kind != PTX_OPERAND_ADDRESS)
            continue;
        buffers |= origin(f, o);
        for (size_t k = 0; k < o->count; k++)
            if (o->parts[k].kind == PTX_OPERAND_REGISTER)
                add(f, &f->out.decides, f->held[o->parts[k].index]);
        held |= buffers ? 0 : f->kept;
    }
    if (in->guard != PTX_NO_GUARD)
        add(f, &f->out.decides, f->held[in->guard]);
    if (form->class == PTX_CLASS_BRANCH)
        add(f, &f->out.decides, held);
    if (stores && (async || !buffers))
        add(f, &f->kept, held | buffers);
    VEC_EACH (const int, reg, in->writes)
        add(f, &f->held[*reg], held | buffers);
}

/* A value loaded through an address is not based on that buffer. */
static void follow(Facts *f, const PtxInstr *in)
{
    uint64_t from = 0;
    bool memory = in->form->class == PTX_CLASS_LOAD || in->form->class == PTX_CLASS_STORE ||
                  in->form->class == PTX_CLASS_ATOMIC || in->form->class == PTX_CLASS_ASYNC;
    bool parameter = in->form->space == PTX_PARAM;
    for (size_t i = 0; i < in->count; i++) {
        const PtxOperand *o = &in->operands[i];
        note_special(&f->out, o);
        if ((int)i >= in->form->writes && carries(in, i))
            from |= origin(f, o);
        if (memory && !parameter && o->kind == PTX_OPERAND_ADDRESS) {
            uint64_t to = origin(f, o);
            bool stores = in->form->class == PTX_CLASS_STORE || in->form->class == PTX_CLASS_ATOMIC;
            f->out.stored |= stores ? to : 0;
            f->out.loaded |= in->form->class != PTX_CLASS_STORE ? to : 0;
            for (int k = 0; !f->parameter && k < KERNEL_FACTS_PARAMETERS; k++)
                if (to >> k & 1)
                    note_type(f, k, in->form->types[0]);
            for (int k = 0; f->parameter && k < 64; k++)
                if (to >> k & 1 && f->members.type[k] == PTX_NO_TYPE)
                    f->members.type[k] = in->form->types[0];
        }
    }
    if (in->form->writes > 0 && in->count > 0 && (!memory || parameter))
        give(f, &in->operands[0], from);
    follow_rank(f, in);
    follow_held(f, in);
}

static void follow_all(Arena *a, Facts *f)
{
    f->from = ARENA_ARRAY(a, uint64_t, f->entry->registers.count + 1);
    f->held = ARENA_ARRAY(a, uint64_t, f->entry->registers.count + 1);
    f->ranks = ARENA_ARRAY(a, uint8_t, f->entry->registers.count + 1);
    do {
        f->changed = false;
        for (size_t i = 0; i < f->entry->instrs.count; i++)
            follow(f, &f->entry->instrs.at[i]);
    } while (f->changed);
}

KernelMembers kernel_facts_members(Arena *a, const PtxFunction *entry, const PtxVariable *parameter)
{
    Facts f = {.entry = entry, .parameter = parameter};
    follow_all(a, &f);
    f.members.loaded = f.out.loaded;
    f.members.stored = f.out.stored;
    return f.members;
}

KernelFacts kernel_facts(Arena *a, const PtxModule *m, const PtxFunction *entry)
{
    Facts f = {.entry = entry};
    follow_all(a, &f);
    for (size_t i = 0; i < entry->instrs.count; i++)
        note_bound(&f, &entry->instrs.at[i]);
    const PtxAttribute *bound = ptx_find_attribute(entry, ".maxntid");
    const PtxAttribute *exact = ptx_find_attribute(entry, ".reqntid");
    bound = bound ? bound : exact;
    for (int i = 0; bound && i < bound->count; i++)
        f.out.most_threads = (f.out.most_threads ? f.out.most_threads : 1) * bound->values[i];
    for (size_t i = 0; i < m->variables.count; i++) {
        const PtxVariable *v = m->variables.at[i];
        f.out.dynamic_shared =
            f.out.dynamic_shared || (v->space == PTX_SHARED && v->size == 0 && *v->dimensions);
    }
    for (size_t i = 0; i < entry->instrs.count; i++)
        f.out.calls = f.out.calls || entry->instrs.at[i].form->class == PTX_CLASS_CALL;
    return f.out;
}
