#include "metrics/cubin/sass_routines.h"

/* Scaled operands are multiplied out; a sum or a MUFU alone makes what is no number of what is
 * none. */
static SassRoutineWork work_of(const SassFlow *f, int block)
{
    SassRoutineWork work = SASS_ROUTINE_LOOKS;
    for (size_t i = f->cfg->blocks[block].first; i < f->cfg->blocks[block].end; i++) {
        const int op = sass_opcode(f->instrs[i]);
        if (op == SASS_OP_FFMA || op == SASS_OP_DFMA)
            return SASS_ROUTINE_CALCULATES;
        if ((op == SASS_OP_FADD || op == SASS_OP_MUFU || op == SASS_OP_DADD) &&
            sass_guard(f->instrs[i], NULL) == SASS_ALWAYS)
            work = SASS_ROUTINE_GIVES_NONE;
    }
    return work;
}

static void mark_routine(const SassFlow *f, int first, bool *seen, int *stack,
                         SassRoutineWork *work)
{
    int depth = 0;
    if (!seen[first])
        stack[depth++] = first;
    seen[first] = true;
    while (depth > 0) {
        const int block = stack[--depth];
        work[block] = work_of(f, block);
        for (int k = 0; k < f->cfg->blocks[block].succ_count; k++) {
            const int to = f->cfg->blocks[block].succs[k];
            if (!seen[to])
                stack[depth++] = to;
            seen[to] = true;
        }
    }
}

/* FCHK looks at a division's operands right before its routine would be called. */
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
    int *stack = ARENA_ARRAY(a, int, count);
    for (int k = 0; k < WALK_ROUTINES; k++) {
        r.calls[k] = ARENA_ARRAY(a, bool, count);
        r.work[k] = ARENA_ARRAY(a, SassRoutineWork, count);
    }
    for (int b = 0; b < f->cfg->count; b++) {
        const int kind = is_checked(f, b) ? WALK_DIVISIONS : WALK_OTHERS;
        if (f->callee[b] == CFG_NONE)
            continue;
        r.calls[kind][b] = true;
        mark_routine(f, f->callee[b], seen, stack, r.work[kind]);
    }
    return r;
}
