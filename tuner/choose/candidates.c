#include "tuner/choose/candidates.h"

#include "metrics/base/map.h"
#include "metrics/base/vec.h"

#include <gsl/gsl_randist.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Up to NEAR_MOST neighbours are all enumerated; of more, NEAR_DRAWN are drawn. */
enum { DRAWS_MOST = 1000, NEAR_MOST = 100000, NEAR_DRAWN = 10000 };
static const size_t none = SIZE_MAX;

struct Candidates {
    Arena *arena;
    SearchSpace space;
    gsl_rng *random;
    NumberMap table;   /* listed: the place of a rank in `left`; else the ranks given out */
    uint64_t *left;    /* listed: the ranks that are left, then those given out */
    size_t left_count; /* listed: of those left; else of those given out */
    Arena *scratch;    /* of one candidates_choice */
    uint16_t *choice;  /* in it: that choice … */
    NumberMap chosen;  /* … and the ranks of its points */
    uint16_t *near;    /* neighbours found */
    size_t near_room;
    uint16_t *point; /* the one that is looked at */
};

/* --- points ----------------------------------------------------------------------------------- */

static bool is_listed(const Candidates *c)
{
    return c->space.ranks != NULL;
}

uint64_t search_rank(const SearchSpace *s, const uint16_t *point)
{
    uint64_t rank = 0;
    for (size_t p = 0; p < s->parameters; p++)
        rank = rank * s->values[p] + point[p];
    return rank;
}

static void point_of(const Candidates *c, uint64_t rank, uint16_t *point)
{
    for (size_t p = c->space.parameters; p-- > 0; rank /= c->space.values[p])
        point[p] = (uint16_t)(rank % c->space.values[p]);
}

static bool is_there(const Candidates *c, const uint16_t *point)
{
    size_t number = numbers_get(&c->table, search_rank(&c->space, point));
    if (is_listed(c))
        return number != none && number < c->left_count;
    return number == none && c->space.valid(c->space.context, point);
}

Candidates *candidates_new(Arena *a, const SearchSpace *s, gsl_rng *random)
{
    Candidates *c = ARENA_NEW(a, Candidates);
    *c = (Candidates){.arena = a, .space = *s, .random = random};
    c->point = ARENA_ARRAY(a, uint16_t, s->parameters);
    c->table.arena = a;
    c->scratch = arena_new();
    if (!is_listed(c))
        return c;
    c->left = ARENA_ARRAY(a, uint64_t, s->count);
    if (s->count > 0)
        memcpy(c->left, s->ranks, s->count * sizeof *c->left);
    if (s->count > 0) /* a space may have no point left */
        gsl_ran_shuffle(random, c->left, s->count, sizeof *c->left);
    c->left_count = s->count;
    for (size_t i = 0; i < s->count; i++)
        numbers_put(&c->table, c->left[i], i);
    return c;
}

void candidates_free(Candidates *c)
{
    arena_free(c->scratch);
}

bool candidates_take(Candidates *c, const uint16_t *point)
{
    uint64_t rank = search_rank(&c->space, point);
    if (!is_there(c, point))
        return false;
    if (is_listed(c)) {
        size_t at = numbers_get(&c->table, rank);
        uint64_t last = c->left[--c->left_count];
        c->left[at] = last;
        c->left[c->left_count] = rank;
        numbers_put(&c->table, last, at);
        numbers_put(&c->table, rank, c->left_count);
    } else {
        numbers_put(&c->table, rank, c->left_count++);
    }
    return true;
}

double candidates_left(const Candidates *c)
{
    if (is_listed(c))
        return (double)c->left_count;
    return fmax(0, c->space.size - (double)c->left_count);
}

bool candidates_random(Candidates *c, uint16_t *point)
{
    if (is_listed(c)) {
        if (c->left_count == 0)
            return false;
        point_of(c, c->left[gsl_rng_uniform_int(c->random, c->left_count)], point);
        return true;
    }
    for (int i = 0; i < DRAWS_MOST; i++)
        if (c->space.draw(c->space.context, c->random, point) && is_there(c, point))
            return true;
    return false;
}

/* --- neighbours ------------------------------------------------------------------------------- */

static void add_near(Candidates *c, const uint16_t *point, size_t *count)
{
    const size_t n = c->space.parameters, size = n * sizeof *point;
    if (n == 0)
        return;
    c->near = vec_grow(c->arena, c->near, *count, &c->near_room, size);
    memcpy(c->near + (*count)++ * n, point, size);
}

/* Enumerates all changes of `distance` parameters from `first` on. */
static void find_near(Candidates *c, uint16_t *point, size_t first, int distance, size_t *count)
{
    for (size_t p = first; p < c->space.parameters; p++) {
        uint16_t was = point[p];
        for (size_t v = 0; v < c->space.values[p]; v++) {
            if (v == was)
                continue;
            point[p] = (uint16_t)v;
            if (distance > 1)
                find_near(c, point, p + 1, distance - 1, count);
            else if (is_there(c, point))
                add_near(c, point, count);
        }
        point[p] = was;
    }
}

/* The number of points at `distance` 1 or 2, valid or not. */
static double count_near(const Candidates *c, int distance)
{
    double one = 0, two = 0;
    for (size_t p = 0; p < c->space.parameters; p++) {
        const double others = (double)c->space.values[p] - 1;
        two += one * others;
        one += others;
    }
    return distance == 1 ? one : two;
}

/* Changes `distance` random parameters that have other values. */
static void draw_near(Candidates *c, const uint16_t *from, int distance, uint16_t *point)
{
    const size_t *values = c->space.values;
    memcpy(point, from, c->space.parameters * sizeof *point);
    for (int changed = 0; changed < distance;) {
        const size_t p = gsl_rng_uniform_int(c->random, c->space.parameters);
        if (values[p] < 2 || point[p] != from[p])
            continue;
        const size_t v = gsl_rng_uniform_int(c->random, values[p] - 1);
        point[p] = (uint16_t)(v + (v >= from[p]));
        changed++;
    }
}

/* Writes all neighbours at that distance to c->near, or a sample of very many; returns how many. */
static size_t all_near(Candidates *c, const uint16_t *from, int distance)
{
    const bool many = count_near(c, distance) > NEAR_MOST;
    size_t count = 0;
    if (c->space.parameters > 0)
        memcpy(c->point, from, c->space.parameters * sizeof *c->point);
    if (!many)
        find_near(c, c->point, 0, distance, &count);
    for (int i = 0; many && i < NEAR_DRAWN; i++) {
        draw_near(c, from, distance, c->point);
        if (is_there(c, c->point))
            add_near(c, c->point, &count);
    }
    return count;
}

bool candidates_neighbour(Candidates *c, const uint16_t *from, int distance, uint16_t *point)
{
    size_t count = all_near(c, from, distance), n = c->space.parameters;
    if (count == 0)
        return false;
    memcpy(point, c->near + gsl_rng_uniform_int(c->random, count) * n, n * sizeof *point);
    return true;
}

/* --- choices ---------------------------------------------------------------------------------- */

static void add_choice(Candidates *c, const uint16_t *point, size_t *count)
{
    uint64_t rank = search_rank(&c->space, point);
    size_t n = c->space.parameters;
    if (numbers_get(&c->chosen, rank) != none)
        return;
    numbers_put(&c->chosen, rank, *count);
    memcpy(c->choice + (*count)++ * n, point, n * sizeof *point);
}

/* Fills up to `most` points in all. */
static void add_random(Candidates *c, size_t most, size_t *count)
{
    for (size_t misses = 0; *count < most && misses < most;) {
        size_t before = *count;
        if (!candidates_random(c, c->point))
            break;
        add_choice(c, c->point, count);
        misses += *count == before;
    }
}

/* No neighbourhood takes more than its share of `more`. */
static void add_around(Candidates *c, size_t more, const uint16_t *around, size_t around_count,
                       size_t *count)
{
    size_t n = c->space.parameters, first = *count;
    for (size_t i = 0; i < around_count; i++)
        for (int distance = 1; distance <= 2; distance++) {
            size_t near = all_near(c, around + i * n, distance);
            if (near > 1)
                gsl_ran_shuffle(c->random, c->near, near, n * sizeof *c->near);
            for (size_t k = 0; k < near && *count - first < more / around_count * (i + 1); k++)
                add_choice(c, c->near + k * n, count);
        }
}

const uint16_t *candidates_choice(Candidates *c, size_t most, size_t drawn, const uint16_t *around,
                                  size_t around_count, size_t *count, size_t *random)
{
    size_t n = c->space.parameters;
    bool all = is_listed(c) && c->left_count <= most;
    *count = all ? c->left_count : 0;
    arena_reset(c->scratch);
    c->choice = ARENA_ARRAY(c->scratch, uint16_t, (all ? c->left_count : drawn) * n);
    c->chosen = (NumberMap){.arena = c->scratch};
    for (size_t i = 0; all && i < c->left_count; i++)
        point_of(c, c->left[i], c->choice + i * n);
    if (!all)
        add_random(c, drawn / 2, count);
    *random = *count;
    if (!all)
        add_around(c, drawn / 2, around, around_count, count);
    return c->choice;
}
