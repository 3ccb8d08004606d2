/* The times of a space on a device: immutable, append-only.
 *
 * There is a line per configuration as it finishes, whatever its outcome, with all raw times. Other
 * lines are sentinels (one configuration timed now and then, which shows changes of clock or
 * machine), finals (the best timed again in turn) and notes. Profiles are kept apart (profile.h):
 * they can be made again, measurements cannot.
 *
 *     {"aptune":"times","format":1,"space":"mm",…,"sum":"…"}
 *     {"device":1,"ordinal":0,"name":"NVIDIA H200","uuid":"GPU-…","sum":"…"}
 *     {"v":[64,32,"half"],"code":"…","launch":"…","status":"ok","t":[1.25,1.26],"err":1e-06,"s":0.05,"cs":0.3,"ps":0.002,"on":1,"sum":"…"}
 *     {"sentinel":[64,64,"half"],"t":[1.25],"on":1,"sum":"…"}
 *     {"final":[64,32,"half"],"n":1,"t":[1.25,1.26],"sum":"…"}
 *     {"note":"clocks were locked here","sum":"…"}
 *     {"end":1,"sum":"…"}
 *
 * In format 2, lines are chained (line.h) and closing the file appends the number of rows, so that
 * missing rows or a missing end are noticed. A continued run overwrites the old end line, so a file
 * has one end. The older format 1 has neither. */
#pragma once

#include "metrics/base/outcome.h"
#include "tuner/record/header.h"
#include "tuner/record/pack.h"
#include "metrics/base/map.h"

typedef struct RecordRow {
    const Value *values; /* one per parameter of the header */
    size_t value_count;  /* filled in */
    const char *key;     /* record_key of the values; filled in when read */
    const char *code;    /* hash of the code; NULL: there is none */
    const char *launch;  /* launch geometry as text; NULL: not known */
    Outcome status;
    const char *message;    /* why the status is not ok; may be NULL */
    const double *times_ms; /* raw, in the order taken */
    size_t time_count;      /* at least one if the status is OUTCOME_OK */
    const double *warm_ms;  /* with a warm L2, if times_ms has a cold one and both were taken */
    size_t warm_count;
    double max_error; /* against the reference; NaN: not verified */
    double work;      /* of one run, in the unit of the header's objective; 0: not known */
    double joules;    /* of one run; 0: not known */
    double seconds;   /* of GPU time, including loading and checks; 0: not known */
    double compile_s; /* CPU seconds to compile; 0: not known */
    double profile_s; /* CPU seconds to profile */
    int device; /* number of the RecordDevice that it ran on; 0: the header's device, or none */
} RecordRow;

/* A device that rows ran on. All are of one model unless the user asked otherwise. Rows refer to it
 * by number; one line in the file defines the number. */
typedef struct RecordDevice {
    int number;       /* from 1 */
    int ordinal;      /* index of the GPU in its machine */
    const char *name; /* "NVIDIA H200" */
    const char *uuid;
} RecordDevice;

typedef struct RecordSentinel {
    RecordRow row; /* values, key, times and device */
    size_t after;  /* number of rows before it in the file */
} RecordSentinel;

/* A finalist, timed again in rounds against others. Those of one final share a number and have
 * equally many times; times_ms[i] of each was taken in round i. */
typedef struct RecordFinal {
    RecordRow row; /* values, key, times and device */
    int number;    /* of the final, from 1; the highest is the latest */
} RecordFinal;

typedef struct RecordNote {
    const char *text;
    size_t after; /* number of rows before it in the file */
} RecordNote;

typedef struct TimesRecording {
    const char *path;
    RecordHeader header;
    VEC(RecordRow) rows; /* in file order; a configuration may occur again */
    VEC(RecordSentinel) sentinels;
    VEC(RecordFinal) finals; /* in file order */
    VEC(RecordNote) notes;
    VEC(RecordDevice) devices;
    RecordEnd file; /* a partial last line is not among the rows */
    bool closed;    /* the last line states the number of rows: … */
    int end;
    Map by_key;
} TimesRecording;

/* Reads a recording, compressed or not, into `a`. NULL after messages on all damaged lines. Warns
 * when rows or the end are missing, and adds a note when the format cannot tell. */
TimesRecording *times_read(Arena *a, const char *path, Diag *d);

/* The same for a recording to be continued: without a warning about a missing end. */
TimesRecording *times_read_open(Arena *a, const char *path, Diag *d);

/* The latest row with a key; NULL: none. */
const RecordRow *times_find(const TimesRecording *r, const char *key);

/* The device with a number; NULL: only the header tells the device. */
const RecordDevice *times_device(const TimesRecording *r, int number);

/* Rounds a time to 7 significant digits: finer than any GPU clock, short in the file, and exact
 * when read back, so that a replay decides as the run did. Recorded times and times that decisions
 * are based on must be rounded. */
double record_round(double ms);

typedef struct TimesWriter TimesWriter;

/* Creates a recording or continues an existing one, whose header must be the same
 * (record_header_same). A partial last line is removed, and `*existing` gets the recording for the
 * caller to skip (NULL for a new one). NULL after a message, for example when
 * another run is writing the file or it is compressed. */
TimesWriter *times_open_append(Arena *a, const char *path, const RecordHeader *h,
                               TimesRecording **existing, Diag *d);

/* Append a line. False after a message when it cannot be written or the row is invalid (a time that
 * is not finite, an ok without a time, a value of the wrong kind). */
bool times_append(TimesWriter *w, const RecordRow *row, Diag *d);
bool times_append_sentinel(TimesWriter *w, const RecordRow *row, Diag *d);
/* Returns the number of a device in this recording, adding its line if needed; ignores `x->number`.
 * 0 if it cannot be written. */
int times_append_device(TimesWriter *w, const RecordDevice *x, Diag *d);
/* A finalist of final `number`. Uses the same fields of the row as a sentinel. */
bool times_append_final(TimesWriter *w, const RecordRow *row, int number, Diag *d);
bool times_append_note(TimesWriter *w, const char *text, Diag *d);

/* NULL is allowed. */
bool times_close(TimesWriter *w, Diag *d);
