/* Checks on the device: outputs against the reference, and what must not change.
 *
 * The kernels are those of tuner/gpu/compare.cu, which came with the problem. */
#ifndef APTUNE_GPU_WORKER_VERIFY_H
#define APTUNE_GPU_WORKER_VERIFY_H

#include "driver.h"
#include "tuner/spec/task.h"

typedef struct Verifier {
    Driver *driver;
    DriverModule *module;
    DriverFunction *scale, *compare, *sum, *checksum;
    DriverAddress room; /* where the kernels leave their results */
} Verifier;

/* An output and what it should be, both on the device. */
typedef struct Compared {
    int buffer; /* its index */
    const TaskBuffer *task;
    DriverAddress at, reference;
    TaskScalar scalar; /* of the reference: a double-precision one has another type */
    double sums[4];    /* of the reference's lanes, where sums are compared */
    double scale;      /* of the tolerance, as verify_scale found it; < 0: each element its own */
    int64_t gaps;      /* elements that may be left unwritten, where sums are compared */
    bool poisoned;     /* the output held 0xFF bytes before the run */
} Compared;

DriverStatus verify_open(Verifier *v, Driver *driver, const TaskModule *module);
void verify_close(Verifier *v);

/* What the reference made of an output; sets c->scale. */
DriverStatus verify_scale(Verifier *v, Compared *c, TaskOutput *out);

/* Compares the first `elements`; c->reference is not changed. */
DriverStatus verify_compare(Verifier *v, const Compared *c, int64_t elements, TrialCheck *check);

/* "C: 12 of 4096 elements wrong, …" for a check that found something. */
void verify_explain(const Compared *c, const TrialCheck *check, Buf *words);

/* A number that changes when any of `bytes` (a multiple of 8) does. */
DriverStatus verify_checksum(Verifier *v, DriverAddress p, size_t bytes, uint64_t *sum);

/* Reads all of `bytes` (a multiple of 8) on the device, without waiting: they are in the L2 cache
 * then, and what was there is not. */
DriverStatus verify_touch(Verifier *v, DriverAddress p, size_t bytes);

#endif
