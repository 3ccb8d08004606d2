#include "tuner/choose/replay.h"

#include <stdlib.h>

/* --- the cost model --------------------------------------------------------------------------- */

/* Slowdown because the cores of a machine share its memory and power. */
static double contention(size_t workers)
{
    if (workers <= 1)
        return 1;
    if (workers <= 8)
        return 1 + 0.1 * (double)(workers - 1) / 7;
    return 1.1 + 0.2 * (double)(workers - 8) / 8;
}

static double mean_code(const ReplayRows *rows)
{
    double sum = 0;
    size_t count = 0;
    EACH (const ReplayRow, x, rows->at, rows->space.count)
        if (x->code_bytes > 0) {
            sum += x->code_bytes;
            count++;
        }
    return count > 0 ? sum / (double)count : NAN;
}

const double *replay_compile_seconds(Arena *a, const ReplayRows *rows, double base, size_t workers)
{
    static const double least = 0.04, each_byte = 16e-6, unknown = 0.15;
    double *out = ARENA_ARRAY(a, double, rows->space.count), mean = mean_code(rows);
    if (!(base > 0))
        base = mean > 0 ? least + each_byte * mean : unknown;
    for (size_t i = 0; i < rows->space.count; i++) {
        const ReplayRow *x = &rows->at[i];
        double share = x->code_bytes > 0 ? x->code_bytes / mean : 1;
        out[i] =
            x->compile_s > 0 ? x->compile_s : base * contention(workers) * (0.25 + 0.75 * share);
    }
    return out;
}

double replay_trial_seconds(const ReplayRows *rows, size_t place, double best)
{
    static const double overhead = 0.03;
    const ReplayRow *x = &rows->at[place];
    if (rows->by_energy && x->trial_s > 0)
        return x->trial_s;
    if (isnan(x->ms) || rows->by_energy)
        return overhead;
    return overhead + 1e-3 * x->ms * (x->ms / x->work < 1.1 * best ? 10 : 3);
}

/* --- the simulation --------------------------------------------------------------------------- */

/* A worker or a GPU. */
typedef struct Lane {
    bool busy;
    double until;
    size_t number; /* candidate */
} Lane;

typedef VEC(size_t) Places;

typedef struct Simulation {
    Arena *arena;
    const ReplayRows *rows;
    const ReplayOptions *options;
    Search *search;
    const double *compile_s; /* of each place */
    double now;
    Lane *lanes;    /* the workers, then the GPUs */
    size_t *place;  /* of each candidate asked for, by its number */
    size_t *number; /* of each place; SIZE_MAX: not asked for */
    VEC(ReplayStep) steps;
    Places timed, compiled;
    double best;
    double compile_core_s, gpu_s;
} Simulation;

static int rank_compare(const void *pa, const void *pb)
{
    const uint64_t a = *(const uint64_t *)pa, b = *(const uint64_t *)pb;
    return (a > b) - (a < b);
}

static size_t place_of(const SearchSpace *s, const uint16_t *point)
{
    const uint64_t rank = search_rank(s, point);
    const uint64_t *at = bsearch(&rank, s->ranks, s->count, sizeof rank, rank_compare);
    return (size_t)(at - s->ranks);
}

static void start_compiles(Simulation *p)
{
    EACH (Lane, l, p->lanes, p->options->search.workers) {
        if (l->busy || !search_next_compile(p->search, &l->number))
            continue;
        size_t place = place_of(&p->rows->space, search_point(p->search, l->number));
        double s = p->compile_s[place];
        p->place[l->number] = place;
        p->number[place] = l->number;
        p->compile_core_s += s;
        l->busy = true;
        l->until = p->now + s;
    }
}

static void start_trials(Simulation *p)
{
    EACH (Lane, l, p->lanes + p->options->search.workers, p->options->gpus) {
        if (l->busy || !search_next_trial(p->search, &l->number))
            continue;
        double s = replay_trial_seconds(p->rows, p->place[l->number], p->best);
        p->gpu_s += s;
        l->busy = true;
        l->until = p->now + s;
    }
}

static void end_compile(Simulation *p, const Lane *l)
{
    size_t place = p->place[l->number];
    SearchCompiled c = p->rows->at[place].code;
    const size_t first = c.same_as;
    /* The first compile of the same code; the first in the list may never be compiled. */
    c.same_as = SIZE_MAX;
    for (size_t k = 0; k < p->compiled.count && c.same_as == SIZE_MAX; k++)
        if (p->rows->at[p->compiled.at[k]].code.same_as == first)
            c.same_as = p->number[p->compiled.at[k]];
    VEC_PUSH(p->arena, &p->compiled, place);
    search_compiled(p->search, l->number, &c);
}

static void end_trial(Simulation *p, const Lane *l)
{
    size_t place = p->place[l->number];
    double time = p->rows->at[place].ms / p->rows->at[place].work;
    VEC_PUSH(p->arena, &p->timed, place);
    search_timed(p->search, l->number, time);
    if (!(time < p->best))
        return;
    p->best = time;
    ReplayStep step = {p->now, time, place, p->compiled.count, p->timed.count};
    VEC_PUSH(p->arena, &p->steps, step);
}

/* The lane that ends next; NULL: none is busy. */
static Lane *next_lane(const Simulation *p)
{
    Lane *next = NULL;
    EACH (Lane, l, p->lanes, p->options->search.workers + p->options->gpus)
        if (l->busy && (!next || l->until < next->until))
            next = l;
    return next;
}

static SearchEnd simulate(Simulation *p)
{
    SearchEnd end = SEARCH_GOES_ON;
    while (end == SEARCH_GOES_ON && p->best > p->options->enough) {
        start_trials(p);
        start_compiles(p);
        Lane *l = next_lane(p);
        if (!l)
            return SEARCH_EXHAUSTED;
        p->now = l->until;
        l->busy = false;
        if (l < p->lanes + p->options->search.workers)
            end_compile(p, l);
        else
            end_trial(p, l);
        end = search_end(p->search, p->now);
    }
    return end;
}

static void open_simulation(Simulation *p)
{
    const SearchSpace *s = &p->rows->space;
    Arena *a = p->arena;
    p->best = INFINITY;
    p->compile_s = replay_compile_seconds(a, p->rows, p->options->base, p->options->search.workers);
    p->lanes = ARENA_ARRAY(a, Lane, p->options->search.workers + p->options->gpus);
    p->place = ARENA_ARRAY(a, size_t, s->count);
    p->number = ARENA_ARRAY(a, size_t, s->count);
    p->search = search_new(s, &p->options->search);
}

ReplayResult replay_search(Arena *a, const ReplayRows *rows, const ReplayOptions *o)
{
    Simulation p = {.arena = a, .rows = rows, .options = o};
    open_simulation(&p);
    SearchEnd end = simulate(&p);
    ReplayResult r = {.steps = p.steps.at,
                      .step_count = p.steps.count,
                      .timed = p.timed.at,
                      .timed_count = p.timed.count,
                      .compiled = p.compiled.at,
                      .compiled_count = p.compiled.count,
                      .seconds = p.now,
                      .compile_core_s = p.compile_core_s,
                      .gpu_s = p.gpu_s,
                      .end = end,
                      .state = search_state(p.search),
                      .expected = end == SEARCH_GOES_ON ? NAN : search_expected(p.search)};
    search_free(p.search);
    return r;
}

double replay_best_at(const ReplayResult *r, double seconds)
{
    double best = INFINITY;
    for (size_t k = 0; k < r->step_count && r->steps[k].seconds <= seconds; k++)
        best = r->steps[k].ms;
    return best;
}

double replay_seconds_to(const ReplayResult *r, double ms)
{
    for (size_t k = 0; k < r->step_count; k++)
        if (r->steps[k].ms <= ms)
            return r->steps[k].seconds;
    return INFINITY;
}
