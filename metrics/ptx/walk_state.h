/* The state of a walk: frames of called functions, lanes that wait for each other, loops under way; where
 * variables lie and what an access costs.  Internal to metrics/ptx. */
#pragma once

#include "metrics/ptx/walk_plan.h"
#include "metrics/ptx/walk_region.h"

/* A loop under way. */
typedef struct LoopState {
    uint64_t iterations; /* visits of the header since it was entered */
    bool counted;        /* one of its exits is decided by something that changes in the loop */
    uint32_t unsure;     /* lanes that may really have left earlier or later */
} LoopState;

/* Lanes that go both ways: the state before, and what the sides walked so far made of it. */
typedef struct Fork {
    uint32_t lanes;
    const WalkWritten *written;
    Lanes *saved; /* of each register written its value before, then after */
    uint32_t gone_before;
    uint32_t gone_after; /* lanes that ended on every side so far */
    bool has_after;
} Fork;

typedef struct Frame Frame;

typedef enum EntryKind { ENTRY_RUN, ENTRY_SIDE_DONE, ENTRY_LAST_SIDE_DONE } EntryKind;

typedef struct Entry {
    EntryKind kind;
    int block;
    int stop; /* where the lanes wait for the others */
    uint32_t mask;
    Fork *fork;
    int meet;  /* where they join those of … */
    size_t at; /* … this entry; or CFG_NONE */
} Entry;

/* A function known to the walk. */
typedef struct Known {
    const PtxFunction *function;
    WalkPlan *plan;
    WalkFunction *result;
} Known;

/* Where a variable lies. */
typedef struct WalkPlace {
    const PtxVariable *variable;
    uint64_t address;
} WalkPlace;

typedef struct WalkWord WalkWord; /* walk_values.c */

/* What lanes have stored. */
typedef struct WalkStored {
    WalkWord *slots;
    size_t capacity, count;
    int aborts;  /* proofs that a store has ended */
    bool off;    /* nothing is kept any more */
    bool astray; /* something was stored where it is not known */
} WalkStored;

typedef struct WalkToldWord WalkToldWord;

typedef struct WalkAsked {
    const PtxInstr *by; /* that gives tickets … */
    uint64_t counter;   /* … of the one at this address */
    uint64_t times;
} WalkAsked;

/* What a warp has stored that others load, and the tickets that it has asked for (walk_values.c). */
struct WalkTold {
    VEC(WalkToldWord) words; /* in the order of execution */
    VEC(WalkAsked) asked;
    uint32_t read; /* number of the proof in which one was loaded */
    bool moving;   /* what was loaded last is another one in each round */
    bool off;      /* nothing is kept any more */
};

typedef struct WalkProof WalkProof; /* walk_skip.c */
typedef struct WalkTrack WalkTrack;
typedef struct WalkStretch WalkStretch; /* walk_rest.c */

typedef struct Walker {
    Arena *arena;
    const WalkOptions *options;
    Walk *walk;
    VEC(Known) known;
    uint64_t max_steps;
    uint64_t
        end; /* steps at which the walk is over: max_steps, and those in which what is left is estimated */
    uint64_t frames; /* functions entered */
    uint32_t default_trips;
    int forks;             /* open */
    uint64_t fork_start;   /* steps when the first of them was opened */
    uint64_t forked;       /* steps within forks that are closed */
    VEC(WalkPlace) places; /* of variables whose address was asked for */
    uint64_t place_end[PTX_SPACE_COUNT];
    uint32_t epoch[WALK_LATENCY_COUNT]; /* raised by every wait */
    uint32_t groups;                    /* cp.async groups committed and not waited for */
    WalkRegions regions;
    WalkStored stored;
    WalkTold told;
    /* What another warp of the block has told when it ended; NULL where this one is followed for another. */
    const WalkTold *(*sibling)(struct Walker *w, uint32_t warp);
    WalkPlans plans; /* where the caller keeps none */
    uint32_t proofs; /* that were begun */
    uint64_t spared; /* steps, of iterations that were skipped */
    uint64_t
        visited; /* a sum over all visits of blocks: of two stretches the same where they visit the same */
} Walker;

struct Frame {
    Walker *walker;
    const Known *known;
    int depth;
    PtxState state;                          /* that operands are read from */
    Lanes *values;                           /* registers, then cells */
    uint32_t (*pending)[WALK_LATENCY_COUNT]; /* by register: epoch at which it was issued */
    double *issued;                          /* by register: clock at which it was issued */
    LoopState *loops;
    WalkTraffic *traffic; /* of the block under way, by segment and phase; not counted yet */
    uint32_t gone;        /* lanes that have returned */
    int *ways;            /* where lanes diverge: blocks, and the lanes that go there */
    uint32_t *way_lanes;
    WalkTrack *tracks;
    WalkStretch **stretches; /* by loop; NULL before steps are spent */
    WalkProof *proof;        /* NULL when there are no loops or they are walked plainly */
    Entry *stack;
    size_t stack_count;
    size_t stack_capacity;
};

static inline const WalkPlan *plan_of(const Frame *x)
{
    return x->known->plan;
}

static inline const Flow *flow_of(const Frame *x)
{
    return x->known->plan->flow;
}

static inline const WalkSliced *sliced(const Frame *x, const PtxInstr *in)
{
    return &plan_of(x)->slice.of[in - x->known->function->instrs.at];
}

/* Width of a register in bits; 0 where it has none. */
static inline int walk_register_bits(const Frame *x, int reg)
{
    return ptx_type_bits(x->known->function->registers.at[reg].type);
}

/* Lanes in which the guard lets the instruction happen, and those where that is not known. */
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

/* The address of a variable, for PtxState. */
bool walk_address(void *walker, const PtxVariable *v, uint64_t *address);

/* Adds one execution of a cost at these addresses (of the site, offset included). */
void walk_access_price(WalkAccess *a, const AccessCost *c, const uint64_t *address, uint32_t lanes);
/* The space that an address lies in. */
PtxSpace walk_access_space(PtxSpace written, uint64_t address);

/* What a walk had counted when a stretch of iterations began, so that what happens in the stretch can be
 * counted again (walk_region.c). */
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

/* Beyond so many iterations a loop counts as endless. */
static const uint64_t WALK_ENDLESS = UINT64_C(1) << 48;

static inline size_t walk_loop_count(const Frame *x)
{
    return flow_of(x)->loops->loops.count;
}

/* Room for those of the frame's function; free it. */
void walk_totals_init(const Frame *x, WalkTotals *t);
void walk_totals_free(WalkTotals *t);

/* Steps of the walk so far, those of iterations that were skipped among them. */
static inline uint64_t walk_totals_steps(const Frame *x)
{
    return x->walker->walk->steps + x->walker->spared;
}

void walk_totals_note(const Frame *x, WalkTotals *t);

/* What has happened in this function since then happens so many times more. */
void walk_totals_repeat(Frame *x, const WalkTotals *t, uint64_t times);

/* Adds what lies between two states of an access, so many times. */
void walk_totals_add(WalkAccess *a, const WalkAccess *late, const WalkAccess *early,
                     uint64_t times);

/* Keeps a note of a place, of the first 32. */
void walk_note(Walker *w, const PtxFunction *f, size_t instr, const char *text);

/* At the end of a walk: what it came to, in sums and notes. */
void walk_total(Walker *w);
