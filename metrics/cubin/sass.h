/* The few fields of a machine instruction that a profile needs.
 *
 * Since Volta an instruction has 16 bytes, two little-endian words:
 *
 *     word   bits    field
 *     low    0-8     opcode (sass_ops.def)
 *     low    9-11    form of the operands: 2 and 4 have a number among them, up to sm_90 3 and 5 a
 *                    constant
 *     low    12-15   guard: a predicate, 7 = always, and its negation
 *     low    38-43   groups of copies that DEPBAR lets be under way (by cp.async.wait_group)
 *     low    24-31   LDC: register of the index, 255 = none
 *     low    32-63   a number; BSSY: offset in bytes, with a sign
 *     low    33      BRA: whether it is taken depends on whether lanes have diverged
 *     low    34-63   branch offset, in units of 4 bytes and with a sign (it goes on in the high
 *                    word); from sm_90 on its lowest 8 bits are bits 16-23, before those
 *     high   9-11    width of a memory access
 *     high   23-26   branches: one more predicate and its negation
 *     high   27      branches: by a predicate or a register of the scalar unit
 *     high   41-44   stall count: cycles until the next instruction may issue
 *     high   46-48   scoreboard that the result sets, 7 = none
 *     high   49-51   scoreboard that reading the operands sets, 7 = none
 *     high   52-57   scoreboards to wait for, one bit each
 *
 * The layout is not published.  tests/gpu/check_sass.sh compares it with cuobjdump for every
 * shipped space, the control fields as far as that is possible; sass_arch_checked says for which
 * architectures that was done. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum SassClass {
#define SASS_CLASS(constant, unit, has_number, has_constant) SASS_##constant,
#include "metrics/cubin/sass_ops.def"
    SASS_CLASSES
} SassClass;

/* What executes an instruction. */
typedef enum SassUnit {
    SASS_UNIT_FMA,  /* FFMA, FADD, FMUL */
    SASS_UNIT_IMAD, /* integer multiply-adds, which use the heavy half of the FMA unit, and half the
                     * moves, which ptxas writes as such */
    SASS_UNIT_ALU,  /* integers, logic, comparisons, selections, moves, quick conversions */
    SASS_UNIT_SFU,  /* special functions, conversions that set a scoreboard */
    SASS_UNIT_FP64,
    SASS_UNIT_HALF, /* HFMA2, which also serves as a move */
    SASS_UNIT_TENSOR,
    SASS_UNIT_LSU, /* all accesses of memory by address, shuffles and votes */
    SASS_UNIT_TEXTURE,
    SASS_UNIT_BRANCH,
    SASS_UNIT_UNIFORM, /* the scalar unit, constants loaded for it */
    SASS_UNIT_OTHER,   /* barriers, fences, special registers, no operation */
    SASS_UNIT_UNKNOWN, /* opcodes that sass_ops.def does not have */
    SASS_UNITS
} SassUnit;

/* Opcodes by name: SASS_OP_BRA …  The other meaning of a code has a bit more. */
enum {
#define SASS_OP(code, constant, name, class)                 SASS_OP_##constant = code,
#define SASS_OP_ON(code, first, last, constant, name, class) SASS_OP_##constant = (code) | 0x200,
#include "metrics/cubin/sass_ops.def"
    SASS_OPCODES = 1024
};

enum { SASS_BYTES = 16, SASS_NO_SCOREBOARD = 7, SASS_ALWAYS = 7 };

typedef struct SassInstr {
    uint64_t low, high;
    uint16_t opcode; /* SASS_OP_… */
    uint16_t arch;   /* 90 for sm_90 */
} SassInstr;

/* The two words of an instruction for sm_`arch`. */
SassInstr sass_instr(uint64_t low, uint64_t high, int arch);

/* Instruction `i` of a kernel's code for sm_`arch`. */
SassInstr sass_at(const uint8_t *code, size_t i, int arch);

/* Instructions before the padding: trailing NOPs do not count. */
size_t sass_count(const uint8_t *code, size_t code_bytes);

/* Was all that is read of instructions here compared with a disassembler for sm_`arch`?  True for
 * all that CUDA 13.0 compiles for. */
bool sass_arch_checked(int arch);

int sass_opcode(SassInstr w);
SassClass sass_class(SassInstr w);
SassUnit sass_unit_of(SassInstr w);

/* "FFMA"; "?" when unknown.  A constant. */
const char *sass_name(SassInstr w);

/* Bytes that one thread moves, for loads and stores of global, shared, local and generic memory; 0
 * for every other instruction and for an unknown width. */
int sass_access_bytes(SassInstr w);

/* The number that stands in an arithmetic instruction or a move.  False when there is none. */
bool sass_immediate(SassInstr w, uint32_t *value);

/* How an instruction reads the constant banks. */
typedef enum SassConstant {
    SASS_NO_CONSTANT,
    SASS_CONSTANT_OPERAND, /* c[bank][offset] beside registers: with the instruction, one for all
                              lanes */
    SASS_CONSTANT_FIXED,   /* a load from a place that is the same for all lanes */
    SASS_CONSTANT_INDEXED, /* a load by a register: lanes that differ in it take turns */
    SASS_CONSTANT_UNIFORM  /* a load into the scalar unit, by one of its registers */
} SassConstant;

SassConstant sass_constant(SassInstr w);

/* Guarding predicate, SASS_ALWAYS for none; `negated` may be NULL. */
int sass_guard(SassInstr w, bool *negated);

/* When the next instruction may issue, and what is waited for. */
typedef struct SassControl {
    uint8_t stall;       /* cycles */
    uint8_t write, read; /* scoreboards, SASS_NO_SCOREBOARD for none */
    uint8_t wait;        /* bit i: waits for scoreboard i */
    uint8_t groups;      /* of asynchronous copies that a DEPBAR leaves under way */
} SassControl;

SassControl sass_control(SassInstr w);

/* Is it a branch that some warps take and others do not: by its guard or by its own predicate? */
bool sass_conditional(SassInstr w);

/* Number of the instruction that the BRA or relative CALL at number `i` of `count` goes to, in code
 * for sm_`arch`.  False when it is neither or the target lies outside the code. */
bool sass_branch_target(SassInstr w, int arch, size_t i, size_t count, size_t *target);

/* Number of the instruction at which the lanes that diverge behind the BSSY at number `i` reconverge.
 * False when it is no BSSY or that lies outside the code. */
bool sass_reconvergence(SassInstr w, size_t i, size_t count, size_t *target);

/* What differs from one GPU generation to the next beyond the numbers of device files: how an SM gives out
 * its resources, and what machine code looks like.  One row each in sass.c. */

typedef struct Arch {
    int number;            /* 90 for sm_90 */
    int register_unit;     /* registers are given to a warp in multiples of it; on 1.x to a block */
    int shared_unit;       /* bytes of shared memory to a block */
    int partitions;        /* of the SM, each with its share of the registers; 0: none */
    int barriers_per_slot; /* of a block; 0: they never run out */
    int shared_reserved; /* bytes that a kernel's section of shared memory counts for the system */
    bool constant_operands; /* arithmetic reads the constant banks itself */
    bool wide_branches;     /* the offset of a branch goes on in bits 16 to 23 */
    bool checked; /* all that is read of its machine code was compared with a disassembler */
} Arch;

/* The rules for an architecture: those of the newest one that is listed and not newer. */
const Arch *arch_of(int number);
