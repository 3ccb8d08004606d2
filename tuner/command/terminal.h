/* How texts are laid out for people: lines as wide as the terminal, colours where there is one. */
#ifndef APTUNE_COMMAND_TERMINAL_H
#define APTUNE_COMMAND_TERMINAL_H

#include "metrics/base/buf.h"

#include <stdbool.h>
#include <stddef.h>

/* Columns that a text written to the descriptor may have: those of COLUMNS, of the terminal, or 80.
 * SIZE_MAX: as many as it likes (COLUMNS=0). */
size_t terminal_width(int descriptor);

/* Is the descriptor a terminal that is to have colours?  Not where NO_COLOR is set
 * (no-color.org) or TERM is "dumb". */
bool terminal_has_colours(int descriptor);

/* Adds the text with lines that are too long broken at blanks.  They go on below where their own
 * text begins: behind the last two blanks of their first third.  A line that a line of '^' and '~'
 * points into stays whole. */
void terminal_wrap(const char *text, size_t width, Buf *out);

/* Adds the text with "error:", "warning:" and "note:" and the words that begin lines of reports in
 * colours. */
void terminal_colour(const char *text, Buf *out);

#endif
