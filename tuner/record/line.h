/* One line of a recording: JSON with a checksum.
 *
 *     {"v":[64,32],"status":"ok","t":[1.25,1.26],"sum":"0f3a97c2"}
 *
 * The sum is a prefix of the 128-bit hash of all bytes before `,"sum"` and the last field of the
 * object. It is checked on the raw bytes before anything is parsed: a flipped byte makes a line
 * damaged, never different. In a chained file, four more digits tie each line to the one before, so
 * a removed, inserted or moved line is noticed. Such lines are still valid, and a recording stays
 * readable when a damaged line is deleted. */
#pragma once

#include "metrics/base/expr.h"

/* --- writing: between line_begin and line_end, a Buf holds the line --------------------------- */

/* Clears the buffer and opens the object. */
void line_begin(Buf *line);

/* Writes a field's name; one of the functions below writes its value. */
void line_key(Buf *line, const char *key);

/* Separates elements; writes nothing after a bracket. */
void line_comma(Buf *line);

/* Bytes that are not UTF-8 become '?', as in compiler messages of another code page; NULL becomes
 * "". */
void line_text(Buf *line, const char *text);
void line_integer(Buf *line, int64_t number);

/* Writes the fewest digits that read back as the same double; NaN as null, infinities as text. */
void line_number(Buf *line, double number);

/* An integer or a string. */
void line_value(Buf *line, Value v);

/* Writes the checksum, the closing brace and the newline. */
void line_end(Buf *line);

/* State of a chain: the sum of its last line, "" before the first. */
typedef struct LineChain {
    char sum[13];
} LineChain;

/* The same with the tie to the chain's last line; moves the chain on. */
void line_end_chained(Buf *line, LineChain *chain);

/* --- checking --------------------------------------------------------------------------------- */

typedef enum LineState {
    LINE_INTACT,
    LINE_ORPHAN, /* intact, but not written after the line before it */
    LINE_DAMAGED
} LineState;

/* Checks a line given without its newline and moves `chain` on; NULL: the file is not chained. */
LineState line_check(const char *text, size_t size, LineChain *chain);
