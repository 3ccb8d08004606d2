#include "tuner/choose/replay.h"

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
    for (size_t i = 0; rows->code_bytes && i < rows->space.count; i++)
        if (rows->code_bytes[i] > 0) {
            sum += rows->code_bytes[i];
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
        bool known = rows->code_bytes && rows->code_bytes[i] > 0;
        double share = known ? rows->code_bytes[i] / mean : 1;
        bool recorded = rows->compile_s && rows->compile_s[i] > 0;
        out[i] = recorded ? rows->compile_s[i] : base * contention(workers) * (0.25 + 0.75 * share);
    }
    return out;
}

static double time_of(const ReplayRows *rows, size_t place)
{
    return rows->work ? rows->ms[place] / rows->work[place] : rows->ms[place];
}

double replay_trial_seconds(const ReplayRows *rows, size_t place, double best)
{
    static const double overhead = 0.03;
    double ms = rows->ms[place];
    if (rows->trial_s && rows->trial_s[place] > 0)
        return rows->trial_s[place];
    if (isnan(ms) || rows->trial_s)
        return overhead;
    return overhead + 1e-3 * ms * (time_of(rows, place) < 1.1 * best ? 10 : 3);
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
    Lane *lanes;      /* the workers, then the GPUs */
    size_t *place;    /* of each candidate asked for, by its number */
    size_t *number;   /* of each place; SIZE_MAX: not asked for */
    uint64_t *stride; /* of ranks */
    VEC(ReplayStep) steps;
    Places timed, compiled;
    double best;
    double compile_core_s, gpu_s;
} Simulation;

static size_t place_of(const Simulation *p, const uint16_t *point)
{
    const SearchSpace *s = &p->rows->space;
    uint64_t rank = 0;
    for (size_t k = 0; k < s->parameters; k++)
        rank += p->stride[k] * point[k];
    size_t low = 0, high = s->count;
    while (low + 1 < high) {
        size_t middle = low + (high - low) / 2;
        if (s->ranks[middle] <= rank)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static void start_compiles(Simulation *p)
{
    EACH (Lane, l, p->lanes, p->options->search.workers) {
        if (l->busy || !search_next_compile(p->search, &l->number))
            continue;
        size_t place = place_of(p, search_point(p->search, l->number));
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

static double value_at(const double *values, size_t place)
{
    return values ? values[place] : NAN;
}

static void end_compile(Simulation *p, const Lane *l)
{
    const ReplayRows *rows = p->rows;
    size_t place = p->place[l->number], first = rows->same_as[place], same = SIZE_MAX;
    /* The first compile of the same code; the first in the list may never be compiled. */
    for (size_t k = 0; k < p->compiled.count && same == SIZE_MAX; k++)
        if (rows->same_as[p->compiled.at[k]] == first)
            same = p->number[p->compiled.at[k]];
    SearchCompiled c = {.failed = rows->broken && rows->broken[place],
                        .predicted = value_at(rows->predicted, place),
                        .bound = value_at(rows->bound, place),
                        .latency = value_at(rows->latency, place),
                        .variance = rows->variance ? rows->variance[place] : 0,
                        .shares = rows->shares ? rows->shares + place * TABLE_PARTS : NULL,
                        .same_as = same};
    VEC_PUSH(p->arena, &p->compiled, place);
    search_compiled(p->search, l->number, &c);
}

static void end_trial(Simulation *p, const Lane *l)
{
    size_t place = p->place[l->number];
    double time = time_of(p->rows, place);
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
    while (end == SEARCH_GOES_ON) {
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
    uint64_t stride = 1;
    p->best = INFINITY;
    p->compile_s = replay_compile_seconds(a, p->rows, p->options->base, p->options->search.workers);
    p->lanes = ARENA_ARRAY(a, Lane, p->options->search.workers + p->options->gpus);
    p->place = ARENA_ARRAY(a, size_t, s->count);
    p->number = ARENA_ARRAY(a, size_t, s->count);
    p->stride = ARENA_ARRAY(a, uint64_t, s->parameters);
    for (size_t k = s->parameters; k-- > 0; stride *= s->values[k])
        p->stride[k] = stride;
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
                      .expected = search_expected(p.search)};
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
