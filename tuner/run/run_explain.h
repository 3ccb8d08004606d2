/* What explaining one configuration needs beyond the stages of a run. */
#ifndef APTUNE_RUN_EXPLAIN_H
#define APTUNE_RUN_EXPLAIN_H

#include "metrics/ptx/memory.h"
#include "tuner/run/run.h"

/* Takes the recorded outcome of configuration `i` into the run, if there is one of its very code
 * and geometry. */
void run_take_outcome(Run *r, size_t i);

/* The launch that the profile of configuration `i` is about. */
size_t run_profiled_launch(const Run *r, size_t i);

/* What the profile of configuration `i` is made from, its code compiled once more (from the cache where
 * that was done before).  Lives in the run's arena.  False with a message. */
bool run_profiled_input(Run *r, size_t i, ProfileInput *out, Diag *d);

/* The accesses of a launch with their places in the source. */
typedef struct RunLines {
    const Memory *memory;    /* NULL when not known */
    const PtxModule *module; /* names the source's files */
    const char *why_not;     /* NULL when known */
} RunLines;

/* Compiles configuration `i` once more, with line numbers (from the cache where that was done
 * before), and follows its warps.  Lives in the run's arena.  Never fails: says why it cannot. */
RunLines run_follow_lines(Run *r, size_t i);

#endif
