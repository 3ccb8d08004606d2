/* What of a run is searched: points of a space without a list, and what a recording has of one. */
#include "tests/support/opened_run.h"
#include "tuner/run/run_search.h"

#include <gsl/gsl_rng.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static void points_of_a_space_without_a_list_are_drawn_and_judged(void **state)
{
    (void)state;
    Arena *a = arena_new();
    Run *r = opened_unlisted(a);
    Searched q;
    gsl_rng *random = gsl_rng_alloc(gsl_rng_mt19937);

    searched_open(&q, r, NULL);

    assert_int_equal(q.space.parameters, 2);
    assert_int_equal(q.space.values[0], 400);
    assert_true(q.space.size == 399 * 400);
    assert_false(q.space.valid(q.space.context, (uint16_t[]){7, 0}));
    assert_true(q.space.valid(q.space.context, (uint16_t[]){0, 7}));
    uint16_t least = 399, most = 0;
    for (int i = 0; i < 200; i++) {
        uint16_t point[2];
        assert_true(q.space.draw(q.space.context, random, point));
        assert_int_not_equal(point[0], 7);
        least = point[1] < least ? point[1] : least;
        most = point[1] > most ? point[1] : most;
    }
    assert_true(least < 40 && most > 360); /* missed by a fair draw once in 10^9 */
    gsl_rng_free(random);
    arena_free(q.scratch);
    run_close(r);
    arena_free(a);
}

/* Rows in any order, one twice, one that is no configuration. */
static void a_replay_of_such_a_space_has_what_is_recorded(void **state)
{
    (void)state;
    Arena *a = arena_new();
    Run *r = opened_unlisted(a);
    const RecordParameter parameters[] = {{"B", false}, {"A", false}};
    const Value rows[][2] = {{value_int(5), value_int(9)},
                             {value_int(3), value_int(0)},
                             {value_int(5), value_int(9)},
                             {value_int(0), value_int(7)},
                             {value_int(2), value_int(1)}};
    TimesRecording t = {.header = {.parameters = parameters, .parameter_count = 2}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        RecordRow row = {.values = rows[i]};
        VEC_PUSH(a, &t.rows, row);
    }
    r->recorded.times = &t;

    run_list_recorded(r);

    assert_int_equal(r->space.count, 3);
    assert_int_equal(r->space.ranks[0], 3);
    assert_int_equal(r->space.ranks[1], 1 * 400 + 2);
    assert_int_equal(r->space.ranks[2], 9 * 400 + 5);
    run_close(r);
    arena_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_of_a_space_without_a_list_are_drawn_and_judged),
        cmocka_unit_test(a_replay_of_such_a_space_has_what_is_recorded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
