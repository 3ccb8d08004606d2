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

/* --- what is known of a configuration, as JSON in the compile cache --------------------------- */

/* What the profiles of a launch depend on besides what is compiled: which of its kernels, how it is
 * launched, with which scalars, on what. */
static Hash launch_hash(const Run *r, const Launch *l, const RunShare *shares,
                        const ArgumentBytes *arguments, size_t count)
{
    Hasher *h = hasher_new();
    Buf text = {0};
    int version = PROFILER_VERSION;
    hasher_add(h, &version, sizeof version);
    hasher_string(h, l->entry);
    for (size_t i = 0; i < count; i++) {
        buf_clear(&text);
        run_print_step(shares[i].step, &text);
        hasher_string(h, buf_text(&text));
        hasher_add(h, arguments[i].bytes, arguments[i].size);
    }
    hasher_string(h, r->device->name);
    buf_free(&text);
    return hasher_end(h);
}

static json_t *values_json(const Profile *p)
{
    json_t *values = json_array();
    for (int f = 0; f < PROFILE_FIELDS; f++)
        json_array_append_new(values, isfinite(p->value[f]) ? json_real(p->value[f]) : json_null());
    json_t *regions = json_array();
    for (size_t i = 0; i < p->region_count; i++)
        for (int c = 0; c < REGION_COLUMNS; c++)
            json_array_append_new(regions, json_real(p->regions[i].value[c]));
    return json_pack("{s:o, s:o, s:s?}", "values", values, "regions", regions, "note", p->note);
}

/* The regions that values_json wrote. */
static void regions_read(Arena *a, const json_t *numbers, Profile *p)
{
    ProfileRegion regions[PROFILE_REGION_ROOM];
    const size_t rows = json_array_size(numbers) / REGION_COLUMNS;
    const size_t count = rows < PROFILE_REGION_ROOM ? rows : PROFILE_REGION_ROOM;
    for (size_t i = 0; i < count * REGION_COLUMNS; i++)
        regions[i / REGION_COLUMNS].value[i % REGION_COLUMNS] =
            json_number_value(json_array_get(numbers, i));
    profile_set_regions(a, p, regions, count);
}

static const Profile *values_read(Arena *a, const json_t *profile)
{
    const json_t *values = json_object_get(profile, "values");
    const char *note = json_string_value(json_object_get(profile, "note"));
    if (json_array_size(values) != PROFILE_FIELDS)
        return NULL;
    Profile *p = ARENA_NEW(a, Profile);
    p->note = note ? arena_string(a, note) : NULL;
    regions_read(a, json_object_get(profile, "regions"), p);
    for (size_t f = 0; f < PROFILE_FIELDS; f++) {
        json_t *v = json_array_get(values, f);
        p->value[f] = json_is_number(v) ? json_number_value(v) : NAN;
    }
    return p;
}

static json_t *facts_json(const Hash *code, const Hash *launch, const Profile *const *profiles,
                          size_t count)
{
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(list, values_json(profiles[i]));
    return json_pack("{s:s, s:s, s:o}", "code", code->text, "launch", launch->text, "profiles",
                     list);
}

/* Code hash and `count` profiles of a launch. */
static bool facts_read(Arena *a, const char *text, const Hash *launch, size_t count, Hash *code,
                       const Profile **profiles)
{
    json_t *o = text ? json_loads(text, 0, NULL) : NULL;
    const char *code_text = json_string_value(json_object_get(o, "code"));
    const char *launch_text = json_string_value(json_object_get(o, "launch"));
    json_t *list = json_object_get(o, "profiles");
    bool ok = code_text && strlen(code_text) == HASH_TEXT - 1 && launch_text &&
              strcmp(launch_text, launch->text) == 0 && json_array_size(list) == count;
    for (size_t i = 0; i < count && ok; i++) {
        profiles[i] = values_read(a, json_array_get(list, i));
        ok = profiles[i] != NULL;
    }
    if (ok)
        memcpy(code->text, code_text, HASH_TEXT);
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
    const RunShare *shares;   /* what is profiled */
    ArgumentBytes *arguments; /* of each share */
    const Profile **profiles; /* of each share, in the run's arena */
    size_t share_count;
    Hash launch_hash;
} Item;

/* Jobs that exist at a time: enough that no worker ever waits, and so few that a space of any size
 * needs no more memory for them than a small one. */
enum { ITEMS_OF_WORKER = 4, ITEMS_LEAST = 64 };

typedef struct Work {
    Run *run;
    Farm *farm;
    Arena *scratch;            /* of one result */
    const Profile ***profiles; /* of each launch of all configurations, one for each share */
    Hash *hashes;              /* of each launch's code */
    Item *items;               /* places for jobs on their way */
    size_t item_count;
    size_t count, done; /* launches of all configurations, and those of which all is known */
    double profiling;   /* seconds */
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

static ProfileInput input_of(const Run *r, const Step *step, const CompileResult *res,
                             const ArgumentBytes *arguments)
{
    ProfileInput in = {.ptx = res->ptx,
                       .ptx_size = res->ptx_size,
                       .cubin = res->cubin,
                       .cubin_size = res->cubin_size,
                       .kernel = run_kernel_name(r, step->launch, res),
                       .device = r->device,
                       .dynamic_shared = step->geometry.shared,
                       .parameters = arguments->bytes,
                       .parameter_bytes = arguments->size};
    memcpy(in.grid, step->geometry.grid, sizeof in.grid);
    memcpy(in.block, step->geometry.block, sizeof in.block);
    return in;
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

bool run_profile_input(Arena *a, const Run *r, size_t i, const Step *step, const CompileResult *res,
                       ProfileInput *out)
{
    ArgumentBytes arguments;
    if (!step_bytes(a, r, i, step, &arguments))
        return false;
    *out = input_of(r, step, res, &arguments);
    return true;
}

/* Profiles one share of fresh code. */
static bool profile_share(Work *w, const Item *it, const CompileResult *res, size_t share,
                          Hash *code, Diag *d)
{
    ProfileInput in = input_of(w->run, it->shares[share].step, res, &it->arguments[share]);
    Profile *p = ARENA_NEW(w->run->arena, Profile);
    it->profiles[share] = p;
    if (!profile_build(w->scratch, &in, p, code, d))
        return false;
    profile_keep(w->run->arena, p);
    return true;
}

/* Profiles fresh code and leaves what was found in the cache. */
static void profile_code(Work *w, const Item *it, const CompileResult *res)
{
    Run *r = w->run;
    double since = clock_seconds();
    Diag d = diag_new(w->scratch);
    Hash code;
    bool ok = true;
    for (size_t i = 0; i < it->share_count && ok; i++)
        ok = profile_share(w, it, res, i, &code, &d);
    if (ok) {
        take_code(w, it, &code);
        json_t *facts = facts_json(&code, &it->launch_hash, it->profiles, it->share_count);
        farm_attach(w->farm, &it->job, facts, &d); /* the farm has told of a cache that fails */
        json_decref(facts);
    } else {
        Table *t = r->table;
        t->outcome[it->config] = OUTCOME_COMPILE_ERROR;
        t->why[it->config] =
            arena_printf(r->arena, "cannot be profiled: %s",
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

static bool take_facts(Work *w, const Item *it, const CompileResult *res, Hash *code)
{
    return facts_read(w->run->arena, res->facts, &it->launch_hash, it->share_count, code,
                      it->profiles);
}

static void take_result(Work *w, const CompileResult *res)
{
    Item *it = &w->items[res->id];
    Hash code;
    /* A compiler that dies of this code does so again; one that was killed does not. */
    if (res->status == OUTCOME_COMPILE_CRASH && it->crashes++ == 0) {
        farm_add(w->farm, res->id, &it->job);
        return;
    }
    w->run->launches_from_cache += res->from_cache;
    if (res->status != OUTCOME_COMPILED)
        take_failure(w, it, res);
    else if (take_facts(w, it, res, &code))
        take_code(w, it, &code);
    else
        profile_code(w, it, res);
    finish_item(w, it);
    if (w->run->progress.step) {
        const char *name = run_config_name(w->scratch, w->run, it->config);
        run_progress(w->run, "compile", w->done, w->count, name);
    }
}

/* What is to be found out about a launch.  False after a message. */
static bool prepare_item(Work *w, Item *it)
{
    Run *r = w->run;
    const Launch *l = &r->spec->launches[it->launch];
    it->share_count = run_shares(it->arena, &r->table->launch[it->config], it->launch, &it->shares);
    it->profiles = ARENA_ARRAY(r->arena, const Profile *, it->share_count);
    it->arguments = ARENA_ARRAY(it->arena, ArgumentBytes, it->share_count);
    for (size_t i = 0; i < it->share_count; i++)
        if (!step_bytes(it->arena, r, it->config, it->shares[i].step, &it->arguments[i]))
            return false;
    it->launch_hash = launch_hash(r, l, it->shares, it->arguments, it->share_count);
    return run_make_job(it->arena, r, it->config, it->launch, NULL, 0, &it->job);
}

/* What the cache knows needs no worker; the rest is queued.  False after a message. */
static bool start_item(Work *w, Item *it, size_t config, size_t launch)
{
    *it = (Item){.arena = arena_new(), .config = config, .launch = launch};
    if (!prepare_item(w, it))
        return false;
    CompileResult res;
    Hash code;
    if (farm_peek(w->farm, w->scratch, &it->job, &res) && res.status == OUTCOME_COMPILED &&
        take_facts(w, it, &res, &code)) {
        take_code(w, it, &code);
        w->run->launches_from_cache++;
        finish_item(w, it);
    } else {
        farm_add(w->farm, (uint64_t)(it - w->items), &it->job);
    }
    arena_reset(w->scratch);
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
        r->compiled += alive[i];
        r->failed += table_failed_to_compile(t, i);
    }
    size_t *same = cluster_same(r->arena, keys, alive, r->table->count);
    for (size_t i = 0; i < r->table->count; i++) {
        if (!alive[i])
            continue;
        r->table->same_as[i] = same[i];
        r->distinct += same[i] == i;
    }
}

static const char *first_failure(const Run *r)
{
    for (size_t i = 0; i < r->table->count; i++)
        if (r->table->why[i])
            return r->table->why[i];
    return "no message";
}

/* One part of a space may be empty or fail altogether; what the others find is no worse for it. */
static bool has_nothing(const Run *r)
{
    if (r->options.shards < 2)
        return diag_fail(r->diag, "no configuration compiled; the first failure: %s",
                         first_failure(r));
    if (r->failed > 0)
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
    r->profiles_recorded = r->source == RUN_REPLAYED && !r->options.compile &&
                           recorded_sources_are_ours(r) && run_take_recorded(r);
    if (!r->profiles_recorded && !compile_all(r))
        return false;
    count_codes(r);
    return r->compiled > 0 || has_nothing(r);
}
