/* Is a spec sound?  Found out without running anything on a GPU.
 *
 * Beyond what reading finds: contents can be made and files fit, the first configuration and the
 * reference compile, every kernel's parameters are what the spec gives it (by the PTX entry),
 * variables exist and have the right size, and no access that the static walk could follow lies
 * outside the buffer it begins in; each parameter is used, outputs are written and inputs are not,
 * buffers have the types of the kernel's declaration.  The configurations at the ends of each
 * parameter are compiled, too: that some fail or need too much is counted and no mistake. */
#ifndef APTUNE_RUN_CHECK_H
#define APTUNE_RUN_CHECK_H

#include "tuner/run/run.h"

/* What was looked at. */
typedef struct RunCheck {
    size_t kernels;         /* compiled and compared with the spec */
    size_t accesses;        /* warp accesses of buffers that were followed to their addresses */
    size_t extremes;        /* configurations with the least or the most of a parameter */
    size_t failed;          /* of them, those that do not compile */
    size_t unlaunchable;    /* … and that compile, and no multiprocessor holds a block of */
    const char *uncompiled; /* why nothing could be compiled; NULL: it could */
} RunCheck;

/* Checks a run that is open.  False after messages. */
bool run_check(Run *r, RunCheck *out);

/* Of each argument the elements that the walk through the first configuration reaches, where its
 * buffer has fewer, else 0; NULL after messages. */
const int64_t *run_check_reach(Run *r);

#endif
