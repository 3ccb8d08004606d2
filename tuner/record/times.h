/* The times of a space on a device: immutable, append-only.
 *
 * A line per configuration as it finishes, whatever became of it, with every raw
 * time; among them sentinels (the same configuration timed now and then, so that a
 * change of clock or machine shows), finals (the best timed again, in turn) and notes.  A profile
 * is kept apart (profile.h): it can be made again, a measurement cannot.
 *
 *     {"aptune":"times","format":1,"space":"mm",…,"sum":"…"}
 *     {"device":1,"ordinal":0,"name":"NVIDIA H200","uuid":"GPU-…","sum":"…"}
 *     {"v":[64,32,"half"],"code":"…","launch":"…","status":"ok","t":[1.25,1.26],"err":1e-06,"s":0.05,"cs":0.3,"ps":0.002,"on":1,"sum":"…"}
 *     {"sentinel":[64,64,"half"],"t":[1.25],"on":1,"sum":"…"}
 *     {"final":[64,32,"half"],"n":1,"t":[1.25,1.26],"sum":"…"}
 *     {"note":"clocks were locked here","sum":"…"}
 *     {"end":1,"sum":"…"}
 *
 * The lines are chained (line.h), and whoever closes the file says how many rows it holds, so that
 * a row or an end that is missing is noticed; a run that goes on writes its rows in place of that
 * line, so that a file has one end. Format 1, of before, has neither. */
#pragma once

#include "metrics/base/outcome.h"
#include "metrics/base/vec.h"
#include "tuner/record/header.h"
#include "metrics/base/map.h"

typedef struct RecordRow {
    const RecordValue *values; /* one per parameter of the header */
    size_t value_count;        /* filled in */
    const char *key;           /* record_key of the values; filled in when read */
    const char *code;          /* hash of the code, NULL when there is none */
    const char *launch;        /* launch geometry as text, NULL when not known */
    Outcome status;
    const char *message;    /* why it is not ok; NULL for nothing to say */
    const double *times_ms; /* raw times, in the order they were taken */
    size_t time_count;      /* at least one where the status is OUTCOME_OK */
    const double *warm_ms;  /* where both were taken: with a warm L2, the others with a cold one */
    size_t warm_count;
    double max_error; /* against the reference; NaN: not verified */
    double work;      /* that a run does, in the unit of the header's objective; 0: not said */
    double joules;    /* of one run; 0: not known */
    double seconds;   /* that it kept its GPU busy, loading and checks included; 0: not known */
    double compile_s; /* of a processor, to compile it; 0: not known */
    double profile_s; /* … to follow its warps */
    int device;       /* number of the RecordDevice it ran on; 0: the header's, or none */
} RecordRow;

/* One of the devices that the rows of a recording come from, all of one kind unless the user wanted
 * it otherwise.  Rows name it by a number, and a line says once what the number stands for. */
typedef struct RecordDevice {
    int number;       /* from 1 */
    int ordinal;      /* which of its machine's GPUs */
    const char *name; /* "NVIDIA H200" */
    const char *uuid;
} RecordDevice;

typedef struct RecordSentinel {
    RecordRow row; /* values, key, times and device */
    size_t after;  /* rows that stood before it */
} RecordSentinel;

/* One finalist: timed again in rounds against others.  Those of one final have the same number and
 * as many times; times_ms[i] of each was taken in round i. */
typedef struct RecordFinal {
    RecordRow row; /* values, key, times and device */
    int number;    /* of the final, from 1; the highest is the latest */
} RecordFinal;

typedef struct RecordNote {
    const char *text;
    size_t after; /* rows that stood before it */
} RecordNote;

typedef struct TimesRecording {
    const char *path;
    RecordHeader header;
    VEC(RecordRow) rows; /* in the order of the file; a configuration may come again */
    VEC(RecordSentinel) sentinels;
    VEC(RecordFinal) finals; /* in the order of the file */
    VEC(RecordNote) notes;
    VEC(RecordDevice) devices; /* those that rows name */
    bool cut;                  /* the file ends inside a line, which is not among the rows */
    bool packed;               /* its file is compressed */
    bool closed;               /* its last line says how many rows it holds: */
    int end;
    bool chained;    /* of format 2 */
    size_t size;     /* bytes of whole lines, unpacked */
    size_t next;     /* where a further row belongs: behind them, or in place of the end */
    LineChain chain; /* where it stands there */
    Map by_key;      /* over all rows */
} TimesRecording;

/* Reads a recording, packed or not, into `a`.  NULL with every damaged line named when it is not
 * intact.  Warns when rows or the end are missing, and adds a note when the format cannot tell. */
TimesRecording *times_read(Arena *a, const char *path, Diag *d);

/* The same of one that is to be continued: nothing is said of an end that is missing. */
TimesRecording *times_read_open(Arena *a, const char *path, Diag *d);

/* The latest row of a configuration, by its key; NULL when there is none. */
const RecordRow *times_find(const TimesRecording *r, const char *key);

/* The device of a number that rows use; NULL: only the header says on what it ran. */
const RecordDevice *times_device(const TimesRecording *r, int number);

/* A time as it should be recorded and decided upon: 7 significant digits, finer than any clock of
 * a GPU, short in the file and equal when read back, so that a replay decides as the run did. */
double record_round(double ms);

typedef struct TimesWriter TimesWriter;

/* Creates the recording, or continues the one that is there: then its header must be the same
 * (record_header_same), a cut last line is removed, and `*existing` gets what it holds (NULL for
 * a new one), for the caller to skip.  `sync_every` as in append_open.  NULL with a message on
 * failure: among others when another run is writing it, or when it is packed. */
TimesWriter *times_open_append(Arena *a, const char *path, const RecordHeader *h, size_t sync_every,
                               TimesRecording **existing, Diag *d);

/* Adds one line.  False when it cannot be written, or when the row makes no sense (a time that is
 * not finite, an ok without a time, a value of the wrong kind). */
bool times_append(TimesWriter *w, const RecordRow *row, Diag *d);
bool times_append_sentinel(TimesWriter *w, const RecordRow *row, Diag *d);
/* The number that rows of a device have in this recording; a line that says so is added where there
 * is none yet.  `x->number` does not matter.  0 when it cannot be written. */
int times_append_device(TimesWriter *w, const RecordDevice *x, Diag *d);
/* One finalist of final `number`; of the row counts what counts of a sentinel. */
bool times_append_final(TimesWriter *w, const RecordRow *row, int number, Diag *d);
bool times_append_note(TimesWriter *w, const char *text, Diag *d);

/* NULL is allowed. */
bool times_close(TimesWriter *w, Diag *d);
