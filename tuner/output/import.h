/* From another tuner's file to a recording of times, and on to one with code and profiles.
 *
 * What is imported says so: the header's `imported` names the file and its format, notes hold the
 * anomalies that were met, and nothing of it is ever shown as measured by aptune. */
#pragma once

#include "tuner/output/foreign.h"
#include "tuner/run/run.h"

typedef struct ImportOptions {
    const char *from;     /* the file */
    const char *space;    /* name of the space; NULL: the file's kernel, else the file's own name */
    const char *device;   /* NULL: as the file names it */
    const char *arch;     /* "sm_80"; NULL: that of the device, when its name is known */
    const char *unit;     /* of the file's times, whatever it says; NULL: as it says */
    RunProgress progress; /* of the reading, in bytes; empty: no reports */
} ImportOptions;

/* The text of a file, unpacked where gzip packed it, all members one after the other; NULL after a
 * message, also where it is damaged, ends early, or has more than `most` bytes. */
const char *import_text(Arena *a, const char *path, size_t most, size_t *size, Diag *d);

/* Reads o->from, which gzip may have packed, into a table; NULL after a message. */
ForeignTable *import_read(Arena *a, const ImportOptions *o, Diag *d);

/* Parameters as a recording has them: whole numbers where every row has one, else texts. */
RecordParameter *import_parameters(ForeignTable *t);

/* The values of a row as such. */
const RecordValue *import_values(Arena *a, const RecordParameter *p, size_t count,
                                 const ForeignValue *values);

/* Writes the recording; `path` may not exist.  A failure leaves no file behind. */
bool import_write(ForeignTable *t, const ImportOptions *o, const char *path, Diag *d);

/* What was read and every anomaly, as lines. */
void import_print(const ForeignTable *t, Buf *out);

/* How an imported recording and a spec's space met. */
typedef struct ImportMatch {
    size_t both;       /* configurations of the space that the recording has */
    size_t only_space; /* that it lacks */
    size_t only_rows;  /* rows that are no configuration of the space */
} ImportMatch;

/* Writes the imported recording that the run was opened with anew to `path`, with the code that
 * each configuration compiles to, and its profiles to NAME.profile beside it; what has no row is not
 * compiled.  To be called after run_open.  The code is that of the spec's kernel; that it is what was timed elsewhere
 * follows from the parameters' values alone. */
bool import_attach(Run *r, const char *path, ImportMatch *match);
