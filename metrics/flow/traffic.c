#include "metrics/flow/traffic.h"

#include <stdlib.h>

enum { WORD = 4, WIDEST = 16 };

static void add_cost(Traffic *t, const WalkAccess *c)
{
    t->unknown += (double)c->unknown;
    switch (c->space) {
    case PTX_SHARED:
        t->shared_accesses += (double)c->executions;
        t->shared_wavefronts += (double)c->wavefronts;
        t->shared_wavefronts_min += (double)c->wavefronts_min;
        break;
    case PTX_GLOBAL:
        t->global_accesses += (double)c->executions;
        t->global_sectors += (double)c->sectors;
        t->global_sectors_min += (double)c->sectors_min;
        t->global_lines += (double)c->lines;
        break;
    default:
        break;
    }
}

/* --- merging ------------------------------------------------------------------------------------ */

/* A load of shared memory that may become part of a wider one. */
typedef struct Narrow {
    const AccessSite *site;
} Narrow;

static int by_place(const void *a, const void *b)
{
    const AccessSite *x = ((const Narrow *)a)->site, *y = ((const Narrow *)b)->site;
    if (x->group != y->group)
        return x->group < y->group ? -1 : 1;
    if (x->stretch != y->stretch)
        return x->stretch < y->stretch ? -1 : 1;
    return (x->offset > y->offset) - (x->offset < y->offset);
}

static bool may_merge(const WalkFunction *f, const AccessSite *s)
{
    return s->kind == ACCESS_LOAD && s->space == PTX_SHARED &&
           (s->bytes == WORD || s->bytes == 2 * WORD) && f->aligns[s->group].seen;
}

/* The cost of a merged access of this width, or -1. */
static int merged_cost(const WalkFunction *f, int group, int bytes)
{
    const AccessGroup *g = &f->accesses->groups.at[group];
    for (int i = g->first_cost; i < g->first_cost + g->cost_count; i++) {
        const AccessCost *c = &f->accesses->costs.at[i];
        if (c->aligned && c->bytes == bytes)
            return i;
    }
    return -1;
}

/* Does every lane's address of this site fall on a multiple of `bytes`? */
static bool is_aligned(const WalkAlign *a, int64_t offset, int bytes)
{
    uint32_t low = (uint32_t)bytes - 1;
    return (a->varying & low) == 0 && (((uint64_t)a->residue + (uint64_t)offset) & low) == 0;
}

/* How many of the sites from `n` on (there are `count`) make up one access of `bytes`; 0: none. */
static size_t sites_of(const WalkFunction *f, const Narrow *n, size_t count, int bytes)
{
    const AccessSite *first = n[0].site;
    if (!is_aligned(&f->aligns[first->group], first->offset, bytes) ||
        merged_cost(f, first->group, bytes) < 0)
        return 0;
    int64_t next = first->offset;
    for (size_t k = 0; k < count; k++) {
        const AccessSite *s = n[k].site;
        if (s->group != first->group || s->stretch != first->stretch || s->offset != next)
            return 0;
        next += s->bytes;
        if (next - first->offset == bytes)
            return k + 1;
        if (next - first->offset > bytes)
            return 0;
    }
    return 0;
}

static void add_merged(const WalkFunction *f, const Narrow *n, size_t count, Traffic *t)
{
    for (size_t k = 0; k < count;) {
        size_t taken = 0;
        int cost = n[k].site->cost;
        for (int bytes = WIDEST; bytes > n[k].site->bytes && taken == 0; bytes /= 2) {
            taken = sites_of(f, n + k, count - k, bytes);
            if (taken > 0)
                cost = merged_cost(f, n[k].site->group, bytes);
        }
        add_cost(t, &f->costs[cost]);
        k += taken > 0 ? taken : 1;
    }
}

static void add_function(Arena *a, const WalkFunction *f, Traffic *t)
{
    if (!f->accesses)
        return;
    Narrow *narrow = ARENA_ARRAY(a, Narrow, f->accesses->sites.count);
    size_t count = 0;
    for (size_t i = 0; i < f->accesses->sites.count; i++) {
        const AccessSite *s = &f->accesses->sites.at[i];
        if (may_merge(f, s))
            narrow[count++].site = s;
        else
            add_cost(t, &f->costs[s->cost]);
    }
    qsort(narrow, count, sizeof narrow[0], by_place);
    add_merged(f, narrow, count, t);
}

Traffic traffic_of(Arena *a, const Walk *w)
{
    Traffic t = {0};
    for (size_t i = 0; i < w->functions.count; i++)
        add_function(a, w->functions.at[i], &t);
    return t;
}
