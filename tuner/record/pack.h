/* A recording's bytes as lines, whether the file is compressed or not.
 *
 * Readers see the text of a recording; that a shipped one lies as `.zst` is known
 * only here.  A file that ends too early, even in the middle of a compressed
 * frame, gives the whole lines it has and says that it was cut. */
#ifndef APTUNE_RECORD_PACK_H
#define APTUNE_RECORD_PACK_H

#include "metrics/base/diag.h"

typedef struct RecordLine {
    const char *text; /* followed by its newline, not by a zero */
    size_t size;      /* without the newline */
} RecordLine;

typedef struct RecordLines {
    const char *path;
    struct {
        RecordLine *at;
        size_t count;
        size_t capacity;
    } lines;     /* whole lines, each with a right checksum */
    size_t size; /* bytes of these lines */
    bool cut;    /* the text ends inside a line or inside a compressed frame */
    bool packed; /* the file is compressed */
} RecordLines;

/* What opens the header line of a recording of a kind, "times" or "profile", up to the number of
 * its format. */
const char *record_opening(Arena *a, const char *kind);

/* The format this program writes, and the newest it reads. */
enum { RECORD_FORMAT = 1 };

/* Text larger than this, unpacked, is refused. */
#define RECORD_BYTES_MAX ((size_t)1 << 30)

/* Reads the lines of a recording of `kind`.  False when the file cannot be read, is no recording,
 * is of a newer format, holds no whole header, or when a line is damaged: each such line is named
 * in `d`. */
bool record_lines_read(Arena *a, const char *path, const char *kind, RecordLines *out, Diag *d);

/* Writes `from`, a recording of any kind, compressed to `to`.  A damaged one is refused; of a cut
 * one the whole lines are written, with a warning. */
bool record_compress(const char *from, const char *to, Diag *d);

#endif
