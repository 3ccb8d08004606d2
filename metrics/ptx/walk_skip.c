/* Which stretch of which loop is tried when. */
#include "metrics/ptx/walk_proof.h"

#include <stdlib.h>

/* Iterations that are taken together, in the order tried; the first is tried twice, since the first
 * iteration is often unlike the others. */
static const uint32_t periods[] = {1, 1, 2, 3, 4, 5, 6, 8, 12, 16, 32, 64};

enum {
    PERIODS = sizeof periods / sizeof periods[0],
    GIVE_UP = 3,         /* entries of a loop that nothing fitted, before it is left alone */
    PROOF_STEPS = 20000, /* longest stretch proven */
    WORTHWHILE = 8       /* stretches skipped at once, for the same period to be tried again */
};

/* --- life -------------------------------------------------------------------------------- */

void walk_skip_init(Frame *x)
{
    if (!x->walker->options->plain && walk_loop_count(x) > 0)
        x->tracks = memory_zeroed(walk_loop_count(x), sizeof *x->tracks);
}

void walk_skip_free(Frame *x)
{
    for (size_t i = 0; x->tracks && i < walk_loop_count(x); i++)
        free(x->tracks[i].values);
    free(x->tracks);
    walk_proof_free(x->proof);
}

/* --- measuring a stretch ----------------------------------------------------------------- */

static void start_measuring(Frame *x, int loop, uint32_t mask)
{
    WalkTrack *t = &x->tracks[loop];
    const WalkLive *live = &walk_plan_of(x)->live[loop];
    if (!t->values)
        t->values = memory_zeroed(live->count, sizeof *t->values);
    for (size_t i = 0; i < live->count; i++)
        lanes_assign(&t->values[i], &x->values[live->at[i]], UINT32_MAX);
    t->phase = TRACK_MEASURE;
    t->left = periods[t->attempt];
    t->mask = mask;
    t->stack_count = x->stack_count;
    x->walker->walk->steps += live->count / 8;
}

/* Nothing came of this period: the next one from here on. */
static void next_attempt(Frame *x, int loop, uint32_t mask)
{
    WalkTrack *t = &x->tracks[loop];
    if (++t->attempt < PERIODS) {
        start_measuring(x, loop, mask);
        return;
    }
    t->phase = TRACK_OFF;
    t->failures++;
}

static void start_proof(Frame *x, int loop, uint32_t mask)
{
    if (!walk_proof_begin(x, loop)) {
        next_attempt(x, loop, mask);
        return;
    }
    x->tracks[loop].phase = TRACK_PROVE;
    x->tracks[loop].left = periods[x->tracks[loop].attempt];
}

bool walk_skip_proving(const Frame *x)
{
    return walk_proving(x);
}

void walk_skip_abort(Frame *x)
{
    if (!walk_proving(x))
        return;
    x->proof->active = false;
    x->tracks[x->proof->loop].phase = TRACK_IDLE;
    if (++x->tracks[x->proof->loop].attempt >= PERIODS) {
        x->tracks[x->proof->loop].phase = TRACK_OFF;
        x->tracks[x->proof->loop].failures++;
    }
}

static void finish_proof(Frame *x, int loop, uint32_t mask)
{
    WalkTrack *t = &x->tracks[loop];
    WalkProof *p = x->proof;
    p->active = false;
    if (!walk_proof_holds(x)) {
        next_attempt(x, loop, mask);
        return;
    }
    const uint64_t times = p->limit - 1;
    if (!walk_forward(x, times))
        return;
    x->walker->walk->skipped += times * periods[t->attempt];
    if (times < WORTHWHILE) {
        next_attempt(x, loop, mask);
        return;
    }
    t->attempt = 0;
    start_measuring(x, loop, mask);
}

/* --- what the walk tells ------------------------------------------------------------------ */

void walk_skip_enter(Frame *x, int loop)
{
    if (!x->tracks)
        return;
    if (walk_proving(x) && x->proof->loop == loop)
        walk_skip_abort(x);
    WalkTrack *t = &x->tracks[loop];
    t->attempt = 0;
    t->phase = t->failures < GIVE_UP ? TRACK_IDLE : TRACK_OFF;
}

static void arrive(Frame *x, int loop, uint32_t mask)
{
    WalkTrack *t = &x->tracks[loop];
    const bool same = t->mask == mask && t->stack_count == x->stack_count;
    switch (t->phase) {
    case TRACK_OFF:
        return;
    case TRACK_IDLE:
        start_measuring(x, loop, mask);
        return;
    case TRACK_MEASURE:
        if (!same)
            start_measuring(x, loop, mask);
        else if (--t->left == 0)
            start_proof(x, loop, mask);
        return;
    case TRACK_PROVE:
        if (!same) {
            x->proof->active = false;
            next_attempt(x, loop, mask);
        } else if (--t->left == 0) {
            finish_proof(x, loop, mask);
        }
        return;
    }
}

void walk_skip_arrive(Frame *x, int block, uint32_t mask)
{
    if (!x->tracks)
        return;
    const LoopTree *t = flow_of(x)->loops;
    const int loop = t->loop_of[block];
    if (walk_proving(x) && (!loop_contains(t, x->proof->loop, block) ||
                            x->walker->walk->steps - x->proof->steps > PROOF_STEPS))
        walk_skip_abort(x);
    if (loop == CFG_NONE || t->loops.at[loop].header != block)
        return;
    if (!walk_proving(x) || x->proof->loop == loop)
        arrive(x, loop, mask);
}
