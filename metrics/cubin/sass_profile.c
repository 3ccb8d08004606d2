#include "metrics/cubin/sass_profile.h"

#include <math.h>

static void count_access(SassProfile *p, SassInstr w, double times)
{
    const int op = sass_opcode(w), bytes = sass_access_bytes(w);
    double *const widths_of[SASS_CLASSES] = {
        [SASS_SHARED_LOAD] = p->shared_loads,
        [SASS_SHARED_STORE] = p->shared_stores,
        [SASS_GLOBAL_LOAD] = p->global_loads,
        [SASS_GLOBAL_STORE] = p->global_stores,
        [SASS_LOCAL_LOAD] = p->local_loads,
        [SASS_LOCAL_STORE] = p->local_stores,
        [SASS_GENERIC] = op == SASS_OP_LD ? p->global_loads : p->global_stores,
    };
    for (int i = 0; i < SASS_WIDTHS; i++)
        if (bytes == 1 << i)
            widths_of[sass_class(w)][i] += times;
    p->barriers += op == SASS_OP_BAR ? times : 0;
    p->matches += op == SASS_OP_MATCH ? times : 0;
    p->matrices += op == SASS_OP_LDSM || op == SASS_OP_STSM ? times : 0;
    p->products += op == SASS_OP_IMAD_WIDE || op == SASS_OP_IMAD_HI ? times : 0;
}

static void count_constant(SassProfile *p, SassInstr w, double times)
{
    double *const counts[] = {[SASS_CONSTANT_OPERAND] = &p->constant_operands,
                              [SASS_CONSTANT_FIXED] = &p->constant_loads,
                              [SASS_CONSTANT_INDEXED] = &p->constant_indexed,
                              [SASS_CONSTANT_UNIFORM] = &p->constant_uniform};
    if (sass_constant(w) != SASS_NO_CONSTANT)
        *counts[sass_constant(w)] += times;
}

/* Further issues of a table jump, one for each further target that lanes go to. */
static double reissues(const SassJoin *j, int b)
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
    p->instr += reissues(j, b);
    p->by_unit[SASS_UNIT_BRANCH] += reissues(j, b);
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

/* The last block that every thread passes before it ends; CFG_NONE if none ends. */
static int last_of_all(const SassFlow *f)
{
    int at = CFG_NONE;
    for (int b = 0; b < f->cfg->count; b++) {
        if (f->cfg->blocks[b].order == CFG_NONE || !f->cfg->blocks[b].ends_thread)
            continue;
        at = at == CFG_NONE ? b : at;
        while (!dom_dominates(f->dom, at, b))
            at = f->dom->parent[at];
    }
    return at;
}

/* True if the block runs in every iteration of the loops around it and in every thread. */
static bool runs_always(const SassFlow *f, int b, int last)
{
    int at = b;
    for (int l = f->loops->loop_of[b]; l != CFG_NONE; l = f->loops->loops.at[l].parent) {
        const Loop *loop = &f->loops->loops.at[l];
        if (!loop_always(f->dom, loop, at))
            return false;
        at = loop->header;
    }
    return last == CFG_NONE || dom_dominates(f->dom, at, last);
}

static double behind_branches(const SassJoin *j)
{
    const SassFlow *f = j->flow;
    const int last = last_of_all(f);
    double sum = 0;
    for (int b = 0; b < f->cfg->count; b++) {
        const CfgBlock *block = &f->cfg->blocks[b];
        const int before = f->dom->parent[b];
        if (block->order != CFG_NONE && before != CFG_NONE && !runs_always(f, b, last))
            sum += (double)(block->end - block->first) * fmax(j->visits[b], j->visits[before]);
    }
    return sum;
}

/* A loop counts as innermost if no executed block in it belongs to an inner one. */
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
                     .unmatched = j->unmatched,
                     .deviation = j->deviation,
                     .behind_branches = behind_branches(j),
                     .open = j->open};
    for (int b = 0; b < j->flow->cfg->count; b++)
        if (j->visits[b] > 0)
            count_block(&p, j, b, j->visits[b]);
    measure_loops(&p, j);
    p.ports = sass_ports(j);
    return p;
}

/* --- where machine code and PTX cannot be joined: the PTX's counts ---------------------------- */

/* Plausible ratios of instructions in the code to those in the PTX.  They were 0.6 to 1.8 over 840
 * configurations of the shipped spaces for sm_90; counts far from that mean a lost loop or one that
 * iterates without end. */
static const double LEAST = 0.4, LEAST_WITH_LANDMARKS_MISSING = 0.75, MOST = 4;

/* Additional instructions for what ptxas expands: a 64-bit division, a compare-and-swap loop, the loads and
 * products of a matrix operation, a loop over the lanes that copy. */
enum {
    MOST_FOR_A_DIVISION = 200,
    MOST_FOR_AN_ATOMIC = 32,
    MOST_FOR_A_TENSOR = 64,
    MOST_FOR_A_BULK_COPY = 16 /* of a lane */
};

/* More than the share of a landmark that ptxas may remove. */
static const double MISSING = 0.25;

/* Medians over the same configurations: cycles between instructions, and the share of its latency that a
 * shared load is waited for. */
static const double ISSUE_CYCLES = 2.7, SHARED_SHARE = 0.25;

/* Relative error of the PTX's counts for those of the code, by the same ratios. */
static const double GUESSED = 0.5;

/* The code may run many more instructions than its PTX, such as choices among registers for an array with
 * computed indices. Then what its units do counts, though it is not known where. (Judged; no row of the
 * recorded spaces has twice as many.) */
static bool has_many_more(const SassProfile *code, const Walk *w)
{
    enum { MANY = 2 };
    return code->instr > MANY * w->instr;
}

/* Why the counts of a join are implausible, in `a`; NULL if they are not. */
static const char *why_not(Arena *a, const SassProfile *p, const SassJoin *j, const Walk *w)
{
    const double most = MOST * w->instr_all +
                        MOST_FOR_A_DIVISION * j->walked.expanded[SASS_ANCHOR_SPECIAL] +
                        MOST_FOR_AN_ATOMIC * w->by_class[PTX_CLASS_ATOMIC] +
                        MOST_FOR_A_TENSOR * w->by_class[PTX_CLASS_TENSOR] +
                        MOST_FOR_A_BULK_COPY * j->walked.in_ptx[SASS_ANCHOR_BULK];
    const double least = w->instr * (j->missing > MISSING ? LEAST_WITH_LANDMARKS_MISSING : LEAST);
    if (p->instr >= least && p->instr <= most)
        return NULL;
    return arena_printf(
        a, "%s%s%.0f instructions in the code, %.0f in PTX; %s", j->unmatched ? j->unmatched : "",
        j->unmatched ? "; " : "", p->instr, w->instr,
        has_many_more(p, w) ? "of each unit the larger number counts" : "those of the PTX count");
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
    p->behind_branches = p->instr;
    for (int i = 0; i < SASS_WIDTHS; i++) {
        p->global_loads[i] = j->walked.in_ptx[SASS_ANCHOR_LOAD_1 + i];
        p->global_stores[i] = j->walked.in_ptx[SASS_ANCHOR_STORE_1 + i];
    }
    p->shared_loads[SASS_WIDTH_4] = j->walked.in_ptx[SASS_ANCHOR_SHARED_LOAD] / 4;
    p->shared_stores[SASS_WIDTH_4] = j->walked.in_ptx[SASS_ANCHOR_SHARED_STORE] / 4;
    p->local_loads[SASS_WIDTH_4] = w->loads[PTX_LOCAL];
    p->local_stores[SASS_WIDTH_4] = w->stores[PTX_LOCAL];
    p->constant_indexed = w->loads[PTX_CONST];
    p->barriers = w->barriers;
}

static SassSerial guess_serial(const SassProfile *p, const Walk *w, const SassLatency *l)
{
    SassSerial s = {.issue = p->instr * fmax(ISSUE_CYCLES, l->issue_spacing),
                    .long_waits = w->waits_long};
    const SassSource from = l->loads ? l->loads->mean : (SassSource){1, 1, 1, 1};
    s.memory = w->waits_long * from.memory;
    s.waits[SASS_WAIT_GLOBAL] =
        w->waits_long * (l->l1 + from.l2 * (l->l2 - l->l1)) + s.memory * (l->global - l->l2);
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

/* At least what the units do in the code. */
static void count_no_less(SassProfile *guess, const SassProfile *code)
{
    guess->instr = 0;
    for (int u = 0; u < SASS_UNITS; u++) {
        guess->by_unit[u] = fmax(guess->by_unit[u], code->by_unit[u]);
        guess->instr += guess->by_unit[u];
    }
    guess->behind_branches = guess->instr;
}

/* Replaces counts by those of the PTX, or of both the larger, and times by an estimate from them: issue, and a
 * latency for each wait. */
static void take_ptx(SassProfile *p, const SassJoin *j, const Walk *w, const SassLatency *alone,
                     const SassLoad *load)
{
    SassProfile guess = {.code_bytes = p->code_bytes,
                         .executed_bytes = p->code_bytes,
                         .hot_bytes = p->hot_bytes,
                         .loop_bytes_most = p->loop_bytes_most,
                         .loop_bytes = p->loop_bytes,
                         .unmatched = p->unmatched,
                         .deviation = GUESSED,
                         .guessed = 1};
    guess_counts(&guess, j, w);
    if (has_many_more(p, w))
        count_no_less(&guess, p);
    guess.ports.cycles = guess.instr;
    guess.serial = guess_serial(&guess, w, alone);
    if (load) {
        const SassLatency among = sass_latency_among(alone, load);
        guess.loaded = guess_serial(&guess, w, &among);
    }
    *p = guess;
}

/* --- the profile ------------------------------------------------------------------------------ */

/* Latency of busy memory relative to idle memory (platform number memory_latency_loaded). */
static const double BUSY = 2;

SassProfile sass_profile(Arena *a, const SassFlow *f, const Walk *w, const SassLatency *latency,
                         const SassLoad *load)
{
    const SassLatency *alone = latency ? latency : &SASS_LATENCY;
    const SassJoin *j = sass_join(a, f, w);
    SassProfile p = count_all(j);
    if (!sass_arch_checked(f->arch)) {
        p.unmatched = arena_printf(
            a, "machine code for sm_%d was never compared with a disassembler's reading", f->arch);
        p.deviation = GUESSED;
    }
    const char *why = why_not(a, &p, j, w);
    if (why) {
        p.unmatched = why;
        take_ptx(&p, j, w, alone, load);
        return p;
    }
    p.serial = sass_serial(a, j, alone);
    SassLatency later = *alone;
    later.global *= BUSY;
    p.serial.memory =
        (sass_serial(a, j, &later).waits[SASS_WAIT_GLOBAL] - p.serial.waits[SASS_WAIT_GLOBAL]) /
        (later.global - alone->global);
    if (load) {
        const SassLatency among = sass_latency_among(alone, load);
        p.loaded = sass_serial(a, j, &among);
    }
    return p;
}

/* Instructions in doubt that are worth a second join. */
static const double IN_DOUBT = 0.5;

/* True if the same branches are settled. */
static bool is_settled_alike(const SassFlow *x, const SassFlow *y)
{
    bool alike = true;
    for (int b = 0; alike && b < x->cfg->count; b++)
        alike = x->cfg->blocks[b].succ_count == y->cfg->blocks[b].succ_count &&
                x->cfg->blocks[b].ends_thread == y->cfg->blocks[b].ends_thread;
    return alike;
}

SassProfile sass_profile_in_block(Arena *a, const SassFlow *f, const CubinKernel *k,
                                  const SassLaunch *launch, const Walk *w,
                                  const SassLatency *latency, const SassLoad *load)
{
    const SassProfile p = sass_profile(a, f, w, latency, load);
    if (!p.unmatched && p.open < IN_DOUBT)
        return p;
    SassFlow *settled = sass_flow_build(a, f->arch, k);
    if (!sass_settle(a, settled, launch) || is_settled_alike(settled, f))
        return p;
    const SassProfile with_block = sass_profile(a, settled, w, latency, load);
    return with_block.unmatched && !p.unmatched ? p : with_block;
}

void sass_profile_add(SassProfile *sum, const SassProfile *p, double weight)
{
    enum { COUNTS = offsetof(SassProfile, code_bytes) / sizeof(double) };
    double *to = &sum->instr;
    const double *from = &p->instr;
    const double work = sum->instr + weight * p->instr;
    if (work > 0)
        sum->deviation = (sum->deviation * sum->instr + p->deviation * weight * p->instr) / work;
    for (size_t i = 0; i < COUNTS; i++)
        to[i] += weight * from[i];
    sum->guessed += weight * p->guessed;
    sum->ports.cycles += weight * p->ports.cycles;
    sum->ports.three += weight * p->ports.three;
    sum->ports.one_bank += weight * p->ports.one_bank;
    sass_serial_add(&sum->serial, &p->serial, weight);
    sass_serial_add(&sum->loaded, &p->loaded, weight);
}

/* --- register ports --------------------------------------------------------------------------- */

enum {
    REUSE_BIT = 58, /* of the high word: a bit for each operand */
    OPERANDS = 3
};

/* Reads that may wait for a port.  With 4, the loops of sass_profile.h come out within 0.02 cycles; on 69
 * matrix products, the 40 fastest of some 3,400 and random others, the larger of these cycles and the stall
 * counts follows the measured time best (rank correlation 0.82; with 1 0.33, with 2 0.76: chosen on these
 * same 69). */
enum { QUEUE = 4 };

typedef struct Ports {
    int kept[OPERANDS]; /* register that the last instruction kept for each operand; -1: none */
    double waiting[2];  /* reads, by bank */
    double cycles, three, one_bank;
} Ports;

static void forget(Ports *p)
{
    for (int i = 0; i < OPERANDS; i++)
        p->kept[i] = -1;
}

/* Returns how many distinct registers an FMA reads; `banks` counts them by parity. */
static int read_operands(Ports *p, SassInstr w, int banks[2])
{
    const bool registers = sass_form(w) == SASS_FORM_REGISTERS;
    const int at[OPERANDS] = {sass_operand(w, 0), registers ? sass_operand(w, 1) : SASS_ZERO,
                              sass_operand(w, 2)};
    int count = 0;
    for (int i = 0; i < OPERANDS; i++) {
        bool read = at[i] != SASS_ZERO && at[i] != p->kept[i];
        for (int k = 0; k < i; k++)
            read = read && at[k] != at[i];
        if (read) {
            banks[at[i] % 2]++;
            count++;
        }
    }
    for (int i = 0; i < OPERANDS; i++)
        p->kept[i] = w.high >> (REUSE_BIT + i) & 1 ? at[i] : -1;
    return count;
}

static void pass_cycle(Ports *p)
{
    p->cycles++;
    for (int bank = 0; bank < 2; bank++)
        p->waiting[bank] = fmax(p->waiting[bank] - 1, 0);
}

static void issue(Ports *p, SassInstr w)
{
    pass_cycle(p);
    if (sass_unit_of(w) != SASS_UNIT_FMA) {
        forget(p);
        return;
    }
    int banks[2] = {0, 0};
    const int count = read_operands(p, w, banks);
    p->three += count == OPERANDS;
    p->one_bank += count == 2 && (banks[0] == 2 || banks[1] == 2);
    for (int bank = 0; bank < 2; bank++)
        p->waiting[bank] += banks[bank];
    while (p->waiting[0] > QUEUE || p->waiting[1] > QUEUE)
        pass_cycle(p);
}

static Ports run_block(const SassFlow *f, int b)
{
    Ports p = {.cycles = 0};
    forget(&p);
    for (size_t i = f->cfg->blocks[b].first; i < f->cfg->blocks[b].end; i++)
        issue(&p, f->instrs[i]);
    return p;
}

/* --- sums that are stored as vectors ---------------------------------------------------------- */

/* Marks the registers that FMAs of a loop add to. */
static void mark_sums(const SassFlow *f, const Loop *l, bool sums[SASS_REGISTERS])
{
    for (size_t k = 0; k < l->blocks.count; k++) {
        const CfgBlock *block = &f->cfg->blocks[l->blocks.at[k]];
        for (size_t i = block->first; i < block->end; i++) {
            const SassInstr w = f->instrs[i];
            const int to = sass_result(w);
            if (sass_opcode(w) == SASS_OP_FFMA && to != SASS_ZERO && to == sass_operand(w, 2))
                sums[to] = true;
        }
    }
}

static size_t end_of(const SassFlow *f, const Loop *l)
{
    size_t end = 0;
    for (size_t k = 0; k < l->blocks.count; k++)
        if (f->cfg->blocks[l->blocks.at[k]].end > end)
            end = f->cfg->blocks[l->blocks.at[k]].end;
    return end;
}

/* Sums of an innermost loop that a vector store behind it takes from the same registers, with no write in
 * between. */
static int count_tied(const SassFlow *f, const Loop *l)
{
    bool sums[SASS_REGISTERS] = {false}, tied[SASS_REGISTERS] = {false};
    const size_t from = end_of(f, l);
    mark_sums(f, l, sums);
    for (size_t i = from; i < f->count; i++) {
        const SassInstr w = f->instrs[i];
        const int to = sass_result(w), end = to + sass_results(w), first = sass_operand(w, 1);
        for (int r = to; r < end && r < SASS_ZERO; r++)
            sums[r] = false;
        const int bytes = (sass_class(w) == SASS_GLOBAL_STORE || sass_class(w) == SASS_SHARED_STORE)
                              ? sass_access_bytes(w)
                              : 0;
        for (int r = first; bytes > 4 && r < first + bytes / 4 && r < SASS_ZERO; r++)
            tied[r] = tied[r] || sums[r];
    }
    int count = 0;
    for (int r = 0; r < SASS_REGISTERS; r++)
        count += tied[r];
    return count;
}

SassPorts sass_ports(const SassJoin *j)
{
    const SassFlow *f = j->flow;
    SassPorts sum = {0, 0, 0, 0};
    for (int b = 0; b < f->cfg->count; b++) {
        if (j->visits[b] <= 0)
            continue;
        const Ports p = run_block(f, b);
        sum.cycles += j->visits[b] * p.cycles;
        sum.three += j->visits[b] * p.three;
        sum.one_bank += j->visits[b] * p.one_bank;
    }
    for (size_t i = 0; i < f->loops->loops.count; i++) {
        const Loop *l = &f->loops->loops.at[i];
        if (f->loops->loop_of[l->header] == (int)i && j->visits[l->header] > 0)
            sum.tied_sums = fmax(sum.tied_sums, count_tied(f, l));
    }
    return sum;
}
