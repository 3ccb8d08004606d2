/* Lines of C that are not too long.
 *
 * Emitted texts are written with a mark for the unit's prefix, whose length nobody knows before; so
 * is the length of a spec's names.  Where a line has become too long is seen once all of it is
 * there, and here it is broken: code behind a comma or a logical operator, or before one of "?:",
 * and goes on below what follows the bracket that is open there; comments between words. */
#ifndef APTUNE_EMIT_C_WRAP_H
#define APTUNE_EMIT_C_WRAP_H

#include "metrics/base/buf.h"

/* Columns that a line may have. */
enum { C_WRAP_COLUMNS = 100 };

/* Adds a text of whole lines.  Those of the preprocessor stay as they are, and so does what has no
 * place to be broken at: long strings, comments behind code. */
void c_wrap(const char *text, Buf *out);

#endif
