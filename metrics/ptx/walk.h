/* One warp followed through a kernel.
 *
 * Loads from memory that the launch does not write have values where the caller knows them
 * (WalkData).  So have those from memory that it writes, as long as no way to them synchronises with other threads
 * (walk_slice.h): without, a thread finds what stood there before, or what it has stored itself.  All others
 * are unknown.
 *
 * Only a slice is computed, for the 32 lanes of one warp of one block: the instructions that branch
 * predicates depend on and, with `memory`, those that addresses and guards of memory accesses
 * depend on.  Everything else is counted per block.  Iterations of a loop that are proven to do
 * the same again are counted without being walked (walk_skip.h).  Lanes that diverge
 * at a branch are walked one side after the other and reconverge at the branch's immediate
 * post-dominator, or with `meets` some before it (flow_meets).  Where a predicate is not known (it depends on memory), both sides are walked and
 * what differs becomes unknown (of too many such branches, lanes take one way each: walk_branch.h); a
 * loop whose exit is not known is left after a stated number of iterations; an unknown early exit of a
 * loop that is counted otherwise is taken as never happening.  Each of these leaves a note.
 *
 * A wait succeeds at once: on an mbarrier, and for what another thread writes (a loop that loads
 * .volatile, .relaxed or .acquire, or exchanges, and stores nothing others see), which leaves a
 * note; so loops that spin run once.  `exit` in a called function only returns from it.
 *
 * `instr` counts the PTX instructions that a warp issues (ptx_issues), those under a false guard
 * included; `instr_all` counts all.
 *
 * Regions (S. Ryoo, "Program Optimization Strategies for Data-Parallel Many-Core Processors",
 * Illinois 2008, 5.3.2): intervals between the start, instructions that wait, and the end.  An
 * instruction waits when it reads the result of a load from global or local memory, a texture or an
 * atomic with result and no instruction has waited since that load was issued; cp.async.wait
 * waits likewise, and so does a barrier.  Loads are taken as issued as early as their block allows
 * (before other waits, not across barriers, calls, or stores that may alias), as ptxas does and
 * as the thesis assumes in figure 5.6. */
#pragma once

#include "metrics/ptx/access.h"
#include "metrics/ptx/ptx_eval.h"

/* --- what it is asked for and what it gives ------------------------------------------------------ */

typedef struct WalkPlan WalkPlan;
typedef struct WalkFunction WalkFunction;

typedef struct WalkTold WalkTold;

/* What a warp has told others of its block. */
typedef struct WalkSibling {
    PtxPlace place;
    const WalkTold *told; /* NULL: not followed yet */
} WalkSibling;

/* What was worked out about functions before walking, kept for further walks of the same module
 * with the same `memory`.  Start with zero; lives in the arena of the walks. */
typedef struct WalkPlans {
    VEC(WalkPlan *) plans;
    WalkSibling
        siblings[2]; /* the first warp of the block under way, and the last (walk_values.c) */
    bool rough;      /* neither operands of divisions nor what lanes store are followed */
} WalkPlans;

/* Told the addresses of every access that is followed: `lanes` are the active ones, `bytes` those
 * of one lane.  Accesses of iterations that are skipped are not told. */
typedef struct WalkTouch {
    void *context;
    void (*touch)(void *context, const uint64_t *address, uint32_t lanes, int bytes);
} WalkTouch;

/* What stands in memory: loads from there have values. */
typedef struct WalkData {
    void *context;
    /* The `bytes` (1 to 8) at an address, the lowest first; false when they are not known, or the launch may write
     * there. */
    bool (*load)(void *context, uint64_t address, int bytes, uint64_t *value);
    /* The same of what stood there before the launch, which may write there; NULL: nothing is known. */
    bool (*before)(void *context, uint64_t address, int bytes, uint64_t *value);
    /* Where the contents of a variable of the module stand, as an address for `load`. */
    bool (*symbol)(void *context, const char *name, uint64_t *address);
    /* What stood there before the first of all launches; NULL: as `before`. */
    bool (*first)(void *context, uint64_t address, int bytes, uint64_t *value);
} WalkData;

/* One passing of a group of accesses of global memory whose addresses were known.  Of iterations that
 * were skipped (walk_skip.h) one stretch is passed and says how often it comes again. */
typedef struct WalkPass {
    const WalkFunction *function;
    int group;
    uint32_t lanes;           /* that take part */
    uint32_t stretch;         /* passings that come again together; 0: those that do not */
    uint64_t times;           /* that they come again */
    int64_t step;             /* of the addresses, each time */
    uint64_t base[PTX_LANES]; /* the group's base; the offsets of its sites are to be added */
} WalkPass;

/* How often a loop goes round each time it is entered, where that is data. */
typedef struct WalkTrips {
    uint32_t line; /* of the source, in the kernel's own file; needs .loc in the PTX */
    double rounds; /* on average */
} WalkTrips;

typedef struct WalkOptions {
    PtxLaunch launch;
    PtxPlace place;
    uint32_t default_trips; /* of a loop whose exit is not known; 0: WALK_DEFAULT_TRIPS */
    uint64_t max_steps;     /* each about 15 ns; 0: WALK_MAX_STEPS */
    bool memory;            /* follow addresses too, and price each access */
    const WalkTouch *touch; /* NULL: nobody; needs `memory` */
    const WalkData *data;   /* NULL: no load has a value */
    const WalkTrips *trips; /* counts that are said of loops whose exits are not known */
    size_t trip_count;
    bool passes; /* keep passings, WALK_PASSES at most; needs `memory` */
    uint64_t
        estimate; /* steps more, in which the rest of loops is estimated (walk_rest.h); 0: it is not */
    bool last;    /* its block is the one that takes the last of the tickets (walk_values.h) */
    bool meets;       /* lanes also meet where flow_meets says so, of the entry function */
    bool plain;       /* walk every iteration, also where the rest could be skipped */
    WalkPlans *plans; /* NULL: plans are made anew */
} WalkOptions;

enum {
    WALK_DEFAULT_TRIPS = 16,
    WALK_MAX_STEPS = 4000000,
    WALK_CALL_DEPTH = 8,
    WALK_PASSES = 1024,
    WALK_PHASES = 8, /* between waits of one segment of a block, told apart */
    WALK_MAX_REGISTERS = 1 << 16
};

typedef struct WalkBlock {
#define WALK_BLOCK(name, meaning) uint64_t name;
#include "metrics/ptx/walk_counters.def"
    bool unknown_branch; /* its branch was undecided for some lane at some time */
} WalkBlock;

typedef struct WalkLoop {
#define WALK_LOOP(name, meaning) uint64_t name;
#include "metrics/ptx/walk_counters.def"
    bool stated;        /* left after the number that was said of it */
    bool defaulted;     /* left after the default number of iterations */
    bool early_ignored; /* an unknown exit was taken as never happening */
    bool waited;        /* an unknown exit was taken at once: it waits for another thread */
} WalkLoop;

enum { DOUBLING = 16 }; /* of WalkAccess.doublings */

/* What one cost (access.h) came to. */
typedef struct WalkAccess {
#define WALK_ACCESS(name, meaning) uint64_t name;
#include "metrics/ptx/walk_counters.def"
    PtxSpace space; /* that the addresses lie in; of generic accesses that of the first one */
} WalkAccess;

/* The bases of a group modulo 16, over all lanes and times. */
typedef struct WalkAlign {
    bool seen;
    uint64_t first;   /* of them, whole */
    uint32_t residue; /* of the first one */
    uint32_t varying; /* bits in which others differ from it */
} WalkAlign;

/* A place in a kernel; without a function, its start or its end. */
typedef struct WalkSpot {
    const PtxFunction *function;
    size_t instr;
} WalkSpot;

typedef enum WalkStop {
    WALK_STOP_BARRIER,
    WALK_STOP_LOAD,  /* global memory, a texture, an atomic, an asynchronous copy is waited for */
    WALK_STOP_LOCAL, /* local memory is */
    WALK_STOP_END
} WalkStop;

/* A stretch of execution between two stalls (walk_region.h); all but the first fields are sums over
 * the times that it was executed. */
typedef struct WalkRegion {
    int sync;          /* number of the synchronization region that it is part of */
    WalkSpot from, to; /* the stalls */
    WalkStop stop;     /* what ends it */
#define WALK_REGION(name, meaning) double name;
#include "metrics/ptx/walk_counters.def"
} WalkRegion;

typedef VEC(WalkRegion) WalkRegionList;

/* From one barrier to the next. */
typedef struct WalkSync {
    WalkSpot from, to;
} WalkSync;

/* What happened in one function. */
struct WalkFunction {
    const PtxFunction *function;
    const Flow *flow;
    WalkBlock *blocks;
    WalkLoop *loops;
    const int *meets;         /* where lanes met early, by block that branches; NULL: nowhere */
    const Accesses *accesses; /* NULL without `memory` */
    WalkAccess *costs;        /* by cost of `accesses` */
    WalkAlign *aligns;        /* by group of `accesses` */
    uint64_t calls;
};

typedef enum WalkRoutineKind {
    WALK_DIVISIONS, /* of 32 bits */
    WALK_OTHERS,    /* roots, reciprocals, divisions of 64 bits */
    WALK_ROUTINES
} WalkRoutineKind;

/* Divisions, roots and reciprocals for which some lane calls a routine (ptx_scalar.h). */
typedef struct WalkRoutine {
    double called;
    double scaled;  /* of these: it calculates there */
    double unknown; /* no lane is known to, and not of all lanes the operands are known */
} WalkRoutine;

typedef struct Walk {
    VEC(WalkFunction *) functions; /* the entry first, then those called */
#define WALK_SUM(name, meaning)   double name;
#define WALK_TOTAL(name, meaning) double name;
#include "metrics/ptx/walk_counters.def"
    double by_class[PTX_CLASS_COUNT]; /* warp instructions, all of them */
    double loads[PTX_SPACE_COUNT];    /* warp instructions by space; generic ones apart */
    double stores[PTX_SPACE_COUNT];
    double load_bytes[PTX_SPACE_COUNT]; /* of all active lanes together */
    double store_bytes[PTX_SPACE_COUNT];
    WalkRoutine routines[WALK_ROUTINES];
    WalkRegionList stall_regions;
    VEC(WalkSync) syncs;
    VEC(WalkPass) passes; /* in the order of execution */
    bool passes_cut;      /* there were more of them */
    uint32_t lanes;       /* threads in the warp */
    uint64_t steps;
    uint64_t skipped; /* iterations that were counted and not walked */
    double
        estimated; /* instructions, of those in `instr`, that were counted as iterations like others when max_steps were spent */
    bool capped;   /* max_steps were reached … */
    bool
        ended; /* … and all the same the end: what was left is estimated; otherwise the counts are lower bounds */
    bool untold;         /* they did not suffice for the warp that tells this one (walk_values.c) */
    uint64_t data_loads; /* loads whose values were looked up */
    bool fine;           /* operands of divisions or what lanes store were followed */
    bool took_turns;     /* some lanes took one way each of a branch that is not known */
    int unknown_branches; /* places */
    int unknown_loops;
    VEC(const char *) notes;
} Walk;

/* --- the walk -------------------------------------------------------------------------------------- */

/* Follows one warp of an entry.  Always gives a result in `a`; `notes` says what was assumed. */
Walk *walk_warp(Arena *a, const PtxFunction *entry, const WalkOptions *o);

/* What happened in a function; NULL when it was not reached. */
const WalkFunction *walk_find(const Walk *w, const PtxFunction *f);

typedef struct WalkUnknown {
    double
        in_loops; /* instructions of `instr` in loops whose trip counts or exits are not known; all where it was stopped */
    double
        behind_branches; /* others behind branches that are not, up to where their ways reconverge */
    double accesses;     /* loads and stores among both, of `loads` and `stores` */
} WalkUnknown;

/* What the warp may not have executed as often, or at all. */
WalkUnknown walk_unknown(Arena *a, const Walk *w);

/* About as many machine instructions as a routine takes: of a division of 0 (CUDA 13.0, sm_90). */
enum { WALK_ROUTINE_INSTR = 35 };

/* What a warp has to do, for a comparison of warps: `instr`, and the routines that it calls. */
double walk_work(const Walk *w);
