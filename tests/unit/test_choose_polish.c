/* What polish times, and how much: budgets that nobody said, and choices after times. */
#include "tuner/choose/carve.h"
#include "tuner/choose/polish.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static void the_default_budget_is_within_what_is_promised(void **state)
{
    (void)state;

    for (size_t n = 40; n < 20000; n++) {
        double most = fmax(0.01 * (double)n, fmin(40, 0.1 * (double)n));
        assert_true((double)budget_default(n) <= most);
        assert_true((double)budget_default(n) > most - 1);
        assert_true(budget_default(n) >= budget_default(n - 1));
    }
}

static void the_smallest_spaces_get_four_or_all(void **state)
{
    (void)state;

    assert_int_equal(budget_default(0), 0);
    assert_int_equal(budget_default(1), 1);
    assert_int_equal(budget_default(3), 3);
    assert_int_equal(budget_default(4), 4);
    assert_int_equal(budget_default(39), 4);
    assert_int_equal(budget_polish(budget_default(40)), 1);
}

static void batches_fill_the_budget_in_three_rounds_at_least(void **state)
{
    (void)state;

    for (size_t budget = 3; budget < 200; budget++) {
        size_t rounds = 0;
        for (size_t left = budget; left > 0; left -= polish_batch_size(left)) {
            assert_true(polish_batch_size(left) >= 1 && polish_batch_size(left) <= left);
            rounds++;
        }
        assert_true(rounds >= 3);
    }
}

/* --- a grid of 6 by 6: point 6 y + x ---------------------------------------------------------- */

enum { SIDE = 6, POINTS = SIDE * SIDE };

typedef struct Grid {
    double guess[POINTS], times[POINTS];
    uint32_t values[2 * POINTS];
    PosteriorInput in;
} Grid;

/* The same guess everywhere, nothing timed. */
static void grid_draw(Grid *g)
{
    for (size_t i = 0; i < POINTS; i++) {
        g->guess[i] = 100;
        g->times[i] = NAN;
        g->values[2 * i] = (uint32_t)(i % SIDE);
        g->values[2 * i + 1] = (uint32_t)(i / SIDE);
    }
    g->in = (PosteriorInput){g->guess, NULL, POINTS, g->values, 2};
}

static void time_point(Grid *g, Polish *p, size_t point, double time)
{
    polish_note(p, point);
    g->times[point] = time;
}

static void every_other_choice_is_a_neighbour_of_the_fastest(void **state)
{
    (void)state;
    Arena *a = arena_new();
    Grid g;
    grid_draw(&g);
    Polish p = polish_new(a, &g.in);
    time_point(&g, &p, 0, 3);
    time_point(&g, &p, 14, 1); /* x 2, y 2 */
    time_point(&g, &p, 35, 2);

    size_t batch[8], n = polish_batch(&p, g.times, batch, 8);

    assert_int_equal(n, 8);
    for (size_t k = 0; k < n; k += 2)
        assert_int_equal((batch[k] % SIDE != 2) + (batch[k] / SIDE != 2), 1);
    arena_free(a);
}

static void no_point_is_chosen_twice_and_all_are_chosen_in_the_end(void **state)
{
    (void)state;
    Arena *a = arena_new();
    Grid g;
    bool seen[POINTS] = {false}, alive[POINTS];
    grid_draw(&g);
    for (size_t i = 0; i < POINTS; i++)
        alive[i] = i % 5 != 0;
    g.in.alive = alive;
    Polish p = polish_new(a, &g.in);
    time_point(&g, &p, 7, 1);
    seen[7] = true;

    size_t batch[5], total = 1;
    for (size_t n; (n = polish_batch(&p, g.times, batch, 5)) > 0; total += n) {
        for (size_t k = 0; k < n; k++) {
            assert_false(seen[batch[k]]);
            assert_true(alive[batch[k]]);
            seen[batch[k]] = true;
            g.times[batch[k]] = 1 + (double)(batch[k] % 7);
        }
    }

    assert_int_equal(total, POINTS - 8);
    arena_free(a);
}

/* Where no time is known there is no best, and choices go by the prediction alone. */
static void failures_alone_do_not_end_polish(void **state)
{
    (void)state;
    Arena *a = arena_new();
    Grid g;
    grid_draw(&g);
    g.guess[20] = 50;
    Polish p = polish_new(a, &g.in);
    time_point(&g, &p, 0, NAN);

    size_t batch[1];

    assert_int_equal(polish_batch(&p, g.times, batch, 1), 1);
    assert_int_equal(batch[0], 20);
    arena_free(a);
}

/* Times say that column 4 is faster than predicted; the best is elsewhere, for a reason of its own.
 */
static void what_times_taught_is_used_away_from_the_best(void **state)
{
    (void)state;
    Arena *a = arena_new();
    Grid g;
    grid_draw(&g);
    Polish p = polish_new(a, &g.in);
    for (size_t i = 0; i < 3 * SIDE; i++)
        time_point(&g, &p, i, i % SIDE == 4 ? 1.0 : 1.2);
    g.times[1] = 0.95;

    size_t batch[2];

    assert_int_equal(polish_batch(&p, g.times, batch, 2), 2);
    assert_int_equal(batch[0] % SIDE, 1);
    assert_int_equal(batch[1] % SIDE, 4);
    arena_free(a);
}

/* --- the driver ------------------------------------------------------------------------------- */

/* Made-up times: a bowl around column 4, row 1; it notes who asks for what. */
typedef struct Bowl {
    size_t asked[POINTS], calls, count, most_calls; /* calls that are answered; 0: all */
} Bowl;

static double depth(size_t point)
{
    double x = (double)(point % SIDE) - 4, y = (double)(point / SIDE) - 1;
    return 1 + x * x + y * y;
}

static bool time_bowl(void *context, const size_t *points, size_t count, double *times)
{
    Bowl *b = context;
    b->calls++;
    for (size_t k = 0; k < count; k++) {
        b->asked[points[k]]++;
        times[points[k]] = depth(points[k]);
    }
    b->count += count;
    return b->most_calls == 0 || b->calls < b->most_calls;
}

static void a_budget_is_spent_to_the_last_and_finds_what_is_near(void **state)
{
    (void)state;
    Arena *a = arena_new();
    Grid g;
    bool noted[POINTS] = {false}, ok;
    Bowl b = {.calls = 0};
    grid_draw(&g);
    noted[28] = true; /* column 4, row 4 */
    g.times[28] = depth(28);

    size_t spent = polish_spend(a, &g.in, noted, g.times, 14, time_bowl, &b, &ok);

    assert_true(ok);
    assert_int_equal(spent, 14);
    assert_int_equal(b.count, 14);
    assert_true(b.calls >= 3);
    double best = depth(28);
    for (size_t i = 0; i < POINTS; i++) {
        assert_in_range(b.asked[i] + noted[i], 0, 1);
        best = b.asked[i] ? fmin(best, depth(i)) : best;
    }
    assert_true(best <= 2); /* the bottom, 1, or a step from it; the first is 10 */
    arena_free(a);
}

static void a_budget_beyond_the_space_ends_with_it(void **state)
{
    (void)state;
    Arena *a = arena_new();
    Grid g;
    bool noted[POINTS] = {false}, ok;
    Bowl b = {.calls = 0};
    grid_draw(&g);
    noted[0] = true;
    assert_int_equal(polish_spend(a, &g.in, noted, g.times, SIZE_MAX, time_bowl, &b, &ok),
                     POINTS - 1);
    assert_true(ok);
    assert_int_equal(polish_spend(a, &g.in, noted, g.times, 0, time_bowl, &b, &ok), 0);
    assert_true(ok);
    arena_free(a);
}

static void a_run_that_ends_is_not_asked_again(void **state)
{
    (void)state;
    Arena *a = arena_new();
    Grid g;
    bool noted[POINTS] = {false}, ok;
    Bowl b = {.most_calls = 2};
    grid_draw(&g);
    size_t spent = polish_spend(a, &g.in, noted, g.times, 30, time_bowl, &b, &ok);
    assert_false(ok);
    assert_int_equal(b.calls, 2);
    assert_int_equal(spent, polish_batch_size(30)); /* what was answered in full */
    arena_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_default_budget_is_within_what_is_promised),
        cmocka_unit_test(the_smallest_spaces_get_four_or_all),
        cmocka_unit_test(batches_fill_the_budget_in_three_rounds_at_least),
        cmocka_unit_test(every_other_choice_is_a_neighbour_of_the_fastest),
        cmocka_unit_test(no_point_is_chosen_twice_and_all_are_chosen_in_the_end),
        cmocka_unit_test(failures_alone_do_not_end_polish),
        cmocka_unit_test(what_times_taught_is_used_away_from_the_best),
        cmocka_unit_test(a_budget_is_spent_to_the_last_and_finds_what_is_near),
        cmocka_unit_test(a_budget_beyond_the_space_ends_with_it),
        cmocka_unit_test(a_run_that_ends_is_not_asked_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
