#include "tuner/run/timer_fetch.h"

#include <assert.h>

typedef struct Place {
    Fetched fetched;
    Arena *arena;  /* of code and launches; NULL: the place is free */
    size_t order;  /* of adding */
    size_t wanted; /* launches whose code is still to come */
    RunTask task;
    CompileJob *jobs; /* of each launch */
    bool crashed;     /* a compiler did, once */
} Place;

struct Fetcher {
    Run *run;
    Farm *farm;
    Place *places;
    size_t place_count, used;
    size_t added; /* ever */
};

Fetcher *fetcher_open(Run *r, size_t places)
{
    Fetcher *f = ARENA_NEW(r->arena, Fetcher);
    *f = (Fetcher){.run = r, .place_count = places};
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

/* The launches of a configuration, and what of it is compared; the modules come with the code. */
static bool make_run(Fetcher *f, Place *p, size_t config)
{
    Evaluation ev = {.arena = p->arena};
    Fetched *x = &p->fetched;
    x->config = config;
    if (!run_task(p->arena, f->run, config, &p->task, &ev))
        return false;
    x->run = p->task.run;
    return run_compared(p->arena, f->run, config, &x->compared, &x->compared_count);
}

/* False when some code cannot even be asked for. */
static bool queue_launches(Fetcher *f, Place *p, size_t place)
{
    size_t n = f->run->spec->launch_count;
    p->jobs = ARENA_ARRAY(p->arena, CompileJob, n);
    for (size_t l = 0; l < n; l++)
        if (!run_make_job(p->arena, f->run, p->fetched.config, l, NULL, 0, &p->jobs[l]))
            return false;
    for (size_t l = 0; l < n; l++)
        farm_add(f->farm, place * n + l, &p->jobs[l]);
    p->wanted = n;
    return true;
}

void fetcher_add(Fetcher *f, size_t config)
{
    size_t i = 0;
    assert(fetcher_has_room(f));
    while (f->places[i].arena)
        i++;
    Place *p = &f->places[i];
    *p = (Place){.arena = arena_new(), .order = f->added++};
    f->used++;
    if (!make_run(f, p, config) || !queue_launches(f, p, i))
        p->fetched.failure = "its launches cannot be computed";
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
    if (res->status == OUTCOME_COMPILE_CRASH && !p->crashed) { /* perhaps somebody killed it */
        p->crashed = true;
        farm_add(f->farm, res->id, &p->jobs[l]);
        return;
    }
    if (res->status == OUTCOME_COMPILED)
        run_take_module(p->arena, f->run, &p->task, l, res);
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
    int64_t *compared = ARENA_ARRAY(a, int64_t, x->compared_count);
    if (x->compared_count)
        memcpy(compared, x->compared, x->compared_count * sizeof *compared);
    out.compared = compared;
    out.run = run_task_copy(a, &x->run);
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
