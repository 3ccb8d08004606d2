/* An append-only file of lines, written by one run at a time.
 *
 * Each line is one write() at the end of the file, so a killed run leaves whole lines and at most
 * one partial line. The file is locked (flock) while it is open; a second run is refused. When the
 * disk is full, a partly written line is removed again. */
#pragma once

#include "tuner/record/field.h"
#include "tuner/record/header.h"

typedef struct Appender Appender;

/* Opens or creates the file and locks it. Sets `*fresh` if it is empty or held only a partial
 * header, which is removed; the caller then writes the header. Lines are flushed to disk at the end:
 * nothing is lost when only the program dies. Returns NULL after a message if it fails, another run
 * holds the file, or it is not a recording of `kind` that can be appended to. Allocated in `a`, but
 * must be closed. */
Appender *append_open(Arena *a, const char *path, const char *kind, bool *fresh, Diag *d);

/* Prepares appending to a file that was read: removes a partial last line. `closed`: its last line
 * states its end, and the first new line overwrites that. False after a message if `why` holds a reason
 * not to continue. */
bool append_continues(Appender *w, const Buf *why, const RecordEnd *file, bool closed, Diag *d);

/* Appends the header of a new file: fields of its kind, then those of all. */
bool append_header(Appender *w, const char *kind, int format, const Field *own, size_t count,
                   const void *from, const RecordHeader *h, Diag *d);

/* Appends a line. On failure the file is left as before; if that is impossible, all further lines are
 * refused. */
bool append_fields(Appender *w, const Field *fields, size_t count, const void *from, Diag *d);

/* True if lines are chained and the last one does not state the end. */
bool append_wants_end(const Appender *w);

/* Flushes, unlocks and closes; NULL is allowed. */
bool append_close(Appender *w, Diag *d);
