/* What a kernel's warps ask of memory: for every access, wavefronts of shared memory and sectors of
 * global memory, as means over the warps of a launch.
 *
 * A few warps are walked and stand for the others (memory_sample.h).  Figures that are not the same
 * for all warps walked are marked as sampled.
 *
 * Pointers that are parameters and not given an address are put at 2^40 × (1 + number of the
 * parameter): allocations are aligned to 256 bytes at least (CUDA C++ Programming Guide, "Size and
 * Alignment Requirement").
 *
 * ptxas joins loads of 4 and 8 bytes from shared memory into loads of 8 and 16 where it sees that
 * the addresses are aligned.  Here that is assumed of loads with one base and guard in one block,
 * with no barrier or write to shared memory between them, where the addresses of all lanes walked
 * are aligned: three or four words of 16 bytes make a load of 16, an aligned pair makes one of 8.
 * Stores are joined likewise, where each word is written once and nothing else touches shared
 * memory between them. Which were really joined is in the cubin; their widths tell. */
#pragma once

#include "metrics/ptx/memory_reuse.h"

/* Sums over one warp's executions; means over the warps. */
typedef struct MemoryFigures {
#define WALK_ACCESS(name, meaning) double name;
#include "metrics/ptx/walk_counters.def"
} MemoryFigures;

/* One side of one instruction. */
typedef struct MemoryAccess {
    const PtxFunction *function;
    size_t instr;
    size_t line;          /* in the PTX text, from 1 */
    uint32_t source_file; /* of .loc; 0 when there is none */
    uint32_t source_line;
    int block; /* of the function's graph */
    AccessKind kind;
    PtxSpace space; /* that the addresses lie in; PTX_GENERIC when that is not known */
    int bytes;      /* of one lane */
    int depth; /* loads from global memory, each by what the one before gave, that its address needs */
    MemoryFigures figures;
    ReuseSite reuse; /* parts of the sectors, of global memory */
    bool sampled;    /* warps differ */
    int cost;        /* of the function's, as WalkFunction has them */
    int group;       /* of accesses with one base (access.h) … */
    int64_t offset;  /* … to which this is added */
    bool located;
    uint64_t address; /* of a lane that came here, where located */
    int merged;       /* number in `loads` of what it is part of, or CFG_NONE */
} MemoryAccess;

/* A load from shared memory as ptxas is taken to make it, of one load of the text or several; or a
 * store that it makes of several. */
typedef struct MemoryLoad {
    const PtxFunction *function;
    int block;
    AccessKind kind; /* ACCESS_LOAD or ACCESS_STORE */
    int bytes;       /* of one lane: 1 to 16 */
    int accesses;    /* of the text */
    size_t instr;    /* the first of them */
    MemoryFigures figures;
    bool sampled;
} MemoryLoad;

/* A warp of the middle block as it is, and as it were if its block took the last of the tickets. */
typedef struct MemoryLast {
    const Walk *own, *last;
} MemoryLast;

enum { MEMORY_LAST = 2 }; /* the first warp and the last one */
/* Bounds of the search for depths: what it did not get to counts as less deep. */
enum { MEMORY_DEPTH_MOST = 3, MEMORY_DEPTH_ROUNDS = 16 };

typedef struct Memory {
    VEC(MemoryAccess) accesses; /* in the order of the text, functions as they were reached */
    VEC(MemoryLoad) loads;      /* from shared memory, and stores made of several */
    const Walk *walk;           /* of the middle warp of the middle block */
    Walk mean;                  /* its counts as means over all warps */
    const MemorySamples *samples;
    MemoryLast last[MEMORY_LAST];
    int last_count;     /* 0: blocks take no tickets */
    const Reuse *reuse; /* NULL when it was not wanted */
    bool sampled;       /* some figure is */
} Memory;

typedef struct MemoryOptions {
    WalkOptions walk; /* its place is not used */
    bool one_warp;    /* walk the middle warp of the middle block only */
    bool reuse;       /* follow who touches a sector first */
    ReuseDevice device;
} MemoryOptions;

/* Never fails; what is not known is counted as such. */
Memory *memory_follow(Arena *a, const PtxFunction *entry, const MemoryOptions *o);
