/* What differs from one GPU generation to the next beyond the numbers of device files: how an SM gives out
 * its resources, and what machine code looks like.  One row each in arch.c. */
#ifndef APTUNE_CUBIN_ARCH_H
#define APTUNE_CUBIN_ARCH_H

#include <stdbool.h>

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

#endif
