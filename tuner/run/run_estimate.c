/* How long compiling everything would take: for a dry run. */
#include "tuner/run/run_parts.h"

#include "metrics/base/file.h"

#include <math.h>

/* A compile of mm-core with NVRTC 13.0, sm_90, on a core of an H200 machine (2026-11-21): simple
 * kernels take a sixth of it. */
static const double each_unknown = 0.28;

/* Takes the mean of what a recording says; false when it says nothing of that. */
static bool take_mean(const TimesRecording *t, RunEstimate *e)
{
    double sum = 0;
    e->count = 0;
    for (size_t k = 0; t && k < t->rows.count; k++) {
        const RecordRow *row = &t->rows.at[k];
        if (row->compile_s > 0) {
            sum += row->compile_s + row->profile_s;
            e->count++;
        }
    }
    if (e->count == 0)
        return false;
    e->each_s = sum / (double)e->count;
    e->of = t->path;
    return true;
}

/* What is in the output folder was compiled on this machine. */
static bool take_own(const Run *r, RunEstimate *e)
{
    Diag quiet = diag_new(r->arena);
    const char *path = arena_printf(r->arena, "%s/%s.times", r->options.output, r->spec->name);
    return file_exists(path) && take_mean(times_read_open(r->arena, path, &quiet), e);
}

static size_t left_to_compile(const Run *r)
{
    size_t left = 0;
    for (size_t i = 0; i < r->table->count; i++)
        left += table_fits(r->table, i) && run_is_in_shard(r, i);
    if (r->space.diagram) /* those drawn stand for all */
        left = (size_t)((double)r->space.size / fmax(1, r->options.shards) * (double)left /
                        (double)r->table->count);
    return left;
}

RunEstimate run_estimate(const Run *r)
{
    RunEstimate e = {.each_s = each_unknown, .compiles = left_to_compile(r)};
    if (!take_own(r, &e))
        take_mean(r->recorded.times, &e);
    e.seconds = (double)e.compiles * e.each_s / r->options.jobs;
    return e;
}
