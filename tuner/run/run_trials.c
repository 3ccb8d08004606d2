/* What the trials of a run have in common, and what is learned from their results. */
#include "tuner/run/run_parts.h"

bool run_choose_l2(Run *r)
{
    if (r->options.l2) /* already checked by the option's reader */
        return task_cache_find(r->options.l2, &r->l2);
    const RunData *data = run_data(r);
    if (!data)
        return false;
    double bytes = 0;
    VEC_EACH (const TaskBuffer, b, data->buffers)
        if (b->role != TASK_REFERENCE)
            bytes += (double)b->count * (double)task_type_size(b->type);
    r->l2 = bytes > (double)r->device->l2_bytes ? TASK_COLD : TASK_WARM;
    return true;
}

/* The clock of events ticks every 32 ns on an H200 (all times of the shipped recordings are
 * multiples of it): 1/6000 of this. */
const double run_sample_ms = 0.2;

/* Time limit of a trial without knowledge of others, the minimum, and the multiple of the median. */
static const double first_limit_s = 10, least_limit_s = 1, limit_factor = 10;

static double trial_limit(const Run *r)
{
    if (r->options.trial_limit > 0)
        return r->options.trial_limit;
    if (r->watch.median_of == 0)
        return first_limit_s;
    return fmax(least_limit_s, limit_factor * r->watch.median_s);
}

/* Long enough for some 30 updates of the energy counter (H200: every 0.09 s). */
static const double sustain_s = 3.0;

void run_shape_trial(const Run *r, Trial *t)
{
    const bool energy = r->spec->objective == OBJECTIVE_ENERGY;
    t->cache = r->l2;
    t->limit_s = trial_limit(r);
    if (energy) {
        t->sustain_s = sustain_s;
        t->limit_s += 6 * sustain_s + 1;
    }
    const int least = r->options.samples > 0 ? r->options.samples : 2;
    t->sampling = (TaskSampling){.least = least,
                                 .enough = least > 7 ? least : 7,
                                 .most = 100,
                                 .sample_ms = run_sample_ms,
                                 .width = 0.005,
                                 .budget_ms = 50,
                                 .best_ms = energy ? 0 : r->watch.best_high_ms};
}

bool run_take_joules(Run *r, size_t i, double joules)
{
    Table *t = r->table;
    if (r->spec->objective != OBJECTIVE_ENERGY || t->outcome[i] != OUTCOME_OK)
        return true;
    if (!(joules > 0))
        return diag_fail(r->diag, "the objective is energy, but %s has no energy counter",
                         r->device->name);
    t->trial[i].joules = record_round(joules);
    t->work[i] = t->times[i].median / (1e3 * t->trial[i].joules);
    return true;
}

double run_worst_error(const TrialResult *t)
{
    double worst = NAN;
    EACH (const TrialCheck, c, t->checks, t->check_count)
        worst = fmax(worst, c->scale > 0 ? c->max_error / c->scale : c->max_error);
    return worst;
}

/* --- learning --------------------------------------------------------------------------------- */

void run_note_trial(Run *r, const TrialResult *t)
{
    RunWatch *w = &r->watch;
    health_note(&w->health, &t->health);
    if (t->status != OUTCOME_OK)
        return;
    VEC_PUSH(r->arena, &w->seconds, t->seconds);
    if (w->seconds.count > w->median_of + w->median_of / 10) { /* grown by a tenth */
        w->median_s = stats_median(w->seconds.at, w->seconds.count);
        w->median_of = w->seconds.count;
    }
}

void run_note_time(Run *r, size_t i)
{
    RunWatch *w = &r->watch;
    double high = r->table->times[i].high / r->table->work[i];
    if (!isnan(high) && (w->best_high_ms == 0 || high < w->best_high_ms))
        w->best_high_ms = high;
    double ms = table_ms(r->table, i);
    if (!isnan(ms) && (w->best_ms == 0 || ms < w->best_ms)) {
        w->best_ms = ms;
        w->best = i;
    }
}

void run_note_sentinel(Run *r, const TrialResult *t)
{
    RunWatch *w = &r->watch;
    double ms = t->status == OUTCOME_OK ? stats_median(t->times, t->time_count) : NAN;
    if (isnan(ms))
        return;
    bool first = w->sentinels++ == 0;
    w->sentinel_first_ms = first ? ms : w->sentinel_first_ms;
    w->sentinel_low_ms = first ? ms : fmin(w->sentinel_low_ms, ms);
    w->sentinel_high_ms = first ? ms : fmax(w->sentinel_high_ms, ms);
}
