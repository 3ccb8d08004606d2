/* Cells of comma-separated values (RFC 4180), for spreadsheets and programs.
 *
 * A text may be a stranger's: one that a spreadsheet would take for a formula (it begins with = + -
 * @ or a tab and is no number) gets an apostrophe in front, which those programs take for "this is
 * text", and what does not show as itself stands as \uXXXX. */
#pragma once

#include "metrics/base/buf.h"

/* Rows, cell by cell. */
typedef struct Csv {
    Buf *out;
    bool begun; /* the row has a cell */
} Csv;

/* Begins a cell; what is written to `out` next stands in it. */
Buf *csv_cell(Csv *c);

/* A text, in quotes where it must be; NULL is an empty one. */
void csv_text(Csv *c, const char *text);
void csv_quoted(Csv *c, const char *text); /* in any case */

/* A number with so many digits; empty unless it is known. */
void csv_number(Csv *c, double number, int digits);

void csv_end_row(Csv *c);
