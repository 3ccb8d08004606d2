#include "metrics/ptx/bulk.h"

#include <string.h>

bool is_bulk_copy(const PtxInstr *in)
{
    const PtxOp op = in->form->op;
    return (op == PTX_CP_ASYNC_BULK || op == PTX_CP_REDUCE_ASYNC) &&
           !strstr(in->form->text, ".prefetch");
}

/* An immediate, or a register that one instruction writes, which moves an immediate there; 0: neither. */
static int64_t constant_of(const Flow *flow, const PtxOperand *o)
{
    if (o->kind == PTX_OPERAND_IMMEDIATE)
        return o->value;
    if (o->kind != PTX_OPERAND_REGISTER || flow->uses->defs[o->index].count != 1)
        return 0;
    const PtxInstr *def = &flow->function->instrs.at[flow->uses->defs[o->index].at[0]];
    const bool moves = def->form->op == PTX_MOV && def->guard == PTX_NO_GUARD && def->count == 2 &&
                       def->operands[1].kind == PTX_OPERAND_IMMEDIATE;
    return moves ? def->operands[1].value : 0;
}

/* cp.async.bulk.TO.FROM… [to], [from], size */
BulkCopy bulk_copy(const Flow *flow, const PtxInstr *in)
{
    const PtxForm *f = in->form;
    BulkCopy b = {0};
    if (f->op != PTX_CP_ASYNC_BULK || in->guard != PTX_NO_GUARD || in->count < 3 ||
        strstr(f->text, ".tensor"))
        return b;
    const int64_t bytes = constant_of(flow, &in->operands[2]);
    if (bytes <= 0 || bytes > UINT32_MAX)
        return b;
    b.known = true;
    b.loads = f->space2 == PTX_GLOBAL ? (uint32_t)bytes : 0;
    b.stores = f->space == PTX_GLOBAL ? (uint32_t)bytes : 0;
    return b;
}
