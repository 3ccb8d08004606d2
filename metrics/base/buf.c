#include "metrics/base/buf.h"

#include "metrics/base/arena.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void reserve(Buf *b, size_t more)
{
    if (b->capacity - b->size > more)
        return;
    size_t capacity = b->capacity ? b->capacity : 256;
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

const char *buf_text(const Buf *b)
{
    return b->text ? b->text : "";
}

void buf_clear(Buf *b)
{
    b->size = 0;
    if (b->text)
        b->text[0] = '\0';
}

void buf_free(Buf *b)
{
    free(b->text);
    *b = (Buf){0};
}
