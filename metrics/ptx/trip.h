/* Trip counts of counted loops, found statically.
 *
 * A loop is counted if a test that every iteration makes compares a register that each iteration changes by
 * a constant with a loop-invariant value, and the start and the bound are constants or affine in kernel
 * parameters and special registers:
 *
 *     for (k = 0; k < K; k += 16)      trips = (param_5 + 15) / 16
 *
 * The count is that of the test: another exit may end the loop earlier (`other_exits`). A formula is valid
 * where it is not negative; a test at the bottom means at least one trip. */
#pragma once

#include "metrics/ptx/flow.h"
#include "metrics/ptx/ptx_eval.h"

enum { TRIP_TERMS = 4 };

/* A parameter or a special register. */
typedef struct TripAtom {
    const PtxVariable *param; /* NULL: `special` */
    int64_t offset;           /* within it */
    PtxType type;             /* as loaded */
    PtxSpecial special;
    bool moving; /* internal: the value of register `offset` at an iteration's start */
} TripAtom;

/* constant + sum of factor × atom */
typedef struct TripAffine {
    int64_t constant;
    int count;
    TripAtom atoms[TRIP_TERMS];
    int64_t factors[TRIP_TERMS];
} TripAffine;

typedef struct Trip {
    bool known;
    const char *reason; /* why it is unknown */
    TripAffine start;   /* value of the compared register before the loop */
    TripAffine bound;
    int64_t step;
    PtxCompare compare; /* the loop continues while register `compare` bound */
    bool at_bottom;     /* the test follows the body: at least one trip */
    bool other_exits;
    TripAffine sum; /* trips = sum / divisor, rounded down */
    int64_t divisor;
} Trip;

Trip trip_find(const Flow *w, int loop);

/* "256", "(param_5 + 15) / 16", "unknown, because …". */
void trip_print(const Trip *t, Buf *out);
