/* JSON read where it stands: no tree is built, values are converted as they are asked for.
 *
 * A recording of a hundred thousand rows is mostly numbers, and a node for each of them costs more
 * than everything that is done with them.  So a line is checked once (parse_skip goes over a value
 * and says whether it is right), and what a reader wants of it is then taken from the text. */
#ifndef APTUNE_RECORD_PARSE_H
#define APTUNE_RECORD_PARSE_H

#include "metrics/base/arena.h"

#include <stdbool.h>
#include <stdint.h>

/* A place in a text, which ends at `end` and must stay. */
typedef struct Parse {
    const char *at;
    const char *end;
    const char *error; /* what is wrong at `at`; NULL while nothing is */
} Parse;

/* Passes over white space and gives the next character, '\0' at the end. */
char parse_peek(Parse *p);

/* Passes over white space and this character; false with an error when another one stands there. */
bool parse_take(Parse *p, char c);

/* Passes over one whole value and checks it, nested to at most 16 brackets.  Stricter than RFC 8259
 * in nothing but that and in refusing \u0000.  False with an error. */
bool parse_skip(Parse *p);

/* --- of values that parse_skip has passed
 * ---------------------------------------------------------
 * Each reads the value that begins at `*at` and moves behind it.
 */

/* A text without quotes and escapes, in `a`. */
const char *parse_text(Arena *a, const char **at);

/* A number, the nearest double; infinite when it is too large. */
double parse_number(const char **at);

/* A whole number written without fraction or exponent.  False, nothing moved, when it is something
 * else or does not fit. */
bool parse_integer(const char **at, int64_t *out);

#endif
