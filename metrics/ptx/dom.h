/* Dominators and post-dominators.
 *
 * Block a dominates b when every way from the entry to b leads through a; a post-dominates b
 * when every way from b to the end does.  The end is one block more than the graph has, number
 * `count` of the graph; blocks that never reach it have no post-dominator.
 *
 * Method: K. D. Cooper, T. J. Harvey, K. Kennedy, "A Simple, Fast Dominance Algorithm",
 * Rice University 2001.  Needs: cfg.h. */
#ifndef APTUNE_PTX_DOM_H
#define APTUNE_PTX_DOM_H

#include "metrics/ptx/cfg.h"

typedef struct DomTree {
    int root;
    int count;   /* nodes, the end included for post-dominators */
    int *parent; /* immediate dominator; CFG_NONE for the root and what is not in the tree */
    int *first;  /* position in a walk of the tree, parents first; CFG_NONE when not in it */
    int *size;   /* nodes in the subtree */
} DomTree;

DomTree *dom_build(Arena *a, const Cfg *c);
DomTree *dom_build_post(Arena *a, const Cfg *c);

/* Does a dominate b?  Every block in the tree dominates itself. */
bool dom_dominates(const DomTree *t, int a, int b);

#endif
