/* A file that only grows, a line at a time, by one run at a time.
 *
 * Each line is one write() at the end of the file, so whatever kills the run leaves
 * whole lines and at most one cut one.  The file is locked (flock) for as long as it
 * is open: a second run is refused, politely.  When a line does not fit on the disk,
 * what was written of it is taken away again. */
#ifndef APTUNE_RECORD_APPEND_H
#define APTUNE_RECORD_APPEND_H

#include "metrics/base/diag.h"
#include "tuner/record/pack.h"

#include <stdint.h>

typedef struct Appender Appender;

/* Opens or creates the file and locks it.  `sync_every` lines are flushed to the disk itself: 1
 * survives a power cut at the price of a few milliseconds a line, 0 leaves it to the system until
 * the end; in both cases nothing is lost when only the program dies.  NULL with a message when
 * that fails or another run has it.  Lives in `a`, but must be closed. */
Appender *append_open(Arena *a, const char *path, size_t sync_every, Diag *d);

/* Cuts the file to `size` bytes: a last line that was not whole. */
bool append_truncate(Appender *w, int64_t size, Diag *d);

/* Adds a line that line_end has ended.  After a failure the file is as before; if not even that can
 * be had, every further line is refused. */
bool append_line(Appender *w, const Buf *line, Diag *d);

/* Flushes, unlocks and closes; NULL is allowed. */
bool append_close(Appender *w, Diag *d);

/* --- an old file or a new one ----------------------------------------------------------------- */

/* True and `*fresh` when there is nothing in the file but perhaps a cut header: then it is emptied
 * and the header line must follow.  False with a message when what is there cannot be appended
 * to. */
bool append_check(Appender *w, const char *path, const char *kind, bool *fresh, Diag *d);

#endif
