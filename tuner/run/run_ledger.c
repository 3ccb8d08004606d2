/* What carving was worth: what was timed against what timing everything would have taken.
 *
 * Never more than can be known: a time that a recording has is taken from there, the rest is
 * estimated from what was timed, and the report says which.  What is timed was chosen for being
 * fast, so such an estimate is on the low side. */
#include "tuner/run/run_parts.h"

/* Seconds that an outcome kept its GPU; where older recordings do not tell, those in timed launches
 * alone. */
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

/* The outcome that a recording has of a configuration's very code. */
static const RecordRow *outcome_of(const Run *r, size_t i)
{
    const RecordRow *row = r->recorded.times ? run_recorded_row(r, r->recorded.times, i) : NULL;
    bool known = row && row->status != OUTCOME_SKIPPED && run_same_code(r, i, row);
    return known ? row : NULL;
}

static double wall_seconds(const Run *r)
{
    double sum = 0;
    for (int i = 0; i < LEDGER_STAGES; i++)
        sum += r->ledger.seconds[i];
    return sum;
}

RunWorth run_worth(const Run *r)
{
    RunWorth w = {0};
    for (size_t i = 0; i < r->table->count; i++) {
        const Table *t = r->table;
        const RecordRow *row = t->outcome[i] == OUTCOME_NONE && r->recorded.times
                                   ? run_recorded_row(r, r->recorded.times, i)
                                   : NULL;
        if (t->outcome[i] == OUTCOME_NONE) { /* a search did not ask for it */
            w.all++;
            if (row && row->status != OUTCOME_SKIPPED)
                add_recorded(&w, row);
        }
        if (!table_has_code(t, i) || t->same_as[i] != i)
            continue;
        w.all++;
        if (table_is_timed(t, i) && table_is_audited(t, i)) { /* no part of what carving chose */
            w.recorded++;
            w.all_gpu_s += cost(t->trial[i].seconds, t->times[i].ms, t->times[i].count);
        } else if (table_is_timed(t, i)) {
            w.timed++;
            w.gpu_s += cost(t->trial[i].seconds, t->times[i].ms, t->times[i].count);
        } else if (outcome_of(r, i)) {
            add_recorded(&w, outcome_of(r, i));
        }
    }
    if (r->space.size > r->table->count) /* a search holds what it has looked at */
        w.all += (size_t)(r->space.size - r->table->count);
    size_t unknown = w.all - w.timed - w.recorded;
    w.all_gpu_s += w.gpu_s;
    if (w.timed > 0)
        w.all_gpu_s += (double)unknown * w.gpu_s / (double)w.timed;
    w.wall_s = wall_seconds(r);
    double gpus = r->gpu_count > 0 ? (double)r->gpu_count : 1;
    w.all_wall_s = w.wall_s - r->ledger.seconds[LEDGER_PROFILE] - r->ledger.seconds[LEDGER_CARVE] +
                   (w.all_gpu_s - w.gpu_s) / gpus;
    return w;
}
