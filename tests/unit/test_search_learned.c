/* What recordings of like spaces teach: by names and values, and what a search makes of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tuner/choose/learned.h"
#include "tuner/choose/replay.h"

#include <gsl/gsl_rng.h>
#include <math.h>
#include <string.h>

static TableParameter parameter(Arena *a, const char *name, size_t count, const int64_t *values)
{
    TableParameter p = {.name = name, .kind = VALUE_INT, .values = {count, NULL}};
    Value *at = ARENA_ARRAY(a, Value, count);
    for (size_t i = 0; i < count; i++)
        at[i] = value_int(values[i]);
    p.values.at = at;
    return p;
}

static Table *table_with(Arena *a, const TableParameter *parameters, size_t count)
{
    Table *t = table_new(a);
    t->name = "other";
    t->parameter_count = count;
    t->parameters = ARENA_ARRAY(a, TableParameter, count);
    memcpy(t->parameters, parameters, count * sizeof *parameters);
    return t;
}

static void add(Table *t, const uint32_t *values, double ms)
{
    size_t row = table_add(t, t->count);
    memcpy(t->values + row * t->parameter_count, values, t->parameter_count * sizeof *values);
    t->ms[row] = ms;
}

static const size_t both[] = {0, 1};

/* Ours: A in 8, 16, 32 and B in 1, 2; theirs: B in 2, 4, X in 0, 1 and A in 16, 32, 64. */
static void parameters_are_known_by_their_names_and_values(void **state)
{
    (void)state;
    Arena *a = arena_new();
    const int64_t eight[] = {8, 16, 32}, one[] = {1, 2}, two[] = {2, 4}, zero[] = {0, 1},
                  sixteen[] = {16, 32, 64};
    const TableParameter own[] = {parameter(a, "A", 3, eight), parameter(a, "B", 2, one)};
    const TableParameter theirs[] = {parameter(a, "B", 2, two), parameter(a, "X", 2, zero),
                                     parameter(a, "A", 3, sixteen)};
    Table *t = table_with(a, theirs, 3);
    add(t, (uint32_t[]){0, 0, 1}, 8); /* A=32 B=2 */
    add(t, (uint32_t[]){0, 1, 1}, 4); /* the same but for X: the fastest counts */
    add(t, (uint32_t[]){0, 0, 0}, 2); /* A=16 B=2 */
    add(t, (uint32_t[]){1, 0, 2}, 1); /* A=64 B=4: the best, and no point here */
    add(t, (uint32_t[]){1, 0, 0}, NAN);
    Learned *l = learned_new(a, own, both, 2);
    size_t shared, starters;
    assert_int_equal(learned_add(l, t, &shared), 3);
    assert_int_equal(shared, 2);
    const uint16_t points[] = {1, 1, 2, 1, 0, 0};
    double means[3];
    learned_means(l, points, 3, means);
    assert_true(fabs(means[0] - log(2)) < 1e-12);
    assert_true(fabs(means[1] - log(4)) < 1e-12);
    assert_true(means[2] >= 0); /* was not timed there */
    /* Both points differ in one parameter alone: the faster one is asked for first. */
    const uint16_t *first = learned_starters(l, &starters);
    assert_int_equal(starters, 1);
    assert_memory_equal(first, points, 2 * sizeof *points);
    arena_free(a);
}

static void one_parameter_in_common_is_enough(void **state)
{
    (void)state;
    Arena *a = arena_new();
    const int64_t some[] = {1, 2};
    const TableParameter own[] = {parameter(a, "A", 2, some), parameter(a, "B", 2, some)};
    Table *t = table_with(a, own + 1, 1);
    add(t, (uint32_t[]){0}, 3);
    add(t, (uint32_t[]){1}, 6);
    Learned *l = learned_new(a, own, both, 2);
    size_t shared;
    double means[2];

    assert_int_equal(learned_add(l, t, &shared), 2);

    assert_int_equal(shared, 1);
    learned_means(l, (uint16_t[]){0, 0, 1, 1}, 2, means); /* whatever A is */
    assert_true(fabs(means[1] - means[0] - log(2)) < 1e-12);
    arena_free(a);
}

/* Nine points of 1 to 9 times the least: each is found again by both of its values. */
static void what_was_timed_there_is_found_by_all_its_values(void **state)
{
    (void)state;
    Arena *a = arena_new();
    const int64_t some[] = {1, 2, 3};
    const TableParameter own[] = {parameter(a, "A", 3, some), parameter(a, "B", 3, some)};
    Table *t = table_with(a, own, 2);
    uint16_t points[18];
    for (uint32_t i = 0; i < 9; i++) {
        points[2 * i] = (uint16_t)(i / 3);
        points[2 * i + 1] = (uint16_t)(i % 3);
        add(t, (uint32_t[]){i / 3, i % 3}, 0.5 * (double)(1 + 2 * i % 9));
    }
    Learned *l = learned_new(a, own, both, 2);
    size_t shared;
    double means[9];
    assert_int_equal(learned_add(l, t, &shared), 9);
    learned_means(l, points, 9, means);
    for (uint32_t i = 0; i < 9; i++)
        assert_true(fabs(means[i] - log((double)(1 + 2 * i % 9))) < 1e-12);
    arena_free(a);
}

static void what_shares_nothing_or_has_no_time_teaches_nothing(void **state)
{
    (void)state;
    Arena *a = arena_new();
    const int64_t some[] = {1, 2};
    const TableParameter own[] = {parameter(a, "A", 2, some), parameter(a, "B", 2, some)};
    const TableParameter strange[] = {parameter(a, "C", 2, some)};
    Table *t = table_with(a, strange, 1), *failed = table_with(a, own, 2);
    add(t, (uint32_t[]){0}, 1);
    add(failed, (uint32_t[]){0, 1}, NAN);
    Learned *l = learned_new(a, own, both, 2);
    size_t shared, starters;
    double mean;
    assert_int_equal(learned_add(l, t, &shared), 0);
    assert_int_equal(shared, 0);
    assert_int_equal(learned_add(l, failed, &shared), 0);
    assert_int_equal(shared, 2);
    learned_means(l, (uint16_t[]){0, 1}, 1, &mean);
    assert_true(mean == 0);
    learned_starters(l, &starters);
    assert_int_equal(starters, 0);
    arena_free(a);
}

/* --- a search ----------------------------------------------------------------------------------- */

enum { PARAMETERS = 5, VALUES = 6, POINTS = 7776 };

/* `size` moves the best values, and what is far from them costs more. */
static double made_up_ms(const uint16_t *v, double size)
{
    double ms = size;
    for (size_t p = 0; p < PARAMETERS; p++) {
        double off = v[p] - (double)(p % VALUES) - 0.3 * (size - 1);
        ms *= 1 + 0.08 * off * off / (double)(p + 1);
    }
    return ms * (1 + 0.05 * fabs((double)v[0] - (double)v[1]));
}

typedef struct Made {
    ReplayRows rows;
    double best;
    TableParameter parameters[PARAMETERS];
} Made;

static void point_of(size_t i, uint16_t *v)
{
    for (size_t p = PARAMETERS; p-- > 0; i /= VALUES)
        v[p] = (uint16_t)(i % VALUES);
}

static void make(Arena *a, Made *m)
{
    static const char *const names[] = {"A", "B", "C", "D", "E"};
    static const int64_t numbers[] = {1, 2, 3, 4, 5, 6};
    size_t *values = ARENA_ARRAY(a, size_t, PARAMETERS);
    uint64_t *ranks = ARENA_ARRAY(a, uint64_t, POINTS);
    ReplayRow *at = ARENA_ARRAY(a, ReplayRow, POINTS);
    m->best = INFINITY;
    for (size_t p = 0; p < PARAMETERS; p++) {
        values[p] = VALUES;
        m->parameters[p] = parameter(a, names[p], VALUES, numbers);
    }
    for (size_t i = 0; i < POINTS; i++) {
        uint16_t v[PARAMETERS];
        point_of(ranks[i] = i, v);
        at[i] = (ReplayRow){
            .code = {.predicted = NAN, .same_as = i}, .ms = made_up_ms(v, 1), .work = 1};
        m->best = fmin(m->best, at[i].ms);
    }
    m->rows = (ReplayRows){.space = {.parameters = PARAMETERS,
                                     .values = values,
                                     .ranks = ranks,
                                     .count = POINTS,
                                     .size = POINTS},
                           .at = at};
}

/* 200 random times at another size; `sign` -1: what was fast there is slow here. */
static const Learned *learn(Arena *a, const Made *m, double sign)
{
    static const size_t all[] = {0, 1, 2, 3, 4};
    gsl_rng *random = gsl_rng_alloc(gsl_rng_mt19937);
    Table *t = table_with(a, m->parameters, PARAMETERS);
    Learned *l = learned_new(a, m->parameters, all, PARAMETERS);
    size_t shared;
    for (int k = 0; k < 200; k++) {
        uint16_t v[PARAMETERS];
        uint32_t wide[PARAMETERS];
        point_of(gsl_rng_uniform_int(random, POINTS), v);
        for (size_t p = 0; p < PARAMETERS; p++)
            wide[p] = v[p];
        add(t, wide, pow(made_up_ms(v, 1.5), sign));
    }
    gsl_rng_free(random);
    assert_true(learned_add(l, t, &shared) > 0);
    return l;
}

/* Seconds of the cost model until 1 %, of all seeds. */
static double seconds_with(Arena *a, const Made *m, const Learned *learned)
{
    double sum = 0;
    for (unsigned long seed = 0; seed < 4; seed++) {
        ReplayOptions o = {.search = {.seed = seed, .workers = 4, .learned = learned}, .gpus = 1};
        ReplayResult r = replay_search(a, &m->rows, &o);
        assert_true(replay_best_at(&r, INFINITY) <= 1.01 * m->best);
        sum += replay_seconds_to(&r, 1.01 * m->best);
    }
    return sum;
}

static void a_search_begins_with_it_and_is_not_misled_by_it(void **state)
{
    (void)state;
    Arena *a = arena_new();
    Made m;
    make(a, &m);
    double cold = seconds_with(a, &m, NULL), learned = seconds_with(a, &m, learn(a, &m, 1));
    seconds_with(a, &m, learn(a, &m, -1)); /* finds the best all the same */
    assert_true(learned < 0.85 * cold);
    arena_free(a);
}

/* Three of those are tried, since one of four is too near to a faster one. */
static void what_was_fastest_elsewhere_is_compiled_and_timed_first(void **state)
{
    (void)state;
    Arena *a = arena_new();
    static const size_t all[] = {0, 1, 2, 3, 4};
    Made m;
    make(a, &m);
    Table *t = table_with(a, m.parameters, PARAMETERS);
    add(t, (uint32_t[]){5, 0, 0, 0, 0}, 3);
    add(t, (uint32_t[]){0, 5, 5, 0, 0}, 1);
    add(t, (uint32_t[]){0, 5, 4, 0, 0}, 2);
    add(t, (uint32_t[]){1, 2, 3, 4, 5}, 4);
    Learned *l = learned_new(a, m.parameters, all, PARAMETERS);
    size_t shared, number;
    learned_add(l, t, &shared);
    static const uint16_t first[3][PARAMETERS] = {
        {0, 5, 5, 0, 0}, {5, 0, 0, 0, 0}, {1, 2, 3, 4, 5}};
    Search *s = search_new(&m.rows.space, &(SearchOptions){.workers = 1, .learned = l});

    for (size_t k = 0; k < 5; k++) {
        assert_true(search_next_compile(s, &number));
        assert_int_equal(number, k);
        if (k < 3)
            assert_memory_equal(search_point(s, k), first[k], sizeof first[k]);
        const SearchCompiled c = {.predicted = 9 - (double)k, .same_as = SIZE_MAX};
        search_compiled(s, k, &c);
    }
    for (size_t k = 0; k < 3; k++) {
        assert_true(search_next_trial(s, &number));
        assert_int_equal(number, k);
        search_timed(s, k, 5 + (double)k);
    }
    search_free(s);
    arena_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parameters_are_known_by_their_names_and_values),
        cmocka_unit_test(one_parameter_in_common_is_enough),
        cmocka_unit_test(what_was_timed_there_is_found_by_all_its_values),
        cmocka_unit_test(what_shares_nothing_or_has_no_time_teaches_nothing),
        cmocka_unit_test(what_was_fastest_elsewhere_is_compiled_and_timed_first),
        cmocka_unit_test(a_search_begins_with_it_and_is_not_misled_by_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
