/* The problem on the device: buffers with their contents, and the reference's outputs.
 *
 * A buffer stands between two guards, and what no kernel may change (inputs, guards, the
 * reference's outputs, the contents to begin with) is summed up once, so that
 * problem_check can tell after a trial whether anything was written that should not
 * have been.  Without it, a kernel that writes past its output could silently make
 * all trials after it wrong, or right. */
#pragma once

#include "driver.h"
#include "launch.h"
#include "tuner/spec/task.h"

/* Checks on the device: outputs against the reference, and what must not change.
 *
 * The kernels are those of tuner/gpu/compare.cu, which came with the problem. */

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

/* A stretch that must keep its bytes. */
typedef struct Protected {
    DriverAddress at;
    size_t bytes;
    uint64_t sum;
    const char *what; /* "past the end of 'C'", for messages */
} Protected;

typedef struct Problem {
    Driver *driver;
    TaskProblem task;
    Verifier verifier;
    DriverAddress *at;        /* each buffer's place; 0: gone */
    DriverTexture **textures; /* of the task's */
    uint64_t *handles;        /* of the textures */
    Places places;            /* the same for launches */
    DriverAddress *start;     /* its contents to begin a run with; 0 when nothing is kept */
    Compared *outputs;        /* outputs with the reference's version of them */
    TaskOutput *output_facts; /* as many */
    size_t output_count;      /* 0 without a reference */
    Protected *regions;       /* what problem_check looks at */
    size_t region_count;
} Problem;

/* Allocates, fills, runs the reference.  False with the reason in `d`; problem_close is called in
 * either case.  `task` and what it points to must outlive the problem. */
bool problem_open(Problem *p, Arena *a, Driver *v, const TaskProblem *task, Diag *d);
void problem_close(Problem *p);

/* Brings the buffers into the state in which a verified run begins: contents where there are
 * any, poison where there are none. */
DriverStatus problem_reset(Problem *p);

/* The same for all buffers except scratch and kept ones, which stay as earlier runs left them. */
DriverStatus problem_reset_outputs(Problem *p);

/* The same for buffers with contents only: what a timed run needs. */
DriverStatus problem_restore(Problem *p);

/* Is there anything to restore? */
bool problem_is_restored(const Problem *p);

/* Whether all that must not change is unchanged; if not, *what names it, and the problem has to
 * be set anew. */
DriverStatus problem_check(Problem *p, const char **what);
