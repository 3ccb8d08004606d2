/* Host code of CUDA files: functions, macros and their callers, found by lexical search, not parsed. */
#pragma once

#include "tuner/spec/code_text.h"

#include <stdint.h>

/* Index of the words of a text, numbered from 1 in order; 0: none. */
typedef struct HostWords {
    uint32_t *at;    /* of each word: the offset of its first character */
    uint32_t *first; /* per hash bucket (mask + 1 of them): its first word */
    uint32_t *next;  /* of each word: the next in its bucket */
    uint32_t mask;
} HostWords;

/* One file; the project's other files are linked by `next`. */
typedef struct HostText {
    Arena *arena;
    const char *path;
    const char *text; /* without comments; spliced lines are joined by blanks */
    size_t size;
    uint32_t *regions; /* of each character: its function, numbered from 1; 0: none */
    HostWords words;
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
