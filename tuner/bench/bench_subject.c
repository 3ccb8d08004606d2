/* What is run against the rivals: a configuration that is named, or a recording's winner. */
#include "tuner/bench/bench_parts.h"

#include "tuner/run/run_final.h"

#include <math.h>
#include <string.h>

/* --- the recording ----------------------------------------------------------------------------
 */

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

/* Is it of this space and problem?  Of which device does not matter: what won there is run here. */
static bool check_recording(Run *r, const TimesRecording *t)
{
    size_t n = r->spec->problem_name_count;
    RecordProblem *problem = ARENA_ARRAY(r->arena, RecordProblem, n);
    for (size_t i = 0; i < n; i++)
        problem[i] = (RecordProblem){
            r->spec->problem_names[i],
            run_record_value(r->arena, r->spec->problems[r->space.problem].values[i])};
    RecordHeader want = {.space = r->spec->name,
                         .parameters = run_record_parameters(r),
                         .parameter_count = r->spec->parameter_count,
                         .problem = problem,
                         .problem_count = n};
    Buf why = {0};
    bool fits = record_fit(&t->header, &want, &why) <= FIT_OTHER_DEVICE;
    if (!fits)
        diag_fail(r->diag, "'%s' is no recording of this: %s", t->path, buf_text(&why));
    buf_free(&why);
    return fits;
}

static const TimesRecording *open_recording(Run *r, const BenchOptions *o)
{
    if (!o->recording) {
        if (!r->recording)
            diag_fail(r->diag, "no recording says what won here; name one, or a configuration with "
                               "--config \"A=1 B=2 …\"");
        return r->recording;
    }
    const TimesRecording *t = times_read(r->arena, o->recording, r->diag);
    return t && check_recording(r, t) ? t : NULL;
}

/* --- the winner -------------------------------------------------------------------------------
 */

static double row_ms(const Run *r, const TimesRecording *t, size_t i)
{
    const RecordRow *row = r->configs[i].tier0 == TIER0_FITS ? run_recorded_row(r, t, i) : NULL;
    return row && row->status == RECORD_OK ? stats_median(row->times_ms, row->time_count) : NAN;
}

/* Of the recording's last final, if it has one; else the lowest median. */
static size_t winner_of(const Run *r, const TimesRecording *t, double *ms)
{
    RunFinal f = run_final_recorded(r, t);
    if (f.count > 0) {
        *ms = f.medians[run_final_place(&f, f.ties[0])];
        return f.ties[0];
    }
    size_t best = SIZE_MAX;
    double least = INFINITY;
    for (size_t i = 0; i < r->config_count; i++) {
        double one = row_ms(r, t, i), per_work = one / r->configs[i].work;
        if (isnan(one) || per_work >= least)
            continue;
        best = i;
        least = per_work;
        *ms = one;
    }
    return best;
}

static bool choose_winner(Run *r, const BenchOptions *o, Bench *b)
{
    const TimesRecording *t = open_recording(r, o);
    double ms = NAN;
    if (!t)
        return false;
    b->config = winner_of(r, t, &ms);
    if (b->config == SIZE_MAX)
        return diag_fail(r->diag, "'%s' has no right configuration of this space", t->path);
    r->recording = t;
    b->origin = arena_printf(r->arena, "the winner of %s, %.4f ms there (%s, %s)", t->path, ms,
                             t->header.device, t->header.date);
    return true;
}

bool bench_choose_subject(Run *r, const BenchOptions *o, Bench *b)
{
    if (o->emitted) {
        b->config = bench_emitted_config(r, o->emitted, o->config, &b->origin);
        return b->config != SIZE_MAX;
    }
    if (!o->config)
        return choose_winner(r, o, b);
    b->config = run_find_config(r, o->config, r->diag);
    b->origin = "named with --config";
    return b->config != SIZE_MAX;
}

/* --- its code ---------------------------------------------------------------------------------
 */

/* The first configuration that this device can run: it is the reference where the spec says
 * `reference first`. */
static size_t reference_config(const Run *r)
{
    size_t i = 0;
    while (i < r->config_count && r->configs[i].tier0 != TIER0_FITS)
        i++;
    return i;
}

static bool compile(Run *r, const size_t *wanted, size_t count)
{
    r->only = wanted;
    r->only_count = count;
    bool ok = run_compile(r);
    r->only = NULL; /* it ends with this function */
    for (size_t i = 0; ok && i < count; i++) {
        const Config *c = &r->configs[wanted[i]];
        if (c->code != CODE_OK)
            ok = diag_fail(r->diag, "%s does not compile: %s",
                           run_config_name(r->arena, r, wanted[i]), c->failure);
    }
    return ok;
}

/* What is to be compiled: not what was emitted. */
static bool compile_subject(Run *r, const BenchOptions *o, const Bench *b)
{
    size_t wanted[2], count = 0;
    if (r->configs[b->config].tier0 != TIER0_FITS)
        return diag_fail(r->diag, "this device cannot run %s",
                         run_config_name(r->arena, r, b->config));
    if (!o->emitted)
        wanted[count++] = b->config;
    if (r->spec->reference_first)
        wanted[count++] = reference_config(r);
    return count == 0 || compile(r, wanted, count);
}

bool bench_fetch_subject(Run *r, const BenchOptions *o, Bench *b, TaskRun *out)
{
    const RecordRow *row = NULL;
    if (!compile_subject(r, o, b))
        return false;
    if (o->emitted)
        return bench_emitted_code(r, o->emitted, b->config, out);
    if (r->recording)
        row = run_recorded_row(r, r->recording, b->config);
    b->stale = row && !run_same_code(r, &r->configs[b->config], row);
    return run_fetch(r, b->config, out);
}
