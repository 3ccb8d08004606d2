/* The flow through a kernel's code as a linear program: what enters a block leaves it, and lanes that part meet
 * again.  sass_join.c adds what the walk of the PTX counted, and asks for the answer. */
#pragma once

#include "metrics/cubin/sass_join.h"
#include "metrics/cubin/sass_program.h"
#include "metrics/cubin/sass_table.h"

enum { AIM_FLOW, AIM_LANDMARKS, AIM_INSTRUCTIONS };

/* How often the warp comes to each block and takes each edge, as sums of the program's columns. */
typedef struct Program {
    SassProgram lp;
    SassJoin *join;
    const Cfg *cfg; /* of the code */
    const Walk *walk;
    SassCases cases;           /* of the entry function */
    bool diverges;             /* lanes may diverge at branches */
    bool all_branches;         /* of sass_pair_branches */
    double leaving;            /* times that lanes of the PTX diverge where some leave a loop */
    SassReconvergences points; /* empty unless lanes may diverge */
    int terms;                 /* of all sums so far */
    SassSum *visits;           /* by block */
    SassSum **edges;           /* by block and successor */
    SassSum *reconverged;      /* by block: groups that join others behind it */
    int *diverged;             /* by block: column of the visits that go both ways, or CFG_NONE */
    SassSum *merged;           /* by block: groups that meet there without a BSYNC */
} Program;

static inline const CfgBlock *block_at(const Program *p, int b)
{
    return &p->cfg->blocks[b];
}

static inline bool reached(const Program *p, int b)
{
    return block_at(p, b)->order != CFG_NONE;
}

static inline bool is_call(const Program *p, int b)
{
    return p->join->flow->callee[b] != CFG_NONE;
}

static inline const SassSum *edge(const Program *p, int from, int to)
{
    int k = 0;
    while (block_at(p, from)->succs[k] != to)
        k++;
    return &p->edges[from][k];
}

static inline void add_visits(Program *p, int b, double factor)
{
    sass_program_term_sum(&p->lp, &p->visits[b], factor);
}

/* True if a successor of the block lies outside its innermost loop. */
static inline bool leaves_loop(const LoopTree *t, const Cfg *c, int b)
{
    const int loop = t->loop_of[b];
    for (int k = 0; loop != CFG_NONE && k < c->blocks[b].succ_count; k++)
        if (!loop_contains(t, loop, c->blocks[b].succs[k]))
            return true;
    return false;
}

/* With longer sums, the linear program would be too large anyway. */
enum { TERMS_MOST = 1 << 20 };

/* Gives the blocks of a warp whose lanes may diverge their columns.  Before join_conserve_flow. */
void join_allow_divergence(Program *p);

/* Sets the sums of all blocks and edges, and what holds of them whatever the warp does. */
void join_conserve_flow(Program *p);
