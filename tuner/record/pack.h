/* Reads a recording line by line, compressed or not.
 *
 * Only this file knows that shipped recordings are compressed (`.zst`). A truncated file, even in
 * the middle of a compressed frame, yields its whole lines and is reported as cut. */
#pragma once

#include "metrics/base/diag.h"
#include "tuner/record/line.h"

/* A whole line with a correct checksum. */
typedef struct RecordLine {
    const char *text; /* ends with a newline, not with a zero */
    size_t size;      /* without the newline */
    const char *path; /* of the file; lives as long as the reader */
    size_t number;    /* in the file, from 1 */
} RecordLine;

typedef struct RecordReader RecordReader;

typedef struct RecordEnd {
    bool ok;  /* there was a header, and every line is intact */
    bool cut; /* the text ends inside a line or a compressed frame */
    bool packed;
    size_t size;  /* bytes of whole lines, decompressed */
    bool chained; /* lines are tied to each other */
    LineChain chain;
    size_t last;      /* offset of the last line */
    LineChain before; /* state of the chain at `last` */
} RecordEnd;

/* The start of a header line of a kind, "times" or "profile", up to the format number. */
const char *record_opening(Arena *a, const char *kind);

/* Format of files with chained lines, the newest that this program reads, and of those without: all
 * profiles, which can be made again, and old times. */
enum { RECORD_FORMAT_CHAINED = 2, RECORD_FORMAT_PLAIN = 1 };

/* Larger texts (decompressed) are refused. */
#define RECORD_BYTES_MAX ((size_t)1 << 30)

/* Opens a recording of `kind`. NULL after a message if it cannot be read, is not a recording, has a
 * newer format or no whole header. Later errors go to `d`, too. */
RecordReader *record_reader_open(const char *path, const char *kind, Diag *d);

/* Reads the next intact line. Damaged lines are reported and skipped; missing lines give a warning.
 * False at the end or when no more can be read. */
bool record_reader_next(RecordReader *r, RecordLine *line);

/* Closes a reader at any position; the rest is not checked. NULL is allowed: not ok. */
RecordEnd record_reader_close(RecordReader *r);

/* Writes a compressed copy of a recording of any kind. A damaged one is refused; of a cut one, the
 * whole lines are written with a warning. */
bool record_compress(const char *from, const char *to, Diag *d);
