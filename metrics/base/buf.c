#include "metrics/base/buf.h"

#include "metrics/base/arena.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void reserve(Buf *b, size_t more)
{
    if (b->capacity - b->size > more)
        return;
    size_t capacity = b->capacity ? b->capacity : FIRST_SIZE(256, 1);
    while (capacity - b->size <= more)
        capacity *= 2;
    b->text = memory_resize(b->text, capacity, 1);
    b->capacity = capacity;
}

void buf_add(Buf *b, const void *bytes, size_t size)
{
    reserve(b, size);
    if (size)
        memcpy(b->text + b->size, bytes, size);
    b->size += size;
    b->text[b->size] = '\0';
}

void buf_puts(Buf *b, const char *text)
{
    buf_add(b, text, strlen(text));
}

void buf_putc(Buf *b, char c)
{
    buf_add(b, &c, 1);
}

void buf_fill(Buf *b, char c, size_t times)
{
    reserve(b, times);
    memset(b->text + b->size, c, times);
    b->size += times;
    b->text[b->size] = '\0';
}

void buf_printf(Buf *b, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    buf_vprintf(b, format, args);
    va_end(args);
}

void buf_vprintf(Buf *b, const char *format, va_list args)
{
    va_list again;
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, args);
    if (length > 0) {
        reserve(b, (size_t)length);
        vsnprintf(b->text + b->size, (size_t)length + 1, format, again);
        b->size += (size_t)length;
    }
    va_end(again);
}

void buf_real(Buf *b, double number, int digits)
{
    char text[40];
    do
        snprintf(text, sizeof text, "%.*g", digits, number);
    while (digits++ < 17 && strtod(text, NULL) != number);
    buf_puts(b, text);
}

const char *buf_text(const Buf *b)
{
    return b->text ? b->text : "";
}

void buf_cut(Buf *b, size_t size)
{
    b->size = size;
    if (b->text)
        b->text[size] = '\0';
}

void buf_clear(Buf *b)
{
    buf_cut(b, 0);
}

void buf_free(Buf *b)
{
    free(b->text);
    *b = (Buf){0};
}

/* --- printable text --------------------------------------------------------------------------- */

/* Decodes one UTF-8 character; 0xfffd with length 1 if there is none. */
static unsigned decode(const char *text, size_t size, size_t *length)
{
    const unsigned char *c = (const unsigned char *)text;
    size_t n = c[0] < 0x80   ? 1
               : c[0] < 0xc2 ? 0
               : c[0] < 0xe0 ? 2
               : c[0] < 0xf0 ? 3
               : c[0] < 0xf5 ? 4
                             : 0;
    unsigned code = n == 1 ? c[0] : n > 0 ? c[0] & (0x7fu >> n) : 0;
    for (size_t i = 1; i < n; i++) {
        if (i >= size || (c[i] & 0xc0) != 0x80)
            n = 0;
        code = code << 6 | (n ? c[i] & 0x3fu : 0);
    }
    *length = n ? n : 1;
    return n ? code : 0xfffd;
}

/* In Unicode 15: C0 and C1, line separators, direction marks and overrides, zero-width characters, tags. */
static bool is_hidden(unsigned code)
{
    static const struct {
        unsigned first, last;
    } ranges[] = {{0, 0x1f},        {0x7f, 0x9f},     {0xad, 0xad},      {0x61c, 0x61c},
                  {0x200b, 0x200f}, {0x2028, 0x202e}, {0x2060, 0x206f},  {0xd800, 0xdfff},
                  {0xfeff, 0xfeff}, {0xfff9, 0xfffd}, {0xe0000, 0xe007f}};
    for (size_t i = 0; i < COUNT_OF(ranges); i++)
        if (code >= ranges[i].first && code <= ranges[i].last)
            return true;
    return false;
}

size_t text_columns(const char *text, size_t size)
{
    size_t n = 0;
    for (size_t i = 0; i < size; i++)
        n += ((unsigned char)text[i] & 0xc0) != 0x80;
    return n;
}

bool text_ends_with(const char *text, const char *end)
{
    size_t n = strlen(text), k = strlen(end);
    return n > k && strcmp(text + n - k, end) == 0;
}

bool text_is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

size_t text_shown(const char *text, size_t size)
{
    size_t length;
    return is_hidden(decode(text, size, &length)) ? 0 : length;
}

void buf_shown(Buf *b, const char *text, size_t size, bool lines)
{
    for (size_t i = 0, length; i < size; i += length) {
        unsigned code = decode(text + i, size - i, &length);
        if (!is_hidden(code) || (lines && (code == '\n' || code == '\t')))
            buf_add(b, text + i, length);
        else if (code > 0xffff)
            buf_printf(b, "\\u%04x\\u%04x", 0xd7c0 + (code >> 10), 0xdc00 + (code & 0x3ff));
        else
            buf_printf(b, "\\u%04x", code);
    }
}

char *buf_keep(Buf *b, Arena *a)
{
    char *text = arena_copy(a, buf_text(b), b->size);
    buf_free(b);
    return text;
}
