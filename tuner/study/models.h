/* Models of a platform: which formula describes a benchmark, and what its parameters say.
 *
 *     fit barriers of "platform/barriers" "A barrier of a block, by its warps."
 *     where KIND == 1
 *     model time * clock is start + 6400 * TIMES * (fixed + each * WARPS)
 *     from start = 5000, fixed = 11, each = 2
 *     within 3 %
 *     gives latency_barrier = fixed, latency_barrier_warp = each
 *
 * Names in formulas are the spec's parameters and problem names, `time` in seconds, `joules`, the
 * fit's own parameters, and the numbers of device files, as known so far: fits are made in the
 * order of the file.  A fit without `from` has no parameters and only says how well it describes.
 * `robust` makes outliers count less, where clocks move.  metrics/platform.models is the shipped
 * file. */
#pragma once

#include "metrics/base/expr.h"
#include "metrics/base/vec.h"
#include "metrics/metric/device.h"

enum { MODEL_PARAMETERS = 8, MODEL_GIFTS = 8 };

typedef struct Model {
    const char *name;     /* "barriers" */
    const char *space;    /* "platform/barriers", a spec below spaces/ */
    const char *sentence; /* what is modelled */
    Expr *where;          /* which configurations; NULL: all */
    Expr *left, *right;   /* measured, and what describes it; not bound */
    struct {
        const char *name;
        double start; /* not 0 */
    } parameters[MODEL_PARAMETERS];
    size_t parameter_count;
    struct {
        size_t number; /* of device files (sheet.h) */
        Expr *value;
        Span at;
    } gifts[MODEL_GIFTS];
    size_t gift_count;
    double within; /* a model that is off by this much, relative, still describes */
    bool robust;
    Span at;
} Model;

typedef struct Models {
    Arena *arena;
    VEC(Model) models;
} Models;

/* Adds the models of a text, which must outlive them; false after messages. */
bool models_read(Models *out, const Source *s, Diag *d);
