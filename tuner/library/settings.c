#include "tuner/library/settings.h"

#include "metrics/base/process.h"
#include "tuner/emit/unit_make.h"
#include "tuner/library/where.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

/* --- shards: parts of a space, chosen by the user or by the batch system ---------------------- */

enum { SHARDS_MOST = 1000000 };

/* Variables with the rank of a process, the number of processes, and the rank on its machine. */
typedef struct Launcher {
    const char *name;
    const char *rank;
    const char *size;
    const char *local;
} Launcher;

/* mpirun comes first: it may run in a Slurm allocation, whose variables then describe the daemons of mpirun.
 * For Slurm, a variable that srun sets for a step: SLURM_NTASKS is set in the batch script, too. */
static const Launcher launchers[] = {
    {"MPI", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK"},
    {"MPI", "PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID"},
    {"Slurm", "SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_LOCALID"},
};

/* An environment variable as a number; -1 if it is not set or not a valid number. */
static int env_number(const char *name)
{
    const char *text = getenv(name);
    char *end;
    long n = text ? strtol(text, &end, 10) : -1;
    return text && end != text && *end == '\0' && n >= 0 && n <= SHARDS_MOST ? (int)n : -1;
}

/* True if variables are set but are not a rank and a size.  Only with Slurm may one of them be missing. */
static bool is_invalid(const Launcher *l)
{
    if (!getenv(l->rank) || !getenv(l->size))
        return (getenv(l->rank) || getenv(l->size)) && strcmp(l->name, "Slurm") != 0;
    int rank = env_number(l->rank), size = env_number(l->size);
    return rank < 0 || size < 1 || rank >= size || (getenv(l->local) && env_number(l->local) < 0);
}

bool shard_ask(RunOptions *o)
{
    EACH (const Launcher, l, launchers, COUNT_OF(launchers)) {
        int local = env_number(l->local);
        if (is_invalid(l) || env_number(l->size) < 2 || env_number(l->rank) < 0)
            continue;
        o->shard = env_number(l->rank);
        o->shards = env_number(l->size);
        o->shard_from = l->name;
        o->local_rank = local > 0 ? local : 0;
        return true;
    }
    return false;
}

bool shard_check(Diag *d)
{
    EACH (const Launcher, l, launchers, COUNT_OF(launchers)) {
        const char *local = getenv(l->local), *rank = getenv(l->rank), *size = getenv(l->size);
        if (is_invalid(l))
            return diag_fail(d,
                             "%s=%s of %s=%s%s%s%s is not a valid rank, so the shard of this "
                             "process is unknown; use --shard i/n, or --shard none for all",
                             l->rank, rank ? rank : "", l->size, size ? size : "",
                             local ? ", " : "", local ? l->local : "",
                             local ? arena_printf(d->arena, "=%s,", local) : "");
    }
    return true;
}

bool shard_read(const char *text, RunOptions *o, Diag *d)
{
    long i, n;
    int end = 0;
    if (strcmp(text, "auto") == 0)
        return shard_check(d) &&
               (shard_ask(o) ||
                diag_fail(d, "--shard auto: neither mpirun nor srun started several processes"));
    o->shard = o->shards = 0;
    if (strcmp(text, "none") == 0)
        return true;
    if (sscanf(text, "%9ld/%9ld%n", &i, &n, &end) < 2 || text[end] || n < 1 || n > SHARDS_MOST ||
        i < 0 || i >= n)
        return diag_fail(d,
                         "--shard takes i/n with i from 0 to n - 1, such as 0/4, 'auto' or 'none'; "
                         "not '%s'",
                         text);
    o->shard = (int)i;
    o->shards = (int)n;
    o->shard_from = "--shard";
    return true;
}

enum {
    SECONDS_MOST = 86400,
    CACHE_MOST_GB = 1 << 20,
    MEMORY_MOST_GB = 1 << 14,
    DEVICES_MOST = 1024,
    JOBS_MOST = 1024,
    FINALISTS_MOST = 1000,
    AUDIT_MOST = 1000000
};

/* Targets of values. */
#define INTO(field)                OPTION_INTO(RunOptions, field, 0, 0)
#define WITHIN(field, least, most) OPTION_INTO(RunOptions, field, least, most)
#define BY(take, field, most)      take, offsetof(RunOptions, field), 0, (most)

const Option run_options[RUN_OPTIONS] = {
    {"space", "FILE", "the spec: kernel, parameters, constraints, launch, data", INTO(space)},
    {"arch", "NAME", "target another device: sm_90, h200 … (see aptune devices)", INTO(arch)},
    {"device-file", "FILE", "device file: rates and latencies of the GPU, or another device",
     INTO(device_file)},
    {"device", "N", "which GPU (default 0)", WITHIN(ordinal, 0, DEVICES_MOST)},
    {"problem", "\"N=8192\"", "one of the spec's problems (default: each in turn)",
     INTO(problem_text)},
    {"no-gpu", NULL, "behave as if there were no GPU", INTO(no_gpu)},
    {"compile", NULL, "compile even if a recording has the profiles", INTO(compile)},
    {"recordings", "DIR", "replay recordings of this folder (default: recordings beside the spec)",
     INTO(recordings)},
};

const Option compile_options[COMPILE_OPTIONS] = {
    {"include", "DIR", "also search for headers here (may be repeated)", INTO(includes)},
    {"run-commands", NULL, "run the spec's commands that print kernels", INTO(run_commands)},
    {"jobs", "N", "compile workers (default: one per core)", WITHIN(jobs, 1, JOBS_MOST)},
    {"compile-limit", "S", "seconds one compile may take (default 60)",
     BY(option_seconds, compile_limit, SECONDS_MOST)},
    {"compile-memory", "GB", "memory limit of a compile worker (default its share, 1 to 4)",
     BY(option_size, compile_memory, MEMORY_MOST_GB)},
    {"cache-dir", "DIR", "cache of compiled code (default $APTUNE_CACHE, else ~/.cache/aptune)",
     INTO(cache)},
    {"cache-limit", "GB", "trim the cache to this after a run (default 4)",
     BY(option_size, cache_limit, CACHE_MOST_GB)},
    {"trust-cache", NULL, "use a cache that others can write to, and run its code",
     INTO(trust_cache)},
};

static bool take_cache(const Option *o, const char *text, void *field, Diag *d)
{
    (void)o;
    TaskCache known;
    *(const char **)field = text;
    return task_cache_find(text, &known) ||
           diag_fail(d,
                     "--cache takes warm, cold or both, the state of the L2 when a run is timed, "
                     "not '%s'; the folder of compiled code is --cache-dir",
                     text);
}

/* A flavour, or "none". */
static bool take_emit(const Option *o, const char *text, void *field, Diag *d)
{
    EmitFlavour known;
    *(const char **)field = text;
    return strcmp(text, "none") == 0 || unit_flavour_find(text, &known) ||
           diag_fail(d, "--%s takes driver, driver-linked, runtime or none, not '%s'", o->name,
                     text);
}

bool option_identifier(const Option *o, const char *text, void *field, Diag *d)
{
    *(const char **)field = text;
    return unit_is_identifier(text) ||
           diag_fail(d, "--%s takes a C identifier (letters, digits and '_'), not '%s'", o->name,
                     text);
}

/* Statements, or NULL for the spec's own. */
static bool take_carve(const Option *o, const char *text, void *field, Diag *d)
{
    RunOptions *all = (RunOptions *)((char *)field - offsetof(RunOptions, carve));
    (void)o;
    (void)d;
    all->carve = true;
    all->carve_text = text && *text ? text : NULL;
    return true;
}

/* Sets several fields; `field` is the whole struct. */
static bool take_shard(const Option *o, const char *text, void *field, Diag *d)
{
    (void)o;
    return shard_read(text, field, d);
}

const Option tune_options[TUNE_OPTIONS] = {
    {"output", "DIR", "folder for results (default aptune-out/NAME)", INTO(output)},
    {"seconds", "S", "search for S seconds (default: until no gain is expected)",
     BY(option_seconds, seconds, SECONDS_MOST)},
    {"trials", "N", "search until N configurations are timed", WITHIN(trials, 1, INT_MAX)},
    {"compiles", "N", "search until N configurations are compiled", WITHIN(compiles, 1, INT_MAX)},
    {"seed", "N", "random seed of the search (default 1)", WITHIN(seed, 0, INT_MAX)},
    {"learn", "FILE",
     "start from a recording of a similar space, or none (default: those beside the spec)",
     INTO(learn)},
    {"carve", "[TEXT]", "compile all, time what these statements, or the spec's, leave",
     BY(take_carve, carve, 0)},
    {"static", NULL, "time nothing: compile all, or what a budget allows", INTO(no_times)},
    {"exhaustive", NULL, "compile and time every configuration", INTO(exhaustive)},
    {"guess", "METRIC", "the metric that predicts times (default predicted_cycles)", INTO(guess)},
    {"metrics", "FILE", "further metrics", INTO(metrics)},
    {"cache", "STATE", "L2 when timed: warm, cold, both (default: cold if the data exceeds it)",
     BY(take_cache, l2, 0)},
    {"samples", "N", "time every configuration at least N times (default: the slower ones twice)",
     WITHIN(samples, 1, 100)},
    {"final", "N", "time the N best again in turn (default: those close to the best)",
     WITHIN(finalists, 1, FINALISTS_MOST)},
    {"time-limit", "S", "seconds a trial may take (default 10 × the median so far, at least 1)",
     BY(option_seconds, trial_limit, SECONDS_MOST)},
    {"audit", "N", "also time N dropped configurations, chosen at random, to check the carving",
     WITHIN(audit, 1, AUDIT_MOST)},
    {"audit-seed", "N", "random seed of the audit (default 1)", WITHIN(audit_seed, 0, INT_MAX)},
    {"sanitize", NULL, "also run the survivors under compute-sanitizer", INTO(sanitize)},
    {"devices", "LIST", "several GPUs: all, or by number, such as 0,2", INTO(devices)},
    {"mixed", NULL, "allow GPUs of different kinds", INTO(mixed)},
    {"shard", "I/N", "part I of N of the space (default: by mpirun or srun; none: all of it)",
     take_shard, 0, 0, 0},
    {"emit", "F", "emit the kernel: driver (default), driver-linked, runtime, none",
     BY(take_emit, emit, 0)},
    {"emit-name", "NAME", "name of its files (default: the space's)",
     BY(option_identifier, emit_name, 0)},
    {"emit-prefix", "P_", "prefix of its symbols (default NAME_)",
     BY(option_identifier, emit_prefix, 0)},
    {"dry-run", NULL, "count the space and stop before compiling", INTO(dry_run)},
    {"why", "\"A=1 B=2 …\"", "explain the outcome of one configuration", INTO(why)},
};

void compile_defaults(void *run)
{
    RunOptions *o = run;
    o->jobs = process_processors();
    o->compile_limit = 60;
    o->cache_limit = CACHE_LIMIT_GB;
}

void run_defaults(void *run)
{
    ((RunOptions *)run)->ordinal = -1;
}

void tune_defaults(void *run)
{
    RunOptions *o = run, asked = {0};
    o->audit_seed = o->seed = 1;
    o->search = true;
    if (shard_ask(&asked)) /* processes of a job choose their GPU by their rank on the machine */
        o->local_rank = asked.local_rank;
}

bool options_agree(const RunOptions *o, Diag *d)
{
    if (!o->space)
        return diag_fail(d, "no space is given: use --space FILE");
    if (o->arch && o->device_file)
        return diag_fail(d, "use --arch or --device-file, not both");
    if (o->devices && o->ordinal >= 0)
        return diag_fail(d, "use --device or --devices, not both");
    if (o->exhaustive && o->audit > 0)
        return diag_fail(d, "--exhaustive drops nothing that --audit could time");
    if (o->exhaustive + o->carve + o->no_times > 1)
        return diag_fail(d, "use only one of --exhaustive, --carve and --static");
    if ((o->exhaustive || o->carve) && (o->seconds > 0 || o->trials > 0 || o->compiles > 0))
        return diag_fail(d, "--seconds, --trials and --compiles limit a search; %s does not search",
                         o->carve ? "--carve" : "--exhaustive");
    return true;
}

Run run_begin(Arena *a, const RunOptions *options, const char *prefix, Diag *d)
{
    Run r = {.arena = a, .options = *options, .diag = d, .why = SIZE_MAX};
    r.home.compile_helper = where_helper(a, prefix, "aptune-compile");
    r.home.gpu_helper = where_helper(a, prefix, "aptune-gpu");
    r.home.cuda_folder = where_data(a, prefix, ".cuda");
    r.home.compare_source = where_data(a, prefix, "tuner/gpu/compare.cu");
    r.home.metric_files = where_metrics(a, prefix, &r.home.metric_file_count);
    return r;
}
