/* Growable text.
 *
 * Every writer of text or bytes writes into one: reports, JSON, emitted code,
 * dumps.  A zeroed Buf is empty and valid; buf_free or buf_take ends it.  The text
 * always has a terminating zero. */
#ifndef APTUNE_BASE_BUF_H
#define APTUNE_BASE_BUF_H

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

/* The text; "" when nothing was written.  Valid until the next write. */
const char *buf_text(const Buf *b);

/* Empties it and keeps the memory. */
void buf_clear(Buf *b);

void buf_free(Buf *b);

#endif
