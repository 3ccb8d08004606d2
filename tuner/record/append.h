/* An append-only file of lines, written by one run at a time.
 *
 * Each line is one write() at the end of the file, so a killed run leaves whole lines and at most
 * one partial line. The file is locked (flock) while it is open; a second run is refused. When the
 * disk is full, a partly written line is removed again. */
#pragma once

#include "tuner/record/pack.h"

typedef struct Appender Appender;

/* Opens or creates the file and locks it. Sets `*fresh` if it is empty or held only a partial
 * header, which is removed; the caller then writes the header. Lines are flushed to disk at the end:
 * nothing is lost when only the program dies. Returns NULL after a message if it fails, another run
 * holds the file, or it is not a recording of `kind` that can be appended to. Allocated in `a`, but
 * must be closed. */
Appender *append_open(Arena *a, const char *path, const char *kind, bool *fresh, Diag *d);

/* Prepares appending after `size` bytes of whole lines: removes a partial last line (`cut`). False
 * after a message if `why` holds a reason not to continue. */
bool append_continues(Appender *w, const Buf *why, bool cut, size_t size, Diag *d);

/* Truncates the file to `size` bytes. */
bool append_truncate(Appender *w, int64_t size, Diag *d);

/* Appends a line that line_end has completed. On failure the file is left as before; if that is
 * impossible, all further lines are refused. */
bool append_line(Appender *w, const Buf *line, Diag *d);

/* Flushes, unlocks and closes; NULL is allowed. */
bool append_close(Appender *w, Diag *d);
