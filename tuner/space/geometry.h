/* How a configuration is launched, and what of it no device of a kind can run.
 *
 * Tier 0 is the pruning that needs no compiler: the spec's geometry against the limits of
 * the device. */
#pragma once

#include "metrics/base/outcome.h"
#include "metrics/metric/device.h"
#include "tuner/spec/spec.h"

/* One launch with its expressions evaluated. */
typedef struct Geometry {
    int64_t grid[3];
    int64_t block[3];
    int64_t shared;  /* bytes of dynamic shared memory */
    int64_t threads; /* of a block */
    int64_t blocks;  /* of the grid */
} Geometry;

/* A kernel of a configuration as it is launched, once or several times in a row. */
typedef struct Step {
    size_t launch; /* which of the spec's */
    int64_t times;
    Value value; /* of the launch's repeat name; VALUE_NONE without one */
    Geometry geometry;
    /* Of the arguments' bytes, where they change from configuration to configuration or from step
     * to step; 0 where they don't. */
    uint32_t arguments;
} Step;

/* Launches of one configuration; more are a mistake in a spec. */
enum { STEP_LIMIT = 65536 };

/* The steps of launch `l`, which is the spec's number `number`, in `a`; the slot of its repeat name
 * is written to.  False when arithmetic fails: `ev` says why. */
bool geometry_steps(Arena *a, const Launch *l, size_t number, Value *slots, Evaluation *ev,
                    Step **out, size_t *count);

/* False when arithmetic fails or a product overflows: `ev` says why. */
bool geometry_resolve(const Launch *l, const Value *slots, Evaluation *ev, Geometry *out);

/* The first limit of the device that a launch breaks. */
Outcome tier0_check(const Device *d, const Geometry *g);
