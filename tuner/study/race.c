#include "tuner/study/race.h"

#include "metrics/base/stats.h"

#include <gsl/gsl_sort.h>

/* --- a recording as input of a replay --------------------------------------------------------- */

/* The parameters that vary, and the rank of every row in their product. */
static SearchSpace space_of(Arena *a, const Table *t, Numbered *places)
{
    size_t *values = ARENA_ARRAY(a, size_t, t->parameter_count), parameters = 0;
    for (size_t i = 0; i < t->count; i++)
        places[i] = (Numbered){0, i};
    for (size_t p = 0; p < t->parameter_count; p++) {
        size_t n = t->parameters[p].values.count;
        if (n < 2)
            continue;
        values[parameters++] = n;
        for (size_t i = 0; i < t->count; i++)
            places[i].key = places[i].key * n + t->values[i * t->parameter_count + p];
    }
    stats_number(places, t->count);
    uint64_t *ranks = ARENA_ARRAY(a, uint64_t, t->count);
    for (size_t k = 0; k < t->count; k++)
        ranks[k] = places[k].key;
    return (SearchSpace){.parameters = parameters,
                         .values = values,
                         .ranks = ranks,
                         .count = t->count,
                         .size = (double)t->count};
}

ReplayRows played_rows(Arena *a, const Table *t, const char *guess, size_t **rows)
{
    size_t n = t->count, *place = ARENA_ARRAY(a, size_t, n), *row = ARENA_ARRAY(a, size_t, n);
    Numbered *places = ARENA_ARRAY(a, Numbered, n);
    ReplayRows r = {.space = space_of(a, t, places),
                    .at = ARENA_ARRAY(a, ReplayRow, n),
                    .by_energy = table_is_by_energy(t)};
    double *shares = ARENA_ARRAY(a, double, n *TABLE_PARTS);
    for (size_t k = 0; k < n; k++) {
        row[k] = places[k].at;
        place[row[k]] = k;
    }
    for (size_t k = 0; k < n; k++) {
        const size_t i = row[k];
        const Profile *p = table_profile(t, i);
        const TableCost cost = t->cost[i];
        const double doubt = p ? p->value[PROFILE_UNCERTAINTY] : 0;
        table_shares(t, i, shares + k * TABLE_PARTS);
        r.at[k] = (ReplayRow){.code = {.failed = table_failed_to_compile(t, i),
                                       .predicted = table_named(t, i, guess),
                                       .variance = doubt > 0 ? doubt * doubt : 0,
                                       .shares = shares + k * TABLE_PARTS,
                                       .same_as = place[t->same_as[i]]},
                              .compile_s = cost.compile_s > 0 ? cost.compile_s + cost.profile_s : 0,
                              .code_bytes = p ? p->value[PROFILE_CODE_BYTES] : 0,
                              .ms = t->ms[i],
                              .trial_s = t->trial[i].seconds,
                              .work = 1};
    }
    for (size_t k = 0; k < n; k++) {
        double *first = &r.at[r.at[k].code.same_as].ms;
        *first = fmin(*first, r.at[k].ms);
    }
    for (size_t k = 0; k < n; k++)
        r.at[k].ms = r.at[r.at[k].code.same_as].ms;
    if (rows)
        *rows = row;
    return r;
}

const size_t race_cores[RACE_CORES] = {1, 2, 8, 16};

double race_seconds(int k)
{
    return 0.1 * pow(10, k / 8.0);
}

/* What all plays on a space share. */
typedef struct Course {
    ReplayRows rows;
    Neighbourhood near;
    size_t *places; /* of each point */
    double best;
    size_t seeds;
} Course;

static Course course_of(Arena *a, const Table *s, const char *guess, size_t seeds)
{
    size_t *rows;
    Course c = {.rows = played_rows(a, s, guess, &rows),
                .near = neighbourhood_build(a, s),
                .places = ARENA_ARRAY(a, size_t, s->count),
                .best = INFINITY,
                .seeds = seeds};
    for (size_t k = 0; k < s->count; k++) {
        c.places[rows[k]] = k;
        c.best = fmin(c.best, c.rows.at[k].ms);
    }
    return c;
}

static RaceSpread spread_of(double *all, size_t n)
{
    gsl_sort(all, 1, n);
    return (RaceSpread){all[n / 2], all[9 * (n - 1) / 10], all[n - 1]}; /* median, p90, worst */
}

static double timings_to(const ReplayResult *r, double ms)
{
    for (size_t k = 0; k < r->step_count; k++)
        if (r->steps[k].ms <= ms)
            return (double)r->steps[k].timed;
    return INFINITY;
}

/* One play; `kind` RIVAL_KINDS is the default run's search. */
static ReplayResult play(Arena *a, const Course *c, int kind, size_t cores, size_t seed)
{
    RivalSpace space = {&c->near, &c->rows, c->places, NULL, cores};
    ReplayOptions o = {.search = {.seed = seed, .workers = cores}, .gpus = 1};
    if (kind == RIVAL_KINDS)
        return replay_search(a, &c->rows, &o);
    space.compile_s = replay_compile_seconds(a, &c->rows, 0, cores);
    return rival_play(a, &space, (RivalKind)kind, seed, 1.001 * c->best);
}

static void note(const Course *c, const ReplayResult *r, size_t seed, double **all)
{
    all[0][seed] = replay_seconds_to(r, 1.01 * c->best);
    all[1][seed] = replay_seconds_to(r, 1.002 * c->best);
    all[2][seed] = timings_to(r, 1.01 * c->best);
    for (int k = 0; k < RACE_TIMES; k++)
        all[3 + k][seed] = replay_best_at(r, race_seconds(k)) / c->best - 1;
}

static Race race_one(const Course *c, int kind, size_t cores)
{
    SCOPED_ARENA *a = arena_new();
    double *all[3 + RACE_TIMES];
    for (int k = 0; k < 3 + RACE_TIMES; k++)
        all[k] = ARENA_ARRAY(a, double, c->seeds);
    for (size_t seed = 0; seed < c->seeds; seed++) {
        SCOPED_ARENA *scratch = arena_new();
        ReplayResult r = play(scratch, c, kind, cores, seed);
        note(c, &r, seed, all);
    }
    bool own = kind == RIVAL_KINDS;
    Race out = {.name = own ? "search" : rival_name((RivalKind)kind),
                .meaning = own ? "the default run of aptune" : rival_meaning((RivalKind)kind),
                .cores = cores,
                .seconds_1 = spread_of(all[0], c->seeds),
                .seconds_02 = spread_of(all[1], c->seeds),
                .timings = spread_of(all[2], c->seeds)};
    for (int k = 0; k < RACE_TIMES; k++) {
        RaceSpread regret = spread_of(all[3 + k], c->seeds);
        out.regret[k] = regret.median;
        out.regret_low[k] = all[3 + k][(c->seeds - 1) / 10]; /* sorted by spread_of */
        out.regret_high[k] = regret.p90;
    }
    return out;
}

Race *race_all(Arena *a, const Table *s, const char *guess, size_t seeds, size_t *count)
{
    SCOPED_ARENA *scratch = arena_new();
    Course c = course_of(scratch, s, guess, seeds);
    Race *out = ARENA_ARRAY(a, Race, RACE_CORES * (RIVAL_KINDS + 1));
    *count = 0;
    for (int k = 0; k < RACE_CORES; k++)
        for (int kind = RIVAL_KINDS; kind >= 0; kind--)
            out[(*count)++] = race_one(&c, kind, race_cores[k]);
    return out;
}
