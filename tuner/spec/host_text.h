/* Host code of CUDA files: functions, macros and their callers, found by lexical search, not parsed. */
#pragma once

#include "metrics/base/map.h"
#include "tuner/spec/code_text.h"

/* One file; the project's other files are linked by `next`. */
typedef struct HostText {
    Arena *arena;
    const char *path;
    const char *text; /* without comments; spliced lines are joined by blanks */
    size_t size;
    uint32_t *regions; /* of each character: its function, numbered from 1; 0: none */
    Map words;         /* of each word: its first place, from 1 */
    uint32_t *again;   /* of each place of a word: the next one of the same, from 1; 0: none */
    const struct HostText *first;
    struct HostText *next;
} HostText;

/* A position in a file. */
typedef struct HostPlace {
    const HostText *file;
    size_t at;
} HostPlace;

/* Copies and indexes `text`, which has no comments. `first`: of the project's files; NULL: this one. */
HostText *host_text(Arena *a, const char *path, const char *text, const HostText *first);

/* As code_find_word, by the index: in a large project thousands of words are looked up. */
const char *host_find_word(const HostText *h, const char *at, const char *word);

/* Iterates over the calls of the function or macro that a place lies in. */
typedef struct HostCallers {
    HostPlace of;
    const char *function; /* NULL: the place is in none, or it has no such parameter */
    size_t index;         /* of the parameter */
    bool of_template;     /* it is a template parameter */
    bool macro;           /* it is a macro, not a function */
    HostPlace at;         /* after the name in the last call */
} HostCallers;

HostCallers host_callers(HostPlace p, const char *parameter);

/* The argument that the next call passes for the parameter; NULL: no more calls. */
const char *host_next_caller(HostCallers *c);
