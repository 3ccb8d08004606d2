#include "metrics/cubin/sass_meet.h"

/* The meeting of a BSYNC, a new one when it is the first BSSY that names it; NULL when there are
 * too many. */
static SassMeeting *meeting_at(Arena *a, SassMeetings *all, const SassFlow *f, int block)
{
    for (size_t i = 0; i < all->meetings.count; i++)
        if (all->meetings.at[i].block == block)
            return &all->meetings.at[i];
    if (all->meetings.count == SASS_MEETINGS_MOST)
        return NULL;
    SassMeeting *m = VEC_ADD(a, &all->meetings);
    *m = (SassMeeting){block, ARENA_ARRAY(a, bool, (size_t)f->cfg->count)};
    return m;
}

/* Marks what can be come to from a block, up to the meeting; what parts in a subroutine meets there. */
static void mark_within(SassMeeting *m, const SassFlow *f, int from, int *stack)
{
    int depth = 0;
    if (!m->within[from] && from != m->block)
        stack[depth++] = from;
    m->within[from] = m->within[from] || from != m->block;
    while (depth > 0) {
        const int block = stack[--depth];
        const CfgBlock *b = &f->cfg->blocks[block];
        for (int k = 0; k < b->succ_count; k++) {
            const int to = b->succs[k];
            if (to == m->block || m->within[to] || to == f->callee[block])
                continue;
            m->within[to] = true;
            stack[depth++] = to;
        }
    }
}

SassMeetings sass_meetings_find(Arena *a, const SassFlow *f)
{
    SassMeetings all = {.meetings = {0}};
    int *stack = ARENA_ARRAY(a, int, (size_t)f->cfg->count);
    for (size_t i = 0; i < f->count; i++) {
        size_t behind;
        if (!sass_meeting(f->instrs[i], i, f->count, &behind) || behind == 0)
            continue;
        const int block = f->cfg->block_of[behind - 1];
        if (!f->meets[block] || f->cfg->blocks[block].end != behind)
            continue;
        SassMeeting *m = meeting_at(a, &all, f, block);
        if (m)
            mark_within(m, f, f->cfg->block_of[i], stack);
    }
    return all;
}
