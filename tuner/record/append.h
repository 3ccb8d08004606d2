/* A file that only grows, a line at a time, by one run at a time.
 *
 * Each line is one write() at the end of the file, so whatever kills the run leaves
 * whole lines and at most one cut one.  The file is locked (flock) for as long as it
 * is open: a second run is refused, politely.  When a line does not fit on the disk,
 * what was written of it is taken away again. */
#pragma once

#include "metrics/base/diag.h"
#include "tuner/record/pack.h"

#include <stdint.h>

typedef struct Appender Appender;

/* Opens or creates the file and locks it; `*fresh` when there is nothing in it but perhaps a cut
 * header, which is then removed, and the header line must follow.  `sync_every` lines are flushed
 * to the disk itself: 1 survives a power cut at the price of a few milliseconds a line, 0 leaves it
 * to the system until the end; in both cases nothing is lost when only the program dies.  NULL with
 * a message when that fails, when another run has it, or when what is there is no recording of
 * `kind` that can be appended to.  Lives in `a`, but must be closed. */
Appender *append_open(Arena *a, const char *path, const char *kind, size_t sync_every, bool *fresh,
                      Diag *d);

/* May lines follow those that are there, `size` bytes of whole ones?  False with a message when
 * `why` says why not; a last line that is cut is removed. */
bool append_continues(Appender *w, const Buf *why, bool cut, size_t size, Diag *d);

/* Cuts the file to `size` bytes: a last line that was not whole. */
bool append_truncate(Appender *w, int64_t size, Diag *d);

/* Adds a line that line_end has ended.  After a failure the file is as before; if not even that can
 * be had, every further line is refused. */
bool append_line(Appender *w, const Buf *line, Diag *d);

/* Flushes, unlocks and closes; NULL is allowed. */
bool append_close(Appender *w, Diag *d);
