/* Parts of what tells which sizes a variant is valid for: shared by code_size.c, code_shape.c,
 * code_ask.c and code_steps.c, by nobody else.
 *
 * Functions named code_ask_… add statements to `l` that leave the function around them with 0 where
 * the answer is no.  All are false when C has no words for something: the variant then serves its
 * tuned size alone, and what was written is thrown away. */
#ifndef APTUNE_EMIT_CODE_SIZE_H
#define APTUNE_EMIT_CODE_SIZE_H

#include "tuner/emit/code_parts.h"

/* --- code_shape.c ----------------------------------------------------------------------------- */

/* The whole function that tells a launch's grid, block and shared memory. */
bool code_shape(Code *c, const CodeVariant *v, size_t launch, Buf *out);

/* Does a number that a kernel gets, or each of its lanes, fit its type? */
bool code_ask_number(CodeLines *l, const Argument *g, const Expr *value);

/* Does a text use something: "p->"? */
bool code_mentions(const Buf *text, const char *word);

/* --- code_ask.c ------------------------------------------------------------------------------- */

/* Everything that the spec asks of the variant beyond what concerns the size alone; `*why` is the
 * text that has no words in C. */
bool code_ask_spec(CodeLines *l, const CodeVariant *v, const char **why);

/* Is a condition met?  `written` is its text in the spec. */
bool code_ask_condition(CodeLines *l, const Expr *condition, const Expr *written);

/* Has a buffer at least one element, and not more bytes than any device? */
bool code_ask_count(CodeLines *l, const Argument *g, const Expr *count);

/* Is an expression of the spec one of problem names alone, the same for all variants? */
bool code_concerns_size_alone(const Code *c, const Expr *e);

/* --- code_steps.c ----------------------------------------------------------------------------- */

/* Is the number of a launch's steps, where it depends on the problem, from 1 to 65536? */
bool code_ask_steps(CodeLines *l, const CodeLaunch *k);

#endif
