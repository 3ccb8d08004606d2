#include "metrics/cubin/sass.h"

#include <string.h>

typedef struct SassOp {
    const char *name; /* NULL: unknown */
    SassClass class;
    int first, last; /* of a second meaning: the architectures that have it */
} SassOp;

enum { OTHER_MEANING = 0x200 };

static const SassOp ops[SASS_OPCODES] = {
#define SASS_OP(code, constant, name, class) [code] = {name, SASS_##class, 0, 0},
#define SASS_OP_ON(code, first, last, constant, name, class)                                       \
    [SASS_OP_##constant] = {name, SASS_##class, first, last},
#include "metrics/cubin/sass_ops.def"
};

static const struct {
    SassUnit unit;
    bool has_number, has_constant;
} classes[] = {
#define SASS_CLASS(constant, unit, has_number, has_constant)                                       \
    {SASS_UNIT_##unit, has_number, has_constant},
#include "metrics/cubin/sass_ops.def"
};

static uint64_t word_at(const uint8_t *at)
{
    uint64_t word;
    memcpy(&word, at, sizeof word);
    return word;
}

SassInstr sass_instr(uint64_t low, uint64_t high, int arch)
{
    const unsigned code = sass_bits(low, 0, 9), other = code | OTHER_MEANING;
    const bool is_other = ops[other].name && ops[other].first <= arch && arch <= ops[other].last;
    return (SassInstr){low, high, (uint16_t)(is_other ? other : code), (uint16_t)arch};
}

SassInstr sass_at(const uint8_t *code, size_t i, int arch)
{
    const uint8_t *at = code + i * SASS_BYTES;
    return sass_instr(word_at(at), word_at(at + 8), arch);
}

size_t sass_count(const uint8_t *code, size_t code_bytes)
{
    size_t n = code_bytes / SASS_BYTES;
    while (n > 0 && sass_bits(word_at(code + (n - 1) * SASS_BYTES), 0, 9) == SASS_OP_NOP)
        n--;
    return n;
}

SassClass sass_class(SassInstr w)
{
    return ops[sass_opcode(w)].class;
}

/* Opcodes that another unit executes than most of their class: the unit + 1. */
static const uint8_t units[SASS_OPCODES] = {
#define ON(op, unit) [SASS_OP_##op] = SASS_UNIT_##unit + 1
    ON(FFMA, FMA),     ON(FADD, FMA),         ON(FMUL, FMA),         ON(FFMA2, FMA),
    ON(FADD2, FMA),    ON(FMUL2, FMA),        ON(IMAD, IMAD),        ON(IMAD_WIDE, IMAD),
    ON(IMAD_HI, IMAD), ON(I2FP, ALU),         ON(F2FP, ALU),         ON(VOTE, ALU),
    ON(ULDC, UNIFORM), ON(ULDC_0B8, UNIFORM), ON(ULDC_0BB, UNIFORM), ON(LDCU, UNIFORM),
    ON(S2R, OTHER),
#undef ON
};

SassUnit sass_unit_of(SassInstr w)
{
    const unsigned own = units[sass_opcode(w)];
    return own ? (SassUnit)(own - 1) : classes[sass_class(w)].unit;
}

const char *sass_name(SassInstr w)
{
    const char *name = ops[sass_opcode(w)].name;
    return name ? name : "?";
}

int sass_access_bytes(SassInstr w)
{
    /* u8, s8, u16, s16, 32, 64, 128 bits */
    static const int8_t bytes[8] = {1, 1, 2, 2, 4, 8, 16, 0};
    const int op = sass_opcode(w);
    if (op == SASS_OP_LDG_17E || op == SASS_OP_STG_17F)
        return 32;
    return op >= SASS_OP_LD && op <= SASS_OP_STS && op != SASS_OP_LDC
               ? bytes[sass_bits(w.high, 9, 3)]
               : 0;
}

int sass_results(SassInstr w)
{
    const int op = sass_opcode(w), bytes = sass_access_bytes(w);
    switch (sass_class(w)) {
    case SASS_GLOBAL_LOAD:
    case SASS_GENERIC:
    case SASS_SHARED_LOAD:
    case SASS_LOCAL_LOAD:
        return bytes > 4 ? bytes / 4 : 1;
    case SASS_FP32:
        return op != SASS_OP_FSETP;
    case SASS_INT:
        return op == SASS_OP_ISETP ? 0 : op == SASS_OP_IMAD_WIDE ? 2 : 1;
    case SASS_SHUFFLE:
        return op == SASS_OP_SHFL;
    case SASS_MOVE:
    case SASS_CONVERT:
    case SASS_SFU:
    case SASS_CONSTANT_LOAD:
        return 1;
    default:
        return 0;
    }
}

bool sass_immediate(SassInstr w, uint32_t *value)
{
    const SassForm form = sass_form(w);
    *value = (uint32_t)(w.low >> 32);
    return classes[sass_class(w)].has_number &&
           (form == SASS_FORM_NUMBER_THIRD || form == SASS_FORM_NUMBER_SECOND);
}

SassConstant sass_constant(SassInstr w)
{
    enum { NO_SCALAR = 63 };
    const SassForm form = sass_form(w);
    switch (sass_opcode(w)) {
    case SASS_OP_LDC:
        return sass_operand(w, 0) == SASS_ZERO ? SASS_CONSTANT_FIXED : SASS_CONSTANT_INDEXED;
    case SASS_OP_ULDC:
    case SASS_OP_ULDC_0B8:
        return SASS_CONSTANT_FIXED;
    case SASS_OP_ULDC_0BB:
        return sass_bits(w.low, 24, 6) == NO_SCALAR ? SASS_CONSTANT_FIXED : SASS_CONSTANT_UNIFORM;
    case SASS_OP_LDCU:
        return sass_operand(w, 0) == SASS_ZERO ? SASS_CONSTANT_FIXED : SASS_CONSTANT_UNIFORM;
    default:
        return arch_of(w.arch)->constant_operands && classes[sass_class(w)].has_constant &&
                       (form == SASS_FORM_CONSTANT_THIRD || form == SASS_FORM_CONSTANT_SECOND)
                   ? SASS_CONSTANT_OPERAND
                   : SASS_NO_CONSTANT;
    }
}

int sass_guard(SassInstr w, bool *negated)
{
    if (negated)
        *negated = sass_bits(w.low, 15, 1);
    return (int)sass_bits(w.low, 12, 3);
}

SassControl sass_control(SassInstr w)
{
    return (SassControl){.stall = (uint8_t)sass_bits(w.high, 41, 4),
                         .write = (uint8_t)sass_bits(w.high, 46, 3),
                         .read = (uint8_t)sass_bits(w.high, 49, 3),
                         .wait = (uint8_t)sass_bits(w.high, 52, 6),
                         .groups = (uint8_t)sass_bits(w.low, 38, 6)};
}

/* BRA.DIV and BRA.CONV. */
bool sass_by_divergence(SassInstr w, bool *apart)
{
    *apart = !sass_bits(w.low, 32, 1);
    return sass_opcode(w) == SASS_OP_BRA && sass_bits(w.low, 33, 1);
}

bool sass_has_condition(SassInstr w)
{
    bool apart;
    return sass_by_divergence(w, &apart) || sass_bits(w.high, 23, 3) != SASS_ALWAYS ||
           sass_bits(w.high, 27, 1);
}

bool sass_conditional(SassInstr w)
{
    return sass_guard(w, NULL) != SASS_ALWAYS || sass_has_condition(w);
}

/* Relative to the next instruction, in units of 4 bytes.  30 bits of the low word and 10 of the high word
 * are more than any code needs. */
static int64_t branch_offset(SassInstr w, int arch)
{
    uint64_t offset = w.low >> 34 | (w.high & 0x3ff) << 30;
    int width = 40;
    if (arch_of(arch)->wide_branches) {
        offset = offset << 8 | sass_bits(w.low, 16, 8);
        width = 48;
    }
    uint64_t sign = (uint64_t)1 << (width - 1);
    return (int64_t)((offset ^ sign) - sign);
}

/* The instruction at an offset in bytes from the one after `i`; false outside the code. */
static bool land(int64_t bytes, size_t i, size_t count, size_t *target)
{
    int64_t to = (int64_t)i + 1 + bytes / SASS_BYTES;
    if (bytes % SASS_BYTES != 0 || to < 0 || (uint64_t)to >= count)
        return false;
    *target = (size_t)to;
    return true;
}

bool sass_branch_target(SassInstr w, int arch, size_t i, size_t count, size_t *target)
{
    const int op = sass_opcode(w);
    return (op == SASS_OP_BRA || op == SASS_OP_CALL_144) &&
           land(branch_offset(w, arch) * 4, i, count, target);
}

bool sass_reconvergence(SassInstr w, size_t i, size_t count, size_t *target)
{
    return sass_opcode(w) == SASS_OP_BSSY && land((int32_t)(w.low >> 32), i, count, target);
}

bool sass_arch_checked(int arch)
{
    return arch_of(arch)->number == arch && arch_of(arch)->checked;
}

/* Units and barriers: cuda_occupancy.h of CUDA 13.0 (cudaOccMaxBlocksPerSMBlockBarrierLimit), and for 1.x the
 * CUDA Programming Guide 4.x, "Hardware Multithreading".  Machine code: sass.h, and tests/gpu/check_sass.sh,
 * which compares it with cuobjdump. */
static const Arch archs[] = {
    {10, 256, 512, 0, 0, 0, true, false, false},    {12, 512, 512, 0, 0, 0, true, false, false},
    {20, 256, 256, 4, 0, 0, true, false, false},    {75, 256, 256, 4, 0, 0, true, false, true},
    {80, 256, 128, 4, 0, 0, true, false, true},     {86, 256, 128, 4, 0, 0, true, false, true},
    {87, 256, 128, 4, 0, 0, true, false, true},     {88, 256, 128, 4, 0, 0, true, false, true},
    {89, 256, 128, 4, 0, 0, true, false, true},     {90, 256, 128, 4, 2, 1024, true, true, true},
    {100, 256, 128, 4, 2, 1024, false, true, true}, {103, 256, 128, 4, 2, 1024, false, true, true},
    {110, 256, 128, 4, 1, 1024, false, true, true}, {120, 256, 128, 4, 1, 1024, false, true, true},
    {121, 256, 128, 4, 1, 1024, false, true, true},
};

const Arch *arch_of(int number)
{
    size_t i = sizeof archs / sizeof *archs - 1;
    while (i > 0 && archs[i].number > number)
        i--;
    return &archs[i];
}
