/* Describes the contents of a launch's memory, for the GPU's buffers and for walks in a compile worker.
 *
 * The run derives the description from the spec's contents. It makes formulas, sorted values, copies and
 * files itself (the GPU process makes the rest). The description also travels to the workers as JSON; there
 * the same functions compute one number at a time as a walk reads it. Only sorted contents are made as a
 * whole; files are mapped. */
#pragma once

#include "metrics/base/expr.h"
#include "metrics/metric/profile_build.h" /* WalkData */
#include "tuner/spec/task.h"

/* Most bytes of sorted contents that a worker makes. */
enum { DATA_MADE_LIMIT = 64 << 20 };

typedef enum DataKind {
    DATA_MADE,    /* by contents_fill */
    DATA_FORMULA, /* evaluated */
    DATA_FILE,
    DATA_SORTED,
    /* from other contents: scalar i is number `first` + i % wrap × step + i ÷ wrap of them */
    DATA_TAKEN,
    DATA_KINDS
} DataKind;

/* A name that a formula may use. */
typedef struct DataName {
    const char *name;
    ValueKind kind;
    int64_t integer;
    double real;
    const char *text;
} DataName;

typedef struct DataContents {
    DataKind kind;
    TaskContents task;   /* DATA_MADE */
    const char *formula; /* its text, without parentheses around it */
    const DataName *names;
    size_t name_count;
    const char *path;        /* of a file, … */
    const char *stamp;       /* … its stamp when it was seen, … */
    int64_t offset;          /* … where the numbers begin */
    int64_t bytes;           /* of a file, or sorted */
    struct DataContents *of; /* sorted, taken */
    TaskScalar scalar;       /* of the other contents */
    int64_t lanes, first, step, wrap;

    /* Set by data_ready. */
    const Expr *expr; /* of the formula */
    Value *slots;
    size_t index_slot;       /* of `i`; `lane` follows */
    const unsigned char *at; /* the bytes of a file, or sorted; NULL: not yet */
    Span where;              /* for messages */
} DataContents;

typedef struct DataBuffer {
    int64_t address;
    const char *symbol; /* of a constant; NULL: none */
    TaskScalar scalar;
    int64_t lanes;
    bool written; /* a launch may write to it: these are its contents before the first */
    DataContents is;
} DataBuffer;

/* Computes scalar `index` of contents whose elements have `lanes` lanes. False: there is none, or, with a
 * message in `d` (may be NULL), a formula has no such value. */
bool data_scalar(Arena *scratch, const DataContents *c, TaskScalar s, uint64_t lanes,
                 uint64_t index, uint64_t *bits, Diag *d);

/* Mapped files, for a process that may be killed when one is truncated. */
typedef struct DataMap {
    void *at;
    size_t size;
} DataMap;
typedef VEC(DataMap) DataMaps;

/* Prepares contents for data_scalar, sorted ones of at most `most` bytes; lives in `a`. Files are mapped,
 * or, without `maps`, read. False with a message. */
bool data_ready(Arena *a, DataContents *c, TaskScalar s, int64_t lanes, int64_t most,
                DataMaps *maps, Diag *d);

/* Serializes buffers, into `a`. */
const char *data_describe(Arena *a, const DataBuffer *buffers, size_t count);

typedef struct Data Data;

/* Opens a serialized description; walks do not know buffers that are unusable. Never NULL. */
Data *data_open(const char *description);
void data_close(Data *d);

/* Returns `d` if it has this description; else closes it (may be NULL) and opens the description. */
Data *data_reopen(Data *d, const char *description);

/* The interface for walks; lives as long as `d`. */
const WalkData *data_of_walk(Data *d);
