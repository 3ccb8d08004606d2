/* Small change of writing C: names, types, strings, comments, and texts with a unit's prefix. */
#ifndef APTUNE_EMIT_C_TEXT_H
#define APTUNE_EMIT_C_TEXT_H

#include "metrics/base/arena.h"
#include "tuner/spec/spec.h"

/* Adds a text in which '@' stands for the prefix, '^' for the same in capitals. */
void text_fill(Buf *out, const char *prefix, const char *text);

/* The same as printf; arguments are taken as they are. */
void text_printf(Buf *out, const char *prefix, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* A string literal. */
void text_string(Buf *out, const char *s);

/* A name of the spec as one of C, C++ and CUDA: with a "_" behind it where it is a word of these or
 * among `taken`, of which there are `count`. */
const char *text_name(Arena *a, const char *name, const char *const *taken, size_t count);

/* Text inside of a comment: what would end it is broken up. */
void text_comment(Buf *out, const char *s);
void text_comment_part(Buf *out, const char *s, size_t length);

/* The same, of several words, on lines of at most 98 bytes; the next ones begin with `start`. */
void text_comment_wrapped(Buf *out, const char *start, const char *s);

/* The type of one scalar: "float", "unsigned char"; half is "unsigned short", its bits. */
const char *text_scalar(TaskScalar s);

/* CUDA's name of a vector type: "float4"; of halves that of their bits. */
const char *text_vector(Arena *a, TaskType t);

/* What a pointer points to in the interface: the scalar, or "void" where plain C has no such type.
 */
const char *text_pointee(TaskType t);

/* "struct { int m0; float m1; }": a spec's struct as C has it, with the same layout. */
void text_struct(const Argument *g, Buf *out);

#endif
