/* What an instruction does to values, independent of the walk.
 *
 * Lanes holds a warp's 32 values of one register, each of which may be unknown. ptx_eval_operands reads
 * operands from a machine state, ptx_eval_result computes what the instruction makes of such values.
 * Integer, address and predicate arithmetic is exact as PTX defines it (ISA 9.7.1, 9.7.6 to 9.7.9), floats
 * as ptx_scalar.h says. Memory and whatever depends on other warps or on time is unknown. */
#pragma once

#include "metrics/ptx/ptx_scalar.h"

enum { PTX_SOURCES = 8 };

/* Of unknown lanes, those in `common` have v[i] plus a multiple of 2^twos: one that they share, or each its own. */
typedef struct Lanes {
    uint32_t known;  /* bit i: lane i is known */
    bool uniform;    /* known and equal in all lanes: only v[0] is set */
    uint32_t common; /* bit i: lane i is not, but its low bits are, or what is unknown is shared */
    bool own;        /* each of them has a number of its own */
    uint8_t twos;    /* set if there are such lanes */
    uint64_t v[PTX_LANES]; /* undefined in all other lanes */
} Lanes;

static inline uint64_t lanes_at(const Lanes *l, int lane)
{
    return l->v[l->uniform ? 0 : lane];
}

static inline Lanes *lanes_unknown(Lanes *l)
{
    l->known = 0;
    l->uniform = false;
    l->common = 0;
    l->own = false;
    return l;
}

/* Makes some lanes unknown. */
void lanes_forget(Lanes *l, uint32_t lanes);
/* Makes those unknown that are not known to be equal in another value. */
void lanes_meet(Lanes *l, const Lanes *other, uint32_t lanes);
/* Gives lanes one unknown number, and all others none. */
void lanes_share(Lanes *l, uint32_t lanes);
/* True if these lanes have the same value, be it known or not. */
bool lanes_agree(const Lanes *l, uint32_t lanes);

static inline Lanes *lanes_fill(Lanes *l, uint64_t value)
{
    l->known = UINT32_MAX;
    l->uniform = true;
    l->common = 0;
    l->own = false;
    l->v[0] = value;
    return l;
}

/* Makes one lane of a value that is not uniform known. */
static inline void lanes_set(Lanes *l, int lane, uint64_t value)
{
    l->known |= UINT32_C(1) << lane;
    l->common &= ~(UINT32_C(1) << lane);
    l->v[lane] = value;
}

/* The first of `lanes` (bits) after one; -1 if there is none. */
static inline int lane_after(uint32_t lanes, int lane)
{
    const uint64_t left = (uint64_t)lanes >> (lane + 1) << (lane + 1);
    return left ? __builtin_ctzll(left) : -1;
}

#define EACH_LANE(i, lanes)                                                                        \
    for (int i = lane_after((lanes), -1); (i) >= 0; (i) = lane_after((lanes), (i)))

static inline bool lanes_uniform(const Lanes *l, int count)
{
    for (int i = 0; i < count; i++)
        if (!l[i].uniform)
            return false;
    return true;
}

/* Writes out every lane of a uniform value. */
void lanes_spread(Lanes *l);
/* Copies the lanes in `mask` from `source`. */
void lanes_assign(Lanes *l, const Lanes *source, uint32_t mask);
/* Lanes in which a predicate is known to be true. */
uint32_t lanes_true(const Lanes *l);

typedef struct PtxDim {
    uint32_t x, y, z;
} PtxDim;

static inline uint32_t *ptx_along(PtxDim *d, int axis)
{
    return axis == 0 ? &d->x : axis == 1 ? &d->y : &d->z;
}

/* Blocks are numbered x first, then y, then z. */
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

/* A launch: determines special registers and ld.param. */
typedef struct PtxLaunch {
    PtxDim grid;
    PtxDim block;
    bool has_geometry;           /* false: grid and block are unknown */
    const unsigned char *params; /* parameter space, or NULL */
    const unsigned char *known;  /* by byte, nonzero: known; NULL: all are */
    size_t param_bytes;          /* beyond it, unknown */
} PtxLaunch;

typedef struct PtxPlace {
    PtxDim block; /* ctaid */
    uint32_t warp;
} PtxPlace;

static inline bool ptx_same_place(PtxPlace a, PtxPlace b)
{
    return a.warp == b.warp && a.block.x == b.block.x && a.block.y == b.block.y &&
           a.block.z == b.block.z;
}

/* The machine state that operands are read from. */
typedef struct PtxState {
    const PtxLaunch *launch;
    PtxPlace place;
    const Lanes *registers; /* by number */
    /* The address of a variable in its own space; false: unknown. NULL: none is known. Parameters of the
     * entry are not asked for: they lie at their offset. */
    bool (*address)(void *context, const PtxVariable *v, uint64_t *address);
    void *context;
} PtxState;

/* Warps of a block, rounded up. */
uint32_t ptx_warps_in_block(const PtxLaunch *l);

/* Lanes of a warp that have a thread (bits). */
uint32_t ptx_warp_mask(const PtxLaunch *l, uint32_t warp);

void ptx_eval_special(const PtxState *s, PtxSpecial special, Lanes *out);

/* One scalar operand: register, number, special register, variable. `type` is that of floating constants. */
void ptx_eval_operand(const PtxState *s, const PtxOperand *o, PtxType type, Lanes *out);

/* [base + offset]. */
void ptx_eval_address(const PtxState *s, const PtxOperand *o, Lanes *out);

/* The sources of an instruction, elements of vectors singly. Returns their number, at most PTX_SOURCES. */
int ptx_eval_operands(const PtxState *s, const PtxInstr *in, Lanes out[PTX_SOURCES]);

/* Computes the result, for setp with a pair two; unknown in lanes where it cannot be computed. */
void ptx_eval_result(const PtxForm *f, const Lanes *sources, int count, Lanes result[2]);

/* Evaluates a whole instruction, loads of parameters included; each element of a vector or pair counts.
 * Returns the number of results, at most PTX_SOURCES. */
int ptx_eval_instr(const PtxState *s, const PtxInstr *in, Lanes results[PTX_SOURCES]);

/* True if ptx_eval_result may give a known value. */
bool ptx_eval_computes(const PtxForm *f);

/* Little-endian bytes of the parameter space; false if one is unknown. */
bool ptx_launch_param(const PtxLaunch *l, uint64_t offset, int bytes, uint64_t *value);

/* True for supported cross-lane instructions (shuffle, vote, match, redux, elect): their results depend on
 * the active lanes and come from ptx_warp_instr. */
bool ptx_warp_computes(const PtxForm *f);

/* The results in the lanes `active`, as ptx_eval_instr gives them; a lane that reads an inactive one gets
 * "unknown". `from` (may be NULL) receives for a shuffle the lane that each lane reads (ISA 9.7.9.6), or -1
 * if unknown; -1 for others. */
int ptx_warp_instr(const PtxState *s, const PtxInstr *in, uint32_t active,
                   Lanes results[PTX_SOURCES], int from[PTX_LANES]);
