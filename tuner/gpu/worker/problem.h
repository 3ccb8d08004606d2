/* The problem on the device: buffers with their contents, and the reference's outputs.
 *
 * Each buffer lies between two guards.  Everything that kernels must not change (inputs, guards, the
 * reference's outputs, initial contents) gets a checksum, so that problem_check can find stray writes after
 * a trial.  Otherwise, a kernel that writes past its output could silently make all later trials wrong, or
 * right. */
#pragma once

#include "launch.h"

/* --- verify.c: checks on the device, by the kernels of tuner/gpu/compare.cu ------------------- */

typedef struct Verifier {
    Driver *driver;
    DriverModule *module;
    DriverFunction *scale, *compare, *sum, *checksum;
    DriverAddress room; /* for the kernels' results */
} Verifier;

/* An output and its reference, both on the device. */
typedef struct Compared {
    int buffer; /* its index */
    const TaskBuffer *task;
    DriverAddress at, reference;
    TaskScalar scalar; /* of the reference: one in double precision has another type */
    double sums[4];    /* of the reference's lanes, if sums are compared */
    double scale;      /* of the tolerance, set by verify_scale; < 0: each element is its own */
    int64_t gaps;      /* elements that may be left unwritten, if sums are compared */
    bool poisoned;     /* the output held 0xFF bytes before the run */
} Compared;

DriverStatus verify_open(Verifier *v, Driver *driver, const TaskModule *module);
void verify_close(Verifier *v);

/* Facts about the reference's output; sets c->scale. */
DriverStatus verify_scale(Verifier *v, Compared *c, TaskOutput *out);

/* Compares the first `elements`; c->reference is not changed. */
DriverStatus verify_compare(Verifier *v, const Compared *c, int64_t elements, TrialCheck *check);

/* "C: 12 of 4096 elements wrong, …" for a check that failed. */
void verify_explain(const Compared *c, const TrialCheck *check, Buf *words);

/* A checksum of `bytes` (a multiple of 8). */
DriverStatus verify_checksum(Verifier *v, DriverAddress p, size_t bytes, uint64_t *sum);

/* Reads `bytes` (a multiple of 8) on the device, without waiting, so that they replace the contents of the
 * L2 cache. */
DriverStatus verify_touch(Verifier *v, DriverAddress p, size_t bytes);

/* --- problem.c -------------------------------------------------------------------------------- */

/* A region of memory that must not change. */
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
    DriverAddress *at;        /* by buffer: its address; 0: freed */
    DriverTexture **textures; /* by texture of the task */
    uint64_t *handles;        /* of the textures */
    Places places;            /* at and handles, for launches */
    DriverAddress *start;     /* by buffer: a copy of its initial contents; 0: none */
    Compared *outputs;
    TaskOutput *output_facts; /* by output */
    size_t output_count;      /* 0 without a reference */
    Protected *regions;       /* for problem_check */
    size_t region_count;
} Problem;

/* Allocates, fills, runs the reference.  False with the reason in `d`; the caller calls problem_close in
 * either case.  `task` and what it points to must outlive the problem. */
bool problem_open(Problem *p, Arena *a, Driver *v, const TaskProblem *task, Diag *d);
void problem_close(Problem *p);

/* The buffers that are set back before a run, to their contents, or to poison if they have none. */
typedef enum Reset {
    RESET_CONTENTS, /* those with contents that runs change, as a timed run needs */
    RESET_OUTPUTS,  /* the outputs, too; scratch and kept buffers stay as earlier runs left them */
    RESET_ALL       /* for a verified run, which must not suffer from what a failed one left */
} Reset;

DriverStatus problem_reset(Problem *p, Reset reset);

/* True if there is anything to restore. */
bool problem_is_restored(const Problem *p);

/* Checks all protected regions.  *what describes the first that changed, after which the problem has to be
 * set again; NULL: none. */
DriverStatus problem_check(Problem *p, const char **what);
