#include "metrics/cubin/sass_ports.h"

#include <math.h>
#include <string.h>

/* Registers stand in 8 bits of the low word (destination, first, second) or the high word (third);
 * 255 is the register that is always 0.  With a number or a constant in place of the second or
 * third operand (forms 2 to 5), the register that is left stands where the third does. */
enum {
    DESTINATION_BIT = 16,
    FIRST_BIT = 24,
    SECOND_BIT = 32,
    THIRD_BIT = 0,
    FORM_BIT = 9,
    REUSE_BIT = 58, /* of the high word: one bit each for first, second and third */
    REGISTERS = 256,
    ZERO_REGISTER = 255,
    FORM_REGISTERS = 1,
    OPERANDS = 3
};

/* Reads that may wait for a port.  With 4, the loops of sass_ports.h come out within 0.02 cycles;
 * of 69 matrix products, the 40 fastest of some 3,400 and others at random, the larger of these
 * cycles and the stall counts follows the measured time best (rank correlation 0.82; with 1 0.33,
 * with 2 0.76: chosen on these same 69). */
enum { QUEUE = 4 };

static int register_at(uint64_t word, int bit)
{
    return (int)(word >> bit & 0xff);
}

/* --- reads ------------------------------------------------------------------------------------ */

typedef struct Ports {
    int kept[OPERANDS]; /* register that the last instruction kept in each place; -1: none */
    double waiting[2];  /* reads, by bank */
    double cycles, three, one_bank;
} Ports;

static void forget(Ports *p)
{
    for (int i = 0; i < OPERANDS; i++)
        p->kept[i] = -1;
}

/* The registers of an FMA by place, ZERO_REGISTER where there is none. */
static void operands_of(SassInstr w, int at[OPERANDS])
{
    const bool registers = (w.low >> FORM_BIT & 7) == FORM_REGISTERS;
    at[0] = register_at(w.low, FIRST_BIT);
    at[1] = registers ? register_at(w.low, SECOND_BIT) : ZERO_REGISTER;
    at[2] = register_at(w.high, THIRD_BIT);
}

/* Number of registers read, each once; `banks` by the parity of their numbers. */
static int read_operands(Ports *p, SassInstr w, int banks[2])
{
    int at[OPERANDS], count = 0;
    operands_of(w, at);
    for (int i = 0; i < OPERANDS; i++) {
        bool read = at[i] != ZERO_REGISTER && at[i] != p->kept[i];
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

static bool writes(SassInstr w, int reg)
{
    const int first = register_at(w.low, DESTINATION_BIT);
    int count = 1;
    switch (sass_class(w)) {
    case SASS_FP32:
        if (sass_opcode(w) == SASS_OP_FSETP)
            return false;
        break;
    case SASS_INT:
        if (sass_opcode(w) == SASS_OP_ISETP)
            return false;
        break;
    case SASS_GLOBAL_LOAD:
    case SASS_SHARED_LOAD:
    case SASS_LOCAL_LOAD:
    case SASS_GENERIC:
        count = sass_access_bytes(w) / 4;
        break;
    case SASS_MOVE:
    case SASS_CONVERT:
    case SASS_SFU:
        break;
    default:
        return false;
    }
    return first <= reg && reg < first + count;
}

/* Marks the registers that FMAs of a loop add to. */
static void mark_sums(const SassFlow *f, const Loop *l, bool sums[REGISTERS])
{
    for (size_t k = 0; k < l->blocks.count; k++) {
        const CfgBlock *block = &f->cfg->blocks[l->blocks.at[k]];
        for (size_t i = block->first; i < block->end; i++) {
            const int to = register_at(f->instrs[i].low, DESTINATION_BIT);
            if (sass_opcode(f->instrs[i]) == SASS_OP_FFMA && to != ZERO_REGISTER &&
                to == register_at(f->instrs[i].high, THIRD_BIT))
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

static bool is_store(SassInstr w)
{
    return sass_class(w) == SASS_GLOBAL_STORE || sass_class(w) == SASS_SHARED_STORE;
}

/* Sums of one innermost loop that a vector store behind it takes from where the loop left them:
 * nothing between the two writes the register. */
static int count_tied(const SassFlow *f, const Loop *l)
{
    bool sums[REGISTERS] = {false}, tied[REGISTERS] = {false};
    const size_t from = end_of(f, l);
    mark_sums(f, l, sums);
    for (size_t i = from; i < f->count; i++) {
        for (int r = 0; r < REGISTERS; r++)
            sums[r] = sums[r] && !writes(f->instrs[i], r);
        const int bytes = is_store(f->instrs[i]) ? sass_access_bytes(f->instrs[i]) : 0;
        const int first = register_at(f->instrs[i].low, SECOND_BIT);
        for (int r = first; bytes > 4 && r < first + bytes / 4 && r < ZERO_REGISTER; r++)
            tied[r] = tied[r] || sums[r];
    }
    int count = 0;
    for (int r = 0; r < REGISTERS; r++)
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
