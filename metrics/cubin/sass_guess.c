#include "metrics/cubin/sass_guess.h"

#include <math.h>

/* Instructions of the code for one of the PTX. */
static const double LEAST = 0.4, LEAST_WITH_LANDMARKS_MISSING = 0.75, MOST = 4;

/* More for what ptxas writes out: a division of 64 bits, a loop around a compare-and-swap, the
 * loads and products of a matrix operation. */
enum { MOST_FOR_A_DIVISION = 200, MOST_FOR_AN_ATOMIC = 32, MOST_FOR_A_TENSOR = 64 };

/* A share of a landmark that ptxas does not do without. */
static const double MISSING = 0.25;

/* Medians over the same configurations: cycles from one instruction to the next, and the share of
 * its latency that a load from shared memory is waited for. */
static const double ISSUE_CYCLES = 2.7, SHARED_SHARE = 0.25;

const char *sass_guess_why(Arena *a, const SassProfile *p, const SassJoin *j, const Walk *w)
{
    const double most = MOST * w->instr_all +
                        MOST_FOR_A_DIVISION * j->expanded[SASS_ANCHOR_SPECIAL] +
                        MOST_FOR_AN_ATOMIC * w->by_class[PTX_CLASS_ATOMIC] +
                        MOST_FOR_A_TENSOR * w->by_class[PTX_CLASS_TENSOR];
    const double least = w->instr * (j->missing > MISSING ? LEAST_WITH_LANDMARKS_MISSING : LEAST);
    if (p->instr >= least && p->instr <= most)
        return NULL;
    return arena_printf(a, "%s%s%.0f instructions in the code, %.0f in PTX; those of the PTX count",
                        j->unmatched ? j->unmatched : "", j->unmatched ? "; " : "", p->instr,
                        w->instr);
}

static void guess_counts(SassProfile *p, const SassJoin *j, const Walk *w)
{
    static const struct {
        PtxClass class;
        SassUnit unit;
    } units[] = {{PTX_CLASS_FP32, SASS_UNIT_FMA},       {PTX_CLASS_INT, SASS_UNIT_ALU},
                 {PTX_CLASS_COMPARE, SASS_UNIT_ALU},    {PTX_CLASS_FP64, SASS_UNIT_FP64},
                 {PTX_CLASS_HALF, SASS_UNIT_HALF},      {PTX_CLASS_SFU, SASS_UNIT_SFU},
                 {PTX_CLASS_CONVERT, SASS_UNIT_SFU},    {PTX_CLASS_TENSOR, SASS_UNIT_TENSOR},
                 {PTX_CLASS_ATOMIC, SASS_UNIT_LSU},     {PTX_CLASS_ASYNC, SASS_UNIT_LSU},
                 {PTX_CLASS_WARP, SASS_UNIT_LSU},       {PTX_CLASS_TEXTURE, SASS_UNIT_TEXTURE},
                 {PTX_CLASS_BRANCH, SASS_UNIT_BRANCH},  {PTX_CLASS_CALL, SASS_UNIT_BRANCH},
                 {PTX_CLASS_BARRIER, SASS_UNIT_OTHER},  {PTX_CLASS_FENCE, SASS_UNIT_OTHER},
                 {PTX_CLASS_UNKNOWN, SASS_UNIT_UNKNOWN}};
    static const PtxSpace spaces[] = {PTX_GLOBAL, PTX_GENERIC, PTX_SHARED, PTX_LOCAL, PTX_CONST};
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        p->by_unit[units[i].unit] += w->by_class[units[i].class];
    for (size_t i = 0; i < sizeof spaces / sizeof spaces[0]; i++)
        p->by_unit[SASS_UNIT_LSU] += w->loads[spaces[i]] + w->stores[spaces[i]];
    for (int u = 0; u < SASS_UNITS; u++)
        p->instr += p->by_unit[u];
    for (int i = 0; i < SASS_WIDTHS; i++) {
        p->global_loads[i] = j->in_ptx[SASS_ANCHOR_LOAD_1 + i];
        p->global_stores[i] = j->in_ptx[SASS_ANCHOR_STORE_1 + i];
    }
    p->shared_loads[SASS_WIDTH_4] = j->in_ptx[SASS_ANCHOR_SHARED_LOAD] / 4;
    p->shared_stores[SASS_WIDTH_4] = j->in_ptx[SASS_ANCHOR_SHARED_STORE] / 4;
    p->local_loads[SASS_WIDTH_4] = w->loads[PTX_LOCAL];
    p->local_stores[SASS_WIDTH_4] = w->stores[PTX_LOCAL];
    p->atomics = w->by_class[PTX_CLASS_ATOMIC];
    p->constant_indexed = w->loads[PTX_CONST];
    p->copies = j->in_ptx[SASS_ANCHOR_COPY];
    p->barriers = w->barriers;
}

static SassSerial guess_serial(const SassProfile *p, const Walk *w, const SassLatency *l)
{
    SassSerial s = {.issue = p->instr * fmax(ISSUE_CYCLES, l->issue_spacing),
                    .long_waits = w->waits_long};
    s.waits[SASS_WAIT_GLOBAL] = w->waits_long * l->global;
    s.waits[SASS_WAIT_LOCAL] = w->waits_local * l->local;
    s.waits[SASS_WAIT_BARRIER] = w->barriers * l->barrier;
    s.waits[SASS_WAIT_SHARED] =
        p->shared_loads[SASS_WIDTH_4] * fmax(SHARED_SHARE * l->shared, l->load_spacing);
    s.waits[SASS_WAIT_OTHER] = w->waits_sfu * l->special;
    s.cycles = s.issue;
    for (int i = 0; i < SASS_WAITS; i++)
        s.cycles += s.waits[i];
    const double loads = w->loads[PTX_GLOBAL] + w->loads[PTX_GENERIC];
    s.loads_in_flight = w->waits_long > 0 ? loads / w->waits_long : 0;
    return s;
}

void sass_guess(SassProfile *p, const SassJoin *j, const Walk *w, const SassLatency *alone,
                const SassLoad *load)
{
    SassProfile guess = {.code_bytes = p->code_bytes,
                         .executed_bytes = p->code_bytes,
                         .hot_bytes = p->hot_bytes,
                         .loop_bytes_most = p->loop_bytes_most,
                         .loop_bytes = p->loop_bytes,
                         .unmatched = p->unmatched,
                         .guessed = 1};
    guess_counts(&guess, j, w);
    guess.ports.cycles = guess.instr;
    guess.serial = guess_serial(&guess, w, alone);
    if (load) {
        const SassLatency among = sass_latency_among(alone, load);
        guess.loaded = guess_serial(&guess, w, &among);
    }
    *p = guess;
}
