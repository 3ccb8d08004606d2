#include "metrics/cubin/sass_walked.h"

#include <math.h>

bool sass_walked_leaves_loop(const LoopTree *t, const Cfg *c, int b)
{
    const int loop = t->loop_of[b];
    for (int k = 0; loop != CFG_NONE && k < c->blocks[b].succ_count; k++)
        if (!loop_contains(t, loop, c->blocks[b].succs[k]))
            return true;
    return false;
}

double sass_walked_most_rounds(const Walk *w)
{
    double most = 0;
    for (size_t i = 0; i < w->functions.count; i++) {
        const WalkFunction *f = w->functions.at[i];
        for (size_t k = 0; k < f->flow->loops->loops.count; k++)
            if (f->loops[k].entries)
                most = fmax(most, (double)f->loops[k].headers / (double)f->loops[k].entries - 1);
    }
    return most;
}

double sass_walked_diverged(const Walk *w, int loop, bool leaving)
{
    double sum = 0;
    for (size_t i = 0; i < (loop == CFG_NONE ? w->functions.count : 1); i++) {
        const WalkFunction *f = w->functions.at[i];
        const LoopTree *t = f->flow->loops;
        for (int b = 0; b < f->flow->cfg->count; b++)
            if ((loop == CFG_NONE || t->loop_of[b] == loop) &&
                sass_walked_leaves_loop(t, f->flow->cfg, b) == leaving)
                sum += (double)f->blocks[b].diverged;
    }
    return sum;
}

bool sass_walked_in_groups(const WalkFunction *f)
{
    const LoopTree *t = f->flow->loops;
    for (int b = 0; b < f->flow->cfg->count; b++) {
        const int loop = t->loop_of[b];
        const uint64_t most =
            loop == CFG_NONE ? f->calls : f->blocks[t->loops.at[loop].header].visits;
        if (f->blocks[b].visits > most)
            return true;
    }
    return false;
}
