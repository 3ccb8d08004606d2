/* The results of another tuner, before they become a recording: parameters, rows, anomalies.
 *
 * A reader of each format fills it in a row at a time.  Every anomaly is counted by
 * its kind, with the first place it was met, so that nothing is dropped or taken for something else
 * without being said.  Everything lives in the table's arena. */
#pragma once

#include "metrics/base/diag.h"
#include "metrics/base/vec.h"
#include "tuner/record/times.h"
#include "tuner/run/run.h"

#include <jansson.h>

typedef enum ForeignKind { FOREIGN_INT, FOREIGN_REAL, FOREIGN_TEXT } ForeignKind;

/* A parameter's value as the file has it. */
typedef struct ForeignValue {
    ForeignKind kind;
    union {
        int64_t integer;
        double real;
        const char *text;
    };
} ForeignValue;

typedef struct ForeignRow {
    ForeignValue *values; /* one per parameter */
    Outcome status;
    const char *message; /* why it is not ok, as the file says it; NULL for nothing */
    double *times;       /* in the file's unit until foreign_scale, then milliseconds */
    size_t time_count;   /* at least one where the status is OUTCOME_OK, else 0 */
    bool in_ms;          /* times are milliseconds already */
} ForeignRow;

/* An anomaly of a row or of the file. */
typedef enum Anomaly {
#define ANOMALY(name, one, many) ANOMALY_##name,
#include "tuner/output/foreign_anomaly.def"
#undef ANOMALY
    ANOMALIES
} Anomaly;

/* No space has as many parameters; more are a file that is meant to do harm. */
enum { FOREIGN_PARAMETERS_MOST = 1024 };

typedef struct ForeignTable {
    Arena *arena;
    const char *format;       /* "Kernel Tuner cache" */
    const char *device;       /* as the file names it; NULL: it does not */
    const char *kernel;       /* likewise */
    const char *problem;      /* as JSON; NULL */
    const char *objective;    /* NULL */
    const char *date;         /* NULL */
    double unit_ms;           /* milliseconds of the file's unit; 0: it names none */
    const char *unknown_unit; /* that it names; NULL: none */
    VEC(const char *) names;  /* of the parameters */
    VEC(ForeignRow) rows;
    size_t read; /* rows of the file, those left out included */
    size_t anomalies[ANOMALIES];
    const char *first[ANOMALIES]; /* where it was met first; NULL: nothing to say */
} ForeignTable;

/* Milliseconds of a unit in any spelling ("ms", "miliseconds", "Microseconds"); 0: not known. */
double foreign_unit_ms(const char *name);

/* The outcome that a tuner's word stands for ("correct", "InvalidConfig", "ValidationFailed");
 * OUTCOME_OTHER when the word is not known. */
Outcome foreign_status(const char *word);

/* A text that is a number and nothing else; no hexadecimals, no "inf". */
bool foreign_text_as_real(const char *text, double *out);

/* A line for each anomaly that was met: "12 rows without a time: taken as failed (runtime)". */
void foreign_print_anomalies(const ForeignTable *t, const char *before, Buf *out);

/* Reads a file's text; `path` is for messages.  `unit`, when not NULL, is the unit of its times
 * whatever it says; `progress`, when not NULL, is told of the bytes read.  NULL after a message
 * when it is of no known format or has no row. */
ForeignTable *foreign_read(Arena *a, const char *path, const char *text, size_t size,
                           const char *unit, const RunProgress *progress, Diag *d);
