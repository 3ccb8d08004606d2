/* What is run against the rivals: a configuration that is named, or a recording's winner. */
#include "tuner/command/bench_parts.h"

#include "tuner/run/run_final.h"

#include <string.h>

/* --- the recording ---------------------------------------------------------------------------- */

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

static const char *first_error(const Diag *d)
{
    for (size_t i = 0; i < d->messages.count; i++)
        if (d->messages.at[i].kind == DIAG_ERROR)
            return d->messages.at[i].text;
    return "no reason given";
}

/* A run beside ours that replays the recording, wherever it was measured: who won there is run
 * here. */
static Run replay_of(const Run *r, const char *path, Diag *d)
{
    Run w = {.arena = r->arena,
             .options = r->options,
             .diag = d,
             .home.compile_helper = r->home.compile_helper,
             .home.gpu_helper = r->home.gpu_helper,
             .home.cuda_folder = r->home.cuda_folder,
             .home.compare_source = r->home.compare_source,
             .home.metric_files = r->home.metric_files,
             .home.metric_file_count = r->home.metric_file_count};
    w.options.recording = path;
    w.options.no_gpu = true;
    w.options.arch = NULL;
    return w;
}

static double winner_ms(const Run *w)
{
    size_t place = run_final_place(&w->final, w->best);
    return place == SIZE_MAX ? w->table->times[w->best].median : w->final.medians[place];
}

static bool choose_winner(Run *r, const BenchOptions *o, Bench *b)
{
    const char *path = o->recording ? o->recording : r->recorded.path;
    if (!path)
        return diag_fail(r->diag, "no recording says what won here; name one, or a configuration "
                                  "with --config \"A=1 B=2 …\"");
    Diag d = diag_new(r->arena);
    Run w = replay_of(r, path, &d);
    bool ok = run_open(&w) && run_take_winner(&w);
    if (ok) {
        const RecordHeader *h = &w.recorded.times->header;
        b->config = w.best;
        b->origin = arena_printf(r->arena, "the winner of %s, %.4f ms there (%s, %s)", path,
                                 winner_ms(&w), h->device, h->date);
        r->recorded.times = w.recorded.times;
    }
    run_close(&w);
    return ok || diag_fail(r->diag, "%s", first_error(&d));
}

bool bench_choose_subject(Run *r, const BenchOptions *o, Bench *b)
{
    if (o->emitted) {
        b->config = bench_emitted_config(r, o->emitted, o->config, &b->origin);
        return b->config != SIZE_MAX;
    }
    if (!o->config)
        return choose_winner(r, o, b);
    b->config = run_name_config(r, o->config, r->diag);
    b->origin = "named with --config";
    return b->config != SIZE_MAX;
}

/* --- its code --------------------------------------------------------------------------------- */

/* The first configuration that this device can run: it is the reference where the spec says
 * `reference first`. */
static size_t reference_config(const Run *r)
{
    size_t i = 0;
    while (i < r->table->count && !table_fits(r->table, i))
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
        const Table *t = r->table;
        if (!table_has_code(t, wanted[i]))
            ok = diag_fail(r->diag, "%s does not compile: %s",
                           table_name(r->arena, r->table, wanted[i]), t->why[wanted[i]]);
    }
    return ok;
}

/* What is to be compiled: not what was emitted. */
static bool compile_subject(Run *r, const BenchOptions *o, const Bench *b)
{
    size_t wanted[2], count = 0;
    if (!table_fits(r->table, b->config))
        return diag_fail(r->diag, "this device cannot run %s",
                         table_name(r->arena, r->table, b->config));
    if (!o->emitted)
        wanted[count++] = b->config;
    if (r->spec->reference_first)
        wanted[count++] = reference_config(r);
    return count == 0 || compile(r, wanted, count);
}

/* Is the code another one than the recording has of it?  Other architectures always have other
 * code. */
static bool is_stale(const Run *r, size_t i)
{
    const TimesRecording *t = r->recorded.times;
    if (!t || strcmp(t->header.arch, run_architecture(r->arena, r)) != 0)
        return false;
    const RecordRow *row = run_recorded_row(r, t, i);
    return row && !run_same_code(r, i, row);
}

bool bench_fetch_subject(Run *r, const BenchOptions *o, Bench *b, TaskRun *out)
{
    if (!compile_subject(r, o, b))
        return false;
    if (o->emitted)
        return bench_emitted_code(r, o->emitted, b->config, out);
    b->stale = is_stale(r, b->config);
    return run_fetch(r, b->config, out);
}
