/* What programs that measure on a real GPU share: a GPU, kernels compiled for it, a line per trial,
 * and checks that are counted. */
#pragma once

#include "tests/support/gpu.h"

#ifndef SMOKE_ELEMENTS
#define SMOKE_ELEMENTS (1 << 20)
#endif

enum { N = SMOKE_ELEMENTS, RUNS = 5 };

typedef struct Smoke {
    Arena *arena;
    Diag diag;
    Gpu *gpu;
    TaskModule cubin; /* of smoke.cu */
    TaskModule other; /* the same for another capability */
    TaskModule checking;
    int64_t id;
    int failures;
} Smoke;

/* All of a program: opens the GPU, compiles, does the `work`.  Arguments: [HELPER [SOURCE_DIR]].
 * Returns 0 when all came out as expected, 1 when not, 77 (skipped) where there is no GPU or no
 * NVRTC. */
int smoke_main(int argc, char **argv, void (*work)(Smoke *s));

/* Counts a failure and prints it. */
void smoke_check(Smoke *s, bool ok, const char *what);
#define CHECK(s, condition) smoke_check((s), (condition), #condition)

/* Submits a trial, verified, and prints what came of it. */
TrialResult smoke_run(Smoke *s, const char *title, Trial t);

/* Reals from −1 to 1. */
TaskContents smoke_uniform(uint64_t seed);
