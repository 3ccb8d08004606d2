#include "tuner/study/rivals.h"

#include "metrics/base/stats.h"

#include <gsl/gsl_randist.h>

/* --- neighbourhoods --------------------------------------------------------------------------- */

static size_t key_size(const Neighbourhood *n)
{
    return n->parameter_count * sizeof *n->number;
}

size_t neighbourhood_find(const Neighbourhood *n, const uint32_t *numbers)
{
    const MapEntry *e = map_find(&n->points, (const char *)numbers, key_size(n), 0);
    return e ? (size_t)e->value : SIZE_MAX;
}

Neighbourhood neighbourhood_build(Arena *a, const Table *s)
{
    Neighbourhood near = {.count = s->count,
                          .parameter_count = s->parameter_count,
                          .number = s->values,
                          .values = ARENA_ARRAY(a, size_t, s->parameter_count),
                          .points = {.arena = a}};
    for (size_t i = 0; i < s->count; i++) {
        const uint32_t *numbers = s->values + i * s->parameter_count;
        map_add(&near.points, (const char *)numbers, key_size(&near), 0)->value = (int)i;
        for (size_t p = 0; p < s->parameter_count; p++)
            if (numbers[p] >= near.values[p])
                near.values[p] = numbers[p] + (size_t)1;
    }
    for (size_t p = 0; p < s->parameter_count; p++)
        near.most += near.values[p];
    return near;
}

size_t neighbourhood_list(const Neighbourhood *n, size_t i, size_t *list)
{
    SCOPED_ARENA *scratch = arena_new();
    uint32_t *numbers = ARENA_ARRAY(scratch, uint32_t, n->parameter_count);
    size_t count = 0;
    memcpy(numbers, n->number + i * n->parameter_count, key_size(n));
    for (size_t p = 0, first = 0; p < n->parameter_count; p++, first = count) {
        const uint32_t own = numbers[p];
        for (numbers[p] = 0; numbers[p] < n->values[p]; numbers[p]++) {
            const size_t found = numbers[p] == own ? SIZE_MAX : neighbourhood_find(n, numbers);
            if (found == SIZE_MAX)
                continue;
            size_t k = count++;
            for (; k > first && list[k - 1] > found; k--)
                list[k] = list[k - 1];
            list[k] = found;
        }
        numbers[p] = own;
    }
    return count;
}

/* --- one play --------------------------------------------------------------------------------- */

typedef struct Play {
    const RivalSpace *space;
    const Neighbourhood *near;
    size_t count; /* points */
    gsl_rng *random;
    Arena *scratch, *arena;
    size_t *around;       /* neighbours of the point looked at last */
    double now, *free_at; /* of each worker */
    double *ready;        /* per point: when it is compiled; INFINITY: not requested */
    bool *paid;           /* per point */
    bool *code_paid;      /* per place: its code was timed */
    size_t timings;       /* points paid for */
    double best, goal;    /* times per work */
    VEC(ReplayStep) steps;
} Play;

static bool play_over(const Play *p)
{
    return p->best <= p->goal || p->timings == p->count;
}

static void start(Play *p, size_t i)
{
    size_t first = 0;
    if (p->ready[i] < INFINITY)
        return;
    for (size_t w = 1; w < p->space->workers; w++)
        if (p->free_at[w] < p->free_at[first])
            first = w;
    double from = fmax(p->now, p->free_at[first]);
    p->ready[i] = p->free_at[first] = from + p->space->compile_s[p->space->places[i]];
}

/* Starts compiling the entries of an independent list from `k` on, as many as there are workers. */
static void look_ahead(Play *p, const size_t *list, size_t count, size_t k)
{
    for (size_t j = k; j < count && j < k + p->space->workers; j++)
        start(p, list[j]);
}

static double time_at(const Play *p, size_t place)
{
    const ReplayRow *x = &p->space->rows->at[place];
    return isnan(x->ms) || x->code.failed ? INFINITY : x->ms / x->work;
}

/* The time of a point, infinite if it fails; the first call pays for it. */
static double play_time(Play *p, size_t i)
{
    const ReplayRows *r = p->space->rows;
    size_t place = p->space->places[i], code = r->at[place].code.same_as;
    double ms = time_at(p, place);
    if (p->paid[i])
        return ms;
    start(p, i);
    p->now = fmax(p->now, p->ready[i]);
    if (!r->at[place].code.failed && !p->code_paid[code])
        p->now += replay_trial_seconds(r, place, p->best);
    p->code_paid[code] = p->paid[i] = true;
    p->timings++;
    if (ms < p->best) {
        p->best = ms;
        ReplayStep step = {p->now, ms, place, p->timings, p->timings};
        VEC_PUSH(p->arena, &p->steps, step);
    }
    return ms;
}

static size_t below(Play *p, size_t n)
{
    return (size_t)gsl_rng_uniform_int(p->random, (unsigned long)n);
}

/* A random point not paid for yet, so that a restart always learns something. */
static size_t fresh_point(Play *p)
{
    size_t i = below(p, p->count);
    for (size_t k = 0; k < p->count && p->paid[i]; k++)
        i = (i + 1) % p->count;
    return i;
}

/* A random neighbour; SIZE_MAX: there is none. */
static size_t random_neighbour(Play *p, size_t at)
{
    const size_t n = neighbourhood_list(p->near, at, p->around);
    return n > 0 ? p->around[below(p, n)] : SIZE_MAX;
}

/* Gives one parameter the value of a random point. */
static void mutate(Play *p, uint32_t *numbers)
{
    size_t n = p->near->parameter_count, k = below(p, n);
    numbers[k] = p->near->number[below(p, p->count) * n + k];
}

/* Whether to move to a point: a slower one is accepted the more rarely, the slower it is and the colder. */
static bool accepts(Play *p, double there, double ms, double heat)
{
    return there <= ms || gsl_rng_uniform(p->random) < exp(-(there / ms - 1) / heat);
}

/* Puts a point into an ascending list with room for `room`; the last one falls out. Returns the count. */
static size_t rank(Ranked *list, size_t count, size_t room, Ranked x)
{
    size_t k = count < room ? count++ : room;
    for (; k > 0 && x.key < list[k - 1].key; k--)
        if (k < room)
            list[k] = list[k - 1];
    if (k < room)
        list[k] = x;
    return count;
}

/* --- strategies ------------------------------------------------------------------------------- */

static void play_random(Play *p)
{
    size_t *order = ARENA_ARRAY(p->scratch, size_t, p->count);
    for (size_t i = 0; i < p->count; i++)
        order[i] = i;
    gsl_ran_shuffle(p->random, order, p->count, sizeof *order);
    for (size_t i = 0; !play_over(p); i++) {
        look_ahead(p, order, p->count, i);
        play_time(p, order[i]);
    }
}

/* The first better neighbour in random order; the point itself if there is none. */
static size_t better_neighbour(Play *p, size_t at, double ms)
{
    const size_t n = neighbourhood_list(p->near, at, p->around);
    if (n > 1)
        gsl_ran_shuffle(p->random, p->around, n, sizeof *p->around);
    for (size_t k = 0; k < n && !play_over(p); k++) {
        look_ahead(p, p->around, n, k);
        if (play_time(p, p->around[k]) < ms)
            return p->around[k];
    }
    return at;
}

static void play_greedy(Play *p)
{
    while (!play_over(p)) {
        size_t at = fresh_point(p), to = at;
        double ms = play_time(p, at);
        do {
            at = to;
            to = better_neighbour(p, at, ms);
            ms = play_time(p, to);
        } while (to != at && !play_over(p));
        arena_reset(p->scratch);
    }
}

/* The temperature is relative to the current time: at first a neighbour that is 50 % slower is accepted with
 * probability 1/e, at the end of a cooling hardly ever. */
static void play_annealing(Play *p)
{
    enum { STEPS = 400 };
    static const double hot = 0.5, cold = 0.005;
    while (!play_over(p)) {
        size_t at = fresh_point(p);
        double ms = play_time(p, at);
        for (int k = 0; k < STEPS && !play_over(p); k++) {
            size_t to = random_neighbour(p, at);
            if (to == SIZE_MAX)
                break;
            double there = play_time(p, to);
            if (accepts(p, there, ms, hot * pow(cold / hot, (double)k / STEPS))) {
                at = to;
                ms = there;
            }
        }
    }
}

/* Uniform crossover; one child in ten gets one value of a random point.  Invalid or known children are drawn
 * again, and replaced by a fresh point after a few failures. */
static size_t child_of(Play *p, size_t mother, size_t father)
{
    enum { TRIES = 8 };
    size_t n = p->near->parameter_count;
    const uint32_t *number = p->near->number;
    uint32_t *child_numbers = ARENA_ARRAY(p->scratch, uint32_t, n);
    for (int t = 0; t < TRIES; t++) {
        unsigned long coins = 0;
        for (size_t k = 0; k < n; k++, coins >>= 1) {
            if (k % 32 == 0) /* the generator gives 32 fair bits */
                coins = gsl_rng_get(p->random);
            child_numbers[k] = number[(coins & 1 ? mother : father) * n + k];
        }
        if (n > 0 && below(p, 10) == 0)
            mutate(p, child_numbers);
        size_t child = neighbourhood_find(p->near, child_numbers);
        if (child != SIZE_MAX && !p->paid[child])
            return child;
    }
    return fresh_point(p);
}

enum { POPULATION = 20 };

static size_t tournament(Play *p, const size_t *population)
{
    size_t a = population[below(p, POPULATION)], b = population[below(p, POPULATION)];
    return play_time(p, a) <= play_time(p, b) ? a : b;
}

static void time_all(Play *p, const size_t *list, size_t count)
{
    for (size_t k = 0; k < count && !play_over(p); k++) {
        look_ahead(p, list, count, k);
        play_time(p, list[k]);
    }
}

static void play_genetic(Play *p)
{
    size_t population[POPULATION], mothers[POPULATION], children[POPULATION];
    for (int k = 0; k < POPULATION; k++)
        population[k] = fresh_point(p);
    time_all(p, population, POPULATION);
    while (!play_over(p)) {
        for (int k = 0; k < POPULATION; k++) {
            mothers[k] = tournament(p, population);
            children[k] = child_of(p, mothers[k], tournament(p, population));
        }
        time_all(p, children, POPULATION);
        for (int k = 0; k < POPULATION && !play_over(p); k++) {
            /* A child replaces its mother only if it is faster. */
            bool better = play_time(p, children[k]) < play_time(p, mothers[k]);
            population[k] = better ? children[k] : mothers[k];
        }
        arena_reset(p->scratch);
    }
}

/* A valid point near `numbers`: they themselves, else after replacing parameters by values of valid points,
 * else a fresh point. */
static size_t repaired(Play *p, uint32_t *numbers)
{
    enum { TRIES = 16 };
    size_t n = p->near->parameter_count, at = neighbourhood_find(p->near, numbers);
    for (int t = 0; t < TRIES && at == SIZE_MAX && n > 0; t++) {
        mutate(p, numbers);
        at = neighbourhood_find(p->near, numbers);
    }
    return at == SIZE_MAX ? fresh_point(p) : at;
}

enum { PACK = 8, STAGNATION = 80 };

/* Each value comes from one of the three leaders or the wolf itself; one value jumps with probability
 * `shake`, which falls during the search.  Points that are paid for are tabu. */
static size_t step_of(Play *p, const Ranked *pack, size_t wolf, double shake)
{
    enum { TRIES = 8 };
    size_t n = p->near->parameter_count, to = SIZE_MAX;
    const uint32_t *number = p->near->number;
    uint32_t *numbers = ARENA_ARRAY(p->scratch, uint32_t, n);
    for (int t = 0; t < TRIES; t++) {
        for (size_t k = 0; k < n; k++) {
            size_t from = below(p, 4);
            numbers[k] = number[pack[from < 3 ? from : wolf].at * n + k];
        }
        if (n > 0 && gsl_rng_uniform(p->random) < shake)
            mutate(p, numbers);
        to = repaired(p, numbers);
        if (!p->paid[to])
            return to;
    }
    to = random_neighbour(p, to);
    return to == SIZE_MAX || p->paid[to] ? fresh_point(p) : to;
}

/* Fills places of the pack, from `first` up or down, with fresh points. */
static void recruit(Play *p, Ranked *first, int step, int count)
{
    size_t fresh[PACK] = {0};
    for (int k = 0; k < count; k++)
        fresh[k] = fresh_point(p);
    time_all(p, fresh, (size_t)count);
    for (int k = 0; k < count && !play_over(p); k++)
        first[k * step] = (Ranked){play_time(p, fresh[k]), fresh[k]};
}

static void play_grey_wolf(Play *p)
{
    static const double shake_first = 0.4, shake_last = 0.1, hot = 0.3;
    Ranked pack[PACK];
    size_t moves = 0; /* since the best time last fell */
    recruit(p, pack, 1, PACK);
    while (!play_over(p)) {
        size_t to[PACK];
        double part = fmin(1, (double)p->timings / 200), best = p->best;
        for (size_t k = 0; k < PACK; k++)
            rank(pack, k, PACK, pack[k]);
        for (size_t k = 3; k < PACK; k++)
            to[k - 3] = step_of(p, pack, k, shake_first + part * (shake_last - shake_first));
        time_all(p, to, PACK - 3);
        for (size_t k = 3; k < PACK && !play_over(p); k++) {
            double there = play_time(p, to[k - 3]);
            if (accepts(p, there, pack[k].key, hot * (1.01 - part)))
                pack[k] = (Ranked){there, to[k - 3]};
            moves = p->best < best ? 0 : moves + 1;
        }
        if (moves >= STAGNATION) {
            recruit(p, pack + PACK - 1, -1, PACK / 3);
            moves = 0;
        }
        arena_reset(p->scratch);
    }
}

enum { WAYS = 4, POOL = 8, ELITE = 5, RESTART = 100 };

/* What a neighbourhood search has learned. */
typedef struct Memory {
    size_t *known, known_count;
    Ranked elite[ELITE];
    size_t elite_count;
} Memory;

/* Times a point and keeps it in mind. */
static double learn_of(Play *p, Memory *m, size_t i)
{
    double ms = play_time(p, i);
    m->known[m->known_count++] = i;
    m->elite_count = rank(m->elite, m->elite_count, ELITE, (Ranked){ms, i});
    return ms;
}

/* A surrogate: the mean time of the 5 known points with the smallest Hamming distance. */
static double surrogate(Play *p, const Memory *m, size_t i)
{
    enum { NEAREST = 5 };
    size_t n = p->near->parameter_count, found = 0;
    Ranked nearest[NEAREST];
    double sum = 0;
    for (size_t j = 0; j < m->known_count; j++) {
        size_t d = 0;
        for (size_t k = 0; k < n; k++)
            d += p->near->number[i * n + k] != p->near->number[m->known[j] * n + k];
        found = rank(nearest, found, NEAREST, (Ranked){(double)d, m->known[j]});
    }
    for (size_t k = 0; k < found; k++)
        sum += fmin(play_time(p, nearest[k].at), 1e3 * p->best);
    return found > 0 ? sum / (double)found : 0;
}

/* A candidate of one of the neighbourhoods: one, two or three parameters differ, or every value comes from
 * the elite. */
static size_t candidate_by(Play *p, int way, size_t at, const Memory *m)
{
    size_t n = p->near->parameter_count;
    uint32_t *numbers = ARENA_ARRAY(p->scratch, uint32_t, n);
    if (way == 3 && m->elite_count > 1) {
        for (size_t k = 0; k < n; k++)
            numbers[k] = p->near->number[m->elite[below(p, m->elite_count)].at * n + k];
        return repaired(p, numbers);
    }
    for (int k = 0; k <= way; k++) {
        size_t to = random_neighbour(p, at);
        at = to == SIZE_MAX ? fresh_point(p) : to;
    }
    return at;
}

/* Roulette selection of a neighbourhood by its weight. */
static int choose_way(Play *p, const double *weight)
{
    double all = 0, at;
    for (int k = 0; k < WAYS; k++)
        all += weight[k];
    at = all * gsl_rng_uniform(p->random);
    for (int k = 0; k < WAYS - 1; k++)
        if ((at -= weight[k]) < 0)
            return k;
    return WAYS - 1;
}

/* The unpaid candidate of a pool with the best surrogate value. */
static size_t screened(Play *p, int way, size_t at, const Memory *m)
{
    Ranked best = {INFINITY, SIZE_MAX};
    for (int k = 0; k < POOL; k++) {
        size_t i = candidate_by(p, way, at, m);
        rank(&best, 1, 1, (Ranked){p->paid[i] ? INFINITY : surrogate(p, m, i), i});
    }
    arena_reset(p->scratch);
    return best.at == SIZE_MAX ? fresh_point(p) : best.at;
}

static void play_neighbourhoods(Play *p)
{
    static const double cooling = 0.995, learn = 0.1;
    double weight[WAYS] = {1, 1, 1, 1}, heat = 1;
    Memory m = {.known = ARENA_ARRAY(p->arena, size_t, p->count)};
    size_t at = fresh_point(p), moves = 0;
    double ms = learn_of(p, &m, at);
    while (!play_over(p)) {
        int way = choose_way(p, weight);
        size_t to = screened(p, way, at, &m);
        double best = p->best, there = learn_of(p, &m, to);
        weight[way] = fmax(0.1, (1 - learn) * weight[way] + learn * (there < ms ? 4 : 0));
        bool accept = accepts(p, there, ms, fmax(heat, 1e-3));
        heat *= cooling;
        moves = p->best < best ? 0 : moves + 1;
        if (moves < RESTART && !accept)
            continue;
        at = to;
        ms = there;
        if (moves >= RESTART && !play_over(p)) {
            at = fresh_point(p);
            ms = play_time(p, at);
            m.known[m.known_count++] = at;
            moves = 0;
            heat = 1;
        }
    }
}

/* --- names ------------------------------------------------------------------------------------ */

static const struct {
    const char *name, *meaning;
    void (*play)(Play *p);
} strategies[RIVAL_KINDS] = {
    [RIVAL_RANDOM] = {"random", "without replacement", play_random},
    [RIVAL_GREEDY] = {"greedy",
                      "first better neighbour in random order, random restart when there is "
                      "none",
                      play_greedy},
    [RIVAL_ANNEALING] = {"annealing",
                         "random neighbours, worse ones accepted ever more rarely, 400 steps per "
                         "cooling",
                         play_annealing},
    [RIVAL_GENETIC] = {"genetic",
                       "population 20, tournaments of two, uniform crossover, one child in ten "
                       "mutated",
                       play_genetic},
    [RIVAL_GREY_WOLF] =
        {"grey wolf",
         "adaptive tabu grey wolf: a pack of 8, values from three leaders or the "
         "wolf itself, jumps that grow rare, nothing visited twice, a third replaced "
         "after 80 moves without gain",
         play_grey_wolf},
    [RIVAL_NEIGHBOURHOODS] = {"neighbourhoods",
                              "variable neighbourhood search: one to three parameters or the "
                              "elite's values, chosen by past gain, the best of 8 by the 5 "
                              "nearest known points, annealed, restarted after 100 without gain",
                              play_neighbourhoods},
};

const char *rival_name(RivalKind k)
{
    return strategies[k].name;
}

const char *rival_meaning(RivalKind k)
{
    return strategies[k].meaning;
}

ReplayResult rival_play(Arena *a, const RivalSpace *space, RivalKind kind, unsigned long seed,
                        double goal)
{
    size_t n = space->near->count;
    Play p = {.space = space,
              .near = space->near,
              .count = n,
              .random = gsl_rng_alloc(gsl_rng_mt19937),
              .scratch = arena_new(),
              .arena = a,
              .around = ARENA_ARRAY(a, size_t, space->near->most),
              .free_at = ARENA_ARRAY(a, double, space->workers),
              .ready = ARENA_ARRAY(a, double, n),
              .paid = ARENA_ARRAY(a, bool, n),
              .code_paid = ARENA_ARRAY(a, bool, n),
              .best = INFINITY,
              .goal = goal};
    for (size_t i = 0; i < n; i++)
        p.ready[i] = INFINITY;
    gsl_rng_set(p.random, seed + 1);
    strategies[kind].play(&p);
    gsl_rng_free(p.random);
    arena_free(p.scratch);
    return (ReplayResult){.steps = p.steps.at,
                          .step_count = p.steps.count,
                          .timed_count = p.timings,
                          .compiled_count = p.timings,
                          .seconds = p.now};
}
