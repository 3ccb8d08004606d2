/* The results of another tuner before they become a recording: parameters, rows, anomalies.
 *
 * The reader of each format adds rows one at a time.  Every anomaly is counted by kind, with its first place,
 * so that nothing is dropped or reinterpreted silently.  Everything lives in the table's arena. */
#pragma once

#include "tuner/run/run.h"

typedef struct ForeignRow {
    Value *values; /* one per parameter, as in the file: an integer, a real number or a string */
    Outcome status;
    const char *message; /* the file's reason for a failure; NULL: none */
    double *times;       /* in the file's unit until foreign_scale, then milliseconds */
    size_t time_count;   /* at least 1 if the status is OUTCOME_OK, else 0 */
    bool in_ms;          /* the times are already in milliseconds */
} ForeignRow;

/* An anomaly of a row or of the file. */
typedef enum Anomaly {
#define ANOMALY(name, one, many) ANOMALY_##name,
#include "tuner/output/foreign_anomaly.def"
#undef ANOMALY
    ANOMALIES
} Anomaly;

/* More than any real space has: a limit against hostile files. */
enum { FOREIGN_PARAMETERS_MOST = 1024 };

typedef struct ForeignTable {
    Arena *arena;
    const char *format;       /* "Kernel Tuner cache" */
    const char *device;       /* named by the file; NULL: not named */
    const char *kernel;       /* likewise */
    const char *problem;      /* as JSON; NULL: not named */
    const char *objective;    /* NULL: not named */
    const char *date;         /* NULL: not named */
    double unit_ms;           /* milliseconds in the file's unit; 0: none named */
    const char *unknown_unit; /* an unknown unit that the file names; NULL: none */
    VEC(const char *) names;  /* of the parameters */
    VEC(ForeignRow) rows;
    size_t read; /* rows in the file, including those left out */
    size_t anomalies[ANOMALIES];
    const char *first[ANOMALIES]; /* the first place; NULL: not a row */
} ForeignTable;

/* Milliseconds in a unit of any spelling ("ms", "miliseconds", "Microseconds"); 0: not known. */
double foreign_unit_ms(const char *name);

/* The outcome of a tuner's word ("correct", "InvalidConfig", "ValidationFailed"); OUTCOME_OTHER: unknown
 * word. */
Outcome foreign_status(const char *word);

/* True for a text that is a decimal number and nothing else. */
bool foreign_text_as_real(const char *text, double *out);

/* A line for each anomaly found: "12 rows without a time: taken as failed (runtime)". */
void foreign_print_anomalies(const ForeignTable *t, const char *before, Buf *out);

/* Reads a file's text; `path` is for messages.  `unit` overrides the file's unit of time and `progress` is
 * told the bytes read, unless NULL.  NULL after a message: unknown format, or no rows. */
ForeignTable *foreign_read(Arena *a, const char *path, const char *text, size_t size,
                           const char *unit, const RunProgress *progress, Diag *d);
