/* Which configurations are timed, and in which order: what carving selected, then polish.
 *
 * Polish (tuner/choose/polish.h) chooses a few at a time, each time by what was found so far, until
 * its part of the budget is spent. */
#include "tuner/run/run_search.h"
#include "tuner/run/timer.h"

#include "metrics/base/clock.h"
#include "metrics/base/file.h"
#include "metrics/base/vec.h"
#include "tuner/choose/polish.h"

#include <math.h>
#include <string.h>

typedef VEC(size_t) List;

/* --- what carving selected -------------------------------------------------------------------- */

/* Survivors first: with --exhaustive the best time is then known early, and slow ones are timed
 * less. */
static List selected_list(const Run *r)
{
    List list = {0};
    for (int pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < r->table->count; i++) {
            bool survivor = r->carving.fates[i].kind == OUTCOME_SURVIVES;
            if (r->table->selected[i] && survivor == (pass == 0))
                VEC_PUSH(r->arena, &list, i);
        }
    }
    return list;
}

/* --- polish ----------------------------------------------------------------------------------- */

/* What may be timed: one of each code. */
static const bool *distinct(const Run *r)
{
    bool *out = ARENA_ARRAY(r->arena, bool, r->table->count);
    for (size_t i = 0; i < r->table->count; i++)
        out[i] = table_has_code(r->table, i) && r->table->same_as[i] == i;
    return out;
}

static void take_medians(const Run *r, double *times)
{
    for (size_t i = 0; i < r->table->count; i++)
        times[i] =
            table_is_timed(r->table, i) ? r->table->times[i].median / r->table->work[i] : NAN;
}

typedef struct Polishing {
    Run *run;
    const Timer *timer;
} Polishing;

static bool time_batch(void *context, const size_t *points, size_t count, double *times)
{
    const Polishing *p = context;
    for (size_t k = 0; k < count; k++)
        p->run->table->selected[points[k]] = true;
    bool ok = p->timer->time(p->timer->state, points, count);
    take_medians(p->run, times);
    return ok;
}

static bool polish(Run *r, const Timer *t)
{
    PosteriorInput in = carve_polish_input(&r->plan, &r->carving, distinct(r));
    double *times = ARENA_ARRAY(r->arena, double, r->table->count);
    bool ok;
    take_medians(r, times);
    r->counts.polished = polish_spend(r->arena, &in, r->table->selected, times, r->plan.polish,
                                      time_batch, &(Polishing){r, t}, &ok);
    r->counts.selected += r->counts.polished;
    return ok;
}

/* --- the stage -------------------------------------------------------------------------------- */

static bool time_all(Run *r, const Timer *t)
{
    List list = selected_list(r);
    if (!t->time(t->state, list.at, list.count))
        return false;
    return r->options.exhaustive || r->plan.polish == 0 || polish(r, t);
}

static bool static_time(void *state, const size_t *list, size_t count)
{
    (void)state;
    (void)list;
    (void)count;
    return true;
}

static bool static_close(void *state)
{
    Run *r = state;
    if (r->gpu && !run_choose_l2(r)) /* the header says it, as those of the other parts do */
        return false;
    RecordHeader h = run_record_header(r);
    const TimesRecording *existing;
    TimesWriter *w = run_open_recording(r, &h, &existing);
    bool ok = w && run_write_profiles(r, &h) && timer_append_rest(r, w, &h, existing);
    return times_close(w, r->diag) && ok;
}

/* Times nothing, and records the code and profile of this run's part of the space. */
static bool timer_static_open(Run *r, Timer *out)
{
    *out = (Timer){.state = r, .time = static_time, .close = static_close};
    return true;
}

static bool open_timer(Run *r, Timer *t)
{
    switch (r->source) {
    case RUN_MEASURED:
        if (r->counts.compiled == 0) /* a part of a space; its failures are recorded */
            return timer_static_open(r, t);
        return timer_gpu_open(r, t);
    case RUN_REPLAYED:
        return timer_replay_open(r, t);
    default:
        return timer_static_open(r, t);
    }
}

/* Writes the profiles of a run that had none when its recording was opened: a search, or one
 * without a GPU, from which recordings take their profiles, too.  Does nothing where there is
 * nothing to keep. */
static bool run_keep_profiles(Run *r)
{
    bool written =
        r->source == RUN_MEASURED && !run_searches(r); /* when its recording was opened */
    if (r->recorded.profiles || written || r->options.shards > 1 || r->only)
        return true;
    RecordHeader h = run_record_header(r);
    return folder_create(r->options.output, r->diag) && run_write_profiles(r, &h);
}

bool run_time(Run *r)
{
    double since = clock_seconds();
    Timer timer;
    bool ok = true;
    if (run_searches(r) && r->source == RUN_STATIC) {
        ok = run_search(r, &timer);
    } else if (r->source != RUN_STATIC || r->options.shards > 1) {
        bool searches = run_searches(r);
        ok = searches ? run_search(r, &timer) : open_timer(r, &timer);
        bool timed = ok && (searches || time_all(r, &timer)) && run_sanitize(r, &timer) &&
                     run_final(r, &timer) && run_audit(r, &timer);
        ok = ok && timer.close(timer.state) && timed;
    } else if (r->options.audit > 0) {
        diag_warn(r->diag, (Span){0}, "nothing is audited: there are no times here");
    }
    ok = ok && run_keep_profiles(r);
    run_charge(r, LEDGER_TIME, &since);
    return ok;
}
