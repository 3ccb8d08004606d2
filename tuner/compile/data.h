/* What stands in a launch's memory, described: for the GPU's buffers and for walks in a compile
 * worker.
 *
 * The run makes the description of the spec's contents.  Its own bytes are made by it (formulas,
 * sorted values, copies, files; the rest the GPU process makes by itself), and
 * travels to the workers as JSON: there one number at a time is made when a walk reads it, by
 * the same functions.  Only sorted contents are made whole; files are mapped. */
#pragma once

#include "metrics/base/expr.h"
#include "metrics/base/vec.h"
#include "metrics/metric/profile_build.h" /* WalkData */
#include "tuner/spec/task.h"

/* Bytes of sorted contents that a worker makes. */
enum { DATA_MADE_LIMIT = 64 << 20 };

typedef enum DataKind {
    DATA_MADE,    /* by contents_fill */
    DATA_FORMULA, /* evaluated */
    DATA_FILE,
    DATA_SORTED,
    DATA_TAKEN, /* from other contents: scalar i is `first` + i % wrap × step + i ÷ wrap */
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
    const char *formula; /* its text, without a parenthesis around it */
    const DataName *names;
    size_t name_count;
    const char *path;        /* of a file, … */
    const char *stamp;       /* … as it was seen, … */
    int64_t offset;          /* … where the numbers begin */
    int64_t bytes;           /* of a file, or sorted */
    struct DataContents *of; /* sorted, taken */
    TaskScalar scalar;       /* that the other contents are of */
    int64_t lanes, first, step, wrap;

    /* What is at hand here. */
    const Expr *expr; /* of the formula */
    Value *slots;
    size_t index_slot;       /* of `i`; `lane` follows */
    const unsigned char *at; /* the bytes of a file, or sorted; NULL: not yet */
    Span where;              /* for messages */
} DataContents;

/* A buffer. */
typedef struct DataBuffer {
    int64_t address;
    const char *symbol; /* of a constant; NULL: none */
    TaskScalar scalar;
    int64_t lanes;
    bool written; /* a launch may write there: this is what stands there before the first */
    DataContents is;
} DataBuffer;

/* Scalar `index` of these contents, whose elements have so many lanes.  False where there is none;
 * with a message in `d` (NULL: none) where a formula has no such value. */
bool data_scalar(Arena *scratch, const DataContents *c, TaskScalar s, uint64_t lanes,
                 uint64_t index, uint64_t *bits, Diag *d);

/* Files that are mapped, for a process that may be lost when one becomes shorter. */
typedef struct DataMap {
    void *at;
    size_t size;
} DataMap;
typedef VEC(DataMap) DataMaps;

/* Makes contents ready to be asked for numbers, sorted ones of at most so many bytes; lives in `a`.
 * Files are mapped, or, without `maps`, read.  False with a message. */
bool data_ready(Arena *a, DataContents *c, TaskScalar s, int64_t lanes, int64_t most,
                DataMaps *maps, Diag *d);

/* Buffers as a text, in `a`. */
const char *data_describe(Arena *a, const DataBuffer *buffers, size_t count);

typedef struct Data Data;

/* From such a text; what of it cannot be used is not known to walks.  Never NULL. */
Data *data_open(const char *description);
void data_close(Data *d);

/* `d` where it is of this very text; else ends it (NULL is allowed) and opens the text. */
Data *data_reopen(Data *d, const char *description);

/* What walks ask; lives as long as `d`. */
const WalkData *data_of_walk(Data *d);
