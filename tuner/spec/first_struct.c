#include "tuner/spec/first_struct.h"

static bool scalar_of(PtxType t, TaskScalar *out)
{
    static const struct {
        PtxType ptx;
        TaskScalar scalar;
    } of[] = {{PTX_U8, TASK_U8},     {PTX_S8, TASK_I8},     {PTX_B8, TASK_U8},
              {PTX_U16, TASK_U16},   {PTX_S16, TASK_I16},   {PTX_B16, TASK_U16},
              {PTX_U32, TASK_I32},   {PTX_S32, TASK_I32},   {PTX_B32, TASK_I32},
              {PTX_U64, TASK_I64},   {PTX_S64, TASK_I64},   {PTX_B64, TASK_I64},
              {PTX_F32, TASK_FLOAT}, {PTX_F64, TASK_DOUBLE}};
    for (size_t i = 0; i < sizeof of / sizeof *of; i++)
        if (of[i].ptx == t)
            return *out = of[i].scalar, true;
    return false;
}

/* What is loaded from each byte of a parameter on. */
static void note_loads(const PtxFunction *entry, const PtxVariable *v, TaskScalar *of, bool *begins)
{
    for (size_t i = 0; i < entry->instrs.count; i++) {
        const PtxInstr *in = &entry->instrs.at[i];
        if (in->form->class != PTX_CLASS_LOAD || in->form->space != PTX_PARAM || in->count < 2)
            continue;
        const PtxOperand *o = &in->operands[1];
        const bool address = o->kind == PTX_OPERAND_ADDRESS && o->count > 0 &&
                             o->parts[0].kind == PTX_OPERAND_VARIABLE;
        const PtxVariable *from = address ? o->parts[0].variable : NULL;
        TaskScalar scalar;
        if (from != v || !scalar_of(in->form->types[0], &scalar))
            continue;
        for (int k = 0; k < (in->form->vector ? in->form->vector : 1); k++) {
            const size_t at =
                (size_t)(o->value + o->parts[0].value) + (size_t)k * task_scalar_size(scalar);
            if (at + task_scalar_size(scalar) > v->size)
                break;
            of[at] = scalar;
            begins[at] = true;
        }
    }
}

bool first_struct(Arena *a, const PtxFunction *entry, const KernelParameter *p,
                  const PtxVariable *v, const KernelFacts *facts, const char *kernel, Buf *out,
                  Diag *d)
{
    if (v->size > TASK_VALUE_LIMIT)
        return diag_fail(d,
                         "parameter '%s' of '%s' is a '%s' by value, of %llu bytes; a spec "
                         "passes %d at most",
                         p->name, kernel, p->text, (unsigned long long)v->size, TASK_VALUE_LIMIT);
    if (v->index < KERNEL_FACTS_PARAMETERS && ((facts->loaded | facts->stored) >> v->index & 1))
        return diag_fail(d,
                         "parameter '%s' of '%s' is a '%s' with a pointer in it; a spec passes "
                         "buffers as parameters of their own",
                         p->name, kernel, p->text);
    TaskScalar *of = ARENA_ARRAY(a, TaskScalar, v->size + 1);
    bool *begins = ARENA_ARRAY(a, bool, v->size + 1);
    note_loads(entry, v, of, begins);
    buf_printf(out, "arg %s : struct(", p->name);
    for (size_t at = 0; at < v->size;) {
        size_t free = 1;
        while (at + free < v->size && !begins[at + free])
            free++;
        const TaskScalar gap = at % 4 == 0 && free >= 4 && v->align >= 4 ? TASK_I32 : TASK_U8;
        const TaskScalar s = begins[at] ? of[at] : gap;
        buf_printf(out, "%s%s", at ? ", " : "", task_scalar_name(s));
        at += task_scalar_size(s);
    }
    buf_printf(out, ") = 1    # decide: a list of its members' values; '%s' in the source\n",
               p->text);
    return true;
}
