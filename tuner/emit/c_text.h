/* Small change of writing C: names, types, strings, comments. */
#ifndef APTUNE_EMIT_C_TEXT_H
#define APTUNE_EMIT_C_TEXT_H

#include "metrics/base/arena.h"
#include "tuner/spec/spec.h"

/* A string literal. */
void text_string(Buf *out, const char *s);

/* A name of the spec as one of C, C++ and CUDA: with a "_" behind it where it is a word of these or
 * among `taken`, of which there are `count`. */
const char *text_name(Arena *a, const char *name, const char *const *taken, size_t count);

/* Text inside of a comment: what would end it is broken up. */
void text_comment(Buf *out, const char *s);
void text_comment_part(Buf *out, const char *s, size_t length);

/* The type of one scalar: "float", "unsigned char"; half is "unsigned short", its bits. */
const char *text_scalar(TaskScalar s);

/* What a pointer points to in the interface: the scalar, or "void" where plain C has no such type.
 */
const char *text_pointee(TaskType t);

/* The declaration of a number as C has it, with the same layout: "float x", "float x[4]" of a
 * vector, "struct { int m0; float m1; } x". */
void text_number(const Argument *g, const char *name, Buf *out);

#endif
