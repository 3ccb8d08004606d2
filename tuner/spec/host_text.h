/* The host's part of CUDA files: where names are given values, macros, callers.
 *
 * Words are searched for, nothing is parsed as C++. */
#pragma once

#include "tuner/spec/code_text.h"

#include <stdint.h>

/* Where its words stand.  They are numbered from 1 in their order; 0 is none. */
typedef struct HostWords {
    uint32_t *at;    /* of each word: its first character */
    uint32_t *first; /* of each hash, one more than `mask`: its first word */
    uint32_t *next;  /* of each word: the next of the same hash */
    uint32_t mask;
} HostWords;

/* One file; more of the same project hang on `next`. */
typedef struct HostText {
    Arena *arena;
    const char *path;
    const char *text; /* without comments; lines that a backslash joins are joined by blanks */
    size_t size;
    uint32_t *regions; /* of each character: the function it stands in, counted from 1; 0: none */
    HostWords words;
    const struct HostText *first;
    struct HostText *next;
} HostText;

/* A place in one of them. */
typedef struct HostPlace {
    const HostText *file;
    size_t at;
} HostPlace;

/* `text` has no comments; it is copied.  `first`: of the project's files, NULL: this one is. */
HostText *host_text(Arena *a, const char *path, const char *text, const HostText *first);

/* Where `word` stands next from `at` on, as `code_find_word` has it, without reading what lies
 * between: of a large project thousands of words are asked for. */
const char *host_find_word(const HostText *h, const char *at, const char *word);

/* Those who call the function or macro that a place stands in, one after the other. */
typedef struct HostCallers {
    HostPlace of;
    const char *function; /* NULL: it stands in none, or the function has no such parameter */
    size_t index;         /* of the parameter */
    bool of_template;     /* it is one of the function's template */
    bool macro;           /* the function is one */
    HostPlace at;         /* behind the name in the last call */
} HostCallers;

HostCallers host_callers(HostPlace p, const char *parameter);

/* What the next one gives for the parameter; NULL: there is no further one. */
const char *host_next_caller(HostCallers *c);
