/* Ranges of expressions: shared by c_range.c and the parts of the writer (c_write.h), by
 * nobody else. */
#ifndef APTUNE_EMIT_C_RANGE_H
#define APTUNE_EMIT_C_RANGE_H

#include "metrics/base/expr_tree.h"
#include "tuner/emit/c_expr.h"

/* Beyond it a sum or product of 64-bit integers is taken for one that may overflow: half of what
 * fits, so that what doubles leave out of a range does not matter. */
#define RANGE_SAFE 0x1p62

/* Can a sum, difference or product be C's own: it surely fits? */
bool range_is_plain_arithmetic(const CWriter *w, const Expr *e);

/* Are "/" or "//" plain in C?  For integers of which neither is negative, C's division is both. */
bool range_is_plain_division(const CWriter *w, const Expr *e);

/* Is it a call of that function? */
bool range_is_call(const Expr *e, const char *name);

#endif
