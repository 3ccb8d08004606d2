/* Cells of comma-separated values (RFC 4180), for spreadsheets and programs.
 *
 * A text may be a stranger's: one that a spreadsheet would take for a formula (it begins with = + -
 * @ or a tab and is no number) gets an apostrophe in front, which those programs take for "this is
 * text", and what does not show as itself stands as \uXXXX. */
#ifndef APTUNE_BASE_CSV_H
#define APTUNE_BASE_CSV_H

#include "tuner/base/buf.h"

/* A text, in quotes where it must be, or `always`; NULL is an empty one. */
void csv_text(Buf *out, const char *text, bool always);

/* A number with so many digits; NaN is empty. */
void csv_number(Buf *out, double number, int digits);

#endif
