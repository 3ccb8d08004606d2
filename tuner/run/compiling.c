#include "tuner/run/compiling.h"

#include "tuner/spec/kernel_facts.h"

#include <assert.h>

/* A launch of a configuration in the farm. */
typedef struct Item {
    int crashes; /* worker crashes */
    CompileJob job;
    ProfileJob profile;       /* steps to profile */
    const Profile **profiles; /* per step, in the run's arena; NULL: not known */
    Hash code;
} Item;

typedef struct Place {
    Fetched fetched;
    Arena *arena;  /* owns jobs, code and launches; NULL: the place is free */
    size_t order;  /* order of adding */
    size_t wanted; /* launches still missing */
    bool kept;     /* kept after it was taken */
    Item *items;   /* per launch */
    RunTask task;  /* if code is wanted */
} Place;

struct Compiling {
    Run *run;
    Farm *farm;
    Arena *scratch;   /* for one result */
    const char *data; /* contents that walks read */
    bool profiles;    /* profiles are wanted, else code */
    Arena *whole;     /* owns all that is fetched; NULL: each place has its own */
    Place *places;    /* place_count and one that is kept */
    size_t place_count, used;
    size_t added;                  /* in total */
    size_t lost, lost_first;       /* launches without a profile; configuration of the first */
    const char *lost_why;          /* … and why; in the run's arena */
    size_t uncertain, walked;      /* launches with significant unknowns, out of so many */
    const Profile *most_uncertain; /* the one with the most; NULL: none */
    size_t most_uncertain_row, most_uncertain_launch;
};

/* --- requests --------------------------------------------------------------------------------- */

/* A profile input that lacks the launch. */
static ProfileInput input_of(const Run *r, size_t launch, const CompileResult *res)
{
    return (ProfileInput){.ptx = res->ptx,
                          .ptx_size = res->ptx_size,
                          .cubin = res->cubin,
                          .cubin_size = res->cubin_size,
                          .kernel = run_kernel_name(&r->spec->launches[launch], res),
                          .device = r->device};
}

/* How many of these steps have the buffer. */
static size_t steps_with(Arena *a, const Run *r, const Step *steps, const Step *end, size_t buffer,
                         const Value *slots)
{
    size_t count = 0;
    for (size_t l = 0; l < r->spec->launch_count; l++) {
        RunTakenList taken;
        Evaluation ev = {.arena = a};
        bool takes = false;
        if (run_launch_takes(a, r->spec, &r->spec->launches[l], slots, &ev, &taken))
            VEC_EACH (const RunTaken, t, taken)
                takes |= t->index == buffer;
        for (const Step *s = steps; takes && s < end; s++)
            count += s->launch == l;
    }
    return count;
}

static void add_buffers(Arena *a, const Run *r, size_t config, const Step *step, const Value *slots,
                        ProfileLaunch *out)
{
    const Launch *l = &r->spec->launches[step->launch];
    const TableLaunch *all = &r->table->launch[config];
    RunTakenList taken;
    Evaluation ev = {.arena = a};
    if (!run_launch_takes(a, r->spec, l, slots, &ev, &taken))
        return;
    ProfileBuffer *buffers = ARENA_ARRAY(a, ProfileBuffer, taken.count + 1);
    out->buffers = buffers;
    for (size_t i = 0; i < taken.count; i++) {
        const Argument *g = taken.at[i].argument;
        Value v;
        size_t first = 0; /* a buffer may be given twice */
        while (taken.at[first].argument != g)
            first++;
        if (first < i || !g->count || !expr_eval(g->count, slots, &ev, &v))
            continue;
        const size_t index = taken.at[i].index;
        const bool had = steps_with(a, r, all->steps, step, index, slots) > 0;
        buffers[out->buffer_count++] = (ProfileBuffer){
            .address = run_pretended_address(index),
            .bytes = (double)v.integer * (double)task_type_size(g->element),
            .filled = g->role != ARGUMENT_OUT || had,
            .written = g->role != ARGUMENT_IN,
            .launches =
                (double)steps_with(a, r, all->steps, all->steps + all->step_count, index, slots),
            .fresh = g->role != ARGUMENT_OUT && !had,
            .restored = g->role != ARGUMENT_IN && g->contents.kind != CONTENTS_UNDEFINED &&
                        g->contents.kind != CONTENTS_KEPT};
    }
}

static bool count_trips(Arena *a, const Run *r, const Value *slots, ProfileLaunch *out)
{
    const Spec *s = r->spec;
    WalkTrips *trips = ARENA_ARRAY(a, WalkTrips, s->trip_count);
    for (size_t i = 0; i < s->trip_count; i++) {
        Value v;
        if (!run_evaluate(r, s->trips[i].rounds, slots, &v))
            return false;
        if (value_as_real(v) < 0)
            return diag_error(r->diag, s->trips[i].at, "a loop cannot have %g iterations",
                              value_as_real(v));
        const uint32_t line = (uint32_t)s->trips[i].line, last = (uint32_t)s->trips[i].last;
        trips[i] = (WalkTrips){line, last > line ? last : line, value_as_real(v)};
    }
    out->trips = trips;
    out->trip_count = s->trip_count;
    return true;
}

static bool profile_launch(Arena *a, const Run *r, size_t i, const Step *step, ProfileLaunch *out)
{
    const Launch *l = &r->spec->launches[step->launch];
    Value *slots = run_slots(a, r, i);
    Evaluation ev = {.arena = a};
    ArgumentBytes arguments;
    *out = (ProfileLaunch){.shared = step->geometry.shared};
    memcpy(out->grid, step->geometry.grid, sizeof out->grid);
    memcpy(out->block, step->geometry.block, sizeof out->block);
    add_buffers(a, r, i, step, slots, out);
    if (!count_trips(a, r, slots, out))
        return false;
    if (l->repeat_name)
        slots[l->repeat_slot] = step->value;
    if (!run_launch_bytes(a, r, l, slots, &ev, &arguments))
        return run_refuse(r, &ev);
    out->parameters = arguments.bytes;
    out->parameter_bytes = arguments.size;
    return true;
}

bool run_profile_input(Arena *a, Run *r, size_t i, const Step *step, const CompileResult *res,
                       ProfileInput *out)
{
    *out = input_of(r, step->launch, res);
    if (!profile_launch(a, r, i, step, &out->launch))
        return false;
    if (!r->code.walk_data)
        r->code.walk_data = data_open(run_describe_data(r));
    out->data = data_of_walk(r->code.walk_data);
    return true;
}

static bool prepare_item(Arena *a, const Compiling *c, size_t config, size_t launch, Item *it)
{
    Run *r = c->run;
    const Launch *l = &r->spec->launches[launch];
    if (!run_make_job(a, r, config, launch, NULL, &it->job))
        return false;
    if (!c->profiles)
        return true;
    const StepGroups groups = run_step_groups(a, &r->table->launch[config], launch);
    if (groups.count == 0) /* it is repeated 0 times */
        return true;
    ProfileLaunch *launches = ARENA_ARRAY(a, ProfileLaunch, groups.count);
    for (size_t i = 0; i < groups.count; i++)
        if (!profile_launch(a, r, config, groups.at[i].step, &launches[i]))
            return false;
    it->profile = (ProfileJob){.kernel = l->expression ? NULL : l->entry,
                               .device = r->device,
                               .data = c->data,
                               .launches = launches,
                               .launch_count = groups.count};
    it->job.profile = &it->profile;
    return true;
}

/* The task of a configuration whose code is wanted; modules are added when compiled. */
static bool make_run(Compiling *c, Place *p)
{
    Evaluation ev = {.arena = p->arena};
    Fetched *x = &p->fetched;
    x->ptx = ARENA_ARRAY(p->arena, const char *, c->run->spec->launch_count);
    if (run_task(p->arena, c->run, x->config, &p->task, &ev))
        return run_compared(p->arena, c->run, x->config, &x->compared, &x->compared_count);
    if (ev.error)
        x->failure = arena_printf(p->arena, "its launches cannot be computed: %s", ev.error);
    return false;
}

bool compiling_add(Compiling *c, size_t config)
{
    size_t n = c->run->spec->launch_count, at = 0;
    assert(compiling_has_room(c));
    while (c->places[at].arena)
        at++;
    Place *p = &c->places[at];
    *p = (Place){.fetched.config = config,
                 .arena = c->whole ? c->whole : arena_new(),
                 .order = c->added++,
                 .wanted = n};
    p->items = ARENA_ARRAY(p->arena, Item, n);
    c->used++;
    bool ok = c->profiles || make_run(c, p);
    for (size_t l = 0; l < n && ok; l++)
        ok = prepare_item(p->arena, c, config, l, &p->items[l]);
    for (size_t l = 0; l < n && ok; l++)
        farm_add(c->farm, at * n + l, &p->items[l].job);
    if (ok || c->profiles)
        return ok;
    p->wanted = 0;
    if (!p->fetched.failure)
        p->fetched.failure = "its launches cannot be computed";
    return true;
}

/* --- results ---------------------------------------------------------------------------------- */

static void fail(Compiling *c, size_t config, Outcome outcome, const char *why)
{
    c->run->table->outcome[config] = outcome;
    c->run->table->why[config] = why;
}

/* Replaces a lost profile by what the code alone shows. */
static ProfileAnswer profile_without_walk(Compiling *c, size_t config, size_t launch,
                                          const Item *it, const CompileResult *res)
{
    Diag d = diag_new(c->scratch);
    ProfileInput in = input_of(c->run, launch, res);
    Profile *profiles = ARENA_ARRAY(c->scratch, Profile, it->profile.launch_count);
    ProfileAnswer x = {.profiles = profiles};
    for (; x.count < it->profile.launch_count && !x.error; x.count++) {
        in.launch = it->profile.launches[x.count];
        if (!profile_code(c->scratch, &in, &profiles[x.count], &x.code, &d))
            x.error = diag_first(&d);
        profiles[x.count].note =
            arena_printf(c->scratch, "its warps could not be followed: %s", res->lost);
    }
    if (c->lost++ == 0) {
        c->lost_first = config;
        c->lost_why = arena_string(c->run->arena, res->lost);
    }
    return x;
}

/* Smaller unknown shares hardly affect a time. */
static const double unknown_worth_saying = 0.05;

static double most_unknown(const Profile *p)
{
    return fmax(p->value[PROFILE_UNKNOWN_SHARE], p->value[PROFILE_UNKNOWN_TRAFFIC]);
}

static void count_unknown(Compiling *c, size_t config, size_t launch, const Profile *p)
{
    const double most = c->most_uncertain ? most_unknown(c->most_uncertain) : unknown_worth_saying;
    c->walked++;
    c->uncertain += most_unknown(p) > unknown_worth_saying;
    if (!(most_unknown(p) > most))
        return;
    c->most_uncertain = p;
    c->most_uncertain_row = config;
    c->most_uncertain_launch = launch;
}

/* Of a kernel that this configuration does not launch, which has no profile. */
static Hash code_of(Compiling *c, size_t launch, const CompileResult *res)
{
    const char *name = run_kernel_name(&c->run->spec->launches[launch], res);
    const Cubin *cubin =
        cubin_read(c->scratch, res->cubin, res->cubin_size, DIAG_UNHEARD(c->scratch));
    const CubinKernel *kernel = cubin ? cubin_find(cubin, name) : NULL;
    return kernel ? cubin_code_hash(cubin, kernel) : hash_bytes(res->cubin, res->cubin_size);
}

static void take_profiles(Compiling *c, size_t config, size_t l, Item *it, const ProfileAnswer *x)
{
    Arena *a = c->run->arena;
    if (x->error) {
        fail(c, config, OUTCOME_COMPILE_ERROR, arena_printf(a, "cannot be profiled: %s", x->error));
        return;
    }
    it->profiles = ARENA_ARRAY(a, const Profile *, x->count);
    for (size_t i = 0; i < x->count; i++) {
        Profile *p = ARENA_COPY(a, Profile, x->profiles[i]);
        profile_keep(a, p);
        it->profiles[i] = p;
        count_unknown(c, config, l, p);
    }
    it->code = x->code;
}

/* Counts the cost of a result: worker time now, and CPU time when it was first computed. */
static void count_seconds(Compiling *c, size_t config, const CompileResult *res)
{
    TableCost *cost = &c->run->table->cost[config];
    cost->compile_s += res->cpu_seconds;
    cost->profile_s += res->profile.cpu_seconds;
    RunLedger *ledger = &c->run->ledger;
    if (!res->from_cache)
        ledger->compile_s += res->seconds;
    if (!res->profile_from_cache) {
        ledger->walk_s += res->profile.seconds;
        ledger->walk_core_s += res->profile.cpu_seconds;
    }
}

static void join_launches(Compiling *c, const Place *p)
{
    Run *r = c->run;
    const size_t config = p->fetched.config;
    const StepGroups groups = run_all_step_groups(c->scratch, r, config);
    const Profile **all = ARENA_ARRAY(c->scratch, const Profile *, groups.count);
    size_t done = 0;
    Buf hashes = {0};
    for (size_t l = 0; l < r->spec->launch_count; l++) {
        buf_printf(&hashes, "%s%s", l ? "+" : "", p->items[l].code.text);
        for (size_t k = 0; k < p->items[l].profile.launch_count; k++)
            all[done++] = p->items[l].profiles[k];
    }
    r->table->outcome[config] = OUTCOME_COMPILED;
    run_set_code(r, config, buf_keep(&hashes, r->arena));
    run_take_profiles(r, config, &groups, all);
}

static void take_profile(Compiling *c, Place *p, size_t l, const CompileResult *res)
{
    const size_t config = p->fetched.config;
    Item *it = &p->items[l];
    c->run->counts.launches_from_cache += res->from_cache && it->crashes == 0;
    if (res->status != OUTCOME_COMPILED) {
        fail(c, config, res->status, result_first_error(c->run->arena, res->log));
    } else {
        ProfileAnswer profile = res->profile;
        if (res->profiled == PROFILE_LOST)
            profile = profile_without_walk(c, config, l, it, res);
        take_profiles(c, config, l, it, &profile);
        if (it->profile.launch_count == 0)
            it->code = code_of(c, l, res);
    }
    if (p->wanted == 1 && c->run->table->outcome[config] == OUTCOME_NONE)
        join_launches(c, p);
}

/* Copies the code of launch `l` and its kernel name to `a`. */
static void take_module(Arena *a, const Run *r, RunTask *task, size_t l, const CompileResult *res)
{
    const char *name = arena_string(a, run_kernel_name(&r->spec->launches[l], res));
    task->modules[l] = (TaskModule){arena_copy(a, res->cubin, res->cubin_size), res->cubin_size};
    for (size_t k = 0; k < task->run.launch_count; k++)
        if ((size_t)task->launches[k].module == l)
            task->launches[k].kernel = name;
}

static void take_code(Compiling *c, Place *p, size_t l, const CompileResult *res)
{
    Fetched *x = &p->fetched;
    if (res->status == OUTCOME_COMPILED) {
        take_module(p->arena, c->run, &p->task, l, res);
        x->ptx[l] = arena_copy(p->arena, res->ptx ? res->ptx : "", res->ptx ? res->ptx_size : 0);
        x->run = p->task.run;
    } else if (!x->failure) {
        x->failure = arena_printf(p->arena, "'%s' does not compile: %s",
                                  c->run->spec->launches[l].file, res->log ? res->log : "");
    }
}

static void take_result(Compiling *c, const CompileResult *res)
{
    size_t n = c->run->spec->launch_count, l = res->id % n;
    Place *p = &c->places[res->id / n];
    if (c->profiles)
        count_seconds(c, p->fetched.config, res);
    bool crashed = res->status == OUTCOME_COMPILE_CRASH || res->profiled == PROFILE_LOST;
    if (crashed && p->items[l].crashes++ == 0) { /* a worker that was killed works when retried */
        farm_add(c->farm, res->id, &p->items[l].job);
        return;
    }
    if (c->profiles)
        take_profile(c, p, l, res);
    else
        take_code(c, p, l, res);
    p->wanted--;
}

bool compiling_service(Compiling *c)
{
    CompileResult res;
    while (farm_pending(c->farm) == 0 || farm_service(c->farm, c->run->diag)) {
        if (!farm_take(c->farm, c->scratch, &res))
            return true;
        take_result(c, &res);
        arena_reset(c->scratch);
    }
    return false;
}

const Fetched *compiling_first(const Compiling *c)
{
    const Place *first = NULL;
    for (size_t i = 0; i <= c->place_count; i++) {
        const Place *p = &c->places[i];
        if (p->arena && !p->kept && p->wanted == 0 && (!first || p->order < first->order))
            first = p;
    }
    return first ? &first->fetched : NULL;
}

static Place *place_of(Compiling *c, const Fetched *x)
{
    size_t i = 0;
    while (&c->places[i].fetched != x)
        i++;
    return &c->places[i];
}

void compiling_keep(Compiling *c, const Fetched *x)
{
    place_of(c, x)->kept = true;
    c->used--;
}

void compiling_release(Compiling *c, const Fetched *x)
{
    Place *p = place_of(c, x);
    c->used -= !p->kept;
    arena_free(p->arena);
    p->arena = NULL;
}

bool compiling_take(Compiling *c, size_t *config)
{
    const Fetched *x = compiling_first(c);
    if (!x)
        return false;
    *config = x->config;
    compiling_release(c, x);
    return true;
}

/* --- opening and closing ---------------------------------------------------------------------- */

Farm *run_open_farm(Run *r)
{
    const char *folder = r->options.cache ? r->options.cache : cache_default_folder(r->arena);
    if (!r->code.cache && folder) {
        Diag d = diag_new(r->arena);
        r->code.cache = cache_open(r->arena, folder, r->options.trust_cache, &d);
        if (!r->code.cache)
            diag_warn(r->diag, (Span){0}, "nothing is cached: %s", diag_first(&d));
    }
    FarmOptions options = {.helper = r->home.compile_helper,
                           .cuda_folder = r->home.cuda_folder,
                           .jobs = r->options.jobs,
                           .limit_seconds = r->options.compile_limit,
                           .limit_gb = r->options.compile_memory,
                           .cache = r->code.cache};
    return farm_open(&options);
}

Compiling *compiling_open(Run *r, size_t places, bool profiles)
{
    Compiling *c = ARENA_NEW(r->arena, Compiling);
    *c = (Compiling){.run = r, .scratch = arena_new(), .place_count = places, .profiles = profiles};
    c->places = ARENA_ARRAY(r->arena, Place, places + 1);
    c->farm = run_open_farm(r);
    if (profiles)
        c->data = run_describe_data(r);
    return c;
}

/* The code of the most uncertain profile, which may have come without it; NULL: the run is to end. */
static const PtxFunction *uncertain_code(const Compiling *c, const PtxModule **module)
{
    Run *r = c->run;
    const Launch *l = &r->spec->launches[c->most_uncertain_launch];
    const RunAwaited awaited = {.stage = "compile", .all = 1, .note = l->entry};
    const PtxFunction *entry = NULL;
    CompileJob job;
    CompileResult res;
    Diag *unheard = DIAG_UNHEARD(c->scratch);
    Farm *farm = run_open_farm(r);
    if (run_make_job(c->scratch, r, c->most_uncertain_row, c->most_uncertain_launch, NULL, &job)) {
        farm_add(farm, 0, &job);
        if (run_next_result(r, farm, &awaited, &res, unheard) && res.status == OUTCOME_COMPILED) {
            const char *kernel = run_kernel_name(l, &res);
            *module =
                ptx_parse(r->arena, source_new(r->arena, kernel, res.ptx, res.ptx_size), unheard);
            entry = ptx_find_entry(*module, kernel);
        }
    }
    farm_close(farm);
    return entry;
}

/* Per argument: what it holds may decide branches or addresses of the most uncertain launch. */
static const bool *find_deciding(const Compiling *c)
{
    const Spec *s = c->run->spec;
    Arena *a = c->scratch;
    Evaluation ev = {.arena = a};
    RunTakenList taken;
    const PtxModule *module;
    const PtxFunction *entry = uncertain_code(c, &module);
    const KernelFacts facts = entry ? kernel_facts(a, module, entry) : (KernelFacts){.calls = true};
    const bool known =
        !facts.calls && run_launch_takes(a, s, &s->launches[c->most_uncertain_launch],
                                         run_slots(a, c->run, c->most_uncertain_row), &ev, &taken);
    bool *decides = ARENA_ARRAY(a, bool, s->argument_count + 1);
    for (size_t i = 0; i < s->argument_count; i++)
        decides[i] = !known || s->arguments[i].role == ARGUMENT_CONSTANT;
    size_t p = SIZE_MAX; /* the parameter */
    for (size_t i = 0; known && i < taken.count; i++) {
        p += !taken.at[i].joined;
        if (taken.at[i].index != SIZE_MAX &&
            (p >= KERNEL_FACTS_PARAMETERS || facts.decides >> p & 1))
            decides[taken.at[i].index] = true;
    }
    return decides;
}

/* What decides, and what a user can state about it, to be printed after a semicolon. */
static const char *what_to_state(const Compiling *c)
{
    const Spec *s = c->run->spec;
    const Profile *p = c->most_uncertain;
    const bool *decides = find_deciding(c);
    Buf b = {0};
    SCOPED_BUF written = {0};
    for (size_t i = 0; i < s->argument_count; i++) {
        const Argument *g = &s->arguments[i];
        const bool kept = g->role == ARGUMENT_IN || g->role == ARGUMENT_CONSTANT;
        const bool left = g->role == ARGUMENT_SCRATCH || g->role == ARGUMENT_OUT;
        if (decides[i] && (kept || g->role == ARGUMENT_INOUT) && !g->contents.at.source)
            buf_printf(&b, "%s'%s'", b.size ? ", " : " state the contents of ", g->name);
        else if (decides[i] && (left || g->role == ARGUMENT_INOUT))
            buf_printf(&written, "%s'%s'", written.size ? ", " : " what launches write to ",
                       g->name);
    }
    if (b.size)
        buf_puts(&b, " (formula, file, sorted ...) if they decide;");
    if (written.size)
        buf_printf(&b, "%s is not followed;", buf_text(&written));
    if (p->value[PROFILE_LOOPS_UNKNOWN] > 0 || (p->note && strstr(p->note, WALK_EARLY_EXIT)))
        buf_puts(&b, " state the iterations of loops with `trips` if these are unknown;");
    return buf_keep(&b, c->run->arena);
}

static void warn(const Compiling *c)
{
    Run *r = c->run;
    const Profile *p = c->most_uncertain;
    if (c->lost > 0)
        diag_warn(r->diag, (Span){0},
                  "%zu configuration%s without a profile: the process that follows warps ended "
                  "(%s; first %s)",
                  c->lost, c->lost > 1 ? "s are" : " is", c->lost_why,
                  table_name(r->arena, r->table, c->lost_first));
    if (p)
        diag_warn(
            r->diag, (Span){0},
            "the profiles of %zu of %zu launches rest on guesses, since what is executed or where "
            "it reads depends on unknown data: up to %.0f %% of the instructions and %.0f %% of "
            "the accesses (%s: %s);%s rely on times rather than predictions here",
            c->uncertain, c->walked, 100 * p->value[PROFILE_UNKNOWN_SHARE],
            100 * p->value[PROFILE_UNKNOWN_TRAFFIC],
            table_name(r->arena, r->table, c->most_uncertain_row),
            p->note ? p->note : "no reason given", what_to_state(c));
}

/* Adds what workers did to the run, and warns of lost and uncertain profiles. */
static void settle(Compiling *c)
{
    Run *r = c->run;
    const char *compiler = compiling_compiler(c);
    r->code.compiler = compiler ? compiler : "unknown";
    r->counts.workers_started += farm_started(c->farm);
    if (r->code.cache && farm_started(c->farm) > 0)
        cache_trim(r->code.cache, (uint64_t)(r->options.cache_limit * 1e9));
    warn(c);
}

void compiling_close(Compiling *c)
{
    if (!c)
        return;
    if (c->profiles)
        settle(c);
    farm_close(c->farm);
    for (size_t k = 0; k <= c->place_count && !c->whole; k++)
        arena_free(c->places[k].arena);
    arena_free(c->scratch);
}

bool run_fetch_all(Run *r, Arena *a, const size_t *configs, size_t count, Fetched *out)
{
    Compiling *c = compiling_open(r, count, false);
    bool ok = true, all = false;
    c->whole = a;
    for (size_t k = 0; k < count && ok; k++)
        ok = compiling_add(c, configs[k]);
    while (ok && !all) {
        ok = compiling_service(c);
        all = true;
        for (size_t k = 0; k < count; k++)
            all = all && c->places[k].wanted == 0;
        ok = ok && (all || compiling_wait(c));
    }
    for (size_t k = 0; k < count; k++)
        out[k] = c->places[k].fetched;
    compiling_close(c);
    return ok;
}

bool run_fetch(Run *r, Arena *a, size_t config, Fetched *out)
{
    return run_fetch_all(r, a, &config, 1, out) &&
           (!out->failure || diag_fail(r->diag, "%s", out->failure));
}

bool compiling_has_room(const Compiling *c)
{
    return c->used < c->place_count;
}

size_t compiling_count(const Compiling *c)
{
    return c->used;
}

void compiling_await(const Compiling *c, Waits *w)
{
    farm_await(c->farm, w);
}

bool compiling_wait(Compiling *c)
{
    Waits w = waits_new(-1);
    compiling_await(c, &w);
    run_wait(c->run, &w);
    return !run_stopped(c->run);
}

bool compiling_run(Compiling *c, const size_t *list, size_t count, const char *note)
{
    Run *r = c->run;
    size_t next = 0, done = 0, config;
    while (done < count) {
        for (; next < count && compiling_has_room(c); next++)
            if (!compiling_add(c, list[next]))
                return false;
        const size_t before = done;
        if (run_stopped(r) || !compiling_service(c))
            return false;
        while (compiling_take(c, &config)) {
            done++;
            if (r->progress.step)
                run_progress(r, "compile", done, count,
                             note ? note : table_name(c->scratch, r->table, config));
            arena_reset(c->scratch);
        }
        if (done == before && !compiling_wait(c))
            return false;
    }
    return true;
}

const char *compiling_compiler(const Compiling *c)
{
    return farm_compiler(c->farm, c->run->arena);
}

/* The first compile failure; if nothing reached the compiler, the most frequent limit. NULL if the
 * run ended before any configuration was judged. */
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
    if (most == OUTCOME_NONE)
        return NULL;
    return arena_printf(r->arena, "%s (%zu of %zu configurations; %s can't launch them)",
                        outcome_name((Outcome)most), count[most], r->table->count, r->device->name);
}

/* A part of a space may be empty or fail entirely; other parts may still have results. */
bool run_nothing_compiled(const Run *r)
{
    const char *failure = first_failure(r);
    if (!failure && r->table->count && r->options.shards < 2)
        return diag_fail(r->diag, "the run ended before the first configuration was compiled; "
                                  "increase --seconds or --compiles");
    if (r->options.shards < 2)
        return diag_fail(r->diag, "no configuration compiled; the first failure: %s",
                         failure ? failure : "there is none to compile");
    if (r->counts.failed + r->counts.unlaunchable > 0)
        diag_warn(r->diag, (Span){0},
                  "no configuration of part %d/%d compiled; the first failure: %s",
                  r->options.shard, r->options.shards, failure);
    else
        diag_warn(r->diag, (Span){0}, "part %d/%d of this space is empty", r->options.shard,
                  r->options.shards);
    return true;
}
