/* Models of a platform: the formula that describes a benchmark, and the device numbers that follow from its
 * parameters.
 *
 *     fit barriers of "platform/barriers" "A barrier of a block, by its warps."
 *     where KIND == 1
 *     model time * clock is start + 6400 * TIMES * (fixed + each * WARPS)
 *     from start = 5000, fixed = 11, each = 2
 *     within 3 %
 *     gives latency_barrier = fixed, latency_barrier_warp = each
 *
 * Formulas may use the spec's parameters and problem names, `time` in seconds, `joules`, the fit's own
 * parameters and the numbers of device files.  Fits run in the order of the file, so later ones see numbers
 * that earlier ones gave.  A fit without `from` has no parameters and only tests its prediction.  `robust`
 * downweights outliers, for clocks that vary.  The shipped file is metrics/platform.models. */
#pragma once

#include "metrics/base/expr.h"
#include "metrics/metric/device.h"

enum { MODEL_PARAMETERS = 8, MODEL_OUTPUTS = 8 };

typedef struct Model {
    const char *name;     /* "barriers" */
    const char *space;    /* "platform/barriers", a spec below spaces/ */
    const char *sentence; /* describes what is modelled */
    Expr *where;          /* which configurations; NULL: all */
    Expr *left, *right;   /* measured value and model; not bound */
    struct {
        const char *name;
        double start; /* not 0 */
    } parameters[MODEL_PARAMETERS];
    size_t parameter_count;
    struct {
        size_t number; /* of device files (sheet.h) */
        Expr *value;
        Span at;
    } outputs[MODEL_OUTPUTS];
    size_t output_count;
    double within; /* relative error up to which a model counts as a description */
    bool robust;
    Span at;
} Model;

typedef struct Models {
    Arena *arena;
    VEC(Model) models;
} Models;

/* Adds the models of a source, which must outlive them; false after messages. */
bool models_read(Models *out, const Source *s, Diag *d);
