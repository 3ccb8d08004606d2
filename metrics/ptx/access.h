/* The memory accesses of a function, as far as they are known before anything is run.
 *
 * A site is one memory instruction, or one side of an instruction that both reads and writes
 * (cp.async).  Sites of a block that have the same base register with the same value under the same
 * guard make a group: the lanes' base addresses are worked out once for all of them.  What an
 * access costs depends on the base and on little else (its width; its offset modulo 128), so that
 * the sites of a group share a few costs.  Internal to metrics/ptx. */
#pragma once

#include "metrics/ptx/flow.h"

typedef enum AccessKind {
    ACCESS_LOAD,
    ACCESS_STORE,
    ACCESS_ATOMIC,
    ACCESS_COUNT,       /* an atomic that adds 1 to a word of shared memory */
    ACCESS_MATRIX_LOAD, /* ldmatrix */
    ACCESS_MATRIX_STORE
} AccessKind;

typedef struct AccessSite {
    size_t instr;
    int block;
    AccessKind kind;
    PtxSpace space; /* as written */
    int bytes;      /* of one lane; a matrix's row 16 */
    bool at_most; /* a copy that is told at run time how many of them to read: the rest are zeros */
    int64_t offset; /* to the base */
    int group;
    int cost;
    int stretch; /* of the block: loads between two barriers, calls or writes to shared memory;
                    stores of one group with no other access of shared memory between them */
} AccessSite;

/* One pattern to be priced each time that its group is passed. */
typedef struct AccessCost {
    int group;
    AccessKind kind;
    int bytes;
    int matrices;   /* of a matrix kind */
    int64_t offset; /* to the base; other sites' offsets differ by what does not matter */
    int sites;      /* accesses that cost this */
    bool aligned;   /* addresses are rounded down to the width: what a merged access would take */
    PtxSpace space;
} AccessCost;

typedef struct AccessGroup {
    const PtxOperand *base; /* of the first site: register, variable or number */
    const PtxInstr *first;  /* its guard is the group's */
    PtxSpace space;
    uint32_t base_version; /* in its block, for building */
    uint32_t guard_version;
    int block;
    int first_cost, cost_count; /* in the list of costs */
    VEC(int) sites;             /* their numbers */
} AccessGroup;

typedef struct Accesses {
    VEC(AccessSite) sites; /* in the order of the text */
    VEC(AccessCost) costs; /* those of a group together */
    VEC(AccessGroup) groups;
    int *group_at; /* by instruction: the first group that begins at it, or CFG_NONE */
} Accesses;

/* Finds the sites of a function. */
Accesses *access_find(Arena *a, const Cfg *c);

/* Bytes of one lane; of a copy 0 where they are not a constant. */
int access_bytes(const PtxInstr *in);

/* The address operands of an instruction's sides: up to two; returns how many there are. */
int access_sides(const PtxInstr *in, AccessSite sides[2], const PtxOperand *addresses[2]);
