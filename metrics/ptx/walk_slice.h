/* The slice of a function that a walk computes: the instructions that branch predicates depend on and, with
 * accesses, those that addresses and guards of memory accesses depend on (M. Weiser, "Program Slicing",
 * ICSE 1981).
 *
 * It includes loads of values that the same lane has stored: in local memory, and in shared memory if only
 * one instruction writes the variable, so that no other thread's value is read. Other warps may load what a
 * lane has stored in such a variable, or in one of at most 64 bytes that only stores write (walk_values.c).
 * Nothing of this is tracked in functions that call others or take generic addresses of such memory, as
 * stores elsewhere might then alias.
 *
 * It also includes loads from global memory of a kernel that no synchronisation precedes: a barrier, a
 * fence, an atomic, a volatile or acquiring load. Without races they cannot see another thread's store.
 * Internal to metrics/ptx. */
#pragma once

#include "metrics/ptx/walk.h"

/* A place in the parameter space of calls; it holds a value like a register. */
typedef struct WalkCell {
    const PtxVariable *variable;
    int64_t offset;
    int bytes;
} WalkCell;

/* Registers of the state that are live at a loop's header. */
typedef VEC(int) WalkLive;

/* What the slice says about one instruction. */
typedef struct WalkSliced {
    bool taken;          /* computed */
    bool published_only; /* stored by several instructions: loads see published values only */
    bool early;          /* a global load that no synchronisation precedes */
    int home;            /* class of loads and stores that may alias, from 1; 0: not tracked */
    int cell;            /* the cell it reads or writes, or CFG_NONE */
} WalkSliced;

typedef struct WalkSlice {
    VEC(WalkCell) cells;
    WalkSliced *of; /* by instruction */
    VEC(int) state; /* registers and cells (numbered after them) that the slice writes */
    WalkLive *live; /* by loop: what is live at its header */
} WalkSlice;

/* With `accesses`, addresses and guards are in the slice; with `data`, so are those of loads that it needs;
 * `rough` as in WalkPlans. */
WalkSlice walk_slice_find(Arena *a, const Flow *flow, const Accesses *accesses, bool data,
                          bool rough);

/* True if it may access global memory, by its space. */
bool walk_is_global(const PtxForm *f);

/* True for a load that sees other threads' stores. */
bool walk_sees_others(const PtxForm *f);

/* True if a load of this form may have a value (WalkData). */
bool walk_loads_data(const PtxForm *f);

/* True if an atomic of this form may give a ticket (walk_values.h). */
bool walk_gives_ticket(const PtxForm *f);

/* The cell of a variable at an offset, or CFG_NONE. */
int walk_slice_cell(const WalkSlice *s, const PtxVariable *v, int64_t offset, int bytes);

/* The number of access groups that begin at an instruction; they are consecutive from *first. */
int walk_slice_groups(const Flow *flow, const Accesses *accesses, size_t instr, int *first);
