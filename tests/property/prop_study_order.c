/* Sorting, ranks, values by number and neighbours, against slow and obvious definitions. */
#include "metrics/base/stats.h"
#include "tests/support/made_table.h"
#include "tuner/study/judge.h"
#include "tuner/study/rivals.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static uint64_t next(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33;
}

/* --- order ------------------------------------------------------------------------------------ */

/* Few different values, so that many are equal; infinities and both zeros among them. */
static double any_value(uint64_t *seed)
{
    static const double odd[] = {0.0, -0.0, INFINITY, -INFINITY, 5e-324, -5e-324, 1e300};
    uint64_t kind = next(seed) % 4;
    if (kind == 0)
        return odd[next(seed) % 7];
    if (kind == 1)
        return (double)(next(seed) % 10) - 5;
    return ((double)next(seed) - 0x1p30) * 1e-3;
}

static bool stands_before(const double *v, bool down, size_t i, size_t j)
{
    if (v[i] != v[j])
        return down ? v[i] > v[j] : v[i] < v[j];
    return i < j;
}

static void every_point_stands_before_the_next(void **state)
{
    (void)state;
    uint64_t seed = 1;
    for (size_t round = 0; round < 200; round++) {
        Arena *a = arena_new();
        size_t n = next(&seed) % 300, count = 0;
        bool down = round % 2;
        double *values = ARENA_ARRAY(a, double, n);
        size_t *points = ARENA_ARRAY(a, size_t, n);
        bool *there = ARENA_ARRAY(a, bool, n);
        for (size_t i = 0; i < n; i++) {
            values[i] = any_value(&seed);
            if (next(&seed) % 4)
                points[count++] = i;
        }
        stats_order(points, count, &(Criterion){values, down}, 1);
        for (size_t k = 0; k < count; k++) {
            assert_false(there[points[k]]);
            there[points[k]] = true;
            if (k > 0)
                assert_true(stands_before(values, down, points[k - 1], points[k]));
        }
        arena_free(a);
    }
}

static void a_rank_is_the_mean_of_the_places_of_equals(void **state)
{
    (void)state;
    uint64_t seed = 2;
    for (size_t round = 0; round < 100; round++) {
        Arena *a = arena_new();
        size_t n = next(&seed) % 200;
        double *values = ARENA_ARRAY(a, double, n), *ranks = ARENA_ARRAY(a, double, n);
        for (size_t i = 0; i < n; i++)
            values[i] = any_value(&seed);
        order_ranks(a, values, n, ranks);
        for (size_t i = 0; i < n; i++) {
            size_t below = 0, equal = 0;
            for (size_t k = 0; k < n; k++) {
                below += values[k] < values[i];
                equal += values[k] == values[i];
            }
            assert_true(ranks[i] == (double)below + (double)(equal + 1) / 2);
        }
        arena_free(a);
    }
}

/* --- neighbours ------------------------------------------------------------------------------- */

enum { PARAMETERS = 4 };

/* Some of a grid with holes. */
static Table *synthetic_points(Arena *a, uint64_t *seed)
{
    Table *s = made_table(a, PARAMETERS, 5);
    for (uint32_t i = 0; i < 5 * 3 * 4 * 2; i++)
        if (next(seed) % 3)
            made_row(s, i, (uint32_t[]){i % 5, i / 5 % 3, i / 15 % 4, i / 60});
    return s;
}

static size_t difference(const Table *s, size_t i, size_t j)
{
    size_t n = 0;
    for (size_t p = 0; p < PARAMETERS; p++)
        n += s->values[i * PARAMETERS + p] != s->values[j * PARAMETERS + p];
    return n;
}

static void neighbours_are_the_points_that_differ_in_one_parameter(void **state)
{
    (void)state;
    uint64_t seed = 3;
    for (size_t round = 0; round < 30; round++) {
        Arena *a = arena_new();
        const Table *s = synthetic_points(a, &seed);
        Neighbourhood near = neighbourhood_build(a, s);
        size_t *list = ARENA_ARRAY(a, size_t, near.most);
        for (size_t i = 0; i < s->count; i++) {
            bool *met = ARENA_ARRAY(a, bool, s->count);
            size_t expected = 0;
            for (size_t j = 0; j < s->count; j++)
                expected += difference(s, i, j) == 1;
            assert_int_equal(neighbourhood_list(&near, i, list), expected);
            for (size_t k = 0; k < expected; k++) {
                size_t j = list[k];
                assert_false(met[j]);
                met[j] = true;
                assert_int_equal(difference(s, i, j), 1);
            }
        }
        arena_free(a);
    }
}

static void a_point_is_found_by_its_numbers_and_no_other_is(void **state)
{
    (void)state;
    uint64_t seed = 4;
    Arena *a = arena_new();
    const Table *s = synthetic_points(a, &seed);
    Neighbourhood near = neighbourhood_build(a, s);
    size_t absent = 0;
    for (size_t i = 0; i < s->count; i++)
        assert_int_equal(neighbourhood_find(&near, near.number + i * PARAMETERS), i);
    for (uint32_t code = 0; code < 5 * 3 * 4 * 2; code++) {
        uint32_t numbers[] = {code % 5, code / 5 % 3, code / 15 % 4, code / 60};
        size_t found = neighbourhood_find(&near, numbers);
        absent += found == SIZE_MAX;
        if (found != SIZE_MAX)
            assert_memory_equal(near.number + found * PARAMETERS, numbers, sizeof numbers);
    }
    assert_int_equal(absent, 5 * 3 * 4 * 2 - s->count);
    arena_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_point_stands_before_the_next),
        cmocka_unit_test(a_rank_is_the_mean_of_the_places_of_equals),
        cmocka_unit_test(neighbours_are_the_points_that_differ_in_one_parameter),
        cmocka_unit_test(a_point_is_found_by_its_numbers_and_no_other_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
