/* Imports another tuner's file as a recording of times and, with a spec, adds code and profiles.
 *
 * An imported recording says so: its header's `imported` names the file and the format, its notes hold the
 * anomalies, and it is never shown as measured by aptune. */
#pragma once

#include "tuner/output/foreign.h"

typedef struct ImportOptions {
    const char *from;     /* the file */
    const char *space;    /* name of the space; NULL: the file's kernel, else the file's own name */
    const char *device;   /* NULL: the one that the file names */
    const char *arch;     /* "sm_80"; NULL: that of the device, if its name is known */
    const char *unit;     /* of the times, overriding the file's; NULL: the file's */
    RunProgress progress; /* of reading, in bytes; empty: none */
} ImportOptions;

/* The text of a plain or gzipped file (all members); NULL after a message, also if it is damaged, truncated,
 * or has more than `most` bytes. */
const char *import_text(Arena *a, const char *path, size_t most, size_t *size, Diag *d);

/* Reads o->from, plain or gzipped, into a table; NULL after a message. */
ForeignTable *import_read(Arena *a, const ImportOptions *o, Diag *d);

/* The parameters of the recording: integers if all rows have integers, else texts. */
RecordParameter *import_parameters(ForeignTable *t);

/* The values of a row, for these parameters. */
const Value *import_values(Arena *a, const RecordParameter *p, size_t count, const Value *values);

/* Writes the recording; `path` must not exist.  A failure leaves no file behind.  False after a message. */
bool import_write(ForeignTable *t, const ImportOptions *o, const char *path, Diag *d);

/* Prints what was read and every kind of anomaly. */
void import_print(const ForeignTable *t, Buf *out);

/* How an imported recording matches a spec's space. */
typedef struct ImportMatch {
    size_t both;       /* configurations of the space with a row */
    size_t only_space; /* configurations without a row */
    size_t only_rows;  /* rows that match no configuration */
} ImportMatch;

/* Rewrites the run's imported recording to `path` with the code of each row's configuration, and its profiles
 * to NAME.profile beside it.  Call after run_open.  The code is that of the spec's kernel: rows are matched
 * by parameter values alone.  False after a message. */
bool import_attach(Run *r, const char *path, ImportMatch *match);
