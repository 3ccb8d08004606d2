/* Model to PTX text: for dumps, and for the test that printing and parsing agree.
 *
 * The text is PTX again, laid out one way: variables and registers first, flat (a name that two
 * scopes shared has got a suffix), debug sections left out. */
#ifndef APTUNE_PTX_PTX_PRINT_H
#define APTUNE_PTX_PTX_PRINT_H

#include "metrics/ptx/ptx.h"

void ptx_print(const PtxModule *m, Buf *out);
void ptx_print_function(const PtxFunction *f, Buf *out);
/* One instruction without line end: "@%p1 bra $L__BB0_3;" */
void ptx_print_instr(const PtxFunction *f, const PtxInstr *in, Buf *out);
void ptx_print_operand(const PtxFunction *f, const PtxOperand *o, Buf *out);

#endif
