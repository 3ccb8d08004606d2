/* The fields of a machine instruction that a profile needs.
 *
 * Since Volta an instruction has 16 bytes, two little-endian words:
 *
 *     word   bits    field
 *     low    0-8     opcode (sass_ops.def)
 *     low    9-11    form of the operands: 1 has registers alone; 2 and 4 have an immediate as the third or
 *                    second, 3 and 5 likewise a constant, up to sm_90
 *     low    12-15   guard: a predicate, 7 = always, and its negation
 *     low    16-23   register of the result, 255 = the one that is always 0
 *     low    24-31   register of the first operand; LDC: of the index, 255 = none
 *     low    32-39   register of the second operand
 *     low    32-63   an immediate; BSSY: signed offset in bytes
 *     low    33      BRA: whether it is taken depends on whether lanes have diverged
 *     low    34-63   signed branch offset in units of 4 bytes, continued in the high word; from sm_90 on
 *                    bits 16-23 are its lowest 8 bits
 *     low    38-43   DEPBAR: groups of copies that may stay in flight (cp.async.wait_group)
 *     high   0-7     register of the third operand; with an immediate or constant, of whichever of the second
 *                    and third is left
 *     high   9-11    width of a memory access
 *     high   23-26   branches: a second predicate and its negation
 *     high   27      branches: by a predicate or register of the scalar unit
 *     high   41-44   stall count: cycles until the next instruction may issue
 *     high   46-48   scoreboard released when the result is written, 7 = none
 *     high   49-51   scoreboard released when the operands are read, 7 = none
 *     high   52-57   scoreboards to wait for, one bit each
 *
 * The layout is not published.  tests/gpu/check_sass.sh compares it with cuobjdump for every shipped space,
 * the control fields as far as possible; sass_arch_checked says for which architectures that was done. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum SassClass {
#define SASS_CLASS(constant, unit, has_number, has_constant) SASS_##constant,
#include "metrics/cubin/sass_ops.def"
    SASS_CLASSES
} SassClass;

/* The unit that executes an instruction. */
typedef enum SassUnit {
    SASS_UNIT_FMA, /* FFMA, FADD, FMUL */
    SASS_UNIT_IMAD, /* integer multiply-adds in the heavy half of the FMA unit, among them half of all
                     * moves */
    SASS_UNIT_ALU, /* integers, logic, comparisons, selections, moves, fast conversions */
    SASS_UNIT_SFU, /* special functions, conversions that set a scoreboard */
    SASS_UNIT_FP64,
    SASS_UNIT_HALF, /* HFMA2, which also serves as a move */
    SASS_UNIT_TENSOR,
    SASS_UNIT_LSU, /* all memory accesses by address, shuffles and votes */
    SASS_UNIT_TEXTURE,
    SASS_UNIT_BRANCH,
    SASS_UNIT_UNIFORM, /* the scalar unit and its constant loads */
    SASS_UNIT_OTHER,   /* barriers, fences, special registers, no operation */
    SASS_UNIT_UNKNOWN, /* opcodes missing in sass_ops.def */
    SASS_UNITS
} SassUnit;

/* Opcodes by name: SASS_OP_BRA …  A second meaning of a code has one more bit set. */
enum {
#define SASS_OP(code, constant, name, class)                 SASS_OP_##constant = code,
#define SASS_OP_ON(code, first, last, constant, name, class) SASS_OP_##constant = (code) | 0x200,
#include "metrics/cubin/sass_ops.def"
    SASS_OPCODES = 1024
};

enum { SASS_BYTES = 16, SASS_NO_SCOREBOARD = 7, SASS_ALWAYS = 7 };

/* Registers have 8 bits; SASS_ZERO is the one that is always 0, and stands for none. */
enum { SASS_REGISTERS = 256, SASS_ZERO = 255 };

/* A field of a word. */
static inline unsigned sass_bits(uint64_t word, int first, int count)
{
    return (unsigned)(word >> first & ((1u << count) - 1));
}

/* Operands: registers alone, or an immediate or constant as the third or second. */
typedef enum SassForm {
    SASS_FORM_REGISTERS = 1,
    SASS_FORM_NUMBER_THIRD,
    SASS_FORM_CONSTANT_THIRD,
    SASS_FORM_NUMBER_SECOND,
    SASS_FORM_CONSTANT_SECOND,
    SASS_FORM_SCALAR_SECOND,
    SASS_FORM_SCALAR_THIRD
} SassForm;

typedef struct SassInstr {
    uint64_t low, high;
    uint16_t opcode; /* SASS_OP_… */
    uint16_t arch;   /* 90 for sm_90 */
} SassInstr;

/* From the two words of an instruction for sm_`arch`. */
SassInstr sass_instr(uint64_t low, uint64_t high, int arch);

/* Instruction `i` of a kernel's code for sm_`arch`. */
SassInstr sass_at(const uint8_t *code, size_t i, int arch);

/* Instructions before the padding: trailing NOPs do not count. */
size_t sass_count(const uint8_t *code, size_t code_bytes);

/* True if decoding was compared with a disassembler for sm_`arch`, as it was for all targets of CUDA 13.0. */
bool sass_arch_checked(int arch);

static inline int sass_opcode(SassInstr w)
{
    return w.opcode;
}

static inline SassForm sass_form(SassInstr w)
{
    return (SassForm)(w.low >> 9 & 7);
}

/* The fields of registers; `operand` is 0, 1 or 2. */
static inline int sass_result(SassInstr w)
{
    return (int)(w.low >> 16 & 0xff);
}

static inline int sass_operand(SassInstr w, int operand)
{
    return (int)((operand == 2 ? w.high : w.low >> (24 + 8 * operand)) & 0xff);
}

SassClass sass_class(SassInstr w);
SassUnit sass_unit_of(SassInstr w);

/* "FFMA"; "?" when unknown. */
const char *sass_name(SassInstr w);

/* Bytes that one thread moves in a load or store of global, shared, local or generic memory; else, and for an
 * unknown width, 0. */
int sass_access_bytes(SassInstr w);

/* The number of registers that it writes, from sass_result on. */
int sass_results(SassInstr w);

/* The immediate of an arithmetic instruction or a move; false when there is none. */
bool sass_immediate(SassInstr w, uint32_t *value);

/* How an instruction reads the constant banks. */
typedef enum SassConstant {
    SASS_NO_CONSTANT,
    SASS_CONSTANT_OPERAND, /* operand c[bank][offset], the same for all lanes */
    SASS_CONSTANT_FIXED,   /* load from an address that is the same for all lanes */
    SASS_CONSTANT_INDEXED, /* load by a register: lanes with different addresses are serialized */
    SASS_CONSTANT_UNIFORM  /* load into the scalar unit, by one of its registers */
} SassConstant;

SassConstant sass_constant(SassInstr w);

/* The guard predicate, SASS_ALWAYS for none; `negated` may be NULL. */
int sass_guard(SassInstr w, bool *negated);

typedef struct SassControl {
    uint8_t stall;       /* cycles */
    uint8_t write, read; /* scoreboards, SASS_NO_SCOREBOARD for none */
    uint8_t wait;        /* bit i: waits for scoreboard i */
    uint8_t groups;      /* of asynchronous copies that a DEPBAR leaves in flight */
} SassControl;

SassControl sass_control(SassInstr w);

/* True for a branch that depends on its guard or anything else. */
bool sass_conditional(SassInstr w);

/* True if anything but the guard decides a branch: divergence, a second predicate or the scalar unit. */
bool sass_has_condition(SassInstr w);

/* True for a BRA that is decided by whether the lanes of the warp are together; `apart`: it is taken where they are not. */
bool sass_by_divergence(SassInstr w, bool *apart);

/* The target, as the number of an instruction, of the BRA or relative CALL at number `i` of `count`, in
 * code for sm_`arch`.  False when it is neither or the target lies outside the code. */
bool sass_branch_target(SassInstr w, int arch, size_t i, size_t count, size_t *target);

/* The instruction at which lanes that diverge after the BSSY at number `i` reconverge.  False when it is
 * not a BSSY or that lies outside the code. */
bool sass_reconvergence(SassInstr w, size_t i, size_t count, size_t *target);

/* What differs between GPU generations beyond the numbers of device files: how an SM allocates its
 * resources, and how machine code is encoded.  One row each in sass.c. */
typedef struct Arch {
    int number;             /* 90 for sm_90 */
    int register_unit;      /* allocation granularity of registers for a warp; on 1.x for a block */
    int shared_unit;        /* allocation granularity of a block's shared memory, bytes */
    int partitions;         /* of the SM, each with a share of the registers; 0: none */
    int barriers_per_slot;  /* barriers per block slot; 0: they never limit */
    int shared_reserved;    /* bytes for the system in a kernel's section of shared memory */
    bool constant_operands; /* arithmetic reads the constant banks */
    bool wide_branches;     /* branch offsets extend to bits 16 to 23 */
    bool checked;           /* decoding was compared with a disassembler */
} Arch;

/* The rules for an architecture: those of the newest listed one that is not newer. */
const Arch *arch_of(int number);
