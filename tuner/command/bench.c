#include "tuner/command/bench_parts.h"

#include "tuner/base/clock.h"

#include <math.h>
#include <string.h>

enum { ROUNDS_MOST = 201, ROUNDS_LEAST = 31 };

/* Time that the rounds take at most, unless the user says how many. */
static const double budget_ms = 5000;

/* An idle GPU runs at a fraction of its clock; a second of load brings it up (see timer_gpu.c). */
static const double warm_up_s = 1.0;

/* So long a stretch sees the energy counter change some twenty times. */
static const double sustain_default_s = 2.0;

/* Opening a library of hundreds of megabytes, and one verified run. */
static const double trial_limit_s = 120;

/* --- verifying -------------------------------------------------------------------------------- */

/* Largest error of the outputs, relative to their sizes. */
static double worst_error(const TrialResult *t)
{
    double worst = NAN;
    for (size_t k = 0; k < t->check_count; k++) {
        const TrialCheck *c = &t->checks[k];
        double error = c->scale > 0 ? c->max_error / c->scale : c->max_error;
        worst = isnan(worst) ? error : fmax(worst, error);
    }
    return worst;
}

static void take_trial(Run *r, BenchEntry *e, const TrialResult *t)
{
    e->status = t->status;
    e->words = arena_string(r->arena, t->words);
    e->verified = t->verified;
    e->max_error = worst_error(t);
    if (t->title && *t->title)
        e->title = arena_string(r->arena, t->title);
    if (t->details && *t->details)
        e->details = arena_string(r->arena, t->details);
    if (t->status == OUTCOME_OK) /* for how many rounds there is time */
        e->median = stats_median(t->times, t->time_count);
    health_note(&r->watch.health, &t->health);
}

/* One run that is compared, a few that are timed, one more that is compared.  A bound's result is
 * not that of the reference, and not meant to be; what it must not write is looked at all the
 * same. */
static bool try_entry(Run *r, const Bench *b, BenchEntry *e, size_t id)
{
    Trial t = {.id = (int64_t)id,
               .run = e->run,
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

static bool try_all(Run *r, Bench *b)
{
    for (size_t i = 0; i < b->count; i++) {
        BenchEntry *e = &b->entries[i];
        run_progress(r, "verify", i, b->count, e->title);
        if (e->status == OUTCOME_OK && !try_entry(r, b, e, i))
            return false;
    }
    return true;
}

/* --- timing ----------------------------------------------------------------------------------- */

static int rounds_for(const BenchOptions *o, const Bench *b, const int *places)
{
    double round_ms = 0;
    if (o->rounds > 0)
        return o->rounds;
    for (size_t i = 0; i < b->count; i++)
        if (places[i] >= 0)
            round_ms += fmax(b->entries[i].median, run_sample_ms);
    double rounds = budget_ms / round_ms;
    return rounds < ROUNDS_LEAST ? ROUNDS_LEAST : rounds > ROUNDS_MOST ? ROUNDS_MOST : (int)rounds;
}

/* Those that are right, in their order; `places` gets where each of the entries is among them. */
static size_t list_timed(const Bench *b, TaskRun *runs, int *places)
{
    size_t n = 0;
    for (size_t i = 0; i < b->count; i++) {
        places[i] = b->entries[i].status == OUTCOME_OK ? (int)n : -1;
        if (places[i] >= 0)
            runs[n++] = b->entries[i].run;
    }
    return n;
}

/* Rounds that take twice as long as the trials say, and as long again for opening libraries. */
static double final_limit(const Bench *b, const TrialFinal *f)
{
    double round_s = 0;
    for (size_t i = 0; i < b->count; i++)
        if (b->entries[i].status == OUTCOME_OK)
            round_s += 1e-3 * fmax(b->entries[i].median, run_sample_ms);
    return trial_limit_s + f->warm_s + 4 * (f->rounds + 8) * round_s +
           2 * f->sustain_s * (double)f->run_count;
}

static bool take_rounds(Run *r, const TrialFinal *f, TrialResult *out)
{
    run_progress(r, "time", 0, 1, "");
    gpu_submit_final(r->gpu, f);
    if (!run_gpu_next(r, r->gpu, r->arena, out))
        return false;
    health_note(&r->watch.health, &out->health);
    bool whole = out->time_count == f->run_count * (size_t)f->rounds;
    return (out->status == OUTCOME_OK && whole) ||
           diag_fail(r->diag, "they could not be timed in turn (%s): %s", outcome_name(out->status),
                     out->words);
}

static void take_sustained(Bench *b, const TrialResult *t, const int *places)
{
    for (size_t i = 0; i < b->count; i++) {
        BenchEntry *e = &b->entries[i];
        if (places[i] < 0 || (size_t)places[i] >= t->sustained_count)
            continue;
        e->sustained = t->sustained[places[i]];
        if (i > 0 && b->entries[0].sustained.runs > 0 && e->sustained.runs > 0)
            e->sustained_ratio = e->sustained.ms / b->entries[0].sustained.ms;
    }
}

static bool time_all(Run *r, const BenchOptions *o, Bench *b)
{
    TaskRun *runs = ARENA_ARRAY(r->arena, TaskRun, b->count);
    int *places = ARENA_ARRAY(r->arena, int, b->count);
    size_t n = list_timed(b, runs, places);
    TrialResult result;
    TrialFinal f = {.runs = runs,
                    .run_count = n,
                    .rounds = rounds_for(o, b, places),
                    .cache = r->l2,
                    .sample_ms = run_sample_ms,
                    .warm_s = warm_up_s};
    f.sustain_s = o->sustain_s > 0 ? o->sustain_s : o->sustain_s < 0 ? 0 : sustain_default_s;
    f.limit_s = final_limit(b, &f);
    if (!take_rounds(r, &f, &result))
        return false;
    b->rounds = f.rounds;
    bench_decide(r->arena, b, result.times, places, n);
    take_sustained(b, &result, places);
    return true;
}

/* --- deciding --------------------------------------------------------------------------------- */

static const double *column(Arena *a, const Bench *b, const double *times, int place, size_t timed)
{
    double *out = ARENA_ARRAY(a, double, (size_t)b->rounds);
    for (size_t i = 0; i < (size_t)b->rounds; i++)
        out[i] = times[i * timed + (size_t)place];
    return out;
}

void bench_decide(Arena *a, Bench *b, const double *times, const int *places, size_t timed)
{
    const StatsInterval none = {NAN, NAN};
    const double *kernel = b->entries[0].times =
        places[0] >= 0 ? column(a, b, times, places[0], timed) : NULL;
    size_t n = (size_t)b->rounds;
    for (size_t i = 0; i < b->count; i++) {
        BenchEntry *e = &b->entries[i];
        e->times = places[i] < 0 ? NULL : column(a, b, times, places[i], timed);
        e->median = e->times ? stats_median(e->times, n) : NAN;
        e->interval = e->times ? stats_interval(e->times, n, 0) : none;
        bool compared = e->times && kernel && i > 0;
        e->ratio = compared ? stats_ratio(e->times, kernel, n) : NAN;
        e->ratio_interval = compared ? stats_ratio_interval(e->times, kernel, n) : none;
    }
}

double bench_loss(const Bench *b)
{
    double least = b->count > 0 && b->entries[0].times ? 1 : NAN;
    for (size_t i = 1; i < b->count; i++)
        if (!isnan(b->entries[i].ratio))
            least = fmin(least, b->entries[i].ratio);
    return 1 / least - 1;
}

bool bench_is_sound(const Bench *b)
{
    bool sound = b->count > 0 && b->entries[0].status == OUTCOME_OK;
    for (size_t i = 1; i < b->count; i++)
        sound = sound &&
                (b->entries[i].status == OUTCOME_OK || b->entries[i].status == OUTCOME_LOAD_FAILED);
    return sound;
}

/* --- all of it -------------------------------------------------------------------------------- */

BenchEntry bench_entry(const Rival *rival, const char *title)
{
    return (BenchEntry){.rival = rival,
                        .title = title,
                        .details = "",
                        .status = OUTCOME_OK,
                        .words = "",
                        .max_error = NAN,
                        .median = NAN,
                        .interval = {NAN, NAN},
                        .ratio = NAN,
                        .ratio_interval = {NAN, NAN},
                        .sustained_ratio = NAN};
}

bool bench_choose(Run *r, const BenchOptions *o, Bench *out)
{
    *out = (Bench){.config = SIZE_MAX,
                   .variants = o->variants,
                   .entries = ARENA_ARRAY(r->arena, BenchEntry, r->spec->rival_count + 1)};
    if (!bench_choose_subject(r, o, out) || !run_open_sources(r) || !run_data(r))
        return false;
    out->entries[out->count++] = bench_entry(NULL, table_name(r->arena, r->table, out->config));
    return o->variants ? bench_emitted_variants(r, o->emitted, out) : bench_list_rivals(r, o, out);
}

bool bench_run(Run *r, const BenchOptions *o, Bench *b)
{
    if (r->source != RUN_MEASURED)
        return diag_fail(r->diag, "bench runs kernels, and so needs a GPU: %s",
                         r->why_not_measured);
    if (!run_claim_gpus(r) || !run_choose_l2(r) ||
        !bench_fetch_subject(r, o, b, &b->entries[0].run) || !run_set_problem(r) || !try_all(r, b))
        return false;
    return b->entries[0].status != OUTCOME_OK || time_all(r, o, b);
}
