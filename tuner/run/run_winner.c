/* The winner of a recording, from what it says alone. */
#include "tuner/run/run_final.h"

#include <string.h>

/* The recorded outcome of a configuration, as if its code had been compiled here.  A row of another
 * launch geometry is not of this configuration. */
static void believe_row(Run *r, size_t i)
{
    Table *t = r->table;
    const RecordRow *row = table_fits(t, i) ? run_recorded_row(r, r->recorded.times, i) : NULL;
    if (!row)
        return;
    bool ran = row->status != OUTCOME_COMPILE_ERROR;
    bool known = run_is_imported(r) && !row->code;
    bool is_code = ran && run_is_code(r, row->code);
    t->outcome[i] = is_code || (ran && known) ? OUTCOME_COMPILED : OUTCOME_COMPILE_ERROR;
    t->why[i] = ran ? NULL : row->message;
    if (is_code)
        run_set_code(r, i, row->code);
    if (!run_same_code(r, i, row)) {
        r->counts.stale++;
        return;
    }
    timer_take_row(r, i, row);
    r->table->selected[i] = ran;
    r->counts.selected += ran;
}

/* The final as a replay has it, with the profiles of those who are tied. */
static bool decide_final(Run *r)
{
    Timer t;
    bool ok = timer_replay_open(r, &t) && run_final(r, &t);
    if (ok && r->final.tie_count > 1) {
        run_take_profiles_of(r, r->final.ties, r->final.tie_count);
        run_final_decide(r, &r->final);
    }
    return ok;
}

bool run_take_winner(Run *r)
{
    r->code.compiler = r->recorded.times->header.nvrtc;
    for (size_t i = 0; i < r->table->count; i++)
        believe_row(r, i);
    if (!decide_final(r))
        return false;
    run_judge(r);
    if (r->best != SIZE_MAX)
        return true;
    return diag_fail(r->diag, "'%s' has no configuration of '%s' that came out right%s",
                     r->recorded.path, r->spec->name,
                     r->counts.stale > 0 ? ": it was measured with other launches than the spec's"
                                         : "");
}
