/* Patterns of emitted texts: the files of tuner/emit/unit, which are C themselves and part of the
 * program.
 *
 * Their names that begin with unit_ or UNIT_ get the prefix of the unit.  A sample stands between a
 * mark with a name and one without; the text of that name replaces it. An #include of another file
 * of the folder becomes that file.  Functions of the patterns that nothing behind them mentions are
 * left out, so that compilers have nothing to warn of. */
#ifndef APTUNE_EMIT_PATTERN_H
#define APTUNE_EMIT_PATTERN_H

#include "metrics/base/diag.h"

/* What takes the place of a sample; ends with a whole line. */
typedef struct PatternText {
    const char *name;
    const char *text; /* NULL: nothing */
    const char *file; /* a pattern instead, or NULL */
} PatternText;

/* Adds the pattern `file` with this prefix to `out`.  Each mark must have one of the texts. */
void pattern_fill(const char *file, const char *prefix, const PatternText *texts, size_t count,
                  Buf *out);

/* The files, as the build writes them into the program. */
extern const Source unit_files[];
extern const size_t unit_file_count;

#endif
