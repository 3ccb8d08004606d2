#include "tuner/run/run_explain.h"

#include "tuner/run/run_parts.h"
#include "tuner/run/timer.h"

#include <string.h>

void run_take_outcome(Run *r, size_t i)
{
    Table *t = r->table;
    const RecordRow *row = r->recorded.times ? run_recorded_row(r, r->recorded.times, i) : NULL;
    if (row && table_has_code(t, i) && run_same_code(r, i, row))
        timer_take_row(r, i, row);
}

/* The step that the profile of configuration `i` is about. */
static const Step *profiled_step(const Run *r, size_t i)
{
    const TableProfile *p = &r->table->profile[i];
    const RunShare *shares;
    size_t n = run_all_shares(r->arena, r, i, &shares);
    if (p->share_count < 2)
        return &r->table->launch[i].steps[0];
    return shares[profile_main_launch(p->shares, n)].step;
}

size_t run_profiled_launch(const Run *r, size_t i)
{
    return r->table->launch[i].step_count > 0 ? profiled_step(r, i)->launch : 0;
}

static const char *first_message(const Diag *d)
{
    return d->messages.count ? d->messages.at[0].text : "no reason given";
}

/* The code with line numbers; false with the reason. */
static bool compile_lines(Run *r, size_t i, size_t l, CompileResult *out, Diag *d)
{
    static const char *const options[] = {"-lineinfo"};
    CompileJob job;
    if (!run_make_job(r->arena, r, i, l, options, 1, &job))
        return diag_fail(d, "it cannot be said what is to be compiled");
    Farm *f = run_open_farm(r);
    farm_add(f, 0, &job);
    bool ok = farm_next(f, r->arena, out, d);
    r->counts.workers_started += farm_started(f);
    farm_close(f);
    if (ok && out->status != OUTCOME_COMPILED)
        return diag_fail(d, "compiling with -lineinfo: %s", outcome_name(out->status));
    return ok;
}

RunLines run_follow_lines(Run *r, size_t i)
{
    Diag d = diag_new(r->arena);
    const Step *step = profiled_step(r, i);
    CompileResult res;
    ProfileInput in;
    RunLines lines = {0};
    if (compile_lines(r, i, step->launch, &res, &d) &&
        run_profile_input(r->arena, r, i, step, &res, &in))
        lines.memory = profile_follow(r->arena, &in, &lines.module, &d);
    if (!lines.memory)
        lines.why_not = first_message(&d);
    return lines;
}
