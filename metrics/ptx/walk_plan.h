/* What a walk needs to know of a function, worked out once: what is computed, the events that
 * delimit regions, and the static counts of each block.  Internal to metrics/ptx. */
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
    WALK_CONSUME, /* reads registers that a slow instruction may have written */
    WALK_ISSUE,   /* writes registers late */
    WALK_BARRIER,
    WALK_COMMIT, /* cp.async.commit_group */
    WALK_WAIT,   /* cp.async.wait_group: all but `number` groups */
    WALK_WORK    /* `number` instructions that ptx_issues */
} WalkEventKind;

typedef struct WalkEvent {
    WalkEventKind kind;
    WalkLatency latency; /* WALK_ISSUE */
    int phase;           /* waits inside the segment that come before it */
    int number;
    size_t instr;
    PtxUses regs;
} WalkEvent;

typedef enum WalkStepKind {
    WALK_STEP_COMPUTE, /* an instruction of the slice */
    WALK_STEP_CALL,
    WALK_STEP_ACCESS /* a group of accesses, at the first of them */
} WalkStepKind;

typedef struct WalkStep {
    WalkStepKind kind;
    size_t at; /* instruction, or group */
} WalkStep;

/* Instructions up to a barrier, a wait for copies or a call; a call itself is the first step of the
 * next one. */
typedef struct WalkSegment {
    size_t steps, events; /* where it ends in those of the block */
} WalkSegment;

/* Accesses of one cost that belong to one phase of a segment. */
typedef struct WalkPhaseSites {
    int segment; /* of the block */
    int phase;   /* at most WALK_PHASES - 1 */
    int sites;
} WalkPhaseSites;

typedef VEC(WalkPhaseSites) WalkPhases;

typedef struct WalkPlanBlock {
    VEC(WalkStep) steps;       /* in order */
    VEC(WalkEvent) events;     /* those of a segment by phase */
    VEC(WalkSegment) segments; /* at least one */
    uint32_t instrs;           /* those that ptx_issues */
    uint32_t all;
    uint32_t by_class[PTX_CLASS_COUNT];
    uint32_t loads[PTX_SPACE_COUNT];
    uint32_t stores[PTX_SPACE_COUNT];
    uint32_t load_bytes[PTX_SPACE_COUNT]; /* of one lane */
    uint32_t store_bytes[PTX_SPACE_COUNT];
    uint32_t bulk_loads, bulk_stores, bulk_copies; /* bytes of one lane; how many it starts */
} WalkPlanBlock;

/* Registers and cells of the state that may be written between a branch and where its ways reconverge. */
typedef struct WalkWritten {
    int reconvergence; /* block */
    VEC(int) registers;
} WalkWritten;

struct WalkPlan {
    const Flow *flow;
    const Accesses *accesses; /* NULL: addresses are not followed */
    WalkPlanBlock *blocks;
    WalkSlice slice;
    VEC(int) late;            /* registers that some slow instruction writes */
    WalkWritten **written;    /* by block that branches; NULL until a fork asks (walk_branch.c) */
    int *meets;               /* by block, as flow_meets has them; NULL: lanes do not meet there */
    double *rounds;           /* by loop: as is said of it (walk_branch.h) */
    bool *waits;              /* by loop: it waits for what another thread writes */
    WalkPhases *phases;       /* by cost */
    size_t most_segments;     /* of a block */
    const PtxInstr *asked_by; /* the last that gave a ticket, and do all warps ask? */
    bool each_asks;
};

/* The plan of a function; with `memory`, addresses and guards of memory accesses are followed; `data` and `rough` as walk_slice_find has them. */
WalkPlan *walk_plan_build(Arena *a, const PtxFunction *f, bool memory, bool data, bool rough);

/* Bulk copies: what a lane that starts one moves from or to global memory, by the copy engine.  Each
 * byte is touched once; addresses are not followed. */
typedef struct BulkCopy {
    bool known;             /* how much it moves, and that all active lanes start one */
    uint32_t loads, stores; /* bytes of global memory */
} BulkCopy;

/* Known where the size is a constant, of plain copies without a guard: not of tensors, whose size is
 * in a map that the host makes, nor of reductions. */
BulkCopy bulk_copy(const Flow *flow, const PtxInstr *in);
