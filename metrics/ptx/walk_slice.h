/* The slice of a function that a walk computes: the instructions that branch predicates depend on and, with
 * accesses, those that addresses and guards of memory accesses depend on (M. Weiser, "Program Slicing",
 * ICSE 1981).
 *
 * Among them are loads of values that the same lane has stored: in local memory, and in shared memory where
 * they stand in a variable that one instruction alone writes, so that nobody else's are met there.  Others may load what one lane has
 * stored in such a variable, or in one of at most 64 bytes that nothing but stores writes (walk_values.c).
 * Nothing of that is kept in functions that call others or make generic addresses of such memory: then a
 * store elsewhere may be meant.
 *
 * And loads from global memory of a kernel that no synchronisation comes before: a barrier, a fence, an atomic, a
 * volatile or acquiring load.  Another thread's store cannot be met there, if there are no races.  Internal to metrics/ptx. */
#pragma once

#include "metrics/ptx/walk.h"

/* A place in the parameter space of calls: it holds a value like a register. */
typedef struct WalkCell {
    const PtxVariable *variable;
    int64_t offset;
    int bytes;
} WalkCell;

/* A register or cell of the state that is read before it is written behind a loop's header. */
typedef VEC(int) WalkLive;

/* What it has of one instruction. */
typedef struct WalkSliced {
    bool taken;     /* computed */
    bool told_only; /* several store to its home; loads find what was told last (walk_values.c) */
    bool early;     /* a load from global memory that no synchronisation comes before */
    int home;       /* what its loads and stores have in common, from 1; 0 where nothing is kept */
    int cell;       /* that it reads or writes, or CFG_NONE */
} WalkSliced;

typedef struct WalkSlice {
    VEC(WalkCell) cells;
    WalkSliced *of; /* by instruction */
    VEC(int) state; /* registers and cells (behind the registers) that the slice writes */
    WalkLive *live; /* by loop: what its header needs of the state: what some way from there reads
                       before it writes it */
} WalkSlice;

/* With `accesses`, addresses and guards are in the slice; with `data`, so are those of loads that it needs;
 * `rough` as WalkPlans has it. */
WalkSlice walk_slice_find(Arena *a, const Flow *flow, const Accesses *accesses, bool data,
                          bool rough);

/* Does it access global memory, as far as its space tells? */
bool walk_is_global(const PtxForm *f);

/* Is it a load that looks at what other threads store? */
bool walk_sees_others(const PtxForm *f);

/* Could a load of this form have a value (WalkData)? */
bool walk_loads_data(const PtxForm *f);

/* Could an atomic of this form give a ticket (walk_values.h)? */
bool walk_gives_ticket(const PtxForm *f);

/* The cell of a variable at an offset; CFG_NONE when there is none. */
int walk_slice_cell(const WalkSlice *s, const PtxVariable *v, int64_t offset, int bytes);

/* Groups of accesses that begin at an instruction: their numbers follow each other from `first` on. */
int walk_slice_groups(const Flow *flow, const Accesses *accesses, size_t instr, int *first);
