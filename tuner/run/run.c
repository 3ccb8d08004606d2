/* Predicates that all stages use, charging of time, and stopping.
 *
 * To stop a run, a caller makes a descriptor readable (the command line: on Ctrl-C). Every wait of
 * the long stages watches it along with compilers and GPUs, so that finished work is kept. */
#include "tuner/run/run_parts.h"

#include "metrics/base/clock.h"

#include <sys/resource.h>

bool run_is_in_shard(const Run *r, size_t i)
{
    return r->options.shards < 2 || r->space.diagram || /* then only this part's are listed */
           i % (size_t)r->options.shards == (size_t)r->options.shard;
}

void run_progress(const Run *r, const char *stage, size_t done, size_t all, const char *note)
{
    if (r->progress.step)
        r->progress.step(r->progress.context, stage, done, all, note);
}

size_t run_tier0_total(const Run *r)
{
    size_t n = 0;
    for (int t = OUTCOME_ARITHMETIC; t <= OUTCOME_GRID; t++)
        n += r->counts.tier0_dropped[t];
    return n;
}

Value *run_slots(Arena *a, const Run *r, size_t i)
{
    Value *slots = ARENA_ARRAY(a, Value, spec_slot_count(r->spec));
    Evaluation ev = {.arena = a};
    spec_set_problem(r->spec, r->space.problem, slots);
    spec_set_arguments(r->spec, slots);
    if (i != SIZE_MAX)
        space_slots(&r->space, r->table->number[i], slots, &ev);
    return slots;
}

bool run_searches(const Run *r)
{
    const RunOptions *o = &r->options;
    bool budget = o->seconds > 0 || o->trials > 0 || o->compiles > 0;
    return o->search && !o->exhaustive && !o->carve && o->shards < 2 &&
           (r->source != RUN_STATIC || budget);
}

const size_t *run_varying(const Run *r, size_t *count)
{
    const Table *t = r->table;
    size_t *varying = ARENA_ARRAY(r->arena, size_t, t->parameter_count);
    *count = 0;
    for (size_t p = 0; p < t->parameter_count; p++)
        if (t->parameters[p].values.count > 1)
            varying[(*count)++] = p;
    return varying;
}

bool run_is_played(const Run *r)
{
    return r->unasked != NULL;
}

double run_work(const Run *r, size_t i, const Expr *amount)
{
    SCOPED_ARENA *a = arena_new();
    Evaluation ev = {.arena = a};
    Value v;
    return amount && expr_eval(amount, run_slots(a, r, i), &ev, &v) ? value_as_real(v) : NAN;
}

const Expr *run_objective(const Spec *s)
{
    return s->work[s->objective];
}

/* --- the ledger ------------------------------------------------------------------------------- */

static double seconds_of(struct timeval t)
{
    return (double)t.tv_sec + 1e-6 * (double)t.tv_usec;
}

/* CPU seconds of this thread, which does all the work of a run, and of all ended children of the
 * process: the system does not tell which thread waited for them. */
static double core_seconds(void)
{
    static const int who[] = {RUSAGE_THREAD, RUSAGE_CHILDREN};
    double sum = 0;
    for (size_t i = 0; i < COUNT_OF(who); i++) {
        struct rusage u;
        if (getrusage(who[i], &u) == 0)
            sum += seconds_of(u.ru_utime) + seconds_of(u.ru_stime);
    }
    return sum;
}

void run_charge_anew(Run *r)
{
    r->ledger.core_charged = core_seconds();
}

void run_charge(Run *r, LedgerStage stage, double *since)
{
    double now = clock_seconds(), cores = core_seconds();
    r->ledger.seconds[stage] += now - *since;
    r->ledger.core_seconds[stage] += cores - r->ledger.core_charged;
    r->ledger.core_charged = cores;
    *since = now;
}

/* --- stopping --------------------------------------------------------------------------------- */

bool run_stopped(Run *r)
{
    struct pollfd p = {.fd = r->stop_fd, .events = POLLIN};
    if (!r->stopped && r->stop_fd > 0 && poll(&p, 1, 0) > 0)
        r->stopped = true;
    return r->stopped;
}

void run_wait(const Run *r, Waits *w)
{
    waits_add(w, r->stop_fd > 0 ? r->stop_fd : -1, POLLIN);
    waits_end(w);
}

bool run_next_result(Run *r, Farm *f, const RunAwaited *what, CompileResult *out, Diag *d)
{
    while (!run_stopped(r)) {
        if (farm_take(f, r->arena, out))
            return true;
        if (farm_pending(f) == 0 || !farm_service(f, d))
            return false;
        run_progress(r, what->stage, what->done, what->all, what->note);
        Waits w = waits_new(r->progress.step ? 1 : -1); /* the time it shows goes on */
        farm_await(f, &w);
        run_wait(r, &w);
    }
    return false;
}

bool run_gpus_settle(Run *r, Gpu *const *gpus, size_t count)
{
    return gpu_settle(gpus, count, r->stop_fd > 0 ? r->stop_fd : -1) || !run_stopped(r);
}

bool run_gpu_next(Run *r, Gpu *g, Arena *a, TrialResult *out)
{
    while (!run_stopped(r)) {
        if (gpu_next(g, a, out))
            return true;
        Waits w = waits_new(-1);
        gpu_await(g, &w);
        run_wait(r, &w);
    }
    return false;
}
