/* What a kernel's PTX says about its launch: which parameters it reads and writes through, and
 * which of its threads' and blocks' numbers it uses. */
#pragma once

#include "metrics/ptx/ptx.h"

enum { KERNEL_FACTS_PARAMETERS = 64 }; /* those behind are not followed */

typedef struct KernelFacts {
    uint64_t loaded, stored;  /* bit i: an address that begins with parameter i is read, written */
    bool thread[3], block[3]; /* x, y, z of threadIdx, blockIdx */
    bool block_size, grid_size; /* any of blockDim, gridDim */
    int64_t most_threads;       /* of __launch_bounds__; 0: not said */
    bool dynamic_shared;
    /* The parameter + 1 that numbers made of blockIdx.x, .y, .z are compared with, and [3] those made
     * of several; 0: none.  Bit d: threads along d are counted, too. */
    int bound[4], bound_threads[4];
    bool calls; /* a function that is not part of it: what that does is not followed */
} KernelFacts;

/* Of an entry of the module. */
KernelFacts kernel_facts(Arena *a, const PtxModule *m, const PtxFunction *entry);

/* The pointers in a struct by value: those of its words of 8 bytes (bit i: the one at byte 8 i) that
 * are read or written through, and the type of the first access. */
typedef struct KernelMembers {
    uint64_t loaded, stored;
    PtxType type[64];
} KernelMembers;

KernelMembers kernel_facts_members(Arena *a, const PtxFunction *entry,
                                   const PtxVariable *parameter);
