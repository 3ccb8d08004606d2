/* What an instruction does to values, apart from any walking.
 *
 * A warp's 32 values of one register are a Lanes; a value may be unknown.  ptx_eval_operands says
 * what the operands are worth in a machine state, ptx_eval_result what the instruction makes
 * of such values.  Integer, address and predicate arithmetic is exact as PTX defines it (ISA
 * 9.7.1, 9.7.6 to 9.7.9), that of floats as ptx_scalar.h says.  Memory and everything
 * that depends on other warps or on time gives "unknown". */
#pragma once

#include "metrics/ptx/ptx_scalar.h"

enum { PTX_LANES = 32, PTX_SOURCES = 8 };

typedef struct Lanes {
    uint32_t known;        /* bit i: lane i's value is known */
    bool uniform;          /* known in all lanes and the same: only v[0] is filled in */
    uint64_t v[PTX_LANES]; /* meaningless where not known */
} Lanes;

static inline uint64_t lanes_at(const Lanes *l, int lane)
{
    return l->v[l->uniform ? 0 : lane];
}

static inline Lanes *lanes_unknown(Lanes *l)
{
    l->known = 0;
    l->uniform = false;
    return l;
}

static inline Lanes *lanes_fill(Lanes *l, uint64_t value)
{
    l->known = UINT32_MAX;
    l->uniform = true;
    l->v[0] = value;
    return l;
}

static inline bool lanes_uniform(const Lanes *l, int count)
{
    for (int i = 0; i < count; i++)
        if (!l[i].uniform)
            return false;
    return true;
}

/* Every lane's value written out. */
void lanes_spread(Lanes *l);
/* Takes the lanes in `mask` from `source`. */
void lanes_assign(Lanes *l, const Lanes *source, uint32_t mask);
/* Lanes in which a predicate is known and true. */
uint32_t lanes_true(const Lanes *l);

typedef struct PtxDim {
    uint32_t x, y, z;
} PtxDim;

/* Its x, y or z. */
static inline uint32_t *ptx_along(PtxDim *d, int axis)
{
    return axis == 0 ? &d->x : axis == 1 ? &d->y : &d->z;
}

/* Blocks of a grid, one of them by number, x first, then y, then z, and its number. */
static inline uint64_t ptx_block_count(PtxDim grid)
{
    return (uint64_t)grid.x * grid.y * grid.z;
}

static inline PtxDim ptx_block_at(PtxDim grid, uint64_t number)
{
    return (PtxDim){(uint32_t)(number % grid.x), (uint32_t)(number / grid.x % grid.y),
                    (uint32_t)(number / grid.x / grid.y)};
}

static inline uint64_t ptx_block_number(PtxDim grid, PtxDim block)
{
    return block.x + (uint64_t)grid.x * (block.y + (uint64_t)grid.y * block.z);
}

/* One launch: what special registers and ld.param are worth. */
typedef struct PtxLaunch {
    PtxDim grid;
    PtxDim block;
    bool has_geometry;           /* false: grid and block are unknown */
    const unsigned char *params; /* the parameter space; may be NULL */
    const unsigned char *known;  /* for each byte of it, not 0 when it is known; NULL: all are */
    size_t param_bytes;          /* beyond it, unknown */
} PtxLaunch;

/* Where a warp is. */
typedef struct PtxPlace {
    PtxDim block; /* ctaid */
    uint32_t warp;
} PtxPlace;

static inline bool ptx_same_place(PtxPlace a, PtxPlace b)
{
    return a.warp == b.warp && a.block.x == b.block.x && a.block.y == b.block.y &&
           a.block.z == b.block.z;
}

/* The state that operands are read from. */
typedef struct PtxState {
    const PtxLaunch *launch;
    PtxPlace place;
    const Lanes *registers; /* by number */
    /* The address of a variable in its own space; false when it is not known.  NULL: none is.
     * Parameters of the entry need no answer: they are at their offset. */
    bool (*address)(void *context, const PtxVariable *v, uint64_t *address);
    void *context;
} PtxState;

/* Warps of a block, a partly filled one counted whole. */
uint32_t ptx_warps_in_block(const PtxLaunch *l);

/* Bits of the lanes of a warp that have a thread. */
uint32_t ptx_warp_mask(const PtxLaunch *l, uint32_t warp);

void ptx_eval_special(const PtxState *s, PtxSpecial special, Lanes *out);

/* One operand that is not compound: register, number, special register, address of a variable.
 * `type` gives floating constants their width. */
void ptx_eval_operand(const PtxState *s, const PtxOperand *o, PtxType type, Lanes *out);

/* [base + offset]. */
void ptx_eval_address(const PtxState *s, const PtxOperand *o, Lanes *out);

/* The sources of an instruction, results left out; vectors count one each element.  Addresses
 * give the address.  Returns how many there are, at most PTX_SOURCES. */
int ptx_eval_operands(const PtxState *s, const PtxInstr *in, Lanes out[PTX_SOURCES]);

/* What an instruction makes of its sources.  `result` gets one value, for setp with a pair two;
 * what cannot be computed is unknown in the lanes concerned. */
void ptx_eval_result(const PtxForm *f, const Lanes *sources, int count, Lanes result[2]);

/* The whole of an instruction: the values of its results, a vector or a pair counting one each
 * element; loads of parameters included.  Returns how many there are, at most PTX_SOURCES. */
int ptx_eval_instr(const PtxState *s, const PtxInstr *in, Lanes results[PTX_SOURCES]);

/* Could ptx_eval_result ever give a known value? */
bool ptx_eval_computes(const PtxForm *f);

/* Little-endian bytes of the parameter space; false when one of them is not known. */
bool ptx_launch_param(const PtxLaunch *l, uint64_t offset, int bytes, uint64_t *value);

/* Of instructions through which the lanes of a warp see each other (shuffles, votes, matches, reductions,
 * elections) the result depends on which lanes take part: could ptx_warp_instr ever give a known value? */
bool ptx_warp_computes(const PtxForm *f);

/* The results of an instruction in the lanes `active`, as ptx_eval_instr gives them; a lane that
 * reads one outside of `active` gets "unknown".  `from`, when not NULL, gets for a shuffle the lane
 * that each lane reads (ISA 9.7.9.6), -1 where that is not known; for a vote it is all -1. */
int ptx_warp_instr(const PtxState *s, const PtxInstr *in, uint32_t active,
                   Lanes results[PTX_SOURCES], int from[PTX_LANES]);
