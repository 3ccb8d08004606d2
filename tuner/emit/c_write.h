/* Parts of the writer of expressions: c_expr.c, c_operator.c, c_call.c and c_compare.c share them,
 * nobody else does.
 *
 * c_expr.c knows values, names and which part writes what; the parts call it for their operands.
 * Each function adds to `w->out` and is false when C has no words for something: what was written
 * until then is to be thrown away. */
#ifndef APTUNE_EMIT_C_WRITE_H
#define APTUNE_EMIT_C_WRITE_H

#include "metrics/base/expr_tree.h"
#include "tuner/emit/c_expr.h"
#include "tuner/emit/c_helpers.h"

/* --- c_expr.c --------------------------------------------------------------------------------- */

/* Is it an integer or a real number? */
bool c_is_number(const Expr *e);

/* An operand or argument of a kind: an integer becomes a double where the kind is VALUE_REAL. */
bool c_write_operand(CWriter *w, const Expr *e, ValueKind kind, CPlace place);

/* --- c_operator.c ----------------------------------------------------------------------------- */

/* Every operator but comparisons. */
bool c_write_operator(CWriter *w, const Expr *e, CPlace place);

/* --- c_call.c --------------------------------------------------------------------------------- */

/* "mm_exact(&ok, ", or without the address when the helper cannot fail; notes its use. */
void c_write_opening(CWriter *w, CHelper h, bool may_fail);

/* A whole call: the helper gets the arguments of `e`, of that kind. */
bool c_write_helper(CWriter *w, CHelper h, const Expr *e, ValueKind kind, bool may_fail);

/* A whole number; one in a real type is asked whether it is. */
bool c_write_whole(CWriter *w, const Expr *e);

/* A call of one of the spec's functions. */
bool c_write_call(CWriter *w, const Expr *e, CPlace place);

/* --- c_compare.c ------------------------------------------------------------------------------ */

/* A comparison, chains of them and "in" included; c_member is there, too. */
bool c_write_compare(CWriter *w, const Expr *e, CPlace place);

#endif
