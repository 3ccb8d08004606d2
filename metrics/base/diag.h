/* Diagnostics: what went wrong, where, and what to do about it.
 *
 * A Diag collects messages; nothing below the command line prints them.  A message about a text carries a
 * Span, so that it can be shown with file, line, column, the line itself and a caret:
 *
 *     mm.spec:12:9: error: unknown name 'BMM'; did you mean 'BM'?
 *         require BMM * BK % THREADS == 0
 *                 ^~~
 *
 * Functions that can fail take a Diag last and return false or NULL after adding a message, as in
 * `return diag_error(d, at, "…")`.  Readers then continue with the next statement, to report all mistakes. */
#pragma once

#include "metrics/base/buf.h"
#include "metrics/base/vec.h"

#include <stdint.h>

/* A text that messages point into.  It must outlive them. */
typedef struct Source {
    const char *name; /* as the user called it, for "name:line:column" */
    const char *text; /* ends with a zero byte, not counted in size */
    size_t size;
} Source;

const Source *source_new(Arena *a, const char *name, const char *text, size_t size);

/* A range of a source; {0} means "no place in particular". */
typedef struct Span {
    const Source *source;
    size_t offset;
    size_t length;
} Span;

/* The range from the start of `first` to the end of `last`. */
Span span_join(Span first, Span last);

typedef enum DiagKind { DIAG_NOTE, DIAG_WARNING, DIAG_ERROR } DiagKind;

typedef struct DiagMessage {
    DiagKind kind;
    Span at;
    const char *text;
} DiagMessage;

typedef struct Diag {
    Arena *arena;              /* holds the messages */
    VEC(DiagMessage) messages; /* DIAG_LIMIT of them at most */
    size_t errors;             /* counted beyond the limit, too */
    size_t warnings;           /* likewise */
} Diag;

enum { DIAG_LIMIT = 50 };

Diag diag_new(Arena *a);

/* For callers that discard the messages. */
#define DIAG_UNHEARD(a) (&(Diag){.arena = (a)})

/* Adds a message; returns false. */
bool diag_add(Diag *d, DiagKind kind, Span at, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* diag_error(d, at, format, …); the same without a place; a warning; more about the message before. */
#define diag_error(d, ...) diag_add((d), DIAG_ERROR, __VA_ARGS__)
#define diag_fail(d, ...)  diag_add((d), DIAG_ERROR, (Span){0}, __VA_ARGS__)
#define diag_warn(d, ...)  diag_add((d), DIAG_WARNING, __VA_ARGS__)
#define diag_note(d, ...)  diag_add((d), DIAG_NOTE, __VA_ARGS__)

/* The text of the first message; "no reason given" if there is none. */
const char *diag_first(const Diag *d);

/* Prints all messages as the user sees them, one to three lines each. */
void diag_print(const Diag *d, Buf *out);

/* Line and column of an offset, both counted from 1; columns count bytes. */
void source_position(const Source *s, size_t offset, size_t *line, size_t *column);

/* The first of `count` elements of `size` bytes that has this name, or NULL.  `offset` is where each element
 * has its name, a const char * that may be NULL.  NAME_FIND(parameters, count, name, "A"). */
void *name_find(const void *elements, size_t count, size_t size, size_t offset, const char *name);
#define NAME_FIND(elements, count, member, wanted)                                                 \
    name_find((elements), (size_t)(count), sizeof *(elements),                                     \
              offsetof(__typeof__(*(elements)), member), (wanted))

/* Index of a word in an array, SIZE_MAX if it is not there. */
size_t word_place(const char *word, const char *const *words, size_t count);
#define WORD_IS_ANY(word, ...)                                                                     \
    (word_place((word), (const char *const[]){__VA_ARGS__},                                        \
                sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *)) < SIZE_MAX)

/* Index of a text in a list, which gets it, not a copy, at its end if it lacks it. */
size_t text_add_once(Arena *a, Texts *list, const char *text);

/* The name closest to `name`, of elements as in name_find; NULL if none is close. */
const char *name_like(const void *elements, size_t count, size_t size, size_t offset,
                      const char *name);
#define NAME_LIKE(elements, count, member, wanted)                                                 \
    name_like((elements), (size_t)(count), sizeof *(elements),                                     \
              offsetof(__typeof__(*(elements)), member), (wanted))

/* The same of an array of names. */
const char *name_closest(const char *name, const char *const *names, size_t count);

/* "; did you mean 'BM'?" for a result of these functions, in the arena of `d`; "" for NULL. */
const char *diag_meant(Diag *d, const char *closest);
