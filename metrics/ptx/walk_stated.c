#include "metrics/ptx/walk_stated.h"

#include <math.h>

/* The first file that the function's lines are in: its own. */
static uint32_t own_file(const PtxFunction *f)
{
    for (size_t i = 0; i < f->instrs.count; i++)
        if (f->instrs.at[i].file)
            return f->instrs.at[i].file;
    return 0;
}

/* Does an exit of the loop belong to the line? */
static bool exits_at(const Flow *f, const Loop *l, uint32_t line)
{
    const uint32_t file = own_file(f->function);
    for (size_t i = 0; i < l->exits.count; i++) {
        const PtxInstr *in = cfg_branch(f->cfg, l->exits.at[i].from);
        if (in && in->line == line && in->file == file)
            return true;
    }
    return false;
}

/* What a body consists of: its accesses of memory, or its instructions when it has none. */
static double size_of(const Flow *f, int loop)
{
    double accesses = 0, instrs = 0;
    for (size_t i = 0; i < f->function->instrs.count; i++) {
        const PtxClass class = f->function->instrs.at[i].form->class;
        if (f->loops->loop_of[f->cfg->block_of[i]] != loop)
            continue;
        instrs++;
        accesses +=
            class == PTX_CLASS_LOAD || class == PTX_CLASS_STORE || class == PTX_CLASS_ATOMIC;
    }
    return accesses > 0 ? accesses : instrs;
}

static void share_rounds(const Flow *f, double rounds, const int *loops, int count, double *out)
{
    double least = INFINITY, left = floor(fmax(rounds, 0) + 0.5);
    for (int i = 0; i < count; i++)
        least = fmin(least, size_of(f, loops[i]));
    for (int done = 0; done < count; done++) {
        int largest = CFG_NONE;
        for (int i = 0; i < count; i++)
            if (out[loops[i]] < 0 &&
                (largest == CFG_NONE || size_of(f, loops[i]) > size_of(f, largest)))
                largest = loops[i];
        const double copies = fmax(floor(size_of(f, largest) / least + 0.5), 1);
        out[largest] = floor(left / copies);
        left -= copies * out[largest];
    }
}

double *walk_stated_rounds(Arena *a, const Flow *f, const WalkTrips *trips, size_t count)
{
    const size_t n = f->loops->loops.count;
    double *out = ARENA_ARRAY(a, double, n + 1);
    int *loops = ARENA_ARRAY(a, int, n + 1);
    for (size_t l = 0; l < n; l++)
        out[l] = -1;
    for (size_t k = 0; k < count; k++) {
        int found = 0;
        for (size_t l = 0; l < n; l++)
            if (out[l] < 0 && exits_at(f, &f->loops->loops.at[l], trips[k].line))
                loops[found++] = (int)l;
        share_rounds(f, trips[k].rounds, loops, found, out);
    }
    return out;
}

/* Rounds of all loops with a stated count that are come to by a way alone; below 0: there are none. */
static double rounds_behind(const Frame *x, int from, int way)
{
    const Flow *f = flow_of(x);
    double sum = -1;
    for (size_t l = 0; l < f->loops->loops.count && way != f->cfg->count; l++) {
        const double rounds = plan_of(x)->rounds[l];
        if (rounds >= 0 && !loop_contains(f->loops, (int)l, from) &&
            dom_dominates(f->dom, way, f->loops->loops.at[l].header))
            sum = fmax(sum, 0) + rounds;
    }
    return sum;
}

/* Where the ways reconverge, what is behind is behind all of them. */
bool walk_stated_steer(const Frame *x, int block, const int *to, int ways, int *chosen)
{
    int past = CFG_NONE;
    bool empty = false;
    for (int i = 0; i < ways; i++) {
        const double rounds =
            to[i] == flow_of(x)->post->parent[block] ? -1 : rounds_behind(x, block, to[i]);
        if (rounds > 0)
            return *chosen = i, true;
        empty |= rounds == 0;
        past = rounds < 0 ? i : past;
    }
    *chosen = past;
    return empty && past != CFG_NONE;
}
