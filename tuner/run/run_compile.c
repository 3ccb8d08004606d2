/* Code and profile of every configuration.
 *
 * Where a recording was made from these very sources, its code hashes and profiles are those that
 * compiling would give, and nothing is compiled.  Otherwise jobs go to the farm; what is found
 * out about a configuration is left in the compile cache, so that a second run reads it from
 * there without touching the code. */
#include "tuner/run/run_parts.h"

#include "metrics/base/clock.h"
#include "metrics/base/vec.h"
#include "tuner/choose/cluster.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- sources ---------------------------------------------------------------------------------- */

bool run_open_sources(Run *r)
{
    VEC(const char *) options = {0};
    /* Textures, surfaces and the cuda* types are not declared: 5 ms less for each compile
     * (measured, NVRTC 13.0), the code is the same. */
    VEC_PUSH(r->arena, &options, "--minimal");
    for (size_t i = 0; i < r->spec->option_count; i++)
        VEC_PUSH(r->arena, &options, r->spec->options[i]);
    r->sources = ARENA_ARRAY(r->arena, const CompileSource *, r->spec->launch_count);
    for (size_t l = 0; l < r->spec->launch_count; l++) {
        for (size_t k = 0; k < l && !r->sources[l]; k++)
            if (strcmp(r->spec->launches[k].path, r->spec->launches[l].path) == 0)
                r->sources[l] = r->sources[k];
        if (!r->sources[l])
            r->sources[l] = source_open(r->arena, r->spec->launches[l].path, options.at,
                                        options.count, r->diag);
        if (!r->sources[l])
            return false;
    }
    return true;
}

static const char *architecture(Arena *a, const Run *r)
{
    return arena_printf(a, "sm_%d", device_arch(r->device));
}

CompileJob run_job(Arena *a, const Run *r, size_t i, size_t l, const char *const *options,
                   size_t option_count)
{
    size_t n = r->spec->parameter_count;
    CompileDefine *defines = ARENA_ARRAY(a, CompileDefine, n);
    Buf value = {0};
    for (size_t p = 0; p < n; p++) {
        buf_clear(&value);
        value_print_bare(space_value(&r->space, r->configs[i].number, p), &value);
        defines[p].name = r->spec->parameters[p].name;
        defines[p].value = arena_string(a, buf_text(&value));
    }
    buf_free(&value);
    CompileSetting setting = {.architecture = architecture(a, r),
                              .defines = defines,
                              .define_count = n,
                              .options = options,
                              .option_count = option_count};
    return source_configure(a, r->sources[l], &setting);
}

Hash run_source_hash(const Run *r)
{
    Arena *a = arena_new();
    Hasher *h = hasher_new();
    hasher_string(h, architecture(a, r));
    for (size_t l = 0; l < r->spec->launch_count; l++) {
        hasher_string(h, r->sources[l]->hash.text);
        hasher_string(h, r->spec->launches[l].entry);
    }
    for (size_t i = 0; i < r->spec->option_count; i++)
        hasher_string(h, r->spec->options[i]);
    arena_free(a);
    return hasher_end(h);
}

/* --- what is known of a configuration, as JSON in the compile cache --------------------------- */

/* What a profile depends on besides what is compiled: which of its kernels, how it is launched,
 * with which scalars, on what. */
static Hash launch_hash(const Run *r, const Launch *l, const Geometry *g,
                        const ArgumentBytes *arguments)
{
    Hasher *h = hasher_new();
    int version = PROFILER_VERSION;
    hasher_add(h, &version, sizeof version);
    hasher_string(h, l->entry);
    hasher_add(h, g, sizeof *g);
    hasher_add(h, arguments->bytes, arguments->size);
    hasher_string(h, r->device->name);
    return hasher_end(h);
}

static json_t *facts_json(const Hash *code, const Hash *launch, const Profile *p)
{
    json_t *values = json_array();
    for (int f = 0; f < PROFILE_FIELDS; f++)
        json_array_append_new(values, isfinite(p->value[f]) ? json_real(p->value[f]) : json_null());
    return json_pack("{s:s, s:s, s:o}", "code", code->text, "launch", launch->text, "profile",
                     values);
}

static bool facts_read(Arena *a, const char *text, const Hash *launch, Hash *code,
                       const Profile **profile)
{
    json_t *o = text ? json_loads(text, 0, NULL) : NULL;
    const char *code_text = json_string_value(json_object_get(o, "code"));
    const char *launch_text = json_string_value(json_object_get(o, "launch"));
    json_t *values = json_object_get(o, "profile");
    bool ok = code_text && strlen(code_text) == HASH_TEXT - 1 && launch_text &&
              strcmp(launch_text, launch->text) == 0 && json_array_size(values) == PROFILE_FIELDS;
    if (ok) {
        Profile *p = ARENA_NEW(a, Profile);
        memcpy(code->text, code_text, HASH_TEXT);
        for (size_t f = 0; f < PROFILE_FIELDS; f++) {
            json_t *v = json_array_get(values, f);
            p->value[f] = json_is_number(v) ? json_number_value(v) : NAN;
        }
        *profile = p;
    }
    json_decref(o);
    return ok;
}

/* --- compiling -------------------------------------------------------------------------------- */

/* A launch of a configuration on its way through the farm. */
typedef struct Item {
    Arena *arena; /* of the job; NULL: the place is free */
    int crashes;  /* of a compiler that had it */
    size_t config, launch;
    CompileJob job;
    Hash launch_hash;
} Item;

/* Jobs that exist at a time: enough that no worker ever waits, and so few that a space of any size
 * needs no more memory for them than a small one. */
enum { ITEMS_OF_WORKER = 4, ITEMS_LEAST = 64 };

typedef struct Work {
    Run *run;
    Farm *farm;
    ArgumentBytes arguments;
    Arena *scratch;          /* of one result */
    const Profile **profile; /* of each launch, all configurations */
    Item *items;             /* places for jobs on their way */
    size_t item_count;
    size_t count, done; /* launches of all configurations, and those of which all is known */
    double profiling;   /* seconds */
} Work;

/* "k.cu(3): error: …" or "k.cu(1): catastrophic error: …" of the front end, "ptxas error   : …" of
 * the assembler; a line before it may have the word in a warning. */
static const char *first_error_line(Arena *a, const char *log)
{
    if (!log)
        return "";
    const char *at = strstr(log, " error:");
    if (!at)
        at = strstr(log, "ptxas error");
    if (!at)
        at = log;
    while (at > log && at[-1] != '\n')
        at--;
    return arena_copy(a, at, strcspn(at, "\n"));
}

static void take_code(Work *w, const Item *it, const Hash *code, const Profile *profile)
{
    Config *c = &w->run->configs[it->config];
    c->hash[it->launch] = *code;
    w->profile[it->config * w->run->spec->launch_count + it->launch] = profile;
    if (c->code == CODE_NONE)
        c->code = CODE_OK;
}

static void take_failure(Work *w, const Item *it, const CompileResult *res)
{
    static const CodeState states[] = {[COMPILE_OK] = CODE_OK,
                                       [COMPILE_ERROR] = CODE_ERROR,
                                       [COMPILE_TIMEOUT] = CODE_TIMEOUT,
                                       [COMPILE_CRASH] = CODE_CRASH};
    Config *c = &w->run->configs[it->config];
    c->code = states[res->status];
    c->failure = first_error_line(w->run->arena, res->log);
}

ProfileInput run_profile_input(const Run *r, size_t i, size_t l, const CompileResult *res,
                               const ArgumentBytes *arguments)
{
    const Geometry *g = &r->configs[i].geometry[l];
    ProfileInput in = {.ptx = res->ptx,
                       .ptx_size = res->ptx_size,
                       .cubin = res->cubin,
                       .cubin_size = res->cubin_size,
                       .kernel = r->spec->launches[l].entry,
                       .device = r->device,
                       .dynamic_shared = g->shared,
                       .parameters = arguments->bytes,
                       .parameter_bytes = arguments->size};
    memcpy(in.grid, g->grid, sizeof in.grid);
    memcpy(in.block, g->block, sizeof in.block);
    return in;
}

/* Profiles fresh code and leaves what was found in the cache. */
static void profile_code(Work *w, const Item *it, const CompileResult *res)
{
    Run *r = w->run;
    double since = clock_seconds();
    Diag d = diag_new(w->scratch);
    ProfileInput in = run_profile_input(r, it->config, it->launch, res, &w->arguments);
    Profile *p = ARENA_NEW(r->arena, Profile);
    Hash code;
    if (profile_build(w->scratch, &in, p, &code, &d)) {
        take_code(w, it, &code, p);
        json_t *facts = facts_json(&code, &it->launch_hash, p);
        farm_attach(w->farm, &it->job, facts, &d); /* the farm has told of a cache that fails */
        json_decref(facts);
    } else {
        Config *c = &r->configs[it->config];
        c->code = CODE_ERROR;
        c->failure = arena_printf(r->arena, "cannot be profiled: %s",
                                  d.messages.count ? d.messages.at[0].text : "no reason given");
    }
    w->profiling += clock_seconds() - since;
}

static void finish_item(Work *w, Item *it)
{
    arena_free(it->arena);
    it->arena = NULL;
    w->done++;
}

static void take_result(Work *w, const CompileResult *res)
{
    Item *it = &w->items[res->id];
    Hash code;
    const Profile *profile;
    /* A compiler that dies of this code does so again; one that was killed does not. */
    if (res->status == COMPILE_CRASH && it->crashes++ == 0) {
        farm_add(w->farm, res->id, &it->job);
        return;
    }
    w->run->launches_from_cache += res->from_cache;
    if (res->status != COMPILE_OK)
        take_failure(w, it, res);
    else if (facts_read(w->run->arena, res->facts, &it->launch_hash, &code, &profile))
        take_code(w, it, &code, profile);
    else
        profile_code(w, it, res);
    finish_item(w, it);
    if (w->run->progress.step) {
        const char *name = run_config_name(w->scratch, w->run, it->config);
        run_progress(w->run, "compile", w->done, w->count, name);
    }
}

/* What the cache knows needs no worker; the rest is queued. */
static void start_item(Work *w, Item *it, size_t config, size_t launch)
{
    Run *r = w->run;
    it->arena = arena_new();
    it->crashes = 0;
    it->config = config;
    it->launch = launch;
    it->job = run_job(it->arena, r, config, launch, NULL, 0);
    it->launch_hash = launch_hash(r, &r->spec->launches[launch],
                                  &r->configs[config].geometry[launch], &w->arguments);
    CompileResult res;
    Hash code;
    const Profile *profile;
    if (farm_peek(w->farm, w->scratch, &it->job, &res) && res.status == COMPILE_OK &&
        facts_read(r->arena, res.facts, &it->launch_hash, &code, &profile)) {
        take_code(w, it, &code, profile);
        r->launches_from_cache++;
        finish_item(w, it);
    } else {
        farm_add(w->farm, (uint64_t)(it - w->items), &it->job);
    }
    arena_reset(w->scratch);
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
    return listed && r->configs[i].tier0 == TIER0_FITS && run_is_mine(r, i);
}

/* All launches of all configurations through the farm. */
static bool run_items(Work *w)
{
    Run *r = w->run;
    for (size_t i = 0; i < r->config_count; i++) {
        if (run_stopped(r))
            return false;
        for (size_t l = 0; l < r->spec->launch_count && is_wanted(r, i); l++) {
            Item *it = free_item(w);
            if (!it)
                return false;
            start_item(w, it, i, l);
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
    w->profile = ARENA_ARRAY(r->arena, const Profile *, r->config_count *launches);
    for (size_t i = 0; i < r->config_count; i++)
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
    r->compiler = compiler ? compiler : "unknown";
    r->workers_started += farm_started(w->farm);
    farm_close(w->farm);
    for (size_t k = 0; k < w->item_count; k++)
        arena_free(w->items[k].arena);
    arena_free(w->scratch);
}

Farm *run_open_farm(Run *r)
{
    const char *folder = r->options.cache ? r->options.cache : cache_default_folder(r->arena);
    if (!r->cache && folder) {
        Diag d = diag_new(r->arena);
        r->cache = cache_open(r->arena, folder, &d);
        if (!r->cache)
            diag_warn(r->diag, (Span){0}, "nothing is cached: %s", d.messages.at[0].text);
    }
    FarmOptions options = {.helper = r->compile_helper,
                           .cuda_folder = r->cuda_folder,
                           .jobs = r->options.jobs,
                           .limit_seconds = r->options.compile_limit,
                           .cache = r->cache};
    return farm_open(&options);
}

/* Launches of one configuration joined: the profile of the launch that executes most. */
static const Profile *join_launches(const Work *w, size_t i)
{
    size_t n = w->run->spec->launch_count;
    const Profile *const *p = &w->profile[i * n];
    const Profile *most = p[0];
    for (size_t l = 1; l < n; l++) {
        if (!p[l] || !most)
            return NULL;
        double a = p[l]->value[PROFILE_INSTR] * p[l]->value[PROFILE_THREADS];
        if (a > most->value[PROFILE_INSTR] * most->value[PROFILE_THREADS])
            most = p[l];
    }
    return most;
}

static bool compile_all(Run *r)
{
    double since = clock_seconds();
    Work w = {.run = r};
    if (!run_argument_bytes(r, &w.arguments))
        return false;
    open_work(&w);
    bool ok = run_items(&w);
    for (size_t i = 0; i < r->config_count && ok; i++)
        if (r->configs[i].code == CODE_OK)
            r->configs[i].profile = join_launches(&w, i);
    close_work(&w);
    run_charge(r, LEDGER_COMPILE, &since);
    r->seconds[LEDGER_COMPILE] -= w.profiling;
    r->seconds[LEDGER_PROFILE] += w.profiling;
    /* One thread does it, and does nothing else meanwhile. */
    r->core_seconds[LEDGER_COMPILE] -= w.profiling;
    r->core_seconds[LEDGER_PROFILE] += w.profiling;
    return ok;
}

/* Was the recording made from these very sources, for this architecture and with these options? */
static bool recorded_sources_are_ours(const Run *r)
{
    Hash ours = run_source_hash(r);
    return r->recording && strcmp(r->recording->header.source_hash, ours.text) == 0;
}

/* --- the stage -------------------------------------------------------------------------------- */

/* Code, launch geometry and so everything that can run differently, as one text. */
static const char *code_key(Arena *a, const Run *r, const Config *c)
{
    Hasher *h = hasher_new();
    for (size_t l = 0; l < r->spec->launch_count; l++) {
        hasher_string(h, c->hash[l].text);
        hasher_add(h, &c->geometry[l], sizeof c->geometry[l]);
    }
    Hash sum = hasher_end(h);
    return arena_string(a, sum.text);
}

static void count_codes(Run *r)
{
    const char **keys = ARENA_ARRAY(r->arena, const char *, r->config_count);
    bool *alive = ARENA_ARRAY(r->arena, bool, r->config_count);
    for (size_t i = 0; i < r->config_count; i++) {
        const Config *c = &r->configs[i];
        alive[i] = c->code == CODE_OK;
        keys[i] = alive[i] ? code_key(r->arena, r, c) : NULL;
        r->compiled += alive[i];
        r->failed += c->code == CODE_ERROR || c->code == CODE_TIMEOUT || c->code == CODE_CRASH;
    }
    size_t *same = cluster_same(r->arena, keys, alive, r->config_count);
    for (size_t i = 0; i < r->config_count; i++) {
        if (!alive[i])
            continue;
        r->configs[i].same_as = same[i];
        r->distinct += same[i] == i;
    }
}

static const char *first_failure(const Run *r)
{
    for (size_t i = 0; i < r->config_count; i++)
        if (r->configs[i].failure)
            return r->configs[i].failure;
    return "no message";
}

bool run_compile(Run *r)
{
    if (!run_open_sources(r))
        return false;
    r->profiles_recorded = r->source == RUN_REPLAYED && !r->options.compile &&
                           recorded_sources_are_ours(r) && run_take_recorded(r);
    if (!r->profiles_recorded && !compile_all(r))
        return false;
    count_codes(r);
    bool empty_part = r->options.shards > 1 && r->failed == 0; /* of a small space */
    if (r->compiled == 0 && !empty_part)
        return diag_fail(r->diag, "no configuration compiled; the first failure: %s",
                         first_failure(r));
    return true;
}
