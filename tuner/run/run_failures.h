/* Why configurations failed, alike ones together: "21 × static assertion: tile too large". */
#ifndef APTUNE_RUN_FAILURES_H
#define APTUNE_RUN_FAILURES_H

#include "tuner/run/run.h"

typedef struct FailureGroup {
    const char *text; /* of the first */
    size_t count;
    size_t example; /* the first row */
} FailureGroup;

/* Those of rows that did not compile, in `a`, the most frequent first; how many there are. Messages
 * that differ in numbers alone are alike. */
size_t run_failures(Arena *a, const Run *r, const FailureGroup **out);

/* "21 × text, e.g. TX=32 TY=32" */
void run_failure_print(const Run *r, const FailureGroup *g, Buf *out);

#endif
