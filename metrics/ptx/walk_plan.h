/* What a walk needs to know about a function, computed once: what to evaluate, the events that delimit
 * regions, and the static counts of each block. Internal to metrics/ptx. */
#pragma once

#include "metrics/ptx/walk_slice.h"

typedef enum WalkLatency {
    WALK_NO_LATENCY,
    WALK_SFU,
    WALK_LOCAL,
    WALK_LONG,
    WALK_LATENCY_COUNT
} WalkLatency;

typedef enum WalkEventKind {
    WALK_CONSUME, /* reads registers that a slow instruction may write */
    WALK_ISSUE,   /* a slow instruction writes registers */
    WALK_BARRIER,
    WALK_COMMIT, /* cp.async.commit_group */
    WALK_WAIT,   /* cp.async.wait_group, for all but `number` groups */
    WALK_WORK    /* `number` instructions that ptx_issues */
} WalkEventKind;

typedef struct WalkEvent {
    WalkEventKind kind;
    WalkLatency latency; /* WALK_ISSUE */
    int phase;           /* preceding waits in the segment */
    int number;
    size_t instr;
    PtxUses regs;
} WalkEvent;

typedef enum WalkStepKind {
    WALK_STEP_COMPUTE, /* an instruction of the slice */
    WALK_STEP_CALL,
    WALK_STEP_ACCESS /* a group of accesses, at its first site */
} WalkStepKind;

typedef struct WalkStep {
    WalkStepKind kind;
    size_t at; /* instruction, or group */
} WalkStep;

/* Instructions up to a barrier, a wait for copies or a call, which is the next segment's first step. */
typedef struct WalkSegment {
    size_t steps, events; /* where it ends in the block's */
} WalkSegment;

/* Sites of one cost in one phase of a segment. */
typedef struct WalkPhaseSites {
    int segment; /* of the block */
    int phase;   /* at most WALK_PHASES - 1 */
    int sites;
} WalkPhaseSites;

typedef VEC(WalkPhaseSites) WalkPhases;

typedef struct WalkPlanBlock {
    VEC(WalkStep) steps;
    VEC(WalkEvent) events;     /* ordered by phase within a segment */
    VEC(WalkSegment) segments; /* at least one */
    uint32_t instrs;           /* instructions that ptx_issues */
    uint32_t all;
    uint32_t by_class[PTX_CLASS_COUNT];
    uint32_t loads[PTX_SPACE_COUNT];
    uint32_t stores[PTX_SPACE_COUNT];
    uint32_t bulk_loads, bulk_stores; /* bytes per lane */
} WalkPlanBlock;

/* Why an unknown exit of a loop is taken at once: it waits for another thread's write, or tries again if
 * another thread was faster. */
typedef enum WalkWait { WALK_NO_WAIT, WALK_WAITS, WALK_TRIES_AGAIN } WalkWait;

/* Registers and cells of the state that may be written between a branch and its reconvergence. */
typedef struct WalkWritten {
    int reconvergence; /* block */
    VEC(int) registers;
} WalkWritten;

struct WalkPlan {
    const Flow *flow;
    const Accesses *accesses; /* NULL: addresses are not computed */
    WalkPlanBlock *blocks;
    WalkSlice slice;
    VEC(int) late;              /* registers that a slow instruction writes */
    WalkWritten **written;      /* by branching block; NULL until a fork needs it (walk_branch.c) */
    int *meets;                 /* by block, from flow_meets; NULL: no early reconvergence */
    double *rounds;             /* by loop: stated trip count (walk_branch.h) */
    WalkWait *waits;            /* by loop */
    WalkPhases *phases;         /* by cost */
    size_t most_segments;       /* largest number in a block */
    const PtxInstr *tickets_by; /* the last atomic that gave a ticket; do all warps execute it? */
    bool each_takes;
};

/* The plan of a function; with `memory`, addresses and guards are computed. Others as for walk_slice_find. */
WalkPlan *walk_plan_build(Arena *a, const PtxFunction *f, bool memory, bool data, bool rough);

/* What a bulk copy moves from or to global memory, each byte once; addresses are not followed. */
typedef struct BulkCopy {
    bool known;             /* the size is known, and all active lanes start one */
    uint32_t loads, stores; /* bytes of global memory */
} BulkCopy;

/* Known for plain, unguarded copies of constant size; not for tensors (their maps are the host's) or
 * reductions. */
BulkCopy bulk_copy(const Flow *flow, const PtxInstr *in);
