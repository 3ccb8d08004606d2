/* The problem as the GPU process gets it: buffers, the reference, the kernels that compare. */
#include "tuner/run/run_search.h"

#include "metrics/base/file.h"
#include "metrics/base/vec.h"

/* Compiles one job; false after a message. */
static bool compile_job(Run *r, const CompileJob *job, const char *path, CompileResult *res)
{
    Farm *farm = run_open_farm(r);
    bool ok, again = false;
    do { /* a worker that dies of this code does so again; one that somebody killed does not */
        farm_add(farm, 0, job);
        ok = run_farm_next(r, farm, r->arena, res);
        again = !again && ok && res->status == OUTCOME_COMPILE_CRASH;
    } while (again);
    if (ok && res->status != OUTCOME_COMPILED)
        ok = diag_fail(r->diag, "'%s' does not compile:\n%s", path, res->log);
    farm_close(farm);
    return ok;
}

bool run_find_sources(Run *r)
{
    return file_exists(r->home.compare_source) ||
           diag_fail(r->diag,
                     "'%s' is missing, which compares outputs: this installation is not whole",
                     r->home.compare_source);
}

static bool compile_checking(Run *r, TaskModule *out)
{
    static const char *const options[] = {"--minimal"};
    const CompileSource *source =
        source_open(r->arena, r->home.compare_source, options, 1, r->diag);
    if (!source)
        return false;
    CompileSetting setting = {.architecture = run_architecture(r->arena, r)};
    CompileJob job = source_configure(r->arena, source, &setting);
    CompileResult res;
    if (!compile_job(r, &job, r->home.compare_source, &res))
        return false;
    *out = (TaskModule){res.cubin, res.cubin_size};
    return true;
}

/* --- kernels as references -------------------------------------------------------------------- */

typedef struct References {
    Run *run;
    TaskModule *modules;
    struct {
        TaskLaunch *at;
        size_t count, capacity;
    } launches;
} References;

static bool refuse(Run *r, const Evaluation *ev)
{
    return diag_error(r->diag, ev->error_at, "%s", ev->error ? ev->error : "cannot be computed");
}

/* One kernel of the reference, as often as it is repeated. */
static bool add_reference(References *all, size_t number)
{
    Run *r = all->run;
    const Launch *l = &r->spec->reference[number];
    CompileJob job;
    CompileResult res;
    Step *steps;
    size_t count;
    Value *slots = run_launch_slots(r->arena, r, SIZE_MAX);
    Evaluation ev = {.arena = r->arena};
    if (!geometry_steps(r->arena, l, number, slots, &ev, &steps, &count))
        return refuse(r, &ev);
    if (!run_reference_job(r, l, SIZE_MAX, &job) || !compile_job(r, &job, l->path, &res))
        return false;
    all->modules[number] = (TaskModule){res.cubin, res.cubin_size};
    for (size_t i = 0; i < count; i++) {
        TaskLaunch t;
        if (!run_task_launch(r->arena, r, &steps[i], l, slots, &ev, &t))
            return refuse(r, &ev);
        if (l->expression && res.lowered_count > 0)
            t.kernel = res.lowered[0];
        VEC_PUSH(r->arena, &all->launches, t);
    }
    return true;
}

static bool set_kernels(Run *r, TaskProblem *problem)
{
    size_t n = r->spec->reference_count;
    References all = {.run = r, .modules = ARENA_ARRAY(r->arena, TaskModule, n)};
    for (size_t i = 0; i < n; i++)
        if (!add_reference(&all, i))
            return false;
    problem->reference = (TaskRun){.modules = all.modules,
                                   .module_count = n,
                                   .launches = all.launches.at,
                                   .launch_count = all.launches.count,
                                   .symbols = r->code.data->double_symbols,
                                   .symbol_count = r->code.data->symbol_count};
    return true;
}

/* --- the first configuration as reference ----------------------------------------------------- */

static bool set_first(Run *r, TaskProblem *problem)
{
    Fetched x;
    for (size_t i = 0; i < r->table->count; i++)
        if (table_has_code(r->table, i) || (run_searches(r) && table_fits(r->table, i)))
            return run_fetch(r, r->arena, i, &x) && (problem->reference = x.run, true);
    return diag_fail(r->diag, "there is no configuration that could be the reference");
}

/* --- all of it -------------------------------------------------------------------------------- */

static bool set_reference(Run *r, TaskProblem *problem)
{
    if (!spec_is_verified(r->spec))
        diag_warn(r->diag, (Span){0}, "the spec has no reference: results are not verified");
    return r->spec->reference_first ? set_first(r, problem) : set_kernels(r, problem);
}

static bool make_problem(Run *r, TaskProblem *problem)
{
    const RunData *data = run_data(r);
    if (!data)
        return false;
    *problem = (TaskProblem){.buffers = data->buffers,
                             .buffer_count = data->buffer_count,
                             .textures = data->textures,
                             .texture_count = data->texture_count};
    return compile_checking(r, &problem->checking) && set_reference(r, problem);
}

bool run_set_bare_problem(Run *r, Gpu *gpu)
{
    TaskProblem problem;
    if (!make_problem(r, &problem))
        return false;
    problem.bare = true;
    gpu_start_problem(gpu, &problem);
    return run_gpus_settle(r, &gpu, 1) && gpu_usable(gpu, r->diag);
}

bool run_set_problem(Run *r)
{
    TaskProblem problem;
    if (!make_problem(r, &problem) || !run_give_problem(r, &problem))
        return false;
    run_judge_reference(r, &problem, r->gpu);
    return true;
}
