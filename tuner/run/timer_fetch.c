#include "tuner/run/timer_fetch.h"

#include <assert.h>
#include <string.h>

typedef struct Place {
    Fetched fetched;
    Arena *arena;  /* of code and launches; NULL: the place is free */
    size_t order;  /* of adding */
    size_t wanted; /* launches whose code is still to come */
    TaskModule *modules;
    CompileJob *jobs; /* of each launch */
    bool crashed;     /* a compiler did, once */
} Place;

struct Fetcher {
    Run *run;
    Farm *farm;
    const TaskArgument *arguments;
    Place *places;
    size_t place_count, used;
    size_t added; /* ever */
};

Fetcher *fetcher_open(Run *r, const TaskArgument *arguments, size_t places)
{
    Fetcher *f = ARENA_NEW(r->arena, Fetcher);
    *f = (Fetcher){.run = r, .arguments = arguments, .place_count = places};
    f->places = ARENA_ARRAY(r->arena, Place, places);
    f->farm = run_open_farm(r);
    return f;
}

void fetcher_close(Fetcher *f)
{
    if (!f)
        return;
    farm_close(f->farm);
    for (size_t i = 0; i < f->place_count; i++)
        arena_free(f->places[i].arena);
}

bool fetcher_has_room(const Fetcher *f)
{
    return f->used < f->place_count;
}

size_t fetcher_count(const Fetcher *f)
{
    return f->used;
}

/* The launches of a configuration, each with a module of its own. */
static TaskRun make_run(const Fetcher *f, Place *p, size_t config)
{
    const Run *r = f->run;
    size_t n = r->spec->launch_count;
    TaskLaunch *launches = ARENA_ARRAY(p->arena, TaskLaunch, n);
    p->modules = ARENA_ARRAY(p->arena, TaskModule, n);
    for (size_t l = 0; l < n; l++) {
        run_task_launch(&r->spec->launches[l], &r->configs[config].geometry[l], f->arguments,
                        r->spec->argument_count, &launches[l]);
        launches[l].module = (int)l;
    }
    return (TaskRun){p->modules, n, launches, n};
}

static void queue_launches(Fetcher *f, Place *p, size_t place)
{
    size_t n = f->run->spec->launch_count;
    p->jobs = ARENA_ARRAY(p->arena, CompileJob, n);
    for (size_t l = 0; l < n; l++) {
        p->jobs[l] = run_job(p->arena, f->run, p->fetched.config, l, NULL, 0);
        farm_add(f->farm, place * n + l, &p->jobs[l]);
    }
}

void fetcher_add(Fetcher *f, size_t config)
{
    size_t i = 0;
    assert(fetcher_has_room(f));
    while (f->places[i].arena)
        i++;
    Place *p = &f->places[i];
    *p = (Place){.arena = arena_new(), .order = f->added++};
    p->wanted = f->run->spec->launch_count;
    p->fetched = (Fetched){.config = config, .run = make_run(f, p, config)};
    f->used++;
    queue_launches(f, p, i);
}

/* It compiled before: the cache lost it, and now it fails. */
static void take_failure(Place *p, const CompileResult *res)
{
    if (!p->fetched.failure)
        p->fetched.failure = arena_printf(p->arena, "does not compile any more: %s", res->log);
}

static void take_result(Fetcher *f, const CompileResult *res)
{
    size_t n = f->run->spec->launch_count, l = res->id % n;
    Place *p = &f->places[res->id / n];
    if (res->status == COMPILE_CRASH && !p->crashed) { /* perhaps somebody killed it */
        p->crashed = true;
        farm_add(f->farm, res->id, &p->jobs[l]);
        return;
    }
    if (res->status == COMPILE_OK)
        p->modules[l] =
            (TaskModule){arena_copy(p->arena, res->cubin, res->cubin_size), res->cubin_size};
    else
        take_failure(p, res);
    p->wanted--;
}

static bool take_code(Fetcher *f)
{
    Arena *scratch = arena_new();
    CompileResult res;
    bool taken = farm_take(f->farm, scratch, &res);
    if (taken)
        take_result(f, &res);
    arena_free(scratch);
    return taken;
}

bool fetcher_service(Fetcher *f)
{
    bool ok = farm_pending(f->farm) == 0 || farm_service(f->farm, f->run->diag);
    while (ok && take_code(f))
        ok = farm_pending(f->farm) == 0 || farm_service(f->farm, f->run->diag);
    return ok;
}

const Fetched *fetcher_first(const Fetcher *f)
{
    const Place *first = NULL;
    for (size_t i = 0; i < f->place_count; i++) {
        const Place *p = &f->places[i];
        if (p->arena && p->wanted == 0 && (!first || p->order < first->order))
            first = p;
    }
    return first ? &first->fetched : NULL;
}

void fetcher_release(Fetcher *f, const Fetched *x)
{
    for (size_t i = 0; i < f->place_count; i++) {
        if (&f->places[i].fetched != x)
            continue;
        arena_free(f->places[i].arena);
        f->places[i].arena = NULL;
        f->used--;
    }
}

size_t fetcher_fd_limit(const Fetcher *f)
{
    return farm_fd_limit(f->farm);
}

size_t fetcher_poll_fds(const Fetcher *f, struct pollfd *fds, int *timeout_ms)
{
    if (farm_pending(f->farm) == 0)
        return 0;
    return farm_poll_fds(f->farm, fds, farm_fd_limit(f->farm), timeout_ms);
}

Fetched fetched_copy(Arena *a, const Fetched *x)
{
    Fetched out = *x;
    size_t modules = x->run.module_count, launches = x->run.launch_count;
    TaskModule *m = ARENA_ARRAY(a, TaskModule, modules);
    TaskLaunch *l = ARENA_ARRAY(a, TaskLaunch, launches);
    for (size_t i = 0; i < modules; i++)
        m[i] = (TaskModule){arena_copy(a, x->run.modules[i].cubin, x->run.modules[i].size),
                            x->run.modules[i].size};
    if (launches)
        memcpy(l, x->run.launches, launches * sizeof *l);
    out.run = (TaskRun){m, modules, l, launches};
    out.failure = x->failure ? arena_string(a, x->failure) : NULL;
    return out;
}

bool fetcher_get(Fetcher *f, Arena *a, size_t config, Fetched *out)
{
    Arena *scratch = arena_new();
    struct pollfd *fds = ARENA_ARRAY(scratch, struct pollfd, fetcher_fd_limit(f) + 1);
    const Fetched *x = NULL;
    bool ok = true;
    fetcher_add(f, config);
    while (ok && !x) {
        ok = fetcher_service(f) && !run_stopped(f->run);
        x = ok ? fetcher_first(f) : NULL;
        int timeout_ms = -1;
        if (ok && !x)
            run_wait(f->run, fds, fetcher_poll_fds(f, fds, &timeout_ms), timeout_ms);
    }
    if (x) {
        *out = fetched_copy(a, x);
        fetcher_release(f, x);
    }
    arena_free(scratch);
    return ok;
}
