/* The state of a walk: call frames, lanes waiting to reconverge, loops in progress, addresses of variables,
 * prices of accesses. Internal to metrics/ptx. */
#pragma once

#include "metrics/ptx/walk_plan.h"
#include "metrics/ptx/walk_region.h"

/* A loop in progress. */
typedef struct LoopState {
    uint64_t iterations; /* header visits since entry */
    bool counted;        /* some exit depends on a value that the loop changes */
    uint32_t unsure;     /* lanes that may actually have left earlier or later */
} LoopState;

/* Lanes that walk both sides of a branch: the state before, and that merged of the sides walked so far. */
typedef struct Fork {
    uint32_t lanes;
    const WalkWritten *written;
    Lanes *saved; /* values before, then after, of each register written */
    uint32_t gone_before;
    uint32_t gone_after; /* lanes that ended on every side so far */
    bool has_after;
} Fork;

typedef struct Frame Frame;

typedef enum EntryKind { ENTRY_RUN, ENTRY_SIDE_DONE, ENTRY_LAST_SIDE_DONE } EntryKind;

typedef struct Entry {
    EntryKind kind;
    int block;
    int stop; /* reconvergence point */
    uint32_t mask;
    Fork *fork;
    int meet;  /* early reconvergence point with … */
    size_t at; /* … the entry of this index; or CFG_NONE */
} Entry;

/* The address of a variable. */
typedef struct WalkPlace {
    const PtxVariable *variable;
    uint64_t address;
} WalkPlace;

typedef struct WalkWord WalkWord; /* walk_values.c */

/* Values that lanes have stored. */
typedef struct WalkStored {
    WalkWord *slots;
    size_t capacity, count;
    int aborts;      /* proofs ended by a store */
    bool off;        /* no longer kept */
    bool wild_store; /* something was stored at an unknown address */
} WalkStored;

typedef struct WalkPublishedWord WalkPublishedWord;

typedef struct WalkTickets {
    const PtxInstr *by; /* the atomic that gives tickets … */
    uint64_t counter;   /* … from the counter at this address */
    uint64_t times;
} WalkTickets;

/* What a warp has stored that other warps load, and the tickets it took (walk_values.c). */
struct WalkPublished {
    VEC(WalkPublishedWord) words; /* in execution order */
    VEC(WalkTickets) tickets;
    uint32_t read; /* number of the last proof in which a word was loaded */
    bool moving;   /* the value loaded last differs in each iteration */
    bool off;      /* no longer kept */
};

typedef struct WalkProof WalkProof; /* walk_skip.c */
typedef struct WalkTrack WalkTrack;
typedef struct WalkStretch WalkStretch; /* walk_rest.c */

typedef struct Walker {
    Arena *arena;
    const WalkOptions *options;
    Walk *walk;
    uint64_t max_steps;
    /* Steps at which the walk ends: max_steps plus those for estimating the rest. */
    uint64_t end;
    uint64_t frames; /* functions entered */
    uint32_t default_trips;
    int forks;             /* open */
    uint64_t fork_start;   /* steps when the outermost open fork was opened */
    uint64_t forked;       /* steps within closed forks */
    VEC(WalkPlace) places; /* of variables whose address was needed */
    uint64_t place_end[PTX_SPACE_COUNT];
    uint32_t epoch[WALK_LATENCY_COUNT]; /* incremented by every wait */
    uint32_t groups;                    /* cp.async groups in flight */
    WalkRegions regions;
    WalkStored stored;
    WalkPublished published;
    /* What another warp of the block has published by its end; NULL while walking such a sibling. */
    const WalkPublished *(*sibling)(struct Walker *w, uint32_t warp);
    WalkPlans plans; /* if the caller keeps none */
    uint32_t proofs; /* started */
    uint64_t spared; /* steps of skipped iterations */
    /* A hash sum over block visits: equal increments mean equal paths. */
    uint64_t visited;
} Walker;

struct Frame {
    Arena *arena; /* owns it and all that it points to */
    Walker *walker;
    WalkFunction *result; /* of its function */
    int depth;
    PtxState state;                          /* for reading operands */
    Lanes *values;                           /* registers, then cells */
    uint32_t (*pending)[WALK_LATENCY_COUNT]; /* by register: epoch of issue */
    double *issued;                          /* by register: clock at issue */
    LoopState *loops;
    WalkTraffic *traffic; /* of the current block, by segment and phase; not yet counted */
    uint32_t gone;        /* lanes that returned */
    int *ways;            /* successors of a branch, and the lanes that go there */
    uint32_t *way_lanes;
    WalkTrack *tracks;
    WalkStretch **stretches; /* by loop; NULL until the steps are used up */
    WalkProof *proof;        /* NULL until one begins */
    Entry *stack;
    size_t stack_count;
    size_t stack_capacity;
};

static inline const WalkPlan *plan_of(const Frame *x)
{
    return x->result->plan;
}

static inline const Flow *flow_of(const Frame *x)
{
    return x->result->flow;
}

static inline const WalkSliced *sliced(const Frame *x, const PtxInstr *in)
{
    return &plan_of(x)->slice.of[in - x->result->function->instrs.at];
}

/* Width of a register in bits, or 0. */
static inline int walk_register_bits(const Frame *x, int reg)
{
    return ptx_types[x->result->function->registers.at[reg].type].bits;
}

/* Lanes in which the guard is true, and those in which it is unknown. */
static inline void guard_lanes(const Frame *x, const PtxInstr *in, uint32_t mask, uint32_t *yes,
                               uint32_t *maybe)
{
    *yes = mask;
    *maybe = 0;
    if (in->guard == PTX_NO_GUARD)
        return;
    const Lanes *p = &x->values[in->guard];
    const uint32_t set = lanes_true(p);
    *maybe = mask & ~p->known;
    *yes = mask & p->known & (in->guard_negated ? ~set : set);
}

/* For PtxState: the address of a variable. */
bool walk_address(void *walker, const PtxVariable *v, uint64_t *address);

/* Adds one execution of a cost; the addresses include the site's offset. */
void walk_access_price(WalkAccess *a, const AccessCost *c, const uint64_t *address, uint32_t lanes);
/* Adds one execution at unknown addresses: if all are address[] plus a number that they share, the mean over
 * places that it may be at; else each lane touches a sector of its own, and a bank at random as far as what is
 * known of its base allows. */
void walk_access_guess(WalkAccess *a, const AccessCost *c, const uint64_t *address, uint32_t lanes,
                       const Lanes *base);
/* The space of an address. */
PtxSpace walk_access_space(PtxSpace written, uint64_t address);

/* Counts at the start of a stretch of iterations, so that it can be counted again (walk_region.c). */
typedef struct WalkTotals {
#define WALK_SUM(name, meaning) double name;
#include "metrics/ptx/walk_counters.def"
    WalkRoutine routines[WALK_ROUTINES];
    WalkBlock *blocks;
    WalkLoop *loops;
    WalkAccess *costs;
    WalkRegionMark regions;
    size_t passes;
    uint64_t visited, steps;
} WalkTotals;

/* More iterations than this count as endless. */
static const uint64_t WALK_ENDLESS = UINT64_C(1) << 48;

static inline size_t walk_loop_count(const Frame *x)
{
    return flow_of(x)->loops->loops.count;
}

/* Makes room for the frame's function. */
void walk_totals_init(const Frame *x, WalkTotals *t);

/* Steps so far, including those of skipped iterations. */
static inline uint64_t walk_totals_steps(const Frame *x)
{
    return x->walker->walk->steps + x->walker->spared;
}

void walk_totals_note(const Frame *x, WalkTotals *t);

/* Repeats `times` times what has happened in this function since. */
void walk_totals_repeat(Frame *x, const WalkTotals *t, uint64_t times);

/* Adds `times` times the difference of two states of an access. */
void walk_totals_add(WalkAccess *a, const WalkAccess *late, const WalkAccess *early,
                     uint64_t times);

/* Adds a note about a place; at most 32 are kept. */
void walk_note(Walker *w, const PtxFunction *f, size_t instr, const char *text);

/* Ends a walk: sums and notes. */
void walk_total(Walker *w);
