/* The first line of a recording: what was measured, on which device, with which tools.
 *
 * It decides whether a recording can be continued (record_header_same) and how well it fits a
 * request (find.h). The source hash is recorded but does not decide: editing a comment changes it
 * without making any measurement stale. The rows' code hashes detect real changes. */
#pragma once

#include "metrics/metric/device.h"
#include "tuner/record/pack.h"

typedef struct RecordParameter {
    const char *name; /* "BM" */
    bool is_text;     /* values are texts, else whole numbers */
} RecordParameter;

typedef struct RecordProblem {
    const char *name; /* "M" */
    Value value;
} RecordProblem;

/* A property of the device: "sms" 132. */
typedef struct RecordFact {
    const char *name;
    double value;
} RecordFact;

#define RECORD_ENERGY "energy"

/* Unless required, texts may be NULL when writing; they are "" when read. */
typedef struct RecordHeader {
    const char *space; /* required */
    const RecordParameter *parameters;
    size_t parameter_count;
    const RecordProblem *problem;
    size_t problem_count;

    const char *arch;   /* "sm_90" */
    const char *device; /* "NVIDIA H200" */
    const char *uuid;   /* of the device that began the recording */
    const RecordFact *facts;
    size_t fact_count;
    const char *cache;          /* L2 state of the timed runs: "warm", "cold" or "both"; "" in old
                                   recordings means warm */
    const char *driver;         /* driver version */
    const char *nvrtc;          /* compiler version */
    const char *const *options; /* compiler options common to all configurations */
    size_t option_count;

    const char *objective;   /* unit of the rows' work, by which configurations compare: "flop",
                                "bytes", "items"; RECORD_ENERGY: the rows' energy per run; "": by
                                time alone */
    const char *source_hash; /* of template and spec */
    const char *date;        /* when it was begun, ISO 8601 in UTC */
    const char *version;     /* of aptune */
    const char *imported;    /* origin of times measured by another tuner, whose rows without code
                                match by parameter values alone; "": measured by aptune */
} RecordHeader;

/* True if configurations compare by the energy of a run. */
bool record_is_by_energy(const RecordHeader *h);

/* True if configurations compare by the time for equal work. */
bool record_is_weighed(const RecordHeader *h);

/* True if two texts agree, NULL as ""; else `why` gets "its WHAT is 'HAVE', not 'WANT'". */
bool record_text_same(const char *what, const char *have, const char *want, Buf *why);

/* True if rows measured under `b` may be added to the recording of `a`: same space, parameters,
 * problem, architecture, device model, driver, compiler and options. Otherwise `why` gets the first
 * difference. The device itself may differ; rows name theirs. */
bool record_header_same(const RecordHeader *a, const RecordHeader *b, Buf *why);

/* The key of a configuration, "BM=64,BN=32,TYPE=half". Ambiguous text values are quoted. */
const char *record_key(Arena *a, const RecordHeader *h, const Value *values);

/* The problem sizes, "M=4096,N=4096". */
const char *record_problem_text(Arena *a, const RecordHeader *h);

/* All numbers of the device as facts, in `a`. */
const RecordFact *record_device_facts(Arena *a, const Device *d, size_t *count);

/* The device of a recording, in `a`; facts missing from the header come from the table of known
 * devices. */
const Device *record_device(Arena *a, const RecordHeader *h);
