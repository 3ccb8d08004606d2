/* The first line of a recording: what was measured, on what, with what.
 *
 * It decides whether a recording can be continued (record_header_same) and whether it
 * fits a question (find.h).  The source's hash is written down but does not decide:
 * an edited comment changes it and makes no measurement stale; the code hashes of
 * the rows do. */
#pragma once

#include "metrics/metric/device.h"
#include "tuner/record/line.h"
#include "tuner/record/pack.h"

typedef struct RecordParameter {
    const char *name; /* "BM" */
    bool is_text;     /* its values are texts; else whole numbers */
} RecordParameter;

typedef struct RecordProblem {
    const char *name; /* "M" */
    RecordValue value;
} RecordProblem;

/* A fact about the device: "sms" 132. */
typedef struct RecordFact {
    const char *name;
    double value;
} RecordFact;

#define RECORD_ENERGY "energy"

/* Texts may be NULL when writing, where not said otherwise, and are "" when read. */
typedef struct RecordHeader {
    const char *space; /* name of the space; required */
    const RecordParameter *parameters;
    size_t parameter_count;
    const RecordProblem *problem;
    size_t problem_count;

    const char *arch;   /* "sm_90" */
    const char *device; /* "NVIDIA H200" */
    const char *uuid;   /* of the very device that began it */
    const RecordFact *facts;
    size_t fact_count;
    const char *cache;  /* what the L2 held when runs were timed: "warm", "cold" or "both"; ""
                           in a recording that does not say counts as warm */
    const char *driver; /* version of the driver */
    const char *nvrtc;  /* version of the compiler */
    const char *const *options; /* of the compiler, the same for every configuration */
    size_t option_count;

    const char *objective;   /* what the rows' amounts of work are of, by which configurations
                                compare: "flop", "bytes", "items"; RECORD_ENERGY: by what a run
                                uses, which each row says; "": by time alone */
    const char *source_hash; /* of template and spec */
    const char *date;        /* when it was begun, ISO 8601 in UTC */
    const char *version;     /* of aptune */
    const char *imported; /* from where, when another tuner measured the times: then a row without
                             code is matched by its parameters' values alone; "": measured */
} RecordHeader;

/* Do configurations compare by the energy of a run? */
bool record_is_by_energy(const RecordHeader *h);

/* … or by the time for equal work? */
bool record_is_weighed(const RecordHeader *h);

/* Adds the header's fields to a line begun by the caller. */
void record_header_write(const RecordHeader *h, Buf *line);

/* Reads the first line of a recording. */
bool record_header_parse(Arena *a, const RecordLine *line, RecordHeader *h, Diag *d);

/* May rows measured under `b` go into the recording of `a`?  The same space, parameters, problem,
 * architecture, kind of device, driver, compiler and options; if not, `why` gets the first
 * difference.  The very device may be another one: rows name theirs. */
bool record_header_same(const RecordHeader *a, const RecordHeader *b, Buf *why);

/* The configuration as text, "BM=64,BN=32,TYPE=half": its key.  A text value is quoted where it
 * could be taken for something else. */
const char *record_key(Arena *a, const RecordHeader *h, const RecordValue *values);

/* The problem as text, "M=4096,N=4096". */
const char *record_problem_text(Arena *a, const RecordHeader *h);

/* Every number of the device as a fact, in `a`. */
const RecordFact *record_device_facts(Arena *a, const Device *d, size_t *count);

/* The device a recording was made on, in `a`; what the header does not say comes from the table of
 * known devices. */
const Device *record_device(Arena *a, const RecordHeader *h);
