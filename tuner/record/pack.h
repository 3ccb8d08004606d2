/* A recording's bytes as lines, one after the other, whether the file is compressed or not.
 *
 * Readers see the text of a recording; that a shipped one lies as `.zst` is known
 * only here.  No more than a line and a piece of the file is held at a time, so that a recording
 * of any length is read in the memory that its rows take.  A file that ends too early, even in the
 * middle of a compressed frame, gives the whole lines it has and says that it was cut. */
#pragma once

#include "metrics/base/diag.h"
#include "tuner/record/line.h"

/* A whole line with a right checksum; good until the next one is asked for. */
typedef struct RecordLine {
    const char *text; /* followed by its newline, not by a zero */
    size_t size;      /* without the newline */
    const char *path; /* of the file; as old as the reader */
    size_t number;    /* in the file, from 1: the header */
} RecordLine;

typedef struct RecordReader RecordReader;

/* How reading ended. */
typedef struct RecordEnd {
    bool ok;  /* every line is intact, and there was a header */
    bool cut; /* the text ends inside a line or inside a compressed frame */
    bool packed;
    size_t size;      /* bytes of the whole lines, unpacked */
    bool chained;     /* its lines are tied to each other */
    LineChain chain;  /* where it stands */
    size_t last;      /* where the last line begins */
    LineChain before; /* where the chain stood there */
} RecordEnd;

/* What opens the header line of a recording of a kind, "times" or "profile", up to the number of
 * its format. */
const char *record_opening(Arena *a, const char *kind);

/* The format of files with chained lines, the newest that this program reads; and of those without:
 * all profiles, which can be made again, and times of before. */
enum { RECORD_FORMAT_CHAINED = 2, RECORD_FORMAT_PLAIN = 1 };

/* Text larger than this, unpacked, is refused. */
#define RECORD_BYTES_MAX ((size_t)1 << 30)

/* Opens a recording of `kind`.  NULL after a message when it cannot be read, is no recording, is of
 * a newer format or holds no whole header.  What goes wrong further on is told to `d`, too. */
RecordReader *record_reader_open(const char *path, const char *kind, Diag *d);

/* The first line; false when it is damaged. */
bool record_reader_header(RecordReader *r, RecordLine *line);

/* The next line that is not damaged; each damaged one is named and passed over, and so, with a
 * warning, is each place where a line is missing.  False at the end, or when no more can be read.
 */
bool record_reader_next(RecordReader *r, RecordLine *line);

/* Closes it, wherever it stands: what was not read is not looked at.  NULL is allowed: not ok. */
RecordEnd record_reader_close(RecordReader *r);

/* Writes `from`, a recording of any kind, compressed to `to`.  A damaged one is refused; of a cut
 * one the whole lines are written, with a warning. */
bool record_compress(const char *from, const char *to, Diag *d);
