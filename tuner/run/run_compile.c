/* Code and profile of every configuration.
 *
 * Where a recording was made from these very sources, its code hashes and profiles are those that
 * compiling would give, and nothing is compiled.  Otherwise jobs go to the farm, whose workers
 * compile and follow warps; both results stay in the compile cache, so that a second run reads the
 * profiles from there without touching the code. */
#include "tuner/run/run_parts.h"

#include "metrics/base/clock.h"
#include "metrics/base/vec.h"
#include "tuner/choose/cluster.h"

#include <string.h>

/* --- compiling -------------------------------------------------------------------------------- */

/* A launch of a configuration on its way through the farm. */
typedef struct Item {
    Arena *arena; /* of the job; NULL: the place is free */
    int crashes;  /* of a worker that had it */
    size_t config, launch;
    CompileJob job;
    ProfileJob profile;       /* what is profiled: each share of the launch */
    const Profile **profiles; /* of each share, in the run's arena */
} Item;

/* Jobs that exist at a time: enough that no worker ever waits, and so few that a space of any size
 * needs no more memory for them than a small one. */
enum { ITEMS_OF_WORKER = 4, ITEMS_LEAST = 64 };

typedef struct Work {
    Run *run;
    Farm *farm;
    Arena *scratch;            /* of one result */
    const char *data;          /* what walks read */
    const Profile ***profiles; /* of each launch of all configurations, one for each share */
    Hash *hashes;              /* of each launch's code */
    Item *items;               /* places for jobs on their way */
    size_t item_count;
    size_t count, done;       /* launches of all configurations, and those of which all is known */
    double compile_s, walk_s; /* that workers compiled and followed warps, by the clock */
    double walk_core_s;       /* … the latter by their processors */
    size_t lost, lost_first;  /* launches whose profile was lost; configuration of the first */
    const char *lost_why;     /* … and why; in the run's arena */
} Work;

static void take_code(Work *w, const Item *it, const Hash *code)
{
    Outcome *outcome = &w->run->table->outcome[it->config];
    size_t launch = it->config * w->run->spec->launch_count + it->launch;
    w->hashes[launch] = *code;
    w->profiles[launch] = it->profiles;
    if (*outcome == OUTCOME_NONE)
        *outcome = OUTCOME_COMPILED;
}

static void take_failure(Work *w, const Item *it, const CompileResult *res)
{
    Table *t = w->run->table;
    t->outcome[it->config] = res->status;
    t->why[it->config] = result_first_error(w->run->arena, res->log);
}

const char *run_kernel_name(const Run *r, size_t l, const CompileResult *res)
{
    const Launch *k = &r->spec->launches[l];
    return k->expression && res->lowered_count > 0 ? res->lowered[0] : k->entry;
}

/* What the walks of a launch take from its code. */
static ProfileInput input_of(const Run *r, size_t launch, const CompileResult *res)
{
    return (ProfileInput){.ptx = res->ptx,
                          .ptx_size = res->ptx_size,
                          .cubin = res->cubin,
                          .cubin_size = res->cubin_size,
                          .kernel = run_kernel_name(r, launch, res)};
}

/* The bytes that a step's kernel gets. */
static bool step_bytes(Arena *a, const Run *r, size_t i, const Step *step, ArgumentBytes *out)
{
    const Launch *l = &r->spec->launches[step->launch];
    Value *slots = run_launch_slots(a, r, i);
    Evaluation ev = {.arena = a};
    if (!slots)
        return false;
    if (l->repeat_name)
        slots[l->repeat_slot] = step->value;
    return run_launch_bytes(a, r, l, slots, &ev, out) ||
           diag_error(r->diag, ev.error_at, "%s", ev.error);
}

static bool profile_launch(Arena *a, const Run *r, size_t i, const Step *step, ProfileLaunch *out)
{
    ArgumentBytes arguments;
    if (!step_bytes(a, r, i, step, &arguments))
        return false;
    *out = (ProfileLaunch){.shared = step->geometry.shared,
                           .parameters = arguments.bytes,
                           .parameter_bytes = arguments.size};
    memcpy(out->grid, step->geometry.grid, sizeof out->grid);
    memcpy(out->block, step->geometry.block, sizeof out->block);
    return true;
}

bool run_profile_input(Arena *a, Run *r, size_t i, const Step *step, const CompileResult *res,
                       ProfileInput *out)
{
    ProfileLaunch launch;
    const ProfileJob one = {.device = r->device, .launches = &launch, .launch_count = 1};
    if (!profile_launch(a, r, i, step, &launch))
        return false;
    ProfileInput code = input_of(r, step->launch, res);
    if (!r->code.walk_data)
        r->code.walk_data = data_open(run_describe_data(r));
    code.data = data_of_walk(r->code.walk_data);
    *out = profile_job_input(&one, 0, &code);
    return true;
}

/* What the code itself says, in place of a profile that was lost. */
static ProfileAnswer profile_without_walk(Work *w, const Item *it, const CompileResult *res)
{
    Diag d = diag_new(w->scratch);
    const ProfileInput code = input_of(w->run, it->launch, res);
    Profile *profiles = ARENA_ARRAY(w->scratch, Profile, it->profile.launch_count);
    ProfileAnswer x = {.profiles = profiles};
    for (; x.count < it->profile.launch_count && !x.error; x.count++) {
        const ProfileInput in = profile_job_input(&it->profile, x.count, &code);
        if (!profile_code(w->scratch, &in, &profiles[x.count], &x.code, &d))
            x.error = d.messages.at[0].text;
        profiles[x.count].note =
            arena_printf(w->scratch, "its warps could not be followed: %s", res->lost);
    }
    if (w->lost++ == 0) {
        w->lost_first = it->config;
        w->lost_why = arena_string(w->run->arena, res->lost);
    }
    return x;
}

static void take_profiles(Work *w, const Item *it, const ProfileAnswer *x)
{
    Table *t = w->run->table;
    if (x->error) {
        t->outcome[it->config] = OUTCOME_COMPILE_ERROR;
        t->why[it->config] = arena_printf(w->run->arena, "cannot be profiled: %s", x->error);
        return;
    }
    for (size_t i = 0; i < x->count; i++) {
        Profile *p = ARENA_NEW(w->run->arena, Profile);
        *p = x->profiles[i];
        profile_keep(w->run->arena, p);
        it->profiles[i] = p;
    }
    take_code(w, it, &x->code);
}

/* What workers did for it now. */
static void count_seconds(Work *w, const CompileResult *res)
{
    if (!res->from_cache)
        w->compile_s += res->seconds;
    if (!res->profile_from_cache) {
        w->walk_s += res->profile.seconds;
        w->walk_core_s += res->profile.cpu_seconds;
    }
}

static void finish_item(Work *w, Item *it)
{
    arena_free(it->arena);
    it->arena = NULL;
    w->done++;
}

/* A worker that dies of this code does so again; one that was killed does not. */
static bool deserves_another(const CompileResult *res)
{
    return res->status == OUTCOME_COMPILE_CRASH || res->profiled == PROFILE_LOST;
}

static void take_result(Work *w, const CompileResult *res)
{
    Item *it = &w->items[res->id];
    count_seconds(w, res);
    if (deserves_another(res) && it->crashes++ == 0) {
        farm_add(w->farm, res->id, &it->job);
        return;
    }
    w->run->counts.launches_from_cache += res->from_cache && it->crashes == 0;
    ProfileAnswer profile = res->profile;
    if (res->profiled == PROFILE_LOST)
        profile = profile_without_walk(w, it, res);
    if (res->status != OUTCOME_COMPILED)
        take_failure(w, it, res);
    else
        take_profiles(w, it, &profile);
    finish_item(w, it);
    if (w->run->progress.step) {
        const char *name = table_name(w->scratch, w->run->table, it->config);
        run_progress(w->run, "compile", w->done, w->count, name);
    }
}

/* What is to be found out about a launch.  False after a message. */
static bool prepare_item(Work *w, Item *it)
{
    Run *r = w->run;
    const Launch *l = &r->spec->launches[it->launch];
    const RunShare *shares;
    size_t count = run_shares(it->arena, &r->table->launch[it->config], it->launch, &shares);
    ProfileLaunch *launches = ARENA_ARRAY(it->arena, ProfileLaunch, count);
    for (size_t i = 0; i < count; i++)
        if (!profile_launch(it->arena, r, it->config, shares[i].step, &launches[i]))
            return false;
    it->profile = (ProfileJob){.kernel = l->expression ? NULL : l->entry,
                               .device = r->device,
                               .data = w->data,
                               .launches = launches,
                               .launch_count = count};
    it->profiles = ARENA_ARRAY(r->arena, const Profile *, count);
    if (!run_make_job(it->arena, r, it->config, it->launch, NULL, 0, &it->job))
        return false;
    it->job.profile = &it->profile;
    return true;
}

/* False after a message. */
static bool start_item(Work *w, Item *it, size_t config, size_t launch)
{
    *it = (Item){.arena = arena_new(), .config = config, .launch = launch};
    if (!prepare_item(w, it))
        return false;
    farm_add(w->farm, (uint64_t)(it - w->items), &it->job);
    return true;
}

/* Waits for one result; false when the farm cannot go on. */
static bool wait_for_result(Work *w)
{
    CompileResult res;
    bool ok = run_farm_next(w->run, w->farm, w->scratch, &res);
    if (ok)
        take_result(w, &res);
    arena_reset(w->scratch);
    return ok;
}

/* A free place for a job, after waiting for results if need be; NULL when the farm cannot go on. */
static Item *free_item(Work *w)
{
    while (farm_pending(w->farm) >= w->item_count)
        if (!wait_for_result(w))
            return NULL;
    Item *it = w->items;
    while (it->arena)
        it++;
    return it;
}

static bool is_wanted(const Run *r, size_t i)
{
    bool listed = r->only == NULL;
    for (size_t k = 0; k < r->only_count && !listed; k++)
        listed = r->only[k] == i;
    return listed && table_fits(r->table, i) && run_is_mine(r, i);
}

/* All launches of all configurations through the farm. */
static bool run_items(Work *w)
{
    Run *r = w->run;
    for (size_t i = 0; i < r->table->count; i++) {
        if (run_stopped(r))
            return false;
        for (size_t l = 0; l < r->spec->launch_count && is_wanted(r, i); l++) {
            Item *it = free_item(w);
            if (!it || !start_item(w, it, i, l))
                return false;
        }
    }
    while (farm_pending(w->farm) > 0)
        if (!wait_for_result(w))
            return false;
    return true;
}

static void open_work(Work *w)
{
    Run *r = w->run;
    size_t launches = r->spec->launch_count;
    w->scratch = arena_new();
    w->data = run_describe_data(r);
    w->profiles = ARENA_ARRAY(r->arena, const Profile **, r->table->count *launches);
    w->hashes = ARENA_ARRAY(r->arena, Hash, r->table->count * launches);
    for (size_t i = 0; i < r->table->count; i++)
        w->count += is_wanted(r, i) ? launches : 0;
    w->item_count = (size_t)r->options.jobs * ITEMS_OF_WORKER;
    if (w->item_count < ITEMS_LEAST)
        w->item_count = ITEMS_LEAST;
    w->items = ARENA_ARRAY(r->arena, Item, w->item_count);
    w->farm = run_open_farm(r);
}

static void close_work(Work *w)
{
    Run *r = w->run;
    const char *compiler = farm_compiler(w->farm, r->arena);
    r->code.compiler = compiler ? compiler : "unknown";
    r->counts.workers_started += farm_started(w->farm);
    if (r->code.cache && farm_started(w->farm) > 0)
        cache_trim(r->code.cache, (uint64_t)(r->options.cache_limit * 1e9));
    farm_close(w->farm);
    for (size_t k = 0; k < w->item_count; k++)
        arena_free(w->items[k].arena);
    arena_free(w->scratch);
}

Farm *run_open_farm(Run *r)
{
    const char *folder = r->options.cache ? r->options.cache : cache_default_folder(r->arena);
    if (!r->code.cache && folder) {
        Diag d = diag_new(r->arena);
        r->code.cache = cache_open(r->arena, folder, r->options.trust_cache, &d);
        if (!r->code.cache)
            diag_warn(r->diag, (Span){0}, "nothing is cached: %s", d.messages.at[0].text);
    }
    FarmOptions options = {.helper = r->home.compile_helper,
                           .cuda_folder = r->home.cuda_folder,
                           .jobs = r->options.jobs,
                           .limit_seconds = r->options.compile_limit,
                           .limit_gb = r->options.compile_memory,
                           .cache = r->code.cache};
    return farm_open(&options);
}

/* "hash+hash" */
static const char *join_hashes(const Work *w, size_t i)
{
    Buf b = {0};
    size_t n = w->run->spec->launch_count;
    for (size_t l = 0; l < n; l++)
        buf_printf(&b, "%s%s", l ? "+" : "", w->hashes[i * n + l].text);
    const char *text = arena_string(w->run->arena, buf_text(&b));
    buf_free(&b);
    return text;
}

/* The code of a configuration's launches, and their profiles, joined where there are several. */
static void join_launches(const Work *w, size_t i)
{
    Run *r = w->run;
    const TableLaunch *c = &r->table->launch[i];
    const RunShare *shares;
    size_t n = run_all_shares(w->scratch, r, i, &shares), done = 0;
    const Profile **all = ARENA_ARRAY(w->scratch, const Profile *, n);
    for (size_t l = 0; l < r->spec->launch_count; l++) {
        const RunShare *own;
        size_t count = run_shares(w->scratch, c, l, &own);
        const Profile **profiles = w->profiles[i * r->spec->launch_count + l];
        for (size_t k = 0; k < count && profiles; k++)
            all[done++] = profiles[k];
    }
    run_set_code(r, i, join_hashes(w, i));
    if (done == n)
        run_take_profiles(r, i, shares, all, n);
    arena_reset(w->scratch);
}

static void warn_of_lost(const Work *w)
{
    Run *r = w->run;
    if (w->lost > 0)
        diag_warn(r->diag, (Span){0},
                  "%zu configuration%s without a profile: the process that follows warps ended "
                  "(%s; first %s)",
                  w->lost, w->lost > 1 ? "s are" : " is", w->lost_why,
                  table_name(r->arena, r->table, w->lost_first));
}

/* Workers compile and follow warps side by side: the wall time is divided as theirs was. */
static void charge_profiling(const Work *w)
{
    Run *r = w->run;
    const double busy = w->compile_s + w->walk_s;
    const double wall = busy > 0 ? r->ledger.seconds[LEDGER_COMPILE] * w->walk_s / busy : 0;
    r->ledger.seconds[LEDGER_COMPILE] -= wall;
    r->ledger.seconds[LEDGER_PROFILE] += wall;
    r->ledger.core_seconds[LEDGER_COMPILE] -= w->walk_core_s;
    r->ledger.core_seconds[LEDGER_PROFILE] += w->walk_core_s;
}

static bool compile_all(Run *r)
{
    double since = clock_seconds();
    Work w = {.run = r};
    open_work(&w);
    bool ok = run_items(&w);
    for (size_t i = 0; i < r->table->count && ok; i++)
        if (table_has_code(r->table, i))
            join_launches(&w, i);
    close_work(&w);
    run_charge(r, LEDGER_COMPILE, &since);
    charge_profiling(&w);
    warn_of_lost(&w);
    return ok;
}

/* Was the recording made from these very sources, for this architecture and with these options? */
static bool recorded_sources_are_ours(const Run *r)
{
    Hash ours = run_source_hash(r);
    return r->recorded.times && strcmp(r->recorded.times->header.source_hash, ours.text) == 0;
}

/* --- the stage -------------------------------------------------------------------------------- */

/* Code, launch geometry and so everything that can run differently, as one text. */
static const char *code_key(Arena *a, const TableCode *c)
{
    Hasher *h = hasher_new();
    hasher_string(h, c->hash);
    hasher_string(h, c->launch);
    Hash sum = hasher_end(h);
    return arena_string(a, sum.text);
}

static void count_codes(Run *r)
{
    const char **keys = ARENA_ARRAY(r->arena, const char *, r->table->count);
    bool *alive = ARENA_ARRAY(r->arena, bool, r->table->count);
    for (size_t i = 0; i < r->table->count; i++) {
        const Table *t = r->table;
        alive[i] = table_has_code(t, i);
        keys[i] = alive[i] ? code_key(r->arena, &t->code[i]) : NULL;
        r->counts.compiled += alive[i];
        r->counts.failed += table_failed_to_compile(t, i);
    }
    size_t *same = cluster_same(r->arena, keys, alive, r->table->count);
    for (size_t i = 0; i < r->table->count; i++) {
        if (!alive[i])
            continue;
        r->table->same_as[i] = same[i];
        r->counts.distinct += same[i] == i;
    }
}

/* What failed first; where nothing came as far as the compiler, what most configurations lack. */
static const char *first_failure(const Run *r)
{
    for (size_t i = 0; i < r->table->count; i++)
        if (r->table->why[i])
            return r->table->why[i];
    size_t count[OUTCOMES] = {0}, most = OUTCOME_NONE;
    for (size_t i = 0; i < r->table->count; i++) {
        const size_t o = r->table->outcome[i];
        most = ++count[o] > count[most] ? o : most;
    }
    return arena_printf(r->arena, "%s (%zu of %zu configurations; %s can't launch them)",
                        outcome_name((Outcome)most), count[most], r->table->count, r->device->name);
}

/* One part of a space may be empty or fail altogether; what the others find is no worse for it. */
static bool has_nothing(const Run *r)
{
    if (r->options.shards < 2)
        return diag_fail(r->diag, "no configuration compiled; the first failure: %s",
                         first_failure(r));
    if (r->counts.failed > 0)
        diag_warn(r->diag, (Span){0},
                  "no configuration of part %d/%d compiled; the first failure: %s",
                  r->options.shard, r->options.shards, first_failure(r));
    else
        diag_warn(r->diag, (Span){0}, "part %d/%d of this space is empty", r->options.shard,
                  r->options.shards);
    return true;
}

bool run_compile(Run *r)
{
    if (!run_open_sources(r))
        return false;
    r->recorded.profiles = r->source == RUN_REPLAYED && !r->options.compile &&
                           recorded_sources_are_ours(r) && run_take_recorded(r);
    if (!r->recorded.profiles && !compile_all(r))
        return false;
    count_codes(r);
    return r->counts.compiled > 0 || has_nothing(r);
}
