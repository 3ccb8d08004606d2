/* What a kernel's warps ask of memory: for every access, wavefronts of shared memory and sectors of global
 * memory, as means over the warps of a launch.
 *
 * A few warps are walked and stand for the others (memory_sample.h). Figures that differ among the walked
 * warps are marked as sampled.
 *
 * Pointer parameters without an address are placed at 2^40 × (1 + number of the parameter): allocations are
 * aligned to at least 256 bytes (CUDA C++ Programming Guide, "Size and Alignment Requirement").
 *
 * ptxas merges shared-memory loads of 4 and 8 bytes into loads of 8 and 16 if it can see that the addresses
 * are aligned. Here this is assumed of loads with the same base and guard in one block, with no barrier or
 * shared-memory write between them, if the addresses of all walked lanes are aligned: three or four words
 * within 16 bytes make a load of 16, an aligned pair makes one of 8. Stores are merged likewise if each
 * word is written once and nothing else touches shared memory between them. The cubin shows what was really
 * merged, by the widths. */
#pragma once

#include "metrics/ptx/memory_reuse.h"

/* Sums over one warp's executions, averaged over warps. */
typedef struct MemoryFigures {
#define WALK_ACCESS(name, meaning) double name;
#include "metrics/ptx/walk_counters.def"
} MemoryFigures;

/* One side of one instruction. */
typedef struct MemoryAccess {
    const PtxFunction *function;
    size_t instr;
    size_t line;          /* in the PTX text, from 1 */
    uint32_t source_file; /* of .loc, or 0 */
    uint32_t source_line;
    int block; /* in the function's graph */
    AccessKind kind;
    PtxSpace space; /* of the addresses; PTX_GENERIC if unknown */
    int bytes;      /* of one lane */
    /* Length of the chain of global loads that its address depends on. */
    int depth;
    MemoryFigures figures;
    ReuseSite reuse; /* shares of the sectors, for global memory */
    bool sampled;    /* warps differ */
    int cost;        /* index in WalkFunction.costs */
    int group;       /* accesses with one base (access.h) … */
    int64_t offset;  /* … plus this offset */
    bool located;
    uint64_t address; /* of some lane, if located */
    int merged;       /* index in `loads` of the access it is merged into, or CFG_NONE */
} MemoryAccess;

/* A shared-memory load as ptxas is assumed to emit it, possibly merged, or a merged store. */
typedef struct MemoryLoad {
    int block;
    AccessKind kind; /* ACCESS_LOAD or ACCESS_STORE */
    int bytes;       /* of one lane: 1 to 16 */
    int accesses;
    size_t instr; /* the first */
    MemoryFigures figures;
    bool sampled;
} MemoryLoad;

/* A warp of the middle block as it is, and as if its block took the last ticket. */
typedef struct MemoryLast {
    const Walk *own, *last;
} MemoryLast;

enum { MEMORY_LAST = 2 }; /* first and last warp */
/* Limits of the search for depths; depths beyond them are underestimated. */
enum { MEMORY_DEPTH_MOST = 3, MEMORY_DEPTH_ROUNDS = 16 };

typedef struct Memory {
    VEC(MemoryAccess) accesses; /* in text order, functions in the order reached */
    VEC(MemoryLoad) loads;      /* shared-memory loads, and merged stores */
    const Walk *walk;           /* middle warp of the middle block */
    Walk mean;                  /* with counts averaged over all warps */
    const MemorySamples *samples;
    MemoryLast last[MEMORY_LAST];
    int last_count;     /* 0: blocks take no tickets */
    const Reuse *reuse; /* NULL unless requested */
    bool sampled;
} Memory;

typedef struct MemoryOptions {
    WalkOptions walk; /* `place` is ignored */
    bool reuse;       /* analyse who touches a sector first */
    ReuseDevice device;
} MemoryOptions;

/* Never fails; what is unknown is counted as such. */
Memory *memory_follow(Arena *a, const PtxFunction *entry, const MemoryOptions *o);
