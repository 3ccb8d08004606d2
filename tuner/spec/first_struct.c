#include "tuner/spec/first_parts.h"

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

/* Notes the type of the load that begins at each byte of a parameter. */
static void note_loads(const PtxFunction *entry, const PtxVariable *v, TaskScalar *of, bool *begins)
{
    VEC_EACH (const PtxInstr, in, entry->instrs) {
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

/* Derives members from the loads, with their offsets in `at`; returns their number. */
static size_t find_members(const PtxVariable *v, const TaskScalar *of, const bool *begins,
                           TaskScalar *scalars, size_t *at)
{
    size_t count = 0;
    for (size_t i = 0; i < v->size; i += task_scalar_size(scalars[count++])) {
        size_t free = 1;
        while (i + free < v->size && !begins[i + free])
            free++;
        const TaskScalar gap = i % 4 == 0 && free >= 4 && v->align >= 4 ? TASK_I32 : TASK_U8;
        scalars[count] = begins[i] ? of[i] : gap;
        at[count] = i;
    }
    return count;
}

static void print_pointed(const KernelParameter *p, size_t at, const KernelMembers *m,
                          const char *elements, Buf *out)
{
    const bool loads = m->loaded >> at / 8 & 1, stores = m->stored >> at / 8 & 1;
    TaskScalar s = TASK_U8;
    scalar_of(m->type[at / 8], &s);
    buf_printf(out, "%s %s_%zu : %s[%s]%s    # decide: size%s; at byte %zu of '%s'\n",
               stores && loads ? "inout"
               : stores        ? "out"
                               : "in",
               p->name, at, task_scalar_name(s), elements,
               !loads                    ? ""
               : task_scalar_is_float(s) ? " = uniform(-1, 1)"
                                         : " = uniform(0, 9)",
               loads ? " and contents" : "", at, p->text);
}

bool first_struct(Arena *a, const PtxFunction *entry, const KernelParameter *p,
                  const PtxVariable *v, const char *elements, const char *kernel, Buf *out,
                  const char **item, Diag *d)
{
    if (v->size > TASK_STRUCT_LIMIT)
        return diag_fail(d,
                         "parameter '%s' of '%s' is a '%s' of %llu bytes passed by value; specs "
                         "support at most %d",
                         p->name, kernel, p->text, (unsigned long long)v->size, TASK_STRUCT_LIMIT);
    TaskScalar *of = ARENA_ARRAY(a, TaskScalar, v->size + 1);
    TaskScalar *scalars = ARENA_ARRAY(a, TaskScalar, v->size + 1);
    bool *begins = ARENA_ARRAY(a, bool, v->size + 1);
    size_t *at = ARENA_ARRAY(a, size_t, v->size + 1);
    note_loads(entry, v, of, begins);
    const size_t count = find_members(v, of, begins, scalars, at);
    const KernelMembers m = kernel_facts_members(a, entry, v);
    SCOPED_BUF members = {0};
    *item = p->name;
    if (!(m.loaded | m.stored) && v->size <= TASK_VALUE_LIMIT) {
        for (size_t i = 0; i < count; i++)
            buf_printf(&members, "%s%s", i ? ", " : "", task_scalar_name(scalars[i]));
        buf_printf(out,
                   "arg %s : struct(%s) = 1    # decide: a list of its members' values; '%s' in "
                   "the source\n",
                   p->name, buf_text(&members), p->text);
        return true;
    }
    for (size_t i = 0; i < count; i++) {
        const bool pointer = at[i] % 8 == 0 && at[i] / 8 < 64 &&
                             task_scalar_size(scalars[i]) == 8 &&
                             ((m.loaded | m.stored) >> at[i] / 8 & 1);
        if (pointer)
            print_pointed(p, at[i], &m, elements, out);
        buf_printf(&members, "%s%s_%zu", i ? ", " : "", p->name, at[i]);
        if (!pointer)
            buf_printf(&members, " : %s = 1", task_scalar_name(scalars[i]));
    }
    *item = arena_printf(a, "struct(%s)", buf_text(&members));
    return true;
}
