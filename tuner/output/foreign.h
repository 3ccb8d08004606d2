/* The results of another tuner, before they become a recording: parameters, rows, anomalies.
 *
 * A reader of each format fills it in a row at a time.  Every anomaly is counted by
 * its kind, with the first place it was met, so that nothing is dropped or taken for something else
 * without being said.  Everything lives in the table's arena. */
#ifndef APTUNE_OUTPUT_FOREIGN_H
#define APTUNE_OUTPUT_FOREIGN_H

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

/* An anomaly of a row or of the file; words in foreign.c. */
typedef enum Anomaly {
    ANOMALY_CUT,          /* not closed */
    ANOMALY_CUT_ROW,      /* the last row is cut off */
    ANOMALY_BROKEN,       /* a row that is not JSON, or not an object */
    ANOMALY_NO_PARAMETER, /* a row without a value for each parameter */
    ANOMALY_NO_TIME,
    ANOMALY_BAD_TIME,    /* correct, but a time is not above zero */
    ANOMALY_FAILED_TIME, /* failed, with a time above zero */
    ANOMALY_FAILED_ZERO, /* failed, with a time of 0.0 */
    ANOMALY_MEAN_ONLY,   /* no raw times */
    ANOMALY_INCORRECT,   /* "correct" with a correctness of 0 */
    ANOMALY_STATUS,      /* a status that is not known */
    ANOMALY_NO_STATUS,   /* none at all */
    ANOMALY_TEXT_TIME,   /* a number written as text */
    ANOMALY_TEXT_VALUE,  /* likewise */
    ANOMALY_BOOL_VALUE,
    ANOMALY_KEY_VALUE, /* a parameter only in the row's key */
    ANOMALY_NOT_NUMBER,
    ANOMALY_NO_UNIT,
    ANOMALY_OTHER_MEAN, /* "time" is not the mean of "times" */
    ANOMALY_TWICE,
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

/* Parameters as a recording has them: whole numbers where every row has one, else texts. */
RecordParameter *foreign_parameters(ForeignTable *t);

/* The values of a row as such. */
const RecordValue *foreign_record_values(Arena *a, const RecordParameter *p, size_t count,
                                         const ForeignValue *values);

/* A line for each anomaly that was met: "12 rows without a time: taken as failed (runtime)". */
void foreign_print_anomalies(const ForeignTable *t, const char *before, Buf *out);

/* Reads a file's text; `path` is for messages.  `unit`, when not NULL, is the unit of its times
 * whatever it says; `progress`, when not NULL, is told of the bytes read.  NULL after a message
 * when it is of no known format or has no row. */
ForeignTable *foreign_read(Arena *a, const char *path, const char *text, size_t size,
                           const char *unit, const RunProgress *progress, Diag *d);

#endif
