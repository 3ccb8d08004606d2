#include "metrics/cubin/sass_profile.h"

#include "metrics/cubin/sass_guess.h"

#include <math.h>

static const char *const UNIT_NAMES[SASS_UNITS] = {
    "fma", "imad",    "alu",    "sfu",     "fp64",  "half",    "tensor",
    "lsu", "texture", "branch", "uniform", "other", "unknown",
};

static const SassUnit UNIT_OF_CLASS[SASS_CLASSES] = {
    [SASS_UNKNOWN] = SASS_UNIT_UNKNOWN,   [SASS_FP32] = SASS_UNIT_ALU,
    [SASS_INT] = SASS_UNIT_ALU,           [SASS_SFU] = SASS_UNIT_SFU,
    [SASS_FP64] = SASS_UNIT_FP64,         [SASS_HALF] = SASS_UNIT_HALF,
    [SASS_TENSOR] = SASS_UNIT_TENSOR,     [SASS_MOVE] = SASS_UNIT_ALU,
    [SASS_CONVERT] = SASS_UNIT_SFU,       [SASS_UNIFORM] = SASS_UNIT_UNIFORM,
    [SASS_BRANCH] = SASS_UNIT_BRANCH,     [SASS_SYNC] = SASS_UNIT_OTHER,
    [SASS_SHUFFLE] = SASS_UNIT_LSU,       [SASS_GLOBAL_LOAD] = SASS_UNIT_LSU,
    [SASS_GLOBAL_STORE] = SASS_UNIT_LSU,  [SASS_GLOBAL_ATOMIC] = SASS_UNIT_LSU,
    [SASS_SHARED_LOAD] = SASS_UNIT_LSU,   [SASS_SHARED_STORE] = SASS_UNIT_LSU,
    [SASS_SHARED_ATOMIC] = SASS_UNIT_LSU, [SASS_LOCAL_LOAD] = SASS_UNIT_LSU,
    [SASS_LOCAL_STORE] = SASS_UNIT_LSU,   [SASS_CONSTANT_LOAD] = SASS_UNIT_LSU,
    [SASS_GENERIC] = SASS_UNIT_LSU,       [SASS_ASYNC_COPY] = SASS_UNIT_LSU,
    [SASS_CACHE] = SASS_UNIT_LSU,         [SASS_TEXTURE] = SASS_UNIT_TEXTURE,
    [SASS_NOP] = SASS_UNIT_OTHER,
};

SassUnit sass_unit_of(SassInstr w)
{
    switch (sass_opcode(w)) {
    case SASS_OP_FFMA:
    case SASS_OP_FADD:
    case SASS_OP_FMUL:
    case SASS_OP_FFMA2:
    case SASS_OP_FADD2:
    case SASS_OP_FMUL2:
        return SASS_UNIT_FMA;
    case SASS_OP_IMAD:
    case SASS_OP_IMAD_WIDE:
    case SASS_OP_IMAD_HI:
        return SASS_UNIT_IMAD;
    case SASS_OP_I2FP:
    case SASS_OP_F2FP:
    case SASS_OP_VOTE:
        return SASS_UNIT_ALU;
    case SASS_OP_ULDC:
    case SASS_OP_ULDC_0B8:
    case SASS_OP_ULDC_0BB:
    case SASS_OP_LDCU:
        return SASS_UNIT_UNIFORM;
    case SASS_OP_S2R:
        return SASS_UNIT_OTHER;
    default:
        return UNIT_OF_CLASS[sass_class(w)];
    }
}

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

SassProfile sass_profile_count(const SassJoin *j)
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

SassProfile sass_profile(Arena *a, int arch, const CubinKernel *k, const Walk *w,
                         const SassLatency *latency, const SassLoad *load)
{
    const SassLatency *alone = latency ? latency : &SASS_LATENCY;
    const SassFlow *f = sass_flow_build(a, arch, k);
    const SassJoin *j = sass_join(a, f, w);
    SassProfile p = sass_profile_count(j);
    if (!sass_arch_checked(arch))
        p.unmatched = arena_printf(
            a, "machine code for sm_%d was never compared with a disassembler's reading", arch);
    const char *why = sass_guess_why(a, &p, j, w);
    if (why) {
        p.unmatched = why;
        sass_guess(&p, j, w, alone, load);
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

static void print_value(Buf *out, const char *name, double value)
{
    if (value != 0)
        buf_printf(out, "%s = %.9g\n", name, value);
}

static void print_widths(Buf *out, const char *name, const double *widths)
{
    for (int i = 0; i < SASS_WIDTHS; i++)
        if (widths[i] != 0)
            buf_printf(out, "%s_%d = %.9g\n", name, 1 << i, widths[i]);
}

static void print_serial(Buf *out, const char *prefix, const SassSerial *s)
{
    static const char *const names[SASS_WAITS] = {"shared", "global", "local", "barrier", "other"};
    if (s->cycles == 0)
        return;
    buf_printf(out, "%swarp_cycles = %.9g\n%sissue_cycles = %.9g\n", prefix, s->cycles, prefix,
               s->issue);
    for (int i = 0; i < SASS_WAITS; i++)
        if (s->waits[i] != 0)
            buf_printf(out, "%swait_%s = %.9g\n", prefix, names[i], s->waits[i]);
    buf_printf(out, "%slong_waits = %.9g\n%sloads_in_flight = %.9g\n", prefix, s->long_waits,
               prefix, s->loads_in_flight);
    if (s->capped)
        buf_printf(out, "%scapped = 1\n", prefix);
}

void sass_profile_print(const SassProfile *p, Buf *out)
{
    print_value(out, "instr", p->instr);
    for (int u = 0; u < SASS_UNITS; u++)
        print_value(out, UNIT_NAMES[u], p->by_unit[u]);
    print_widths(out, "shared_loads", p->shared_loads);
    print_widths(out, "shared_stores", p->shared_stores);
    print_widths(out, "global_loads", p->global_loads);
    print_widths(out, "global_stores", p->global_stores);
    print_widths(out, "local_loads", p->local_loads);
    print_widths(out, "local_stores", p->local_stores);
    print_value(out, "other_shared", p->other_shared);
    print_value(out, "atomics", p->atomics);
    print_value(out, "copies", p->copies);
    print_value(out, "barriers", p->barriers);
    print_value(out, "constant_operands", p->constant_operands);
    print_value(out, "constant_loads", p->constant_loads);
    print_value(out, "constant_indexed", p->constant_indexed);
    print_value(out, "constant_uniform", p->constant_uniform);
    print_value(out, "code_bytes", p->code_bytes);
    print_value(out, "executed_bytes", p->executed_bytes);
    print_value(out, "hot_bytes", p->hot_bytes);
    print_value(out, "loop_bytes_most", p->loop_bytes_most);
    print_value(out, "loop_bytes", p->loop_bytes);
    print_value(out, "port_cycles", p->ports.cycles);
    print_value(out, "three_reads", p->ports.three);
    print_value(out, "one_bank_reads", p->ports.one_bank);
    print_value(out, "tied_sums", p->ports.tied_sums);
    print_value(out, "guessed", p->guessed);
    print_serial(out, "", &p->serial);
    print_serial(out, "loaded_", &p->loaded);
    if (p->unmatched)
        buf_printf(out, "unmatched: %s\n", p->unmatched);
}
