#include "metrics/cubin/sass_routine.h"

/* Scaled operands are multiplied; a sum or a MUFU without that makes a NaN of a NaN, and so does setting the
 * quiet bit in the upper half of a double. */
static SassRoutineWork work_of(const SassFlow *f, int block)
{
    enum { QUIET = 0x80000, INFINITE = 0x7f800000 };
    SassRoutineWork work = SASS_ROUTINE_CLASSIFIES;
    for (size_t i = f->cfg->blocks[block].first; i < f->cfg->blocks[block].end; i++) {
        const int op = sass_opcode(f->instrs[i]);
        if (op == SASS_OP_FFMA || op == SASS_OP_DFMA)
            return SASS_ROUTINE_CALCULATES;
        uint32_t n = 0;
        const bool sets = op == SASS_OP_LOP3 && sass_immediate(f->instrs[i], &n);
        const bool quiets = sets && n == QUIET;
        if (sets && n == INFINITE)
            work = SASS_ROUTINE_MAKES_INFINITY;
        if ((op == SASS_OP_FADD || op == SASS_OP_MUFU || op == SASS_OP_DADD || quiets) &&
            sass_guard(f->instrs[i], NULL) == SASS_ALWAYS)
            work = SASS_ROUTINE_MAKES_NAN;
    }
    return work;
}

static bool is_behind_calculation(const SassFlow *f, int block, const SassRoutineWork *work)
{
    for (int at = f->dom->parent[block]; at != CFG_NONE; at = f->dom->parent[at])
        if (work[at] == SASS_ROUTINE_CALCULATES)
            return true;
    return false;
}

/* Leaves out what another routine reaches, too.  Every call comes to the first block, whatever that does. */
static void mark_routine(Arena *a, const SassFlow *f, int first, bool *seen, SassRoutineWork *work)
{
    bool *before = ARENA_ARRAY(a, bool, (size_t)f->cfg->count);
    memcpy(before, seen, (size_t)f->cfg->count * sizeof *seen);
    if (!seen[first])
        cfg_reach(a, f->cfg, first, NULL, seen);
    seen[first] = true;
    for (int b = 0; b < f->cfg->count; b++)
        if (seen[b] && !before[b])
            work[b] = b == first ? SASS_ROUTINE_CLASSIFIES : work_of(f, b);
    for (int b = 0; b < f->cfg->count; b++)
        if (work[b] == SASS_ROUTINE_MAKES_INFINITY && is_behind_calculation(f, b, work))
            work[b] = SASS_ROUTINE_CLASSIFIES;
}

/* True if an FCHK tests a division's operands right before the call. */
static bool is_checked(const SassFlow *f, int block)
{
    for (int k = 0; k < f->cfg->blocks[block].pred_count; k++) {
        const CfgBlock *b = &f->cfg->blocks[f->cfg->blocks[block].preds[k]];
        for (size_t i = b->first; i < b->end; i++)
            if (sass_opcode(f->instrs[i]) == SASS_OP_FCHK)
                return true;
    }
    return false;
}

SassRoutines sass_routines_find(Arena *a, const SassFlow *f)
{
    const size_t count = (size_t)f->cfg->count;
    SassRoutines r;
    bool *seen = ARENA_ARRAY(a, bool, count);
    for (int k = 0; k < WALK_ROUTINES; k++) {
        r.calls[k] = ARENA_ARRAY(a, bool, count);
        r.work[k] = ARENA_ARRAY(a, SassRoutineWork, count);
    }
    for (int b = 0; b < f->cfg->count; b++) {
        const int kind = is_checked(f, b) ? WALK_DIVISIONS : WALK_OTHERS;
        if (f->callee[b] == CFG_NONE)
            continue;
        r.calls[kind][b] = true;
        mark_routine(a, f, f->callee[b], seen, r.work[kind]);
    }
    return r;
}
