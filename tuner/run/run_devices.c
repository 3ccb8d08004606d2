/* Opens the GPUs of a run side by side, claims them, sets the problem and closes them.
 *
 * Any free GPU times the next configuration, so all must be of one model: times of different
 * devices are not comparable. */
#include "tuner/run/run_parts.h"

#include "metrics/base/clock.h"
#include "metrics/base/file.h"
#include "tuner/record/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

/* --- which ------------------------------------------------------------------------------------ */

typedef VEC(int) Ordinals;

/* Parses "0,2", without repetitions. */
static bool read_ordinals(Run *r, Ordinals *out)
{
    bool seen[RUN_DEVICE_LIMIT] = {false};
    for (const char *p = r->options.devices;; p++) {
        char *end;
        long n = strtol(p, &end, 10);
        if (end == p || (*end != ',' && *end != '\0') || n < 0 || n >= RUN_DEVICE_LIMIT ||
            seen[n] || out->count == GPU_LIMIT)
            return diag_fail(r->diag, "--devices takes 'all' or GPU numbers such as 0,2; not '%s'",
                             r->options.devices);
        seen[n] = true;
        VEC_PUSH(r->arena, out, (int)n);
        p = end;
        if (*p == '\0')
            return true;
    }
}

static bool is_all(const Run *r)
{
    return r->options.devices && strcmp(r->options.devices, "all") == 0;
}

/* The GPUs to open first: for "all" one, which tells how many there are. */
static bool first_ordinals(Run *r, Ordinals *out)
{
    if (r->options.devices && !is_all(r))
        return read_ordinals(r, out);
    bool said = r->options.ordinal >= 0 && !is_all(r);
    VEC_PUSH(r->arena, out, said ? r->options.ordinal : is_all(r) ? 0 : r->options.local_rank);
    return true;
}

/* --- opening ---------------------------------------------------------------------------------- */

static void start_gpu(Run *r, int ordinal)
{
    GpuOptions o = gpu_options(r->home.gpu_helper, ordinal);
    /* A process of a multi-process job takes the GPU of its rank on the machine; if the batch
     * system shows each process a single GPU, that is number 0 for all. */
    o.wrap = r->options.ordinal < 0 && !r->options.devices;
    r->gpus[r->gpu_count++] =
        (RunGpu){.gpu = gpu_start(&o), .ordinal = ordinal, .opened = clock_seconds()};
}

static bool settle_gpus(Run *r)
{
    Gpu *all[GPU_LIMIT];
    for (size_t i = 0; i < r->gpu_count; i++)
        all[i] = r->gpus[i].gpu;
    return run_gpus_settle(r, all, r->gpu_count);
}

static void drop_gpu(Run *r, size_t i)
{
    gpu_close(r->gpus[i].gpu);
    memmove(&r->gpus[i], &r->gpus[i + 1], (r->gpu_count - i - 1) * sizeof *r->gpus);
    r->gpu_count--;
}

/* Removes unusable GPUs of "all", with a warning. */
static void drop_unusable(Run *r, const char *what)
{
    for (size_t i = r->gpu_count; i-- > 0;) {
        Diag why = diag_new(r->arena);
        if (gpu_usable(r->gpus[i].gpu, &why))
            continue;
        diag_warn(r->diag, (Span){0}, "GPU %d %s and is left out: %s", r->gpus[i].ordinal, what,
                  diag_first(&why));
        drop_gpu(r, i);
    }
}

static bool open_rest_of_all(Run *r)
{
    size_t count = gpu_device_count(r->gpus[0].gpu);
    for (size_t i = 1; i < count && i < GPU_LIMIT; i++)
        start_gpu(r, (int)i);
    if (!settle_gpus(r))
        return false;
    drop_unusable(r, "cannot be opened");
    return r->gpu_count > 0;
}

static bool check_kind(Run *r, const RunGpu *x)
{
    const RunGpu *first = &r->gpus[0];
    const Device *a = gpu_device(first->gpu), *b = gpu_device(x->gpu);
    if (device_arch(a) != device_arch(b))
        return diag_fail(r->diag, "GPU %d is of sm_%d and GPU %d of sm_%d: no code runs on both",
                         first->ordinal, device_arch(a), x->ordinal, device_arch(b));
    if (strcmp(a->name, b->name) == 0)
        return true;
    if (!r->options.mixed)
        return diag_fail(r->diag,
                         "GPU %d is '%s' and GPU %d '%s': their times are not comparable; name "
                         "equal ones with --devices, or say --mixed",
                         first->ordinal, a->name, x->ordinal, b->name);
    diag_warn(r->diag, (Span){0}, "times of '%s' and '%s' are compared (--mixed)", a->name,
              b->name);
    return true;
}

/* Checks that all GPUs opened; a failure is an error only if they were named. */
static bool check_named(Run *r)
{
    for (size_t i = 0; i < r->gpu_count; i++) {
        Diag why = diag_new(r->arena);
        if (gpu_usable(r->gpus[i].gpu, &why)) {
            r->gpus[i].ordinal = gpu_ordinal(r->gpus[i].gpu);
            continue;
        }
        r->why_not_measured = diag_first(&why);
        if (r->options.devices && !is_all(r))
            diag_fail(r->diag, "GPU %d cannot be used: %s", r->gpus[i].ordinal,
                      r->why_not_measured);
        return false;
    }
    return true;
}

bool run_open_devices(Run *r)
{
    Ordinals list = {0};
    if (r->options.no_gpu || r->options.arch || r->options.no_times) {
        r->why_not_measured = r->options.arch       ? "--arch was given"
                              : r->options.no_times ? "--static was given"
                                                    : "--no-gpu was given";
        return false;
    }
    if (!first_ordinals(r, &list))
        return false;
    r->gpus = ARENA_ARRAY(r->arena, RunGpu, GPU_LIMIT);
    for (size_t i = 0; i < list.count; i++)
        start_gpu(r, list.at[i]);
    bool ok = settle_gpus(r) && check_named(r) && (!is_all(r) || open_rest_of_all(r));
    for (size_t i = 1; ok && i < r->gpu_count; i++)
        ok = check_kind(r, &r->gpus[i]);
    if (ok)
        r->gpu = r->gpus[0].gpu;
    else
        run_close_devices(r);
    return ok;
}

void run_close_devices(Run *r)
{
    while (r->gpu_count > 0)
        drop_gpu(r, r->gpu_count - 1);
    for (size_t i = 0; i < r->claims.count; i++)
        close(r->claims.at[i]);
    r->claims.count = 0;
    r->gpu = NULL;
}

/* --- the comparison kernels and kernels as references ----------------------------------------- */

static bool compile_job(Run *r, const CompileJob *job, const char *path, CompileResult *res)
{
    Farm *farm = run_open_farm(r);
    const RunAwaited awaited = {"compile", 0, 1, path};
    bool ok, again = false;
    do { /* a worker that was killed works the second time */
        farm_add(farm, 0, job);
        ok = run_next_result(r, farm, &awaited, res, r->diag);
        again = !again && ok && res->status == OUTCOME_COMPILE_CRASH;
    } while (again);
    if (ok && res->status != OUTCOME_COMPILED)
        ok = diag_fail(r->diag, "'%s' does not compile:\n%s", path, res->log);
    farm_close(farm);
    return ok;
}

static bool compile_checking(Run *r, TaskModule *out)
{
    const CompileSource *source =
        source_open(r->arena, r->home.compare_source, TEXTS("--minimal"), r->diag);
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

/* Compiles a kernel of the reference, `*kernel` being its name in the code, and adds its steps. */
static bool add_reference(Run *r, size_t number, TaskModule *module, const char **kernel,
                          Steps *all)
{
    const Launch *l = &r->spec->reference[number];
    CompileJob job;
    CompileResult res;
    Steps steps;
    Value *slots = run_slots(r->arena, r, SIZE_MAX);
    Evaluation ev = {.arena = r->arena};
    if (!geometry_steps(r->arena, l, number, slots, &ev, &steps))
        return run_refuse(r, &ev);
    if (!run_reference_job(r, l, SIZE_MAX, &job) || !compile_job(r, &job, l->path, &res))
        return false;
    *module = (TaskModule){res.cubin, res.cubin_size};
    *kernel = run_kernel_name(l, &res);
    VEC_EACH (const Step, step, steps)
        VEC_PUSH(r->arena, all, *step);
    return true;
}

static bool set_kernels(Run *r, TaskProblem *problem)
{
    size_t n = r->spec->reference_count;
    TaskModule *modules = ARENA_ARRAY(r->arena, TaskModule, n);
    const char **kernels = ARENA_ARRAY(r->arena, const char *, n);
    Value *slots = run_slots(r->arena, r, SIZE_MAX);
    Evaluation ev = {.arena = r->arena};
    Steps all = {0};
    for (size_t i = 0; i < n; i++)
        if (!add_reference(r, i, &modules[i], &kernels[i], &all))
            return false;
    geometry_interleave(r->arena, r->spec->reference, n, &all);
    TaskLaunch *launches = ARENA_ARRAY(r->arena, TaskLaunch, all.count);
    for (size_t i = 0; i < all.count; i++) {
        const Step *step = &all.at[i];
        if (!run_task_launch(r->arena, r, step, &r->spec->reference[step->launch], slots, &ev,
                             &launches[i]))
            return run_refuse(r, &ev);
        launches[i].kernel = kernels[step->launch];
    }
    problem->reference = (TaskRun){.modules = modules,
                                   .module_count = n,
                                   .launches = launches,
                                   .launch_count = all.count,
                                   .symbols = r->code.data->double_symbols.at,
                                   .symbol_count = r->code.data->double_symbols.count};
    return true;
}

/* --- the problem ------------------------------------------------------------------------------ */

/* Takes the first configuration as the reference. */
static bool set_first(Run *r, TaskProblem *problem)
{
    Fetched x;
    for (size_t i = 0; i < r->table->count; i++)
        if (table_has_code(r->table, i) || (run_searches(r) && table_fits(r->table, i)))
            return run_fetch(r, r->arena, i, &x) && (problem->reference = x.run, true);
    return diag_fail(r->diag, "no configuration can be the reference");
}

/* Sets the problem on all GPUs, which fill buffers and run the reference at the same time; removes
 * those that fail. False after a message if all do. */
static bool give_problem(Run *r, const TaskProblem *problem)
{
    for (size_t i = 0; i < r->gpu_count; i++)
        gpu_start_problem(r->gpus[i].gpu, problem);
    if (!settle_gpus(r))
        return false;
    Diag why = diag_new(r->arena);
    bool any = false;
    for (size_t i = 0; i < r->gpu_count; i++)
        any = gpu_usable(r->gpus[i].gpu, &why) || any;
    if (!any)
        return diag_fail(r->diag, "%s", diag_first(&why));
    drop_unusable(r, "cannot take the problem");
    r->gpu = r->gpus[0].gpu;
    return true;
}

/* Warns if two runs of the reference differ: results that agree with one may not agree with the
 * other. */
static void judge_reference(Run *r, const TaskProblem *p, const Gpu *gpu)
{
    size_t count;
    const TaskOutput *o = gpu_outputs(gpu, &count);
    for (size_t i = 0; i < count; i++)
        if (o[i].nondeterministic > 0)
            diag_warn(
                r->diag, (Span){0},
                "the reference is not deterministic: %lld elements of '%s' differ between two "
                "runs by more than the tolerance, by up to %.3g; results reported as wrong may "
                "be right",
                (long long)o[i].nondeterministic, p->buffers[o[i].buffer].name,
                o[i].nondeterminism);
}

static bool make_problem(Run *r, TaskProblem *problem)
{
    const RunData *data = run_data(r);
    if (!data)
        return false;
    *problem = (TaskProblem){.buffers = data->buffers.at,
                             .buffer_count = data->buffers.count,
                             .textures = data->textures.at,
                             .texture_count = data->textures.count};
    if (!compile_checking(r, &problem->checking))
        return false;
    if (!spec_is_verified(r->spec))
        diag_warn(r->diag, (Span){0}, "the spec has no reference: results are not verified");
    return r->spec->reference_first ? set_first(r, problem) : set_kernels(r, problem);
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
    if (!make_problem(r, &problem) || !give_problem(r, &problem))
        return false;
    judge_reference(r, &problem, r->gpu);
    return true;
}

/* --- claims ----------------------------------------------------------------------------------- */

/* Locks an open file until the run ends. Lacking support for locks is no error; false after a
 * message only if another run has it. */
static bool claim(Run *r, int fd, const char *what, const char *remedy)
{
    if (fd < 0)
        return true;
    VEC_PUSH(r->arena, &r->claims, fd);
    if (lock_take(fd) != LOCK_REFUSED)
        return true;
    return diag_fail(r->diag, "%s is in use by another run of aptune%s; %s", what,
                     lock_holder(r->arena, fd), remedy);
}

/* Opens the file without O_CREAT if it exists: in a shared folder, Linux refuses O_CREAT for other
 * users' files (fs.protected_regular). −1 on failure. */
static int open_lock_file(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0 && errno == ENOENT)
        fd = open(path, O_RDONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0644);
    return fd;
}

/* Claims a GPU: two runs that time on one GPU disturb each other. */
static bool claim_gpu(Run *r, const RunGpu *x)
{
    const char *uuid = gpu_facts(x->gpu)->uuid;
    if (strpbrk(uuid, "/"))
        return true;
    const char *path = arena_printf(r->arena, "/tmp/aptune-%s.lock", uuid);
    int fd = open_lock_file(path);
    /* Any user could hold the lock for ever, so wait only for the user's own runs. */
    if (fd >= 0 && lock_take(fd) == LOCK_REFUSED && !lock_is_ours(fd)) {
        diag_warn(r->diag, (Span){0},
                  "GPU %d (%s) is claimed by another user%s, who holds '%s': if that user runs "
                  "something there, times are wrong; then stop, wait for it, or choose another "
                  "GPU with --device",
                  x->ordinal, uuid, lock_holder(r->arena, fd), path);
        close(fd);
        return true;
    }
    return claim(r, fd, arena_printf(r->arena, "GPU %d (%s)", x->ordinal, uuid),
                 "wait for it, or choose another GPU with --device");
}

bool run_claim_gpus(Run *r)
{
    for (size_t i = 0; i < r->gpu_count; i++)
        if (!claim_gpu(r, &r->gpus[i]))
            return false;
    return true;
}

bool run_claim(Run *r)
{
    if (r->source != RUN_MEASURED)
        return true;
    if (!folder_create(r->options.output, r->diag))
        return false;
    int folder = open(r->options.output, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (!claim(r, folder, arena_printf(r->arena, "'%s'", r->options.output),
               "wait for it, or choose another folder with --output"))
        return false;
    return run_claim_gpus(r);
}
