#include "metrics/ptx/walk_told.h"

#include <math.h>

enum { TOLD_MOST = 256 };

struct WalkToldWord {
    const PtxInstr *by;
    const PtxVariable *variable;
    uint64_t offset;
    int bytes;
    bool known;
    uint64_t value;
    double barriers; /* that its warp had come by */
};

void walk_told_give_up(Walker *w)
{
    w->told.off = true;
    w->told.words.count = 0;
}

/* The variable that an address lies in; NULL: none. */
static const PtxVariable *variable_at(const Walker *w, uint64_t address, uint64_t *offset)
{
    const WalkPlace *found = NULL;
    for (size_t i = 0; i < w->places.count; i++) {
        const WalkPlace *p = &w->places.at[i];
        if (p->variable->space == PTX_SHARED && p->address <= address &&
            (!found || p->address > found->address))
            found = p;
    }
    *offset = found ? address - found->address : 0;
    return found ? found->variable : NULL;
}

void walk_told_store(Walker *w, const PtxInstr *by, uint64_t address, int bytes, uint64_t value,
                     bool known)
{
    uint64_t offset;
    const PtxVariable *v = variable_at(w, address, &offset);
    if (!v || w->told.words.count == TOLD_MOST)
        walk_told_give_up(w);
    if (w->told.off)
        return;
    VEC_PUSH(w->arena, &w->told.words,
             ((WalkToldWord){by, v, offset, bytes, known, value, w->walk->barriers}));
}

/* The last word stored there before so many barriers; how many were, unless `count` is NULL. */
static const WalkToldWord *last_of(const WalkTold *t, const PtxVariable *v, uint64_t offset,
                                   int bytes, double barriers, int *count)
{
    const WalkToldWord *found = NULL;
    for (size_t i = 0; i < t->words.count; i++) {
        const WalkToldWord *word = &t->words.at[i];
        if (word->variable != v || word->offset >= offset + (uint64_t)bytes ||
            word->offset + (uint64_t)word->bytes <= offset)
            continue;
        if (count)
            *count += 1;
        if (word->barriers < barriers)
            found = word;
    }
    return found;
}

static bool is_in(const WalkTold *t, const PtxInstr *by)
{
    for (size_t i = 0; i < t->words.count; i++)
        if (t->words.at[i].by == by)
            return true;
    return false;
}

bool walk_told_has(Walker *w, const PtxInstr *by)
{
    return !w->sibling || is_in(w->sibling(w, 0), by) ||
           is_in(w->sibling(w, walk_last_warp(w)), by);
}

Told walk_told_load(Walker *w, uint64_t address, int bytes)
{
    const Told unknown = {.known = false};
    const uint32_t warps[] = {0, walk_last_warp(w)}, own = w->options->place.warp;
    uint64_t offset;
    const PtxVariable *v = variable_at(w, address, &offset);
    int others = 0;
    if (!v || w->told.off)
        return unknown;
    const WalkToldWord *last = last_of(&w->told, v, offset, bytes, INFINITY, NULL);
    for (size_t i = 0; w->sibling && i < 1 + (warps[1] > 0); i++) {
        const WalkTold *t = warps[i] == own ? NULL : w->sibling(w, warps[i]);
        if (t && t->off)
            return unknown;
        const WalkToldWord *word =
            t ? last_of(t, v, offset, bytes, w->walk->barriers, &others) : NULL;
        if (word && last && word->barriers == last->barriers)
            return unknown;
        last = word && (!last || word->barriers > last->barriers) ? word : last;
    }
    const bool whole = last && last->offset == offset && last->bytes == bytes;
    return whole ? (Told){last->known, others > 1, last->value} : unknown;
}
