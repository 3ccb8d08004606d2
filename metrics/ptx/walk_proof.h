/* The proof that iterations do the same again: what is remembered of a stretch of iterations, and
 * the steps of walk_skip.h that work on it.
 *
 *   walk_skip.c     which stretch is tried when
 *   walk_change.c   by how much registers have changed
 *   walk_proof.c    beginning a proof, and whether it holds
 *   walk_follow.c   what instructions, branches and accesses do to the changes meanwhile
 *   walk_forward.c  counts and registers moved on by many stretches
 *
 * Internal to metrics/ptx. */
#ifndef APTUNE_PTX_WALK_PROOF_H
#define APTUNE_PTX_WALK_PROOF_H

#include "metrics/ptx/walk_skip.h"

enum { WALK_STACK_MAX = 40, /* waiting lanes */ WALK_LINE = 128 };

typedef enum TrackPhase { TRACK_IDLE, TRACK_MEASURE, TRACK_PROVE, TRACK_OFF } TrackPhase;

struct WalkTrack {
    TrackPhase phase;
    int attempt;
    int failures;  /* entries in which nothing fitted */
    uint32_t left; /* iterations until the stretch ends */
    uint32_t mask;
    size_t stack_count;
    Lanes *values; /* of the loop's live registers at the start of the stretch under way */
};

/* An access whose addresses move by something that changes its cost. */
typedef struct WalkDrift {
    int cost;
    uint32_t lanes;
    int64_t step;
    uint64_t address[PTX_LANES];
} WalkDrift;

typedef struct WalkTotals {
    double barriers, waits_long, waits_local, waits_sfu, divergent;
    WalkRoutine routines[WALK_ROUTINES];
    WalkBlock *blocks;
    WalkLoop *loops;
    WalkAccess *costs;
} WalkTotals;

struct WalkProof {
    bool active;
    uint32_t number; /* of this proof, from 1 */
    int loop;
    uint64_t limit; /* stretches, this one included, that do the same */
    uint64_t steps; /* of the walk when it began */
    size_t passes;  /* the same */
    Lanes *changes; /* by register */
    Lanes *start;   /* changes of the live registers at the start */
    size_t start_capacity;
    WalkTotals totals; /* at the start */
    WalkRegionMark regions;
    bool *pending; /* by entry of `late` and latency: waited for at the start */
    LoopState *loops;
    uint32_t groups;
    uint32_t gone;
    Entry stack[WALK_STACK_MAX];
    VEC(WalkDrift) drifts;
};

static inline const WalkPlan *walk_plan_of(const Frame *x)
{
    return x->known->plan;
}

static inline size_t walk_loop_count(const Frame *x)
{
    return flow_of(x)->loops->loops.count;
}

static inline size_t walk_cost_count(const Frame *x)
{
    return walk_plan_of(x)->accesses ? walk_plan_of(x)->accesses->costs.count : 0;
}

static inline bool walk_proving(const Frame *x)
{
    return x->proof && x->proof->active;
}

/* Width of a register in bits; 0 where it has none. */
int walk_register_bits(const Frame *x, int reg);

/* By how much a register's lanes have changed, as numbers with sign; false when one cannot say. */
bool walk_register_change(const Lanes *before, const Lanes *now, int bits, Lanes *change);

/* The same in the lowest `bits` of all lanes, which are known in `a`. */
bool walk_same_lanes(const Lanes *a, const Lanes *b, int bits);

/* Takes the changes of the stretch that ends here as those to be proven over the next one; false
 * when a register that the loop needs has none. */
bool walk_proof_begin(Frame *x, int loop);

/* At the end of that stretch: everything is as at its start but for the changes, and these came out
 * the same again. */
bool walk_proof_holds(const Frame *x);

void walk_proof_free(WalkProof *p);

/* Counts `times` stretches more like the one proven and moves the registers on.  False: that many
 * never end, and the walk's steps are spent. */
bool walk_forward(Frame *x, uint64_t times);

#endif
