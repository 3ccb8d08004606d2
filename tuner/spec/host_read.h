/* Host code of CUDA files, without a compiler: what expressions in it are worth.
 *
 * Functions, macros and their callers are found by lexical search.  What is not understood is unknown.  A name
 * stands for the last value assigned before the place in its function or at file scope that can be evaluated;
 * failing that for its macro; failing that for the argument that callers pass. */
#pragma once

#include "metrics/base/buf.h"
#include "metrics/base/map.h"
#include "tuner/spec/code_text.h"

/* --- host_text.c: texts and callers ----------------------------------------------------------- */

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

/* Iterates over the places `at` of a word in the files `h`. */
#define EACH_PLACE(h, at, files, word)                                                             \
    for (const HostText *h = (files); h; h = h->next)                                              \
        for (const char *at = h->text; (at = host_find_word(h, at, (word))) != NULL; at++)

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

/* --- host_value.c: symbolic values: numbers, names of the spec, operations on them ------------ */

typedef struct HostValue HostValue;
struct HostValue {
    /* The operator in the spec's syntax: "+" … "ceil_div", "?"; also "-1" (negation) and "cut" (truncation).
     * NULL of a number or name. */
    const char *sign;
    const char *name; /* NULL of a number */
    double number;
    bool real; /* a floating-point value: "//" is exact division */
    const HostValue *parts[3];
};

const HostValue *host_new_number(Arena *a, double number, bool real);
const HostValue *host_new_name(Arena *a, const char *name);

/* Returns NULL if an operand is NULL. Recognizes (x + d - 1) / d as ceil_div(x, d). */
const HostValue *host_new(Arena *a, const char *sign, const HostValue *x, const HostValue *y,
                          const HostValue *z);

bool host_is(const HostValue *v, const char *sign);

/* Evaluates it; false: it depends on a name of the spec. */
bool host_number(const HostValue *v, double *out);

/* Prints it in the spec's syntax, in parentheses unless `alone`; false, and nothing printed: a spec cannot
 * express it. */
bool host_print(const HostValue *v, bool alone, Buf *out);

/* --- host_read.c: evaluation ------------------------------------------------------------------ */

/* Context beyond the text. */
typedef struct HostNames {
    void *context;
    /* The spec's name for a name of the source; NULL: none. */
    const char *(*meaning)(void *context, const char *written);
    double element; /* sizeof an unknown type; 0: unknown */
} HostNames;

/* The value of an expression at a place; NULL: unknown. */
const HostValue *host_value(HostPlace p, const char *expression, const HostNames *names);

/* The components of a dim3 or number; false: some are unknown. */
bool host_dims(HostPlace p, const char *expression, const HostNames *names,
               const HostValue *out[3]);
