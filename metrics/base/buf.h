/* Growable text.
 *
 * All writers of text or bytes use it: reports, JSON, emitted code, dumps.  A zeroed Buf is empty and valid;
 * buf_free or buf_keep ends it.  The text always ends with a zero byte. */
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

/* Writes a finite number with the fewest digits, at least `digits`, that read back as the same number. */
void buf_real(Buf *b, double number, int digits);

/* Bytes of the UTF-8 character that starts here if it is printable; 0 for control characters, characters
 * that change the writing direction, and bytes that are not UTF-8. */
size_t text_shown(const char *text, size_t size);

/* Terminal columns of UTF-8 text, assuming one column per character. */
size_t text_columns(const char *text, size_t size);

/* True if `text` ends with `end` and is longer than it. */
bool text_ends_with(const char *text, const char *end);

/* True for an ASCII letter, a digit or "_". */
bool text_is_word(char c);

/* Appends untrusted text made safe for a terminal, a page or a header: characters that are not printable
 * become \uXXXX, as in JSON.  `lines` keeps tabs and newlines. */
void buf_shown(Buf *b, const char *text, size_t size, bool lines);

/* The text; "" if nothing was written.  Valid until the next write. */
const char *buf_text(const Buf *b);

/* Shortens the text to `size` bytes, to nothing; both keep the memory. */
void buf_cut(Buf *b, size_t size);
void buf_clear(Buf *b);

void buf_free(Buf *b);

/* A local buffer, freed on every exit from its scope: SCOPED_BUF text = {0}; */
#define SCOPED_BUF __attribute__((cleanup(buf_free))) Buf

/* Copies the text to an arena and frees the buffer. */
struct Arena;
char *buf_keep(Buf *b, struct Arena *a);
