/* The problem as the GPU process gets it: buffers, the reference, the kernels that compare. */
#include "tuner/run/run_parts.h"

/* Compiles one source for the device; NULL after a message. */
static bool compile_one(Run *r, const char *path, TaskModule *out)
{
    static const char *const options[] = {"--minimal"};
    const CompileSource *source = source_open(r->arena, path, options, 1, r->diag);
    if (!source)
        return false;
    CompileSetting setting = {.architecture =
                                  arena_printf(r->arena, "sm_%d", device_arch(r->device))};
    CompileJob job = source_configure(r->arena, source, &setting);
    Farm *farm = run_open_farm(r);
    CompileResult res;
    farm_add(farm, 0, &job);
    bool ok = run_farm_next(r, farm, r->arena, &res);
    if (ok && res.status != COMPILE_OK)
        ok = diag_fail(r->diag, "'%s' does not compile:\n%s", path, res.log);
    farm_close(farm);
    if (ok)
        *out = (TaskModule){res.cubin, res.cubin_size};
    return ok;
}

static bool set_reference(Run *r, const TaskArgument *arguments, TaskProblem *problem)
{
    if (!r->spec->reference) {
        diag_warn(r->diag, (Span){0}, "the spec has no reference: results are not verified");
        return true;
    }
    TaskModule *module = ARENA_NEW(r->arena, TaskModule);
    TaskLaunch *launch = ARENA_NEW(r->arena, TaskLaunch);
    Value *slots = ARENA_ARRAY(r->arena, Value, spec_slot_count(r->spec));
    spec_set_problem(r->spec, r->space.problem, slots);
    Evaluation ev = {.arena = r->arena};
    Geometry g;
    if (!geometry_resolve(r->spec->reference, slots, &ev, &g))
        return diag_error(r->diag, ev.error_at, "%s", ev.error);
    if (!compile_one(r, r->spec->reference->path, module))
        return false;
    run_task_launch(r->spec->reference, &g, arguments, r->spec->argument_count, launch);
    problem->reference = (TaskRun){module, 1, launch, 1};
    return true;
}

static bool make_problem(Run *r, const TaskArgument *arguments, TaskProblem *problem)
{
    *problem = (TaskProblem){0};
    return run_task_buffers(r, &problem->buffers, &problem->buffer_count) &&
           compile_one(r, r->compare_source, &problem->checking) &&
           set_reference(r, arguments, problem);
}

bool run_set_bare_problem(Run *r, const TaskArgument *arguments, Gpu *gpu)
{
    TaskProblem problem;
    if (!make_problem(r, arguments, &problem))
        return false;
    problem.bare = true;
    return gpu_set_problem(gpu, &problem, r->diag);
}

bool run_set_problem(Run *r, const TaskArgument *arguments)
{
    TaskProblem problem;
    if (!make_problem(r, arguments, &problem) || !run_give_problem(r, &problem))
        return false;
    run_judge_reference(r, &problem, r->gpu);
    return true;
}
