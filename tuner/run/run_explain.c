#include "tuner/run/run_explain.h"

#include "tuner/run/timer.h"

#include <string.h>

void run_take_outcome(Run *r, size_t i)
{
    Config *c = &r->configs[i];
    const RecordRow *row = r->recording ? run_recorded_row(r, r->recording, i) : NULL;
    if (row && c->code == CODE_OK && run_same_code(r, c, row))
        timer_take_row(r, c, row);
}

size_t run_profiled_launch(const Run *r, size_t i)
{
    const Config *c = &r->configs[i];
    for (size_t l = 0; c->profile && l < r->spec->launch_count; l++)
        if ((double)c->geometry[l].threads == c->profile->value[PROFILE_THREADS_PER_BLOCK] &&
            (double)c->geometry[l].blocks == c->profile->value[PROFILE_BLOCKS])
            return l;
    return 0;
}

static const char *first_message(const Diag *d)
{
    return d->messages.count ? d->messages.at[0].text : "no reason given";
}

/* The code with line numbers; false with the reason. */
static bool compile_lines(Run *r, size_t i, size_t l, CompileResult *out, Diag *d)
{
    static const char *const options[] = {"-lineinfo"};
    CompileJob job = run_job(r->arena, r, i, l, options, 1);
    Farm *f = run_open_farm(r);
    farm_add(f, 0, &job);
    bool ok = farm_next(f, r->arena, out, d);
    r->workers_started += farm_started(f);
    farm_close(f);
    if (ok && out->status != COMPILE_OK)
        return diag_fail(d, "compiling with -lineinfo: %s", compile_status_name(out->status));
    return ok;
}

RunLines run_follow_lines(Run *r, size_t i)
{
    Diag d = diag_new(r->arena);
    size_t l = run_profiled_launch(r, i);
    CompileResult res;
    ArgumentBytes arguments;
    RunLines lines = {0};
    if (run_argument_bytes(r, &arguments) && compile_lines(r, i, l, &res, &d)) {
        ProfileInput in = run_profile_input(r, i, l, &res, &arguments);
        lines.memory = profile_follow(r->arena, &in, &lines.module, &d);
    }
    if (!lines.memory)
        lines.why_not = first_message(&d);
    return lines;
}
