#include "metrics/base/diag.h"

const Source *source_new(Arena *a, const char *name, const char *text, size_t size)
{
    return ARENA_COPY(a, Source, {name, text, size});
}

Span span_join(Span first, Span last)
{
    Span all = first;
    if (last.offset + last.length > first.offset)
        all.length = last.offset + last.length - first.offset;
    return all;
}

Diag diag_new(Arena *a)
{
    return (Diag){.arena = a};
}

bool diag_add(Diag *d, DiagKind kind, Span at, const char *format, ...)
{
    d->errors += kind == DIAG_ERROR;
    d->warnings += kind == DIAG_WARNING;
    if (d->messages.count >= DIAG_LIMIT)
        return false;
    va_list args;
    va_start(args, format);
    Buf b = {0};
    buf_vprintf(&b, format, args);
    va_end(args);
    DiagMessage m = {kind, at, buf_keep(&b, d->arena)};
    VEC_PUSH(d->arena, &d->messages, m);
    return false;
}

const char *diag_first(const Diag *d)
{
    return d->messages.count > 0 ? d->messages.at[0].text : "no reason given";
}

void source_position(const Source *s, size_t offset, size_t *line, size_t *column)
{
    const char *start = s->text, *end = start + (offset < s->size ? offset : s->size), *newline;
    *line = 1;
    for (; (newline = memchr(start, '\n', (size_t)(end - start))) != NULL; start = newline + 1)
        ++*line;
    *column = offset - (size_t)(start - s->text) + 1;
}

/* Prints the line that the span starts in, or the part of a long line around it, with a caret under the
 * first byte of the span and tildes under the rest.  Unprintable bytes become '?'. */
static void print_line(Buf *out, Span at)
{
    enum { BEFORE = 80, WIDTH = 160 };
    const Source *s = at.source;
    size_t start = at.offset < s->size ? at.offset : s->size, end = start, column = 0;
    while (start > 0 && s->text[start - 1] != '\n' && at.offset - start < BEFORE)
        start--;
    while (start < end && ((unsigned char)s->text[start] & 0xc0) == 0x80) /* within a character */
        start++;
    while (end < s->size && s->text[end] != '\n' && end - start < WIDTH)
        end++;

    SCOPED_BUF waves = {0};
    buf_puts(out, "    ");
    for (size_t i = start, length; i < end; i += length, column++) {
        length = text_shown(s->text + i, s->size - i);
        if (length > 0)
            buf_add(out, s->text + i, length);
        else
            buf_putc(out, s->text[i] == '\t' ? '\t' : '?');
        length = length ? length : 1;
        if (i < at.offset)
            buf_putc(&waves, s->text[i] == '\t' ? '\t' : ' ');
        else if (i > at.offset && i < at.offset + at.length)
            buf_putc(&waves, '~');
        else if (i == at.offset)
            buf_putc(&waves, '^');
    }
    if (at.offset >= end)
        buf_putc(&waves, '^');
    buf_printf(out, "\n    %s\n", buf_text(&waves));
}

void diag_print(const Diag *d, Buf *out)
{
    static const char *const kind_name[] = {"note", "warning", "error"};
    VEC_EACH (const DiagMessage, m, d->messages) {
        if (m->at.source) {
            size_t line, column;
            source_position(m->at.source, m->at.offset, &line, &column);
            buf_shown(out, m->at.source->name, strlen(m->at.source->name), false);
            buf_printf(out, ":%zu:%zu: ", line, column);
        } else {
            buf_puts(out, "aptune: ");
        }
        buf_printf(out, "%s: ", kind_name[m->kind]);
        buf_shown(out, m->text, strlen(m->text), true);
        buf_putc(out, '\n');
        if (m->at.source)
            print_line(out, m->at);
    }
    size_t all = d->errors + d->warnings;
    if (d->messages.count >= DIAG_LIMIT && all > DIAG_LIMIT)
        buf_printf(out, "aptune: note: only the first %d messages are shown\n", DIAG_LIMIT);
}

/* Edit distance, for "did you mean"; LONGEST for names that are longer. */
static size_t name_distance(const char *a, const char *b)
{
    enum { LONGEST = 63 };
    size_t row[LONGEST + 1];
    size_t n = strlen(a), m = strlen(b);
    if (n > LONGEST || m > LONGEST)
        return LONGEST;
    for (size_t j = 0; j <= m; j++)
        row[j] = j;
    for (size_t i = 1; i <= n; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= m; j++) {
            const size_t above = row[j], least = above < row[j - 1] ? above : row[j - 1];
            const size_t changed = diagonal + (a[i - 1] != b[j - 1]);
            row[j] = changed < least + 1 ? changed : least + 1;
            diagonal = above;
        }
    }
    return row[m];
}

void *name_find(const void *elements, size_t count, size_t size, size_t offset, const char *name)
{
    const char *at = elements;
    for (size_t i = 0; i < count; i++, at += size) {
        const char *own = *(const char *const *)(const void *)(at + offset);
        if (own && strcmp(own, name) == 0)
            return (void *)(uintptr_t)at;
    }
    return NULL;
}

size_t word_place(const char *word, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(words[i], word) == 0)
            return i;
    return SIZE_MAX;
}

size_t text_add_once(Arena *a, Texts *list, const char *text)
{
    const size_t place = word_place(text, list->at, list->count);
    if (place < SIZE_MAX)
        return place;
    VEC_PUSH(a, list, text);
    return list->count - 1;
}

const char *name_like(const void *elements, size_t count, size_t size, size_t offset,
                      const char *name)
{
    const char *best = NULL, *at = elements;
    size_t best_distance = strlen(name) / 3 + 2;
    for (size_t i = 0; i < count; i++, at += size) {
        const char *own = *(const char *const *)(const void *)(at + offset);
        size_t distance = name_distance(name, own);
        if (distance < best_distance && distance < strlen(name)) {
            best = own;
            best_distance = distance;
        }
    }
    return best;
}

const char *name_closest(const char *name, const char *const *names, size_t count)
{
    return name_like(names, count, sizeof *names, 0, name);
}

const char *diag_meant(Diag *d, const char *closest)
{
    return closest ? arena_printf(d->arena, "; did you mean '%s'?", closest) : "";
}
