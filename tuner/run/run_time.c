/* Chooses which configurations to time, in which order: those that carving selected, then polish.
 *
 * Polish (tuner/choose/polish.h) chooses a few at a time, based on what was found so far, until its
 * share of the budget is spent. */
#include "tuner/run/run_search.h"

#include "metrics/base/clock.h"
#include "metrics/base/file.h"
#include "tuner/choose/polish.h"

static void take_medians(const Run *r, double *times)
{
    for (size_t i = 0; i < r->table->count; i++)
        times[i] = table_is_timed(r->table, i) ? table_ms(r->table, i) : NAN;
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
    bool ok = timer_time(p->run, p->timer, points, count);
    take_medians(p->run, times);
    return ok;
}

static bool polish(Run *r, const Timer *t)
{
    bool *distinct = ARENA_ARRAY(r->arena, bool, r->table->count);
    for (size_t i = 0; i < r->table->count; i++)
        distinct[i] = table_is_distinct(r->table, i);
    PosteriorInput in = carve_polish_input(&r->plan, &r->carving, distinct);
    double *times = ARENA_ARRAY(r->arena, double, r->table->count);
    bool ok;
    take_medians(r, times);
    r->counts.polished = polish_spend(r->arena, &in, r->table->selected, times, r->plan.polish,
                                      time_batch, &(Polishing){r, t}, &ok);
    r->counts.selected += r->counts.polished;
    return ok;
}

/* Times survivors first: with --exhaustive the best time is then known early, and slow
 * configurations get fewer samples. */
static bool time_all(Run *r, const Timer *t)
{
    VEC(size_t) list = {0};
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < r->table->count; i++) {
            bool survivor = r->carving.fates[i].kind == OUTCOME_SURVIVES;
            if (r->table->selected[i] && survivor == (pass == 0))
                VEC_PUSH(r->arena, &list, i);
        }
    if (!timer_time(r, t, list.at, list.count))
        return false;
    return r->options.exhaustive || r->plan.polish == 0 || polish(r, t);
}

static bool static_close(void *state)
{
    Run *r = state;
    if (r->gpu && !run_choose_l2(r)) /* the header must state it like those of the other parts */
        return false;
    RecordHeader h = run_record_header(r);
    const TimesRecording *existing;
    TimesWriter *w = run_open_recording(r, &h, &existing);
    bool ok = w && run_write_profiles(r, &h) && timer_append_rest(r, w, &h, existing);
    return times_close(w, r->diag) && ok;
}

static bool open_timer(Run *r, Timer *t)
{
    if (r->source == RUN_REPLAYED)
        return timer_replay_open(r, t);
    if (r->source == RUN_MEASURED && r->counts.compiled > 0)
        return timer_gpu_open(r, t);
    /* Times nothing, but records code, profiles and failures of this part of the space. */
    *t = (Timer){.state = r, .close = static_close};
    return true;
}

/* Writes the profiles of a run that had none when its recording was opened: of a search, or of a
 * run without a GPU, since later recordings take their profiles from there. Does nothing if there
 * is nothing to keep. */
static bool keep_profiles(Run *r)
{
    bool written = r->source == RUN_MEASURED && !run_searches(r);
    if (r->recorded.profiles || written || r->options.shards > 1)
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
        since = clock_seconds(); /* charged as compiling */
    } else if (r->source != RUN_STATIC || r->options.shards > 1) {
        bool searches = run_searches(r);
        ok = searches ? run_search(r, &timer) : open_timer(r, &timer);
        bool timed = ok && (searches || time_all(r, &timer)) && run_sanitize(r, &timer) &&
                     run_final(r, &timer) && run_audit(r, &timer);
        ok = ok && timer.close(timer.state) && timed;
    } else if (r->options.audit > 0) {
        diag_warn(r->diag, (Span){0}, "nothing is audited: this run has no times");
    }
    ok = ok && keep_profiles(r);
    run_charge(r, LEDGER_TIME, &since);
    return ok;
}
