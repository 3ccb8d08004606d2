#include "metrics/cubin/sass_settle.h"

#include <string.h>

/* --- values ----------------------------------------------------------------------------------- */

enum { PREDICATES = 8, TRUE_PREDICATE = 7, SCALAR = SASS_REGISTERS, FILES = 2 * SASS_REGISTERS };

typedef struct Value {
    uint32_t bits;
    bool known;
} Value;

/* Registers and then those of the scalar unit; their predicates likewise. */
typedef struct State {
    Value registers[FILES];
    Value predicates[2 * PREDICATES];
} State;

static const Value VARIES = {0, false};

static Value number(uint32_t bits)
{
    return (Value){bits, true};
}

/* One instruction in the state before it. */
typedef struct Step {
    SassInstr w;
    State *state;
    const SassLaunch *launch;
    bool scalar; /* works on the registers of the scalar unit */
} Step;

/* The number in the state of a register of either file, -1 for the one that is 0. */
static int register_at(const Step *s, uint64_t field, bool scalar)
{
    enum { NO_SCALAR = 63 };
    if (!scalar)
        return field == SASS_ZERO ? -1 : (int)field;
    if (s->w.arch < 100)
        field &= NO_SCALAR;
    return field == (s->w.arch < 100 ? NO_SCALAR : SASS_ZERO) ? -1 : SCALAR + (int)field;
}

static Value read_register(const Step *s, uint64_t field, bool scalar)
{
    const int at = register_at(s, field, scalar);
    return at < 0 ? number(0) : s->state->registers[at];
}

static void write_register(Step *s, int offset, Value v)
{
    const int at = register_at(s, sass_bits(s->w.low, 16, 8), s->scalar);
    const int end = at >= SCALAR ? FILES : SCALAR;
    if (at >= 0 && at + offset < end)
        s->state->registers[at + offset] = v;
}

/* A source predicate of three bits and its negation. */
static Value read_predicate(const Step *s, int first, int negation, bool scalar)
{
    const int at = (int)sass_bits(s->w.high, first, 3);
    Value v = at == TRUE_PREDICATE ? number(1) : s->state->predicates[PREDICATES * scalar + at];
    v.bits ^= (uint32_t)sass_bits(s->w.high, negation, 1);
    return v;
}

static void write_predicate(Step *s, int first, Value v)
{
    const int at = (int)sass_bits(s->w.high, first, 3);
    if (at != TRUE_PREDICATE)
        s->state->predicates[PREDICATES * s->scalar + at] = v;
}

/* --- operands --------------------------------------------------------------------------------- */

/* A word of constant bank 0: sizes of the launch, or parameters. */
static Value bank_word(const Step *s, int64_t offset)
{
    const SassLaunch *l = s->launch;
    const bool late = s->w.arch >= 100;
    const int64_t block_at = late ? 0x360 : 0, grid_at = late ? 0x370 : 12;
    const int64_t param = offset - l->params_at;
    for (int i = 0; i < 3; i++) {
        if (offset == block_at + 4 * i)
            return number(l->block[i]);
        if (offset == grid_at + 4 * i)
            return number(l->grid[i]);
    }
    Value v = {0, l->params && param >= 0 && param < (int64_t)l->param_bytes};
    if (v.known) {
        const size_t left = l->param_bytes - (size_t)param;
        memcpy(&v.bits, (const char *)l->params + param, left < 4 ? left : 4);
    }
    return v;
}

static Value constant_operand(const Step *s)
{
    const uint64_t bank = sass_bits(s->w.low, 54, 5);
    return bank == 0 && s->w.arch < 100 ? bank_word(s, (int64_t)sass_bits(s->w.low, 38, 16))
                                        : VARIES;
}

static Value first_operand(const Step *s)
{
    return read_register(s, sass_bits(s->w.low, 24, 8), s->scalar);
}

/* The second and third operand. */
static void other_operands(const Step *s, Value *second, Value *third)
{
    const uint64_t low = sass_bits(s->w.low, 32, 8), high = sass_bits(s->w.high, 0, 8);
    const Value number_given = number((uint32_t)(s->w.low >> 32));
    switch ((int)sass_form(s->w)) {
    case SASS_FORM_REGISTERS:
        *second = read_register(s, low, s->scalar);
        *third = read_register(s, high, s->scalar);
        return;
    case SASS_FORM_NUMBER_THIRD:
        *second = read_register(s, high, s->scalar);
        *third = number_given;
        return;
    case SASS_FORM_CONSTANT_THIRD:
        *second = read_register(s, high, s->scalar);
        *third = constant_operand(s);
        return;
    case SASS_FORM_NUMBER_SECOND:
        *second = number_given;
        *third = read_register(s, high, s->scalar);
        return;
    case SASS_FORM_CONSTANT_SECOND:
        *second = constant_operand(s);
        *third = read_register(s, high, s->scalar);
        return;
    case SASS_FORM_SCALAR_SECOND:
        *second = read_register(s, low, true);
        *third = read_register(s, high, s->scalar);
        return;
    case SASS_FORM_SCALAR_THIRD:
        *second = read_register(s, high, s->scalar);
        *third = read_register(s, low, true);
        return;
    default:
        *second = *third = VARIES;
    }
}

/* True if the second operand is no immediate, whose bits would be read as its negation. */
static bool second_is_negated(const Step *s)
{
    const int form = (int)sass_form(s->w);
    return (form == SASS_FORM_REGISTERS || form == SASS_FORM_CONSTANT_SECOND ||
            form == SASS_FORM_SCALAR_SECOND) &&
           sass_bits(s->w.low, 63, 1);
}

/* --- instructions ----------------------------------------------------------------------------- */

/* High bits of an instruction that the decoding below does not know must be 0. */
static bool is_plain(const Step *s, uint64_t unknown)
{
    return (s->w.high & unknown) == 0;
}

/* a + b + c with the carry; a negated term adds its complement, and 1 but in the .X form. */
static void add3(Step *s)
{
    const bool with_carry = sass_bits(s->w.high, 10, 1);
    const bool negated[3] = {sass_bits(s->w.high, 8, 1), second_is_negated(s),
                             sass_bits(s->w.high, 11, 1)};
    Value term[3] = {first_operand(s)}, sum = {0, is_plain(s, 0x1200)};
    other_operands(s, &term[1], &term[2]);
    uint64_t total = 0;
    int terms = 0;
    for (int i = 0; i < 3; i++) {
        sum.known &= term[i].known;
        total += negated[i] ? (uint64_t)(uint32_t)~term[i].bits + !with_carry : term[i].bits;
        terms += term[i].bits != 0 || negated[i];
    }
    if (with_carry) {
        const Value in = read_predicate(s, 23, 26, s->scalar),
                    more = read_predicate(s, 13, 16, s->scalar);
        sum.known &= in.known && more.known;
        total += in.bits + more.bits;
    }
    sum.bits = (uint32_t)total;
    write_register(s, 0, sum);
    write_predicate(s, 17, (Value){total >> 32 != 0, sum.known && terms <= 2});
    write_predicate(s, 20, VARIES);
}

static void add(Step *s)
{
    Value a = first_operand(s), b, c;
    other_operands(s, &b, &c);
    write_register(s, 0,
                   (Value){a.bits + b.bits,
                           a.known && b.known && is_plain(s, 0x7ffff00) && !second_is_negated(s)});
}

/* a b + c, in the .X form with the carry of another sum. */
static void multiply_add(Step *s)
{
    const bool with_carry = sass_bits(s->w.high, 10, 1);
    const bool negated = sass_bits(s->w.high, 8, 1), less = sass_bits(s->w.high, 11, 1);
    const Value carry = with_carry ? read_predicate(s, 23, 26, s->scalar) : number(0);
    Value a = first_operand(s), b, c;
    other_operands(s, &b, &c);
    const bool zero = (a.known && a.bits == 0) || (b.known && b.bits == 0);
    const uint32_t product = zero ? 0 : a.bits * b.bits;
    write_register(s, 0,
                   (Value){(negated ? -product : product) + (less ? -c.bits : c.bits) + carry.bits,
                           ((a.known && b.known) || zero) && c.known && carry.known &&
                               is_plain(s, with_carry ? 0x1f900 : 0x1f000) &&
                               !second_is_negated(s)});
    write_predicate(s, 17, VARIES);
}

/* The entry of a table of eight for a bit of three operands; known if all entries that the known operands leave are
 * the same. */
static Value entry_of(uint64_t table, const Value in[3], int bit)
{
    bool any[2] = {false, false};
    for (unsigned i = 0; i < 8; i++) {
        bool can = true;
        for (int k = 0; k < 3; k++)
            can &= !in[k].known || (in[k].bits >> bit & 1) == (i >> (2 - k) & 1);
        any[table >> i & 1] |= can;
    }
    return (Value){any[1], any[0] != any[1]};
}

static void look_up(Step *s)
{
    const uint64_t table = sass_bits(s->w.high, 8, 8);
    Value in[3] = {first_operand(s)}, v = {0, is_plain(s, 0x10000)};
    other_operands(s, &in[1], &in[2]);
    for (int bit = 0; bit < 32; bit++) {
        const Value one = entry_of(table, in, bit);
        v.bits |= one.bits << bit;
        v.known &= one.known;
    }
    const Value other = read_predicate(s, 23, 26, s->scalar);
    const bool set = v.known && v.bits != 0;
    write_register(s, 0, v);
    write_predicate(s, 17,
                    (Value){set || other.bits,
                            (set || (v.known && other.known)) || (other.known && other.bits)});
}

static void shift(Step *s)
{
    Value low = first_operand(s), by, high;
    other_operands(s, &by, &high);
    const bool right = sass_bits(s->w.high, 12, 1), upper = sass_bits(s->w.high, 16, 1);
    const bool is_signed = !sass_bits(s->w.high, 9, 1);
    const bool no_low = right && upper, no_high = !right && !upper;
    const uint64_t pair = (uint64_t)high.bits << 32 | low.bits;
    Value v = {0, (low.known || no_low) && (high.known || no_high) && by.known && by.bits < 32 &&
                      is_plain(s, 0x6e100)};
    if (v.known && right)
        v.bits = !upper      ? (uint32_t)(pair >> by.bits)
                 : is_signed ? (uint32_t)((int32_t)high.bits >> by.bits)
                             : high.bits >> by.bits;
    else if (v.known)
        v.bits = upper ? (uint32_t)(pair << by.bits >> 32) : low.bits << by.bits;
    write_register(s, 0, v);
}

/* (c:a << by) + b: the lower half, or in the .HI form the upper one. */
static void scale_add(Step *s)
{
    const bool upper = sass_bits(s->w.high, 16, 1);
    Value a = first_operand(s), b, c;
    other_operands(s, &b, &c);
    const uint64_t scaled = ((uint64_t)c.bits << 32 | a.bits) << sass_bits(s->w.high, 11, 5);
    write_register(s, 0,
                   (Value){(uint32_t)(upper ? scaled >> 32 : scaled) + b.bits,
                           a.known && b.known && (c.known || !upper) && is_plain(s, 0x700) &&
                               !second_is_negated(s)});
    write_predicate(s, 17, VARIES);
}

static void select_one(Step *s)
{
    const Value choice = read_predicate(s, 23, 26, s->scalar);
    Value a = first_operand(s), b, c;
    other_operands(s, &b, &c);
    const bool other_form =
        sass_form(s->w) == SASS_FORM_NUMBER_THIRD || sass_form(s->w) == SASS_FORM_CONSTANT_THIRD;
    const bool plain = !other_form && is_plain(s, 0x7fff00) && !second_is_negated(s);
    Value v = choice.bits ? a : b;
    v.known &= choice.known && plain;
    write_register(s, 0, v);
    if (other_form) /* SEL.64 */
        write_register(s, 1, VARIES);
}

static void permute(Step *s)
{
    Value from, high, low = first_operand(s), v = {0};
    other_operands(s, &from, &high);
    const uint64_t pair = (uint64_t)high.bits << 32 | low.bits;
    v.known = low.known && high.known && from.known && is_plain(s, 0x7ffff00);
    for (int i = 0; i < 4; i++) {
        const uint32_t at = from.bits >> 4 * i & 15;
        uint32_t byte = (uint32_t)(pair >> 8 * (at & 7)) & 0xff;
        if (at & 8)
            byte = byte & 0x80 ? 0xff : 0;
        v.bits |= byte << 8 * i;
    }
    write_register(s, 0, v);
}

static void move(Step *s)
{
    enum { ALL_BYTES = 0xf00 };
    Value v, c;
    other_operands(s, &v, &c);
    const SassForm form = sass_form(s->w);
    v.known &= form != SASS_FORM_NUMBER_THIRD && form != SASS_FORM_CONSTANT_THIRD &&
               is_plain(s, s->scalar ? 0x7ffff00 : 0x7fff000) &&
               (s->scalar || (s->w.high & ALL_BYTES) == ALL_BYTES);
    write_register(s, 0, v);
    if (form == SASS_FORM_NUMBER_THIRD || form == SASS_FORM_CONSTANT_THIRD) /* of two registers */
        write_register(s, 1, VARIES);
}

static Value and_or_xor(Value a, Value b, uint64_t how)
{
    const Value v = {how == 0   ? a.bits & b.bits
                     : how == 1 ? a.bits | b.bits
                                : a.bits ^ b.bits,
                     a.known && b.known};
    for (int i = 0; i < 2; i++) {
        const Value x = i ? a : b;
        if (how < 2 && x.known && x.bits == how)
            return x;
    }
    return v;
}

static bool holds(uint64_t how, int64_t a, int64_t b)
{
    enum { LESS = 1, EQUAL = 2, GREATER = 4 };
    return how & (uint64_t)(a < b ? LESS : a == b ? EQUAL : GREATER);
}

/* The comparison of the upper halves of 64 bits continues that of the lower ones, `below`. */
static Value continued(uint64_t how, Value above, bool equal, Value below)
{
    enum { EQUAL = 2, NOT_EQUAL = 5 };
    if (equal)
        return below;
    return how == EQUAL ? number(0) : how == NOT_EQUAL ? number(1) : above;
}

static void compare(Step *s)
{
    const uint64_t how = sass_bits(s->w.high, 12, 3), join = sass_bits(s->w.high, 10, 2);
    const bool is_signed = sass_bits(s->w.high, 9, 1), upper = sass_bits(s->w.high, 8, 1);
    const Value other = read_predicate(s, 23, 26, s->scalar),
                below = read_predicate(s, 4, 7, s->scalar);
    Value a = first_operand(s), b, c, v = VARIES;
    other_operands(s, &b, &c);
    if (!is_plain(s, 0x10000) || second_is_negated(s) || join > 2) {
        write_predicate(s, 17, VARIES);
        write_predicate(s, 20, VARIES);
        return;
    }
    const int64_t x = is_signed ? (int32_t)a.bits : (int64_t)a.bits,
                  y = is_signed ? (int32_t)b.bits : (int64_t)b.bits;
    if (a.known && b.known) {
        v = number(holds(how, x, y));
        if (upper)
            v = continued(how, v, x == y, below);
    } else if (b.known && b.bits == 0 && !is_signed && (!upper || (below.known && below.bits)) &&
               (how & 6) == 6) {
        v = number(1); /* nothing is below 0 */
    } else if (b.known && b.bits == 0 && !is_signed && (!upper || (below.known && !below.bits)) &&
               how == 1) {
        v = number(0);
    }
    const Value not = {!v.bits, v.known};
    write_predicate(s, 17, and_or_xor(v, other, join));
    write_predicate(s, 20, and_or_xor(not, other, join));
}

static void look_up_predicates(Step *s)
{
    enum { SCALAR_THIRD = 3 };
    const uint64_t table = sass_bits(s->w.high, 8, 5) << 3 | sass_bits(s->w.high, 0, 3);
    const Value in[3] = {
        read_predicate(s, 23, 26, s->scalar), read_predicate(s, 13, 16, s->scalar),
        read_predicate(s, 4, 7, s->scalar || sass_bits(s->w.high, SCALAR_THIRD, 1))};
    Value v = entry_of(table, in, 0);
    v.known &= sass_form(s->w) == SASS_FORM_NUMBER_SECOND;
    write_predicate(s, 17, v);
    write_predicate(s, 20, VARIES);
}

/* Loads of the constant bank at a fixed address. */
static void load_constant(Step *s)
{
    enum { U8, S8, U16, S16, WORD, PAIR, QUAD };
    const bool late = sass_opcode(s->w) == SASS_OP_LDCU;
    const uint64_t width = sass_bits(s->w.high, 9, 3);
    const int64_t offset = (int64_t)sass_bits(s->w.low, late ? 37 : 38, 16);
    const bool fixed =
        sass_constant(s->w) == SASS_CONSTANT_FIXED && sass_bits(s->w.low, late ? 53 : 54, 5) == 0;
    const int words = width <= WORD ? 1 : width == PAIR ? 2 : width == QUAD ? 4 : 8;
    for (int i = 0; i < words; i++) {
        const int64_t at = offset + 4 * i;
        Value v = bank_word(s, at & ~INT64_C(3));
        v.known &= fixed && width <= QUAD;
        if (width < WORD) {
            const int size = width < U16 ? 8 : 16, unused = 32 - size;
            v.bits = v.bits >> 8 * (at & 3) << unused;
            v.bits = width & 1 ? (uint32_t)((int32_t)v.bits >> unused) : v.bits >> unused;
        }
        write_register(s, i, v);
    }
}

/* Of special registers those that number the block. */
static void load_special(Step *s)
{
    enum { BLOCK_X = 0x25 };
    const uint64_t axis = sass_bits(s->w.high, 8, 8) - BLOCK_X;
    write_register(s, 0, axis < 3 && s->launch->at ? number(s->launch->at[axis]) : VARIES);
}

/* Registers that an instruction may write, as far as it is not evaluated. */
static int written(SassInstr w)
{
    const SassUnit unit = sass_unit_of(w);
    const SassClass class = sass_class(w);
    const int op = sass_opcode(w), words = (sass_access_bytes(w) + 3) / 4;
    if (class == SASS_GLOBAL_STORE || class == SASS_SHARED_STORE || class == SASS_LOCAL_STORE ||
        op == SASS_OP_BAR || op == SASS_OP_DEPBAR || op == SASS_OP_MEMBAR)
        return 0;
    if (op == SASS_OP_FFMA || op == SASS_OP_FADD || op == SASS_OP_FMUL || op == SASS_OP_SHFL)
        return 1;
    return words ? words : unit == SASS_UNIT_LSU ? 4 : 2;
}

/* Instructions of the scalar unit may write registers of either file, and so does REDUX. */
static void forget(Step *s)
{
    const SassUnit unit = sass_unit_of(s->w);
    const int op = sass_opcode(s->w), registers = written(s->w);
    const bool scalar = s->scalar, both = scalar || op == SASS_OP_REDUX;
    if (unit == SASS_UNIT_TENSOR || unit == SASS_UNIT_TEXTURE || unit == SASS_UNIT_UNKNOWN ||
        op == SASS_OP_R2P || op == SASS_OP_UR2UP) {
        memset(s->state, 0, sizeof *s->state);
        return;
    }
    for (int file = 0; file < 2; file++) {
        s->scalar = file;
        for (int i = 0; (both || file == scalar) && i < registers; i++)
            write_register(s, i, VARIES);
        if (scalar) {
            write_predicate(s, 17, VARIES);
            write_predicate(s, 20, VARIES);
        }
    }
    for (int i = 0; i < TRUE_PREDICATE; i++)
        if (sass_flow_may_write(s->w, i))
            s->state->predicates[i] = VARIES;
}

/* R2UR. */
static void make_scalar(Step *s)
{
    s->scalar = true;
    write_register(s, 0, read_register(s, sass_bits(s->w.low, 24, 8), false));
}

static void execute(Step *s)
{
    /* An opcode, and that of the scalar unit. */
    static void (*const execute_by[SASS_OPCODES])(Step *) = {
#define BOTH(op, by) [SASS_OP_##op] = by, [SASS_OP_U##op] = by
        BOTH(IADD3, add3),
        BOTH(IMAD, multiply_add),
        BOTH(LOP3, look_up),
        BOTH(SHF, shift),
        BOTH(LEA, scale_add),
        BOTH(SEL, select_one),
        BOTH(MOV, move),
        BOTH(ISETP, compare),
        BOTH(PLOP3, look_up_predicates),
        BOTH(PRMT, permute),
        BOTH(LDC, load_constant),
#undef BOTH
        [SASS_OP_LDCU] = load_constant,
        [SASS_OP_VIADD] = add,
        [SASS_OP_S2R] = load_special,
        [SASS_OP_S2UR] = load_special,
        [SASS_OP_R2UR] = make_scalar};
    if (execute_by[sass_opcode(s->w)])
        execute_by[sass_opcode(s->w)](s);
    else if (sass_class(s->w) != SASS_BRANCH && sass_class(s->w) != SASS_NOP)
        forget(s);
}

/* --- propagation ------------------------------------------------------------------------------ */

/* Merges `from` into `to`; true if `to` changes.  Nothing is merged into a state that was not reached. */
static bool merge(State *to, const State *from)
{
    bool changed = false;
    Value *a = to->registers;
    const Value *b = from->registers;
    for (size_t i = 0; i < sizeof *to / sizeof *a; i++) {
        const bool same = a[i].known && b[i].known && a[i].bits == b[i].bits;
        changed |= a[i].known && !same;
        a[i].known = same;
    }
    return changed;
}

/* Whether a guard holds or a branch is taken: 0, 1, or -1 where that varies. */
static int outcome(Step *s)
{
    const uint64_t guard = sass_bits(s->w.low, 12, 3);
    Value taken =
        guard == TRUE_PREDICATE ? number(1) : s->state->predicates[PREDICATES * s->scalar + guard];
    taken.bits ^= (uint32_t)sass_bits(s->w.low, 15, 1);
    return taken.known ? (int)taken.bits : -1;
}

static int branch_outcome(Step *s)
{
    enum { SCALAR_CONDITION = 27 };
    bool apart;
    s->scalar = false;
    const int guard = outcome(s);
    if (guard == 0 || !sass_has_condition(s->w))
        return guard;
    if (guard < 0 || sass_by_divergence(s->w, &apart))
        return -1;
    Value v = read_predicate(s, 23, 26, false);
    if (sass_bits(s->w.high, SCALAR_CONDITION, 1)) {
        Value scalar = s->state->predicates[PREDICATES + sass_bits(s->w.low, 24, 3)];
        scalar.bits ^= (uint32_t)sass_bits(s->w.low, 27, 1);
        v = and_or_xor(v, scalar, 0);
    }
    return v.known ? (int)v.bits : -1;
}

static void run_one(Step *s)
{
    s->scalar = sass_unit_of(s->w) == SASS_UNIT_UNIFORM;
    const int guard = outcome(s);
    if (guard == 0)
        return;
    if (guard > 0) {
        execute(s);
        return;
    }
    const State before = *s->state;
    execute(s);
    merge(s->state, &before);
}

/* The states at the beginning of blocks, and where they are still to be followed from. */
typedef struct Settle {
    Arena *arena;
    SassFlow *flow;
    const SassLaunch *launch;
    State **entry; /* by block; NULL: not reached */
    bool *waits;   /* by block: its state changed */
    int *outcome;  /* by block: of its last instruction */
} Settle;

static void flow_into(Settle *x, int block, const State *state)
{
    if (!x->entry[block]) {
        x->entry[block] = ARENA_NEW(x->arena, State);
        *x->entry[block] = *state;
        x->waits[block] = true;
    } else {
        x->waits[block] |= merge(x->entry[block], state);
    }
}

/* True for a branch or exit with a guard or condition, and no other end of a block. */
static bool may_settle(const SassFlow *f, int block)
{
    const CfgBlock *b = &f->cfg->blocks[block];
    if (b->end == b->first || f->callee[block] != CFG_NONE ||
        !sass_conditional(sass_flow_last(f, block)))
        return false;
    const int op = sass_opcode(sass_flow_last(f, block));
    return (op == SASS_OP_BRA && b->taken != CFG_NONE && b->fall != CFG_NONE) || op == SASS_OP_EXIT;
}

static void follow_block(Settle *x, int block)
{
    const SassFlow *f = x->flow;
    const CfgBlock *b = &f->cfg->blocks[block];
    State state = *x->entry[block];
    Step s = {.state = &state, .launch = x->launch};
    for (size_t i = b->first; i < b->end; i++) {
        s.w = f->instrs[i];
        run_one(&s);
    }
    if (f->callee[block] != CFG_NONE)
        memset(&state, 0, sizeof state);
    const int outcome = x->outcome[block] = may_settle(f, block) ? branch_outcome(&s) : -1;
    for (int k = 0; k < b->succ_count; k++)
        if (outcome < 0 || b->succs[k] == (outcome ? b->taken : b->fall))
            flow_into(x, b->succs[k], &state);
}

/* Leaves only the way that is always taken. */
static void cut(Arena *a, CfgBlock *b, int outcome)
{
    const int to = outcome ? b->taken : b->fall;
    b->succ_count = to != CFG_NONE;
    b->ends_thread &= outcome != 0;
    b->succs = ARENA_ARRAY(a, int, 1);
    b->succs[0] = to;
}

static void keep_whole(Arena *a, SassFlow *f)
{
    SassFlow *whole = ARENA_NEW(a, SassFlow);
    Cfg *c = ARENA_NEW(a, Cfg);
    CfgBlock *blocks = ARENA_ARRAY(a, CfgBlock, (size_t)f->cfg->count);
    memcpy(blocks, f->cfg->blocks, (size_t)f->cfg->count * sizeof *blocks);
    *whole = *f;
    *c = *f->cfg;
    f->cfg = c;
    c->blocks = blocks;
    f->whole = whole;
}

bool sass_settle(Arena *a, SassFlow *f, const SassLaunch *launch)
{
    enum { BLOCKS_MOST = 1 << 12 }; /* 4 KB each */
    const size_t count = (size_t)f->cfg->count;
    if (count > BLOCKS_MOST)
        return false;
    Settle x = {a,
                f,
                launch,
                ARENA_ARRAY(a, State *, count),
                ARENA_ARRAY(a, bool, count),
                ARENA_ARRAY(a, int, count)};
    const State nothing = {.registers[0] = VARIES};
    flow_into(&x, 0, &nothing);
    for (bool again = true; again;) {
        again = false;
        for (int b = 0; b < f->cfg->count; b++)
            if (x.waits[b]) {
                x.waits[b] = false;
                follow_block(&x, b);
                again = true;
            }
    }
    bool any = false;
    for (int b = 0; b < f->cfg->count; b++)
        if (x.entry[b] && x.outcome[b] >= 0) {
            if (!any)
                keep_whole(a, f);
            cut(a, &f->cfg->blocks[b], x.outcome[b]);
            any = true;
        }
    if (any)
        sass_flow_finish(a, f);
    return any;
}
