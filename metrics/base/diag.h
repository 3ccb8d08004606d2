/* What went wrong, where, and what to do about it.
 *
 * A Diag collects messages; nothing below the command line prints them.  A message
 * about a text carries a Span, so that it can be shown with file, line, column, the
 * line itself and a caret:
 *
 *     mm.spec:12:9: error: unknown name 'BMM'; did you mean 'BM'?
 *         require BMM * BK % THREADS == 0
 *                 ^~~
 *
 * Functions that can fail take a Diag last and return false or NULL after adding
 * to it, so the common line is `return diag_error(d, at, "…")`.  Readers go on to
 * the next statement, so that several mistakes are shown at once. */
#pragma once

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"

#include <stdint.h>

/* A text that messages point into.  It must outlive the messages. */
typedef struct Source {
    const char *name; /* as the user called it, for "name:line:column" */
    const char *text; /* ends with a zero byte that is not counted in size */
    size_t size;
} Source;

const Source *source_new(Arena *a, const char *name, const char *text, size_t size);

/* A stretch of a source; {0} means "no place in particular". */
typedef struct Span {
    const Source *source;
    size_t offset;
    size_t length;
} Span;

/* The stretch from the start of `first` to the end of `last`. */
Span span_join(Span first, Span last);

typedef enum DiagKind { DIAG_NOTE, DIAG_WARNING, DIAG_ERROR } DiagKind;

typedef struct DiagMessage {
    DiagKind kind;
    Span at;
    const char *text;
} DiagMessage;

typedef struct Diag {
    Arena *arena;
    struct {
        DiagMessage *at;
        size_t count;
        size_t capacity;
    } messages;
    size_t errors;   /* counted even past the limit below */
    size_t warnings; /* likewise */
} Diag;

/* Messages kept of one Diag; a file of ten thousand mistakes need not show them all. */
enum { DIAG_LIMIT = 50 };

/* The messages live in `a`. */
Diag diag_new(Arena *a);

/* For who does not ask what was wrong. */
#define DIAG_UNHEARD(a) (&(Diag){.arena = (a)})

/* Adds an error; always returns false. */
bool diag_error(Diag *d, Span at, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* The same without a place. */
bool diag_fail(Diag *d, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The text of the first message; "no reason given" where there is none. */
const char *diag_first(const Diag *d);

void diag_warn(Diag *d, Span at, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Says more about the message before it. */
void diag_note(Diag *d, Span at, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* All messages as they are shown to a user, one to three lines each. */
void diag_print(const Diag *d, Buf *out);

/* Line and column of a place, both counted from 1; column counts bytes. */
void source_position(const Source *s, size_t offset, size_t *line, size_t *column);

/* The first of `count` elements of `size` bytes, each with its name at `offset`, a const char *
 * that may be NULL, that is called so; NULL: none.  NAME_FIND(parameters, count, name, "A"). */
void *name_find(const void *elements, size_t count, size_t size, size_t offset, const char *name);
#define NAME_FIND(elements, count, member, wanted)                                                 \
    name_find((elements), (size_t)(count), sizeof *(elements),                                     \
              offsetof(__typeof__(*(elements)), member), (wanted))

/* Which of the words it is; SIZE_MAX: none. */
size_t word_place(const char *word, const char *const *words, size_t count);
#define WORD_IS_ANY(word, ...)                                                                     \
    (word_place((word), (const char *const[]){__VA_ARGS__},                                        \
                sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *)) < SIZE_MAX)

/* Of names given as for name_find, the one most like `name`; NULL when none is close. */
const char *name_like(const void *elements, size_t count, size_t size, size_t offset,
                      const char *name);
#define NAME_LIKE(elements, count, member, wanted)                                                 \
    name_like((elements), (size_t)(count), sizeof *(elements),                                     \
              offsetof(__typeof__(*(elements)), member), (wanted))

/* Of `count` names. */
const char *name_closest(const char *name, const char *const *names, size_t count);

/* "; did you mean 'BM'?" of what one of these gives, in the arena of `d`; "" of NULL. */
const char *diag_meant(Diag *d, const char *closest);
