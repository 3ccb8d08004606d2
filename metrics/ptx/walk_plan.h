/* What a walk needs to know of a function, worked out once: the control slice, the events that
 * delimit regions, and the static counts of each block.  Internal to metrics/ptx. */
#ifndef APTUNE_PTX_WALK_PLAN_H
#define APTUNE_PTX_WALK_PLAN_H

#include "metrics/ptx/walk.h"

typedef enum WalkLatency {
    WALK_NO_LATENCY,
    WALK_SFU,
    WALK_LOCAL,
    WALK_LONG,
    WALK_LATENCY_COUNT
} WalkLatency;

enum { WALK_PHASES = 8 }; /* told apart */

typedef enum WalkEventKind {
    WALK_CONSUME, /* reads registers that a slow instruction may have written */
    WALK_ISSUE,   /* writes registers late */
    WALK_BARRIER,
    WALK_COMMIT, /* cp.async.commit_group */
    WALK_WAIT,   /* cp.async.wait_group: all but `number` groups */
    WALK_WORK    /* `number` instructions that walk_counts */
} WalkEventKind;

typedef struct WalkEvent {
    WalkEventKind kind;
    WalkLatency latency; /* WALK_ISSUE */
    int phase;           /* waits inside the segment that come before it */
    int number;
    size_t instr;
    int *regs;
    int count;
} WalkEvent;

/* A place in the parameter space of calls: it holds a value like a register. */
typedef struct WalkCell {
    const PtxVariable *variable;
    int64_t offset;
    int bytes;
} WalkCell;

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
typedef struct WalkShare {
    int cost;
    int segment; /* of the block */
    int phase;   /* at most WALK_PHASES - 1 */
    int sites;
} WalkShare;

typedef struct WalkPlanBlock {
    WalkStep *steps; /* in order */
    size_t step_count;
    WalkEvent *events; /* those of a segment by phase */
    size_t event_count;
    WalkSegment *segments; /* at least one */
    size_t segment_count;
    uint32_t instrs; /* those that walk_counts */
    uint32_t all;
    uint32_t by_class[PTX_CLASS_COUNT];
    uint32_t loads[PTX_SPACE_COUNT];
    uint32_t stores[PTX_SPACE_COUNT];
    uint32_t load_bytes[PTX_SPACE_COUNT]; /* of one lane */
    uint32_t store_bytes[PTX_SPACE_COUNT];
} WalkPlanBlock;

/* Registers and cells of the state that may be written between a branch and where its ways meet. */
typedef struct WalkWritten {
    int meeting; /* block */
    VEC(int) registers;
} WalkWritten;

/* A register or cell of the state that is read before it is written behind a loop's header. */
typedef VEC(int) WalkLive;

struct WalkPlan {
    const Flow *flow;
    const Accesses *accesses; /* NULL: addresses are not followed */
    WalkPlanBlock *blocks;
    VEC(WalkCell) cells;
    int *cell_of;          /* by instruction; CFG_NONE when it reads or writes no cell */
    bool *in_slice;        /* by instruction */
    int *homes;            /* by instruction: of what it stores or loads (walk_stored.h) */
    VEC(int) state;        /* registers and cells (behind the registers) that the slice writes */
    VEC(int) late;         /* registers that some slow instruction writes */
    WalkWritten **written; /* by block that branches; NULL until a fork asks (walk_fork.c) */
    WalkLive *live;        /* by loop: what its header needs of the state */
    double *rounds;        /* by loop: as is said of it (walk_stated.h) */
    bool *waits;           /* by loop: it waits for what another thread writes */
    VEC(WalkShare) shares; /* those of a cost together */
    int *first_share;      /* by cost, and one more for the end */
    size_t most_segments;  /* of a block */
};

/* The plan of a function; with `memory`, addresses and guards of memory accesses are in the slice;
 * with `data`, so are those of loads that the slice needs; `rough` as WalkPlans has it. */
WalkPlan *walk_plan_build(Arena *a, const PtxFunction *f, bool memory, bool data, bool rough);

/* Could a load of this form have a value (WalkData)? */
bool walk_loads_data(const PtxForm *f);

/* The cell of a variable at an offset; CFG_NONE when there is none. */
int walk_plan_cell(const WalkPlan *p, const PtxVariable *v, int64_t offset, int bytes);

#endif
