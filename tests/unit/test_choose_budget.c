/* Which points go first where not all can be timed, and how many that are. */
#include "metrics/base/stats.h"
#include "tuner/choose/carve.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

enum { POINTS = 6 };

static void assert_order(const Criterion *order, size_t count, const size_t *expected)
{
    size_t points[POINTS];
    for (size_t i = 0; i < POINTS; i++)
        points[i] = POINTS - 1 - i;
    stats_order(points, POINTS, order, count);
    assert_memory_equal(points, expected, sizeof points);
}

static void the_best_come_first_and_the_unknown_last(void **state)
{
    (void)state;
    static const double first[POINTS] = {3, NAN, 1, 3, 2, NAN};
    static const double second[POINTS] = {5, 1, 9, 4, 9, 2};
    const Criterion down = {.values = first}, up = {.values = first, .up = true};
    const Criterion both[] = {{.values = first}, {.values = second}};

    assert_order(&down, 1, (const size_t[]){2, 4, 0, 3, 1, 5});
    assert_order(&up, 1, (const size_t[]){0, 3, 4, 2, 1, 5});
    assert_order(both, 2, (const size_t[]){2, 4, 3, 0, 1, 5});
}

/* All of four, four of forty, a tenth up to forty, then forty up to a hundredth. */
static void budgets_grow_with_the_space(void **state)
{
    (void)state;
    static const size_t table[][2] = {{0, 0},     {3, 3},     {4, 4},     {39, 4},
                                      {49, 4},    {50, 5},    {399, 39},  {400, 40},
                                      {4000, 40}, {4099, 40}, {4100, 41}, {10768, 107}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        assert_int_equal(budget_default(table[i][0]), table[i][1]);
    assert_int_equal(budget_polish(40), 13);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_best_come_first_and_the_unknown_last),
                                       cmocka_unit_test(budgets_grow_with_the_space)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
