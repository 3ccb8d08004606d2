/* Walks one warp through a kernel.
 *
 * Loads from memory that the launch does not write have values where the caller knows them (WalkData). So
 * do loads from memory that it writes, as long as no path to them synchronises with other threads
 * (walk_slice.h): until then a thread finds what was there before the launch or what it stored itself. All
 * other loads are unknown.
 *
 * Only a slice is computed, for the 32 lanes of one warp of one block: the instructions that branch
 * predicates depend on and, with `memory`, those that addresses and guards of memory accesses depend on.
 * Everything else is counted per block. Iterations that are proven to repeat are counted without being
 * walked (walk_skip.h). Lanes that diverge at a branch are walked one side after the other and reconverge
 * at its immediate post-dominator, or with `meets` at some branches earlier (flow_meets). If a predicate is
 * unknown (it depends on memory), both sides are walked and what differs becomes unknown (if there are too
 * many such branches, lanes take one side each: walk_branch.h); a loop with an unknown exit is left after a
 * stated number of iterations; an unknown early exit of an otherwise counted loop is never taken. Each of
 * these leaves a note.
 *
 * A wait succeeds at once: on an mbarrier, and for another thread's write (a loop that loads .volatile,
 * .relaxed or .acquire, or exchanges, and makes no store visible to others), which leaves a note. So spin
 * loops run once. `exit` in a called function only returns from it.
 *
 * `instr` counts the PTX instructions that a warp issues (ptx_issues), including those under a false guard;
 * `instr_all` counts all.
 *
 * Regions (S. Ryoo, "Program Optimization Strategies for Data-Parallel Many-Core Processors", Illinois
 * 2008, 5.3.2) are the intervals between the start, instructions that wait, and the end. An instruction
 * waits if it reads the result of a load from global or local memory, a texture or an atomic with a result,
 * and no instruction has waited since that was issued; cp.async.wait waits likewise, and so does a barrier.
 * Loads are assumed to issue as early as their block allows (before other waits, not across barriers,
 * calls, or stores that may alias), as ptxas does and figure 5.6 of the thesis assumes. */
#pragma once

#include "metrics/ptx/access.h"
#include "metrics/ptx/ptx_eval.h"

/* --- options and results --------------------------------------------------------------------- */

typedef struct WalkPlan WalkPlan;
typedef struct WalkFunction WalkFunction;

typedef struct WalkPublished WalkPublished;

/* What one warp of a block has published to the others. */
typedef struct WalkSibling {
    PtxPlace place;
    const WalkPublished *published; /* NULL: not walked yet */
} WalkSibling;

/* Plans of functions for further walks of the module with the same `memory`, in their arena. Starts as
 * zero. */
typedef struct WalkPlans {
    VEC(WalkPlan *) plans;
    /* The first and the last warp of the current block (walk_values.c). */
    WalkSibling siblings[2];
    bool rough; /* operands of divisions and lanes' stores are not followed */
} WalkPlans;

/* Called for every access that is walked before a branch that is not known, with the addresses of the active `lanes` and
 * bytes per lane. */
typedef struct WalkTouch {
    void *context;
    void (*touch)(void *context, const uint64_t *address, uint32_t lanes, int bytes);
} WalkTouch;

/* Known contents of memory, which give loads values. */
typedef struct WalkData {
    void *context;
    /* The `bytes` (1 to 8) at an address, little-endian; false if unknown or written by the launch. */
    bool (*load)(void *context, uint64_t address, int bytes, uint64_t *value);
    /* The same before the launch, which may write there; NULL: nothing is known. */
    bool (*before)(void *context, uint64_t address, int bytes, uint64_t *value);
    /* The address at which `load` has the contents of a module variable. */
    bool (*symbol)(void *context, const char *name, uint64_t *address);
    /* The contents before the first of all launches; NULL: as `before`. */
    bool (*first)(void *context, uint64_t address, int bytes, uint64_t *value);
    const char *fault; /* why some contents cannot be had; NULL: all can */
} WalkData;

/* One execution of a group of global-memory accesses with known addresses. Of skipped iterations
 * (walk_skip.h) one stretch is kept, with the number of times that it repeats. */
typedef struct WalkPass {
    const WalkFunction *function;
    int group;
    uint32_t lanes;           /* active ones */
    uint32_t stretch;         /* passes that repeat together; 0: those that do not repeat */
    uint64_t times;           /* repetitions */
    int64_t step;             /* of the addresses per repetition */
    uint64_t base[PTX_LANES]; /* the group's base, without the offsets of its sites */
} WalkPass;

/* Iterations per entry of a loop whose trip count is data. */
typedef struct WalkTrips {
    uint32_t line, last; /* in the kernel's own source file; needs .loc in the PTX */
    double rounds;       /* on average */
} WalkTrips;

typedef struct WalkOptions {
    PtxLaunch launch;
    PtxPlace place;
    uint32_t default_trips; /* of a loop with an unknown exit; 0: WALK_DEFAULT_TRIPS */
    uint64_t max_steps;     /* some 45 ns each (bench_profile); 0: WALK_MAX_STEPS */
    bool memory;            /* follow addresses too and price every access */
    const WalkTouch *touch; /* NULL: nobody listens; needs `memory` */
    const WalkData *data;   /* NULL: loads have no values */
    const WalkTrips *trips; /* stated trip counts of loops with unknown exits */
    size_t trip_count;
    bool passes;       /* keep passes, at most WALK_PASSES; needs `memory` */
    uint64_t estimate; /* extra steps for estimating the rest of loops (walk_rest.c) */
    bool last;         /* its block takes the last of the tickets (walk_values.h) */
    bool meets;        /* reconverge early where flow_meets says so, in the entry */
    bool plain;        /* walk every iteration, never skip */
    WalkPlans *plans;  /* NULL: plans are not reused */
} WalkOptions;

enum {
    WALK_DEFAULT_TRIPS = 16,
    WALK_MAX_STEPS = 4000000,
    WALK_CALL_DEPTH = 8,
    WALK_PASSES = 1024,
    WALK_PHASES = 8, /* of waits within a segment that are told apart */
    WALK_MAX_REGISTERS = 1 << 16
};

typedef struct WalkBlock {
#define WALK_BLOCK(name, meaning) uint64_t name;
#include "metrics/ptx/walk_counters.def"
    bool unknown_branch; /* its branch was undecided for some lane */
} WalkBlock;

typedef struct WalkLoop {
#define WALK_LOOP(name, meaning) uint64_t name;
#include "metrics/ptx/walk_counters.def"
    bool stated;        /* left after its stated trip count */
    bool defaulted;     /* left after the default number of iterations */
    bool early_ignored; /* an unknown exit was never taken */
    bool waited; /* an unknown exit was taken at once: waits for another thread, or tries again */
} WalkLoop;

/* In the notes of a walk that left the early exit of a loop out. */
#define WALK_EARLY_EXIT "an early exit"

/* What was assumed at an instruction; without a function, in the walk. */
typedef struct WalkNote {
    const PtxFunction *function;
    size_t instr;
    const char *text;
} WalkNote;

enum { DOUBLING = 16 }; /* of WalkAccess.doublings */

enum { WALK_PLACES = 8 }; /* over which an execution at an unknown address is summed */

/* The total of one cost (access.h). */
typedef struct WalkAccess {
#define WALK_ACCESS(name, meaning) uint64_t name;
#include "metrics/ptx/walk_counters.def"
    PtxSpace space; /* of the addresses; of generic accesses, of the first one */
} WalkAccess;

/* Alignment of a group's bases modulo 16, over all lanes and executions. */
typedef struct WalkAlign {
    bool seen;
    uint64_t first;   /* the first base */
    uint32_t residue; /* of the first base */
    uint32_t varying; /* bits in which others differ */
} WalkAlign;

/* A place in a kernel; its start or end if function is NULL. */
typedef struct WalkSpot {
    const PtxFunction *function;
    size_t instr;
} WalkSpot;

typedef enum WalkStop {
    WALK_STOP_BARRIER,
    WALK_STOP_LOAD,  /* waits for global memory, texture, atomic, asynchronous copy */
    WALK_STOP_LOCAL, /* waits for local memory */
    WALK_STOP_END
} WalkStop;

/* Execution between two stalls (walk_region.h). The counters are sums over its executions. */
typedef struct WalkRegion {
    int sync; /* its synchronization region */
    WalkSpot from, to;
    WalkStop stop; /* what ends it */
#define WALK_REGION(name, meaning) double name;
#include "metrics/ptx/walk_counters.def"
} WalkRegion;

typedef VEC(WalkRegion) WalkRegionList;

/* A synchronization region, from one barrier to the next. */
typedef struct WalkSync {
    WalkSpot from, to;
} WalkSync;

/* Results for one function. */
struct WalkFunction {
    const PtxFunction *function;
    const Flow *flow;
    WalkPlan *plan;
    WalkBlock *blocks;
    WalkLoop *loops;
    const int *meets;         /* by branching block: early reconvergence; NULL: none */
    const Accesses *accesses; /* NULL without `memory` */
    WalkAccess *costs;        /* by cost of `accesses` */
    WalkAlign *aligns;        /* by group of `accesses` */
    uint64_t calls;
};

typedef enum WalkRoutineKind {
    WALK_DIVISIONS, /* 32 bits */
    WALK_OTHERS,    /* roots, reciprocals, 64-bit divisions */
    WALK_ROUTINES
} WalkRoutineKind;

typedef struct WalkRoutine {
#define WALK_ROUTINE(name, meaning) double name;
#include "metrics/ptx/walk_counters.def"
} WalkRoutine;

typedef struct Walk {
    VEC(WalkFunction *) functions; /* entry first, then callees */
#define WALK_SUM(name, meaning)   double name;
#define WALK_TOTAL(name, meaning) double name;
#include "metrics/ptx/walk_counters.def"
    double by_class[PTX_CLASS_COUNT]; /* warp instructions */
    double loads[PTX_SPACE_COUNT];    /* warp instructions by space as written */
    double stores[PTX_SPACE_COUNT];
    WalkRoutine routines[WALK_ROUTINES];
    WalkRegionList stall_regions;
    VEC(WalkSync) syncs;
    VEC(WalkPass) passes; /* in execution order */
    bool passes_cut;      /* some were not kept */
    uint32_t lanes;       /* threads in the warp */
    uint64_t steps;
    uint64_t skipped; /* iterations counted without being walked */
    /* Instructions in `instr` of iterations assumed to be like earlier ones after max_steps. */
    double estimated;
    bool capped; /* max_steps were reached */
    /* … but the rest was estimated up to the end; otherwise the counts are lower bounds. */
    bool ended;
    bool sibling_cut;     /* steps did not suffice for a sibling warp (walk_values.c) */
    uint64_t data_loads;  /* loads with a looked-up value */
    bool fine;            /* operands of divisions or lanes' stores were followed */
    bool took_turns;      /* some lanes took one side each of an unknown branch */
    int unknown_branches; /* places */
    int unknown_loops;
    VEC(WalkNote) notes;
} Walk;

/* --- the walk -------------------------------------------------------------------------------- */

/* "function, line 7 of k.cu: text" */
const char *walk_note_text(Arena *a, const WalkNote *n);

/* Walks one warp of an entry. Never fails; the result is in `a`, its `notes` say what was assumed. */
Walk *walk_warp(Arena *a, const PtxFunction *entry, const WalkOptions *o);

/* The results for a function; NULL if it was not reached. */
WalkFunction *walk_find(const Walk *w, const PtxFunction *f);

typedef struct WalkUnknown {
    /* Instructions in loops with unknown trip counts or exits; all of them if the walk was cut off. */
    double in_loops;
    /* Others between unknown branches and their reconvergence. */
    double behind_branches;
    double accesses; /* loads and stores among both */
    double calls; /* outside of the latter: of functions whose code is not here, such as vprintf */
} WalkUnknown;

/* What the warp may have executed more or less often than counted. */
WalkUnknown walk_unknown(Arena *a, const Walk *w);

/* Approximate machine instructions of a routine: a division of 0 (CUDA 13.0, sm_90). */
enum { WALK_ROUTINE_INSTR = 35 };

/* Instructions that stand for a call of code that is not here: a printf of about a dozen characters on an H100
 * (logic-rewrite in tests/data/counters/first-specs.csv: 13,968 more than known by two of them). */
enum { WALK_CALL_INSTR = 7000 };

/* The work of a warp, for comparing warps: `instr` plus the routines it calls. */
double walk_work(const Walk *w);
