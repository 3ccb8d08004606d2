#include "metrics/cubin/sass_profile.h"

#include <math.h>

static double *widths_of(SassProfile *p, SassInstr w)
{
    switch (sass_opcode(w)) {
    case SASS_OP_LDS:
        return p->shared_loads;
    case SASS_OP_STS:
        return p->shared_stores;
    case SASS_OP_LDG:
    case SASS_OP_LDG_17E:
    case SASS_OP_LD:
        return p->global_loads;
    case SASS_OP_STG:
    case SASS_OP_STG_17F:
    case SASS_OP_ST:
        return p->global_stores;
    case SASS_OP_LDL:
        return p->local_loads;
    case SASS_OP_STL:
        return p->local_stores;
    default:
        return NULL;
    }
}

static void count_access(SassProfile *p, SassInstr w, double times)
{
    double *widths = widths_of(p, w);
    const int bytes = sass_access_bytes(w);
    for (int i = 0; widths && i < SASS_WIDTHS; i++)
        if (bytes == 1 << i)
            widths[i] += times;
    switch (sass_class(w)) {
    case SASS_SHARED_ATOMIC:
        p->other_shared += times;
        break;
    case SASS_SHARED_LOAD:
    case SASS_SHARED_STORE:
        p->other_shared += widths ? 0 : times;
        break;
    case SASS_GLOBAL_ATOMIC:
        p->atomics += times;
        break;
    case SASS_ASYNC_COPY:
        p->copies += times;
        break;
    default:
        break;
    }
    if (sass_opcode(w) == SASS_OP_BAR)
        p->barriers += times;
    if (sass_opcode(w) == SASS_OP_MATCH)
        p->matches += times;
}

static void count_constant(SassProfile *p, SassInstr w, double times)
{
    switch (sass_constant(w)) {
    case SASS_CONSTANT_OPERAND:
        p->constant_operands += times;
        break;
    case SASS_CONSTANT_FIXED:
        p->constant_loads += times;
        break;
    case SASS_CONSTANT_INDEXED:
        p->constant_indexed += times;
        break;
    case SASS_CONSTANT_UNIFORM:
        p->constant_uniform += times;
        break;
    default:
        break;
    }
}

/* A jump through a table is issued once for each target that lanes go to. */
static double again(const SassJoin *j, int b)
{
    const CfgBlock *block = &j->flow->cfg->blocks[b];
    double times = -j->visits[b];
    if (block->end == block->first || sass_opcode(sass_flow_last(j->flow, b)) != SASS_OP_BRX)
        return 0;
    for (int k = 0; k < block->succ_count; k++)
        times += j->edges[b][k];
    return fmax(times, 0);
}

static void count_block(SassProfile *p, const SassJoin *j, int b, double times)
{
    const SassFlow *f = j->flow;
    const CfgBlock *block = &f->cfg->blocks[b];
    p->instr += again(j, b);
    p->by_unit[SASS_UNIT_BRANCH] += again(j, b);
    for (size_t i = block->first; i < block->end; i++) {
        const SassInstr w = f->instrs[i];
        p->by_unit[sass_unit_of(w)] += times;
        count_access(p, w, times);
        count_constant(p, w, times);
    }
    p->instr += times * (double)(block->end - block->first);
    p->executed_bytes += (double)((block->end - block->first) * SASS_BYTES);
    if (f->loops->loop_of[b] != CFG_NONE)
        p->hot_bytes += (double)((block->end - block->first) * SASS_BYTES);
}

/* Innermost: no other loop's executed blocks are in it. */
static void measure_loops(SassProfile *p, const SassJoin *j)
{
    const LoopTree *t = j->flow->loops;
    double executed = 0, weighted = 0;
    for (size_t i = 0; i < t->loops.count; i++) {
        const Loop *l = &t->loops.at[i];
        double bytes = 0, instr = 0;
        bool innermost = true;
        for (size_t k = 0; k < l->blocks.count; k++) {
            const int b = l->blocks.at[k];
            const CfgBlock *block = &j->flow->cfg->blocks[b];
            if (j->visits[b] <= 0)
                continue;
            innermost &= t->loop_of[b] == (int)i;
            bytes += (double)((block->end - block->first) * SASS_BYTES);
            instr += (double)(block->end - block->first) * j->visits[b];
        }
        if (!innermost)
            continue;
        p->loop_bytes_most = fmax(p->loop_bytes_most, bytes);
        executed += instr;
        weighted += instr * bytes;
    }
    p->loop_bytes = executed > 0 ? weighted / executed : 0;
}

static SassProfile count_all(const SassJoin *j)
{
    SassProfile p = {.code_bytes = (double)(j->flow->count * SASS_BYTES),
                     .unmatched = j->unmatched};
    for (int b = 0; b < j->flow->cfg->count; b++)
        if (j->visits[b] > 0)
            count_block(&p, j, b, j->visits[b]);
    measure_loops(&p, j);
    p.ports = sass_ports(j);
    return p;
}

/* --- where machine code and PTX cannot be joined: the PTX's counts ---------------------------------- */

/* ptxas makes about as many instructions as the PTX has: 0.6 to 1.8 times as many, over 840
 * configurations of the shipped spaces for sm_90.  Counts far from that are no rearrangement but a
 * loop that was lost, or one that goes round without end. */

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

/* Why the counts of a join cannot be those of the walk, in `a`; NULL when they may be. */
static const char *why_not(Arena *a, const SassProfile *p, const SassJoin *j, const Walk *w)
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

/* Replaces counts by those of the PTX, and times by what they come to: instructions one after the
 * other and a latency for each wait. */
static void take_ptx(SassProfile *p, const SassJoin *j, const Walk *w, const SassLatency *alone,
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

/* --- the whole --------------------------------------------------------------------------------------- */

SassProfile sass_profile(Arena *a, int arch, const CubinKernel *k, const Walk *w,
                         const SassLatency *latency, const SassLoad *load)
{
    const SassLatency *alone = latency ? latency : &SASS_LATENCY;
    const SassFlow *f = sass_flow_build(a, arch, k);
    const SassJoin *j = sass_join(a, f, w);
    SassProfile p = count_all(j);
    if (!sass_arch_checked(arch))
        p.unmatched = arena_printf(
            a, "machine code for sm_%d was never compared with a disassembler's reading", arch);
    const char *why = why_not(a, &p, j, w);
    if (why) {
        p.unmatched = why;
        take_ptx(&p, j, w, alone, load);
        return p;
    }
    p.serial = sass_serial(a, j, alone);
    if (load) {
        const SassLatency among = sass_latency_among(alone, load);
        p.loaded = sass_serial(a, j, &among);
    }
    return p;
}

static void add_serial(SassSerial *sum, const SassSerial *s, double weight)
{
    const double waits = sum->long_waits + weight * s->long_waits;
    if (waits > 0)
        sum->loads_in_flight =
            (sum->loads_in_flight * sum->long_waits + s->loads_in_flight * s->long_waits * weight) /
            waits;
    sum->long_waits = waits;
    sum->cycles += weight * s->cycles;
    sum->issue += weight * s->issue;
    for (int i = 0; i < SASS_WAITS; i++)
        sum->waits[i] += weight * s->waits[i];
    sum->capped |= s->capped;
}

void sass_profile_add(SassProfile *sum, const SassProfile *p, double weight)
{
    enum { COUNTS = offsetof(SassProfile, code_bytes) / sizeof(double) };
    double *to = &sum->instr;
    const double *from = &p->instr;
    for (size_t i = 0; i < COUNTS; i++)
        to[i] += weight * from[i];
    sum->guessed += weight * p->guessed;
    sum->ports.cycles += weight * p->ports.cycles;
    sum->ports.three += weight * p->ports.three;
    sum->ports.one_bank += weight * p->ports.one_bank;
    add_serial(&sum->serial, &p->serial, weight);
    add_serial(&sum->loaded, &p->loaded, weight);
}
