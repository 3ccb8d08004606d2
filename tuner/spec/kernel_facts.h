/* Facts about a kernel's launch from its PTX: which parameters it reads and writes through, and which
 * thread and block indices it uses. */
#pragma once

#include "metrics/ptx/ptx.h"

enum { KERNEL_FACTS_PARAMETERS = 64 }; /* those after them are not followed */

typedef struct KernelFacts {
    uint64_t loaded, stored; /* bit i: memory at addresses based on parameter i is read, written */
    /* bit i: what is read through parameter i decides a branch, a guard or an address; values kept in shared
     * or local memory count as all that is kept there */
    uint64_t decides;
    /* The one type of all accesses through parameter i; PTX_NO_TYPE: there are none, or several types. */
    PtxType type[KERNEL_FACTS_PARAMETERS];
    bool thread[3], block[3];   /* x, y, z of threadIdx, blockIdx */
    bool block_size, grid_size; /* any of blockDim, gridDim */
    int64_t most_threads;       /* of __launch_bounds__; 0: not given */
    bool dynamic_shared;
    bool cooperative; /* it reads what only a cooperative launch sets, to synchronise the grid */
    /* The parameter + 1 that expressions of blockIdx.x, .y, .z are compared with, [3]: of several of them;
     * 0: none. Bit d: threads along d are part of the expression. */
    int bound[4], bound_threads[4];
    bool calls; /* it calls a function, whose effects are not followed */
} KernelFacts;

KernelFacts kernel_facts(Arena *a, const PtxModule *m, const PtxFunction *entry);

/* Pointer members of a struct passed by value: of its 8-byte words (bit i: the one at byte 8 i) those that
 * are read or written through, with the type of the first access. */
typedef struct KernelMembers {
    uint64_t loaded, stored;
    PtxType type[64];
} KernelMembers;

KernelMembers kernel_facts_members(Arena *a, const PtxFunction *entry,
                                   const PtxVariable *parameter);
