/* The memory accesses of a function, as far as they are known statically.
 *
 * A site is one memory instruction, or one side of an instruction that both reads and writes (cp.async).
 * Sites of a block with the same value of the same base register and the same guard form a group, whose
 * lane addresses are computed once. The cost of an access depends on the base and little else (its width;
 * its offset modulo 128), so the sites of a group share a few costs. Internal to metrics/ptx. */
#pragma once

#include "metrics/ptx/flow.h"

typedef enum AccessKind {
    ACCESS_LOAD,
    ACCESS_STORE,
    ACCESS_ATOMIC,
    ACCESS_ATOMIC_EACH, /* that ptxas does not make one of all lanes if they are at one address */
    ACCESS_COUNT,       /* atomic increment of a shared word */
    ACCESS_MATRIX_LOAD, /* ldmatrix */
    ACCESS_MATRIX_STORE
} AccessKind;

typedef struct AccessSite {
    size_t instr;
    int block;
    AccessKind kind;
    PtxSpace space;       /* as written */
    int bytes;            /* per lane; 16 for a matrix row */
    bool at_most;         /* cp.async with a run-time source size: fewer bytes may be read */
    const PtxOperand *to; /* where in shared memory, of a copy past the L1; else NULL */
    int64_t offset;       /* to the base */
    int group;
    int cost;
    /* Number of the run of accesses that may be merged: loads between two barriers, calls or shared-memory
     * writes; stores of one group with no other shared-memory access in between. */
    int stretch;
} AccessSite;

/* One address pattern, priced each time its group executes. */
typedef struct AccessCost {
    int group;
    AccessKind kind;
    int bytes;
    int matrices;         /* ldmatrix, stmatrix */
    int64_t offset;       /* from the base, reduced to what affects the cost */
    int sites;            /* sites that share it */
    bool aligned;         /* addresses are rounded down to the width: a merged access */
    const PtxOperand *to; /* as the site's, but for multiples of a sector */
    PtxSpace space;
} AccessCost;

typedef struct AccessGroup {
    const PtxOperand *base; /* of the first site: register, variable or number */
    const PtxInstr *first;  /* its guard is the group's */
    PtxSpace space;
    uint32_t base_version; /* writes so far; used while building */
    uint32_t guard_version;
    int first_cost, cost_count; /* in the list of costs */
    VEC(int) sites;             /* their numbers */
} AccessGroup;

typedef struct Accesses {
    VEC(AccessSite) sites; /* in the order of the text */
    VEC(AccessCost) costs; /* those of a group together */
    VEC(AccessGroup) groups;
    int *group_at; /* by instruction: first group that begins there, or CFG_NONE */
} Accesses;

Accesses *access_find(Arena *a, const Cfg *c);

/* The sides of an instruction with their address operands. Returns how many there are: at most 2. */
int access_sides(const PtxInstr *in, AccessSite sides[2], const PtxOperand *addresses[2]);
