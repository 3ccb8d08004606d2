#include "tuner/command/bench.h"

#include "metrics/base/file.h"

/* --- what is run: a named configuration, or the winner of a recording --------------------------- */

bool bench_take_problem(Run *r, const BenchOptions *o)
{
    RecordHeader h;
    if (!o->recording)
        return true;
    if (!record_header_read(r->arena, o->recording, &h, r->diag))
        return false;
    if (!r->options.problem_text && h.problem_count > 0)
        r->options.problem_text = record_problem_text(r->arena, &h);
    return true;
}

static bool choose_winner(Run *r, const BenchOptions *o, Bench *b)
{
    const char *path = o->recording ? o->recording : r->recorded.path;
    if (!path)
        return diag_fail(
            r->diag, "there is no recording to take a winner from; name one, or a configuration "
                     "with --config \"A=1 B=2 …\"");
    Diag d = diag_new(r->arena);
    /* A second run replays the recording, on whatever device it was measured, to find its winner. */
    Run w = {.arena = r->arena, .options = r->options, .diag = &d, .home = r->home};
    w.options.recording = path;
    w.options.no_gpu = true;
    w.options.arch = NULL;
    bool ok = run_open(&w) && run_take_winner(&w);
    if (ok) { /* rows of the two tables need not agree */
        b->config = run_name_config(r, table_name(r->arena, w.table, w.best), &d);
        ok = b->config != SIZE_MAX;
    }
    if (ok) {
        const RecordHeader *h = &w.recorded.times->header;
        const Finalist *x = run_finalist(&w.final, w.best);
        b->origin =
            arena_printf(r->arena, "the winner of %s, %.4f ms there (%s, %s)", path,
                         x ? x->median_ms : w.table->times[w.best].median, h->device, h->date);
        r->recorded.times = w.recorded.times;
    }
    run_close(&w);
    for (size_t i = 0; i < d.messages.count && !ok; i++)
        if (d.messages.at[i].kind == DIAG_ERROR)
            return diag_fail(r->diag, "%s", d.messages.at[i].text);
    return ok || diag_fail(r->diag, "no reason given");
}

/* --- its code --------------------------------------------------------------------------------- */

/* Compiles the configuration, unless it was emitted, and the reference's. */
static bool compile_subject(Run *r, const BenchOptions *o, const Bench *b)
{
    const Table *t = r->table;
    size_t wanted[2], count = 0;
    if (!table_fits(t, b->config))
        return diag_fail(r->diag, "this device cannot run %s", table_name(r->arena, t, b->config));
    if (!o->emitted)
        wanted[count++] = b->config;
    if (r->spec->reference_first)
        wanted[count++] = run_first_config(r);
    bool ok = count == 0 || run_compile_these(r, wanted, count);
    for (size_t i = 0; ok && i < count; i++)
        ok = table_has_code(t, wanted[i]) ||
             diag_fail(r->diag, "%s does not compile: %s", table_name(r->arena, t, wanted[i]),
                       t->why[wanted[i]]);
    return ok;
}

static bool fetch_subject(Run *r, const BenchOptions *o, Bench *b, TaskRun *out)
{
    if (!compile_subject(r, o, b))
        return false;
    if (o->emitted)
        return bench_emitted_code(r, o->emitted, b->config, out);
    /* Recordings of other architectures always have other code. */
    const TimesRecording *t = r->recorded.times;
    const bool same_arch = t && strcmp(t->header.arch, run_architecture(r->arena, r)) == 0;
    const RecordRow *row = same_arch ? run_recorded_row(r, t, b->config) : NULL;
    b->stale = row && !run_same_code(r, b->config, row);
    Fetched x;
    const bool ok = run_fetch(r, r->arena, b->config, &x);
    *out = x.run;
    return ok;
}

/* --- rivals: selection -------------------------------------------------------------------------- */

/* Libraries built into the GPU process. */
static bool is_built_in(const Rival *v)
{
    return !v->path && WORD_IS_ANY(v->library, "cublas", "memory");
}

static bool is_file(const char *against)
{
    return strchr(against, '/') || text_ends_with(against, ".so");
}

/* "cublas gemm" */
static const char *name_of(Arena *a, const Rival *v)
{
    return arena_printf(a, "%s %s", v->library, v->call);
}

/* Without a name, all rivals.  A plugin named by the user replaces the spec's plugins, or all rivals if the
 * spec names no plugin. */
static bool is_wanted(const Run *r, const Rival *v, const char *against)
{
    if (!against)
        return true;
    if (!is_file(against))
        return WORD_IS_ANY(against, v->library, v->call, name_of(r->arena, v));
    bool any = false;
    for (size_t i = 0; i < r->spec->rival_count; i++)
        any = any || !is_built_in(&r->spec->rivals[i]);
    return !any || !is_built_in(v);
}

static bool refuse_against(Run *r, const char *against)
{
    SCOPED_BUF all = {0};
    const Spec *s = r->spec;
    for (size_t i = 0; i < s->rival_count; i++)
        buf_printf(&all, "%s'%s'", i ? ", " : "", name_of(r->arena, &s->rivals[i]));
    return s->rival_count == 0
               ? diag_fail(r->diag,
                           "space '%s' names no rivals, so there is nothing to compare with",
                           s->name)
               : diag_fail(r->diag, "space '%s' has no rival '%s'; it has %s", s->name, against,
                           buf_text(&all));
}

/* --- rivals: finding the libraries -------------------------------------------------------------- */

/* The library that the GPU process opens; NULL: there is no such plugin.  Opening a library runs its code, so
 * a file that only the spec names is never opened: the user must name it, or it must be installed. */
static const char *find_library(const Run *r, const BenchOptions *o, const Rival *v)
{
    if (o->against && is_file(o->against)) /* a slash keeps dlopen from searching */
        return arena_printf(r->arena, "%s%s", strchr(o->against, '/') ? "" : "./", o->against);
    if (is_built_in(v))
        return v->library;
    for (size_t i = 0; !v->path && i < o->plugin_folders.count; i++) {
        const char *path =
            arena_printf(r->arena, "%s/aptune-rival-%s.so", o->plugin_folders.at[i], v->library);
        if (file_exists(path))
            return path;
    }
    return NULL;
}

static const char *not_found(const Run *r, const BenchOptions *o, const Rival *v)
{
    if (v->path)
        return arena_printf(r->arena,
                            "a plugin that only the spec names is not opened; if you trust it, say "
                            "--against %s%s",
                            strchr(v->path, '/') ? "" : "./", v->path);
    Buf b = {0};
    buf_printf(&b, "there is no aptune-rival-%s.so in", v->library);
    for (size_t i = 0; i < o->plugin_folders.count; i++)
        buf_printf(&b, "%s %s", i ? "," : "", o->plugin_folders.at[i]);
    return buf_keep(&b, r->arena);
}

/* --- rivals: arguments -------------------------------------------------------------------------- */

static bool take_argument(Run *r, const RunTaken *t, const Value *slots, Evaluation *ev,
                          TaskRivalArgument *out)
{
    const Argument *g = t->argument;
    *out = (TaskRivalArgument){.name = g->name, .buffer = -1};
    if (g->role != ARGUMENT_SCALAR) {
        out->buffer = r->code.data->buffer[t->index];
        return true;
    }
    Value v;
    if (!expr_eval(g->value, slots, ev, &v))
        return false;
    out->real = task_scalar_is_float(g->element.scalar);
    out->number = value_as_real(v);
    out->integer = v.kind == VALUE_INT ? v.integer : 0;
    return true;
}

/* The call with its arguments; false after a message. */
static bool make_call(Run *r, const Rival *v, const char *library, TaskRival *out)
{
    Evaluation ev = {.arena = r->arena};
    const Value *slots = run_slots(r->arena, r, SIZE_MAX);
    RunTakenList taken;
    bool ok = run_launch_takes(r->arena, r->spec, &v->takes, slots, &ev, &taken);
    TaskRivalArgument *x = ARENA_ARRAY(r->arena, TaskRivalArgument, taken.count);
    for (size_t i = 0; ok && i < taken.count; i++)
        ok = take_argument(r, &taken.at[i], slots, &ev, &x[i]);
    if (!ok)
        return run_refuse(r, &ev);
    *out = (TaskRival){
        .library = library, .call = v->call, .arguments = x, .argument_count = taken.count};
    return true;
}

static bool list_rivals(Run *r, const BenchOptions *o, Bench *b)
{
    const Spec *s = r->spec;
    for (size_t i = 0; i < s->rival_count; i++) {
        const Rival *v = &s->rivals[i];
        if (!is_wanted(r, v, o->against))
            continue;
        const char *library = find_library(r, o, v);
        TaskRival *call = ARENA_NEW(r->arena, TaskRival);
        BenchEntry *e = &b->entries[b->count++];
        *e = bench_entry(v, name_of(r->arena, v));
        e->run = (TaskRun){.rival = call};
        if (!library) {
            e->status = OUTCOME_LOAD_FAILED;
            e->words = not_found(r, o, v);
        }
        if (!make_call(r, v, library ? library : "", call))
            return false;
    }
    return b->count > 1 || !o->against || refuse_against(r, o->against);
}

/* --- verifying -------------------------------------------------------------------------------- */

enum { ROUNDS_MOST = 201, ROUNDS_LEAST = 31 };

/* Time for all rounds, unless the user gives their number. */
static const double budget_ms = 5000;

/* An idle GPU runs at a fraction of its clock; a second of load raises it (see timer_gpu.c). */
static const double warm_up_s = 1.0;

/* Long enough for some twenty updates of the energy counter. */
static const double sustain_default_s = 2.0;

/* Enough to open a library of hundreds of megabytes and to verify one run. */
static const double trial_limit_s = 120;

static void take_trial(Run *r, BenchEntry *e, const TrialResult *t)
{
    e->status = t->status;
    e->words = arena_string(r->arena, t->words);
    e->verified = t->verified;
    e->max_error = run_worst_error(t);
    if (t->title && *t->title)
        e->title = arena_string(r->arena, t->title);
    if (t->details && *t->details)
        e->details = arena_string(r->arena, t->details);
    if (t->status == OUTCOME_OK) /* the number of rounds follows from it */
        e->median = stats_median(t->times, t->time_count);
    health_note(&r->watch.health, &t->health);
}

/* One compared run, a few timed ones, one more compared run.  The result of a bound is not meant to match the
 * reference; buffers that it must not write are still checked. */
static bool try_entry(Run *r, const Bench *b, BenchEntry *e, size_t id)
{
    Trial t = {.id = (int64_t)id,
               .runs = &e->run,
               .run_count = 1,
               .verify = spec_is_verified(r->spec) && !(e->rival && e->rival->bound)};
    TrialResult result;
    if (!run_compared(r->arena, r, b->config, &t.compared, &t.compared_count))
        return false;
    run_shape_trial(r, &t);
    t.sampling.least = t.sampling.enough = t.sampling.most = 3;
    t.limit_s = r->options.trial_limit > 0 ? r->options.trial_limit : trial_limit_s;
    gpu_submit(r->gpu, &t);
    if (!run_gpu_next(r, r->gpu, r->arena, &result))
        return false;
    take_trial(r, e, &result);
    return result.status != OUTCOME_SKIPPED ||
           diag_fail(r->diag, "the GPU is lost: %s", result.words);
}

/* --- timing ----------------------------------------------------------------------------------- */

static double round_ms(const Bench *b)
{
    double sum = 0;
    for (size_t i = 0; i < b->count; i++)
        if (b->entries[i].status == OUTCOME_OK)
            sum += fmax(b->entries[i].median, run_sample_ms);
    return sum;
}

/* The correct entries, in order. */
static size_t list_timed(const Bench *b, TaskRun *runs)
{
    size_t n = 0;
    for (size_t i = 0; i < b->count; i++)
        if (b->entries[i].status == OUTCOME_OK)
            runs[n++] = b->entries[i].run;
    return n;
}

static bool take_rounds(Run *r, const Trial *f, TrialResult *out)
{
    run_progress(r, "time", 0, 1, "");
    gpu_submit(r->gpu, f);
    if (!run_gpu_next(r, r->gpu, r->arena, out))
        return false;
    health_note(&r->watch.health, &out->health);
    bool whole = out->time_count == f->run_count * (size_t)f->rounds;
    return (out->status == OUTCOME_OK && whole) ||
           diag_fail(r->diag, "timing in turn failed (%s): %s", outcome_name(out->status),
                     out->words);
}

static void take_sustained(Bench *b, const TrialResult *t)
{
    for (size_t i = 0, n = 0; i < b->count; i++) {
        BenchEntry *e = &b->entries[i];
        if (e->status != OUTCOME_OK || n >= t->sustained_count)
            continue;
        e->sustained = t->sustained[n++];
        if (i > 0 && b->entries[0].sustained.runs > 0 && e->sustained.runs > 0)
            e->sustained_ratio = e->sustained.ms / b->entries[0].sustained.ms;
    }
}

static bool time_all(Run *r, const BenchOptions *o, Bench *b)
{
    TaskRun *runs = ARENA_ARRAY(r->arena, TaskRun, b->count);
    size_t n = list_timed(b, runs);
    const double rounds = fmin(fmax(budget_ms / round_ms(b), ROUNDS_LEAST), ROUNDS_MOST);
    TrialResult result;
    Trial f = {.runs = runs,
               .run_count = n,
               .rounds = o->rounds > 0 ? o->rounds : (int)rounds,
               .cache = r->l2,
               .sampling.sample_ms = run_sample_ms,
               .warm_s = warm_up_s};
    f.sustain_s = o->sustain_s > 0 ? o->sustain_s : o->sustain_s < 0 ? 0 : sustain_default_s;
    /* Twice the time that the trials predict, and as much again for opening the libraries. */
    f.limit_s = trial_limit_s + f.warm_s + 4e-3 * (f.rounds + 8) * round_ms(b) +
                (6 * f.sustain_s + 1) * (double)f.run_count;
    if (!take_rounds(r, &f, &result))
        return false;
    b->rounds = f.rounds;
    bench_decide(b, result.times);
    take_sustained(b, &result);
    return true;
}

/* --- deciding --------------------------------------------------------------------------------- */

void bench_decide(Bench *b, const double *times)
{
    const StatsInterval none = {NAN, NAN};
    size_t n = (size_t)b->rounds, timed = 0;
    for (size_t i = 0; i < b->count; i++) {
        BenchEntry *e = &b->entries[i];
        e->times = e->status == OUTCOME_OK ? times + timed++ * n : NULL;
        e->median = e->times ? stats_median(e->times, n) : NAN;
        e->interval = e->times ? stats_interval(e->times, n, 0) : none;
        bool compared = e->times && i > 0; /* with the kernel, whose times come first */
        e->ratio = compared ? stats_ratio(e->times, times, n) : NAN;
        e->ratio_interval = compared ? stats_ratio_interval(e->times, times, n) : none;
    }
}

double bench_loss(const Bench *b)
{
    double least = b->entries[0].times ? 1 : NAN;
    for (size_t i = 1; i < b->count; i++)
        if (!isnan(b->entries[i].ratio))
            least = fmin(least, b->entries[i].ratio);
    return 1 / least - 1;
}

bool bench_is_sound(const Bench *b)
{
    bool sound = b->entries[0].status == OUTCOME_OK;
    for (size_t i = 1; i < b->count; i++)
        sound = sound &&
                (b->entries[i].status == OUTCOME_OK || b->entries[i].status == OUTCOME_LOAD_FAILED);
    return sound;
}

/* --- entry points ----------------------------------------------------------------------------- */

bool bench_choose(Run *r, const BenchOptions *o, Bench *out)
{
    *out = (Bench){.config = SIZE_MAX,
                   .variants = o->variants,
                   .entries = ARENA_ARRAY(r->arena, BenchEntry, r->spec->rival_count + 1)};
    if (o->emitted) {
        out->config = bench_emitted_config(r, o->emitted, o->config, &out->origin);
    } else if (o->config) {
        out->config = run_name_config(r, o->config, r->diag);
        out->origin = "named with --config";
    } else if (!choose_winner(r, o, out)) {
        return false;
    }
    if (out->config == SIZE_MAX || !run_open_sources(r) || !run_data(r))
        return false;
    out->entries[out->count++] = bench_entry(NULL, table_name(r->arena, r->table, out->config));
    return o->variants ? bench_emitted_variants(r, o->emitted, out) : list_rivals(r, o, out);
}

bool bench_run(Run *r, const BenchOptions *o, Bench *b)
{
    if (r->source != RUN_MEASURED)
        return diag_fail(r->diag, "bench runs kernels and needs a GPU: %s", r->why_not_measured);
    if (!run_claim_gpus(r) || !run_choose_l2(r) || !fetch_subject(r, o, b, &b->entries[0].run) ||
        !run_set_problem(r))
        return false;
    for (size_t i = 0; i < b->count; i++) {
        BenchEntry *e = &b->entries[i];
        run_progress(r, "verify", i, b->count, e->title);
        if (e->status == OUTCOME_OK && !try_entry(r, b, e, i))
            return false;
    }
    return b->entries[0].status != OUTCOME_OK || time_all(r, o, b);
}
