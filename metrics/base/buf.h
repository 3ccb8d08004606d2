/* Growable text.
 *
 * Every writer of text or bytes writes into one: reports, JSON, emitted code,
 * dumps.  A zeroed Buf is empty and valid; buf_free or buf_take ends it.  The text
 * always has a terminating zero. */
#pragma once

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct Buf {
    char *text; /* NULL while nothing was written */
    size_t size;
    size_t capacity;
} Buf;

void buf_add(Buf *b, const void *bytes, size_t size);
void buf_puts(Buf *b, const char *text);
void buf_putc(Buf *b, char c);
void buf_fill(Buf *b, char c, size_t times);
void buf_printf(Buf *b, const char *format, ...) __attribute__((format(printf, 2, 3)));
void buf_vprintf(Buf *b, const char *format, va_list args) __attribute__((format(printf, 2, 0)));

/* The fewest digits, from `digits` on, that read back as the same number; a finite one. */
void buf_real(Buf *b, double number, int digits);

/* Bytes of the character of UTF-8 that begins here, when it shows as itself; 0: it is a control
 * character, one that turns the direction of writing, or no UTF-8 at all. */
size_t text_shown(const char *text, size_t size);

/* Columns of a terminal that text of UTF-8 takes, each character taken to be one wide. */
size_t text_columns(const char *text, size_t size);

/* Does a text end with another, and begin with something before it? */
bool text_ends_with(const char *text, const char *end);

/* A letter of English, a digit or "_". */
bool text_is_word(char c);

/* A stranger's text as it may reach a terminal, a page or a header: what does not show as itself
 * stands as \uXXXX, as JSON has it.  `lines`: but for tabs and the ends of lines. */
void buf_shown(Buf *b, const char *text, size_t size, bool lines);

/* The text; "" when nothing was written.  Valid until the next write. */
const char *buf_text(const Buf *b);

/* Empties it and keeps the memory. */
void buf_clear(Buf *b);

void buf_free(Buf *b);

/* A local text that is freed when its block is left, whichever way: SCOPED_BUF text = {0}; */
#define SCOPED_BUF __attribute__((cleanup(buf_free))) Buf

/* The text in an arena, and buf_free. */
struct Arena;
char *buf_keep(Buf *b, struct Arena *a);
