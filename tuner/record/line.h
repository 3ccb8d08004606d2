/* One line of a recording: JSON that carries its own checksum.
 *
 *     {"v":[64,32],"status":"ok","t":[1.25,1.26],"sum":"0f3a97c2"}
 *
 * The sum is the start of the 128-bit hash of all bytes before `,"sum"`, and the last field of the
 * object, so that it is checked on the bytes before anything is parsed: a flipped byte anywhere
 * makes the line damaged, never different.  In a chained file four more digits tie each line to the
 * one before, so that a removed, inserted or moved line is noticed; the lines are good all the
 * same, and deleting a damaged one leaves a recording that can be read. */
#pragma once

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A value of a parameter or a problem size. */
typedef struct RecordValue {
    const char *text; /* NULL: it is a number */
    int64_t number;
} RecordValue;

bool record_value_equal(const RecordValue *a, const RecordValue *b);

/* --- writing: a line is built in a Buf between line_begin and line_end ------------------------ */

/* Empties the buffer and opens the object. */
void line_begin(Buf *line);

/* A field's name; its value follows by one of the functions below. */
void line_key(Buf *line, const char *key);

/* An opening bracket; elements are separated by line_comma, which adds nothing after an opening bracket. */
void line_open(Buf *line, char bracket);
void line_comma(Buf *line);

/* Bytes that are not UTF-8 (a compiler's message in some other code page) become '?'; so does a
 * NULL text "". */
void line_text(Buf *line, const char *text);
void line_integer(Buf *line, int64_t number);

/* Writes the fewest digits that read back as the same double; NaN as null, infinities as text. */
void line_number(Buf *line, double number);
void line_value(Buf *line, const RecordValue *v);

/* Key and text. */
void line_field(Buf *line, const char *key, const char *text);

/* The checksum, the closing brace and the newline. */
void line_end(Buf *line);

/* Where a chain stands: the sum of its last line, "" before the first. */
typedef struct LineChain {
    char sum[13];
} LineChain;

/* The same with the tie to the chain's last line, which this one is then. */
void line_end_chained(Buf *line, LineChain *chain);

/* --- checking --------------------------------------------------------------------------------- */

typedef enum LineState {
    LINE_INTACT,
    LINE_ORPHAN, /* intact, but the line before it is not the one that it was written behind */
    LINE_DAMAGED
} LineState;

/* Is this line (without its newline) as it was written?  `chain` is moved on; NULL: the file has
 * none. */
LineState line_check(const char *text, size_t size, LineChain *chain);
