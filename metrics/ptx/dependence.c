#include "metrics/ptx/dependence.h"

#include "metrics/ptx/ptx_eval.h"
#include "metrics/ptx/walk_slice.h"

/* True if the operation is linear; `or` stands for a sum of disjoint bits. */
static bool is_linear(const PtxForm *f)
{
    switch (f->op) {
    case PTX_MOV:
    case PTX_CVTA:
    case PTX_CVT:
    case PTX_ADD:
    case PTX_SUB:
    case PTX_MUL:
    case PTX_MAD:
    case PTX_SHL:
    case PTX_OR:
        return true;
    default:
        return false;
    }
}

static bool reads_special(const PtxInstr *in, PtxSpecial special)
{
    for (int i = 0; i < in->count; i++)
        if (in->operands[i].kind == PTX_OPERAND_SPECIAL && in->operands[i].index == (int)special)
            return true;
    return false;
}

/* True if the operation, of a linear function of a coordinate, has the same result up to some place, and another behind
 * it. */
static bool has_borders(const PtxForm *f)
{
    switch (f->op) {
    case PTX_SETP:
    case PTX_SELP:
    case PTX_MIN:
    case PTX_MAX:
        return true;
    default:
        return f->types[0] == PTX_PRED || f->class == PTX_CLASS_BRANCH;
    }
}

Dependence dependence_of(Arena *a, const PtxFunction *f, PtxSpecial coordinate)
{
    bool *made = ARENA_ARRAY(a, bool, f->registers.count + 1); /* registers derived from it */
    Dependence found = DEPENDENCE_LINEAR;
    for (bool changed = true; changed;) {
        changed = false;
        VEC_EACH (const PtxInstr, in, f->instrs) {
            const PtxForm *form = in->form;
            bool reads = reads_special(in, coordinate);
            for (size_t k = 0; k < in->reads.count; k++)
                reads |= made[in->reads.at[k]];
            if (walk_gives_ticket(form)) /* blocks take them in order (walk_values.h) */
                return DEPENDENCE_ANY;
            if (!reads)
                continue;
            const bool passes = form->op == PTX_ST && form->space == PTX_PARAM;
            const bool decides =
                form->class == PTX_CLASS_BRANCH || (ptx_eval_computes(form) && !is_linear(form));
            if (passes || form->class == PTX_CLASS_CALL || (decides && !has_borders(form)))
                return DEPENDENCE_ANY;
            if (decides)
                found = DEPENDENCE_BORDERED;
            for (size_t k = 0; ptx_eval_computes(form) && k < in->writes.count; k++) {
                changed |= !made[in->writes.at[k]];
                made[in->writes.at[k]] = true;
            }
        }
    }
    return found;
}
