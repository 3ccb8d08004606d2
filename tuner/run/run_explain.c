#include "tuner/run/run_explain.h"

#include "tuner/run/run_parts.h"
#include "tuner/run/timer.h"

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
    const StepGroup *groups;
    size_t n = run_all_step_groups(r->arena, r, i, &groups);
    if (p->share_count < 2)
        return &r->table->launch[i].steps[0];
    return groups[profile_main_launch(p->shares, n)].step;
}

size_t run_profiled_launch(const Run *r, size_t i)
{
    return r->table->launch[i].step_count > 0 ? profiled_step(r, i)->launch : 0;
}

static const char *first_message(const Diag *d)
{
    return d->messages.count ? d->messages.at[0].text : "no reason given";
}

/* The code, compiled with these options besides, and its launch; false with the reason. */
static bool compile_again(Run *r, size_t i, const char *const *options, size_t count,
                          ProfileInput *out, Diag *d)
{
    const Step *step = profiled_step(r, i);
    CompileJob job;
    CompileResult *res = ARENA_NEW(r->arena, CompileResult);
    if (!run_make_job(r->arena, r, i, step->launch, options, count, &job))
        return diag_fail(d, "it cannot be said what is to be compiled");
    Farm *f = run_open_farm(r);
    farm_add(f, 0, &job);
    bool ok = farm_next(f, r->arena, res, d);
    r->counts.workers_started += farm_started(f);
    farm_close(f);
    if (ok && res->status != OUTCOME_COMPILED)
        return diag_fail(d, "compiling it again: %s", outcome_name(res->status));
    return ok && (run_profile_input(r->arena, r, i, step, res, out) ||
                  diag_fail(d, "its arguments cannot be computed"));
}

bool run_profiled_input(Run *r, size_t i, ProfileInput *out, Diag *d)
{
    return compile_again(r, i, NULL, 0, out, d);
}

RunLines run_follow_lines(Run *r, size_t i)
{
    static const char *const options[] = {"-lineinfo"};
    Diag d = diag_new(r->arena);
    ProfileInput in;
    RunLines lines = {0};
    if (compile_again(r, i, options, 1, &in, &d))
        lines.memory = profile_follow(r->arena, &in, &lines.module, &d);
    if (!lines.memory)
        lines.why_not = first_message(&d);
    return lines;
}
