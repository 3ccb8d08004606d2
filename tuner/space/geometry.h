/* How a configuration is launched, and whether a device can run that.
 *
 * Tier 0 is the pruning that needs no compiler: it checks the spec's geometry against the device's limits. */
#pragma once

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

/* A launch of a kernel, once or several times in a row. */
typedef struct Step {
    size_t launch; /* number in the spec */
    int64_t times;
    Value value; /* of the launch's repeat name; VALUE_NONE without one */
    Geometry geometry;
    uint32_t arguments; /* hash of their bytes if configurations or steps differ in them, else 0 */
} Step;

typedef VEC(Step) Steps;

/* Most launches of one configuration; more are taken for a mistake in the spec. */
enum { STEP_LIMIT = 65536 };

/* The steps of launch `l`, number `number` of the spec, in `a`; none where it repeats 0 times.  Overwrites the slot of its repeat name.
 * False when arithmetic fails: `ev` says why. */
bool geometry_steps(Arena *a, const Launch *l, size_t number, Value *slots, Evaluation *ev,
                    Steps *out);

/* Puts the steps of launches that repeat together, in the order of `launches`, into that in which they run. */
void geometry_interleave(Arena *a, const Launch *launches, size_t count, Steps *steps);

/* False when arithmetic fails or a product overflows: `ev` says why. */
bool geometry_resolve(const Launch *l, const Value *slots, Evaluation *ev, Geometry *out);

/* The first limit of the device that a launch breaks. */
Outcome tier0_check(const Device *d, const Geometry *g);
