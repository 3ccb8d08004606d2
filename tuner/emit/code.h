/* The texts of an emitted unit: what somebody checks into his project.
 *
 * NAME.h is the interface: problem, arguments, choice, functions, and where every entry comes from.
 * NAME.c (driver flavours) or NAME.cu (runtime flavour) is the unit itself: which sizes each
 * variant is valid for, how it is launched there, the table that is chosen from, and what loads and
 * launches. NAME_code.h has cubins and PTX as arrays, for the driver flavours.
 *
 * All of it follows from the EmitUnit alone.  Expressions of the spec become C once the variant's
 * parameters are filled in (c_expr.h); a variant of which something has no C, or whose
 * code depends on the problem, serves the size it was tuned for and no other.  Nothing emitted
 * needs aptune; C texts are C11 and C++17. */
#ifndef APTUNE_EMIT_CODE_H
#define APTUNE_EMIT_CODE_H

#include "tuner/emit/unit.h"

/* Each adds a whole text to `out`.  False after a message; warnings say which variants serve their
 * tuned size alone for want of words in C. */
bool emit_text_header(const EmitUnit *u, Buf *out, Diag *d);
bool emit_text_unit(const EmitUnit *u, Buf *out, Diag *d);
bool emit_text_code(const EmitUnit *u, Buf *out, Diag *d);

#endif
