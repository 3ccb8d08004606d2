/* The winner, how it compares with everything recorded, and what the run saved. */
#include "tuner/run/timer.h"

#include "metrics/base/random.h"

/* The winner relative to the best in the recording's own final, if both were in it; those tied with
 * the best are as good as it. */
static double relative_in_final(const Run *r, const RunFinal *f)
{
    const Finalist *own = run_finalist(f, r->best), *best = run_finalist(f, f->fastest);
    if (!own || f->rounds == 0)
        return NAN;
    double work = r->table->work[own->config] / r->table->work[f->fastest];
    return run_final_is_tied(f, r->best) ? 1 : work * best->median_ms / own->median_ms;
}

/* Compares within the recording: only times of one machine are comparable. */
static void compare_with_recording(Run *r, const double *times)
{
    double best = NAN;
    for (size_t i = 0; i < r->table->count; i++)
        if (!isnan(times[i]) && !(times[i] >= best))
            best = times[i];
    r->recorded.best_ms = best;
    if (r->best != SIZE_MAX)
        r->recorded.relative = best / times[r->best];
    r->recorded.final = run_final_recorded(r, r->recorded.times);
    double in_final = relative_in_final(r, &r->recorded.final);
    if (!isnan(in_final))
        r->recorded.relative = in_final;
    SCOPED_ARENA *scratch = arena_new();
    double sample = random_best_without(scratch, times, r->table->count, r->counts.selected);
    r->recorded.random_relative = best / sample;
}

void run_judge(Run *r)
{
    const RunFinal *f = &r->final;
    /* Times taken in turn decide ties, and the tie-breaking rule names the winner. Times taken one
     * after the other are not precise enough for that: then the fastest wins and its ties are
     * reported. */
    if (f->count > 0)
        r->best = f->rounds > 0 ? f->ties[0] : f->fastest;
    run_audit_judge(r);
    if (r->search.done && r->best != SIZE_MAX)
        r->search.best_on_front = r->carving.fates[r->best].kind == OUTCOME_SURVIVES;
    if (!r->recorded.times)
        return;
    if (!r->recorded.ms && !run_is_played(r))
        r->recorded.ms = run_recorded_times(r);
    r->recorded.complete = r->recorded.ms != NULL;
    if (r->recorded.complete)
        compare_with_recording(r, r->recorded.ms);
}

/* --- the winner of a recording alone ---------------------------------------------------------- */

/* Takes the recorded outcome of a configuration as if its code had been compiled here. A row with
 * another launch geometry does not match. */
static void assume_row(Run *r, size_t i)
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

/* Decides the final as a replay does, with the profiles of tied configurations. */
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
        assume_row(r, i);
    if (!decide_final(r))
        return false;
    run_judge(r);
    if (r->best != SIZE_MAX)
        return true;
    return diag_fail(r->diag, "'%s' has no correct result of any configuration of '%s'%s",
                     r->recorded.path, r->spec->name,
                     r->counts.stale > 0 ? ": it was measured with other launches than the spec's"
                                         : "");
}

/* --- what timing only a part saved ------------------------------------------------------------ */

/* Recorded times are used where they exist; the rest is estimated from what was timed, and the
 * report says so. Since what is timed was selected for being fast, the estimate is low. */

/* GPU seconds of an outcome; for older recordings, which lack them, the timed launches alone. */
static double cost(double seconds, const double *times_ms, size_t count)
{
    if (seconds > 0)
        return seconds;
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += 1e-3 * times_ms[i];
    return sum;
}

static void add_recorded(RunWorth *w, const RecordRow *row)
{
    w->recorded++;
    w->all_gpu_s += cost(row->seconds, row->times_ms, row->time_count);
}

/* The recorded outcome of a configuration's code; NULL: none. */
static const RecordRow *outcome_of(const Run *r, size_t i)
{
    const RecordRow *row = run_recorded_row(r, r->recorded.times, i);
    bool known = row && row->status != OUTCOME_SKIPPED && run_same_code(r, i, row);
    return known ? row : NULL;
}

RunWorth run_worth(const Run *r)
{
    RunWorth w = {0};
    for (size_t i = 0; i < r->table->count; i++) {
        const Table *t = r->table;
        if (t->outcome[i] == OUTCOME_NONE) { /* a search did not ask for it */
            const RecordRow *row = run_recorded_row(r, r->recorded.times, i);
            w.all++;
            if (row && row->status != OUTCOME_SKIPPED)
                add_recorded(&w, row);
        }
        if (!table_is_distinct(t, i))
            continue;
        w.all++;
        if (table_is_timed(t, i) && t->audited[i]) { /* not selected by carving */
            w.recorded++;
            w.all_gpu_s += cost(t->trial[i].seconds, t->times[i].ms, t->times[i].count);
        } else if (table_is_timed(t, i)) {
            w.timed++;
            w.gpu_s += cost(t->trial[i].seconds, t->times[i].ms, t->times[i].count);
        } else if (outcome_of(r, i)) {
            add_recorded(&w, outcome_of(r, i));
        }
    }
    if (r->space.size > r->table->count) /* a search only has rows that it looked at */
        w.all += (size_t)(r->space.size - r->table->count);
    size_t unknown = w.all - w.timed - w.recorded;
    w.all_gpu_s += w.gpu_s;
    if (w.timed > 0)
        w.all_gpu_s += (double)unknown * w.gpu_s / (double)w.timed;
    for (int i = 0; i < LEDGER_STAGES; i++)
        w.wall_s += r->ledger.seconds[i];
    double gpus = r->gpu_count > 0 ? (double)r->gpu_count : 1;
    w.all_wall_s = w.wall_s - r->ledger.seconds[LEDGER_PROFILE] - r->ledger.seconds[LEDGER_CARVE] +
                   (w.all_gpu_s - w.gpu_s) / gpus;
    return w;
}
