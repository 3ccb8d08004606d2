/* Cells of comma-separated values (RFC 4180).
 *
 * Texts may be untrusted.  One that a spreadsheet would read as a formula (it starts with = + - @ or a tab
 * and is not a number) gets a leading apostrophe, which marks text; unprintable characters become \uXXXX. */
#pragma once

#include "metrics/base/buf.h"

/* Rows, cell by cell. */
typedef struct Csv {
    Buf *out;
    bool begun; /* the row has a cell */
} Csv;

/* Begins a cell; its content is what is written to `out` next. */
Buf *csv_cell(Csv *c);

/* A text, quoted if needed; NULL is an empty one. */
void csv_text(Csv *c, const char *text);
void csv_quoted(Csv *c, const char *text); /* always in quotes */

/* A number with `digits` digits; an empty cell for NaN. */
void csv_number(Csv *c, double number, int digits);

void csv_end_row(Csv *c);
