/* Points that a search may ask for, where parameters have very many values. */
#include "tuner/choose/candidates.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

enum { PARAMETERS = 3, AROUND = 2, DRAWN = 200 };

static size_t asked; /* how often it was asked whether a point is valid */

static bool draw(void *context, gsl_rng *random, uint16_t *point)
{
    const size_t *values = context;
    for (size_t p = 0; p < PARAMETERS; p++)
        point[p] = (uint16_t)gsl_rng_uniform_int(random, values[p]);
    return true;
}

static bool valid(void *context, const uint16_t *point)
{
    (void)context;
    asked++;
    return point[0] % 2 == 0;
}

/* Of 1.3 * 10^9 points within two parameters not all are looked at, and those given are some of them. */
static void neighbours_without_end_are_drawn(void **state)
{
    (void)state;
    size_t values[PARAMETERS] = {60000, 20000, 1};
    const SearchSpace s = {.parameters = PARAMETERS,
                           .values = values,
                           .draw = draw,
                           .valid = valid,
                           .context = values,
                           .size = 6e8};
    Arena *a = arena_new();
    gsl_rng *random = gsl_rng_alloc(gsl_rng_mt19937);
    Candidates *c = candidates_new(a, &s, random);
    const uint16_t around[AROUND * PARAMETERS] = {4, 5, 0, 59998, 19999, 0};
    size_t count, drawn;
    asked = 0;
    const uint16_t *points = candidates_choice(c, 100, DRAWN, around, AROUND, &count, &drawn);
    assert_in_range(asked, 1, 1000000);
    assert_int_equal(drawn, DRAWN / 2);
    assert_int_equal(count, DRAWN);
    for (size_t i = drawn; i < count; i++) {
        const uint16_t *at = points + i * PARAMETERS;
        assert_int_equal(at[0] % 2, 0);
        assert_true(at[0] < values[0] && at[1] < values[1] && at[2] == 0);
    }
    uint16_t near[PARAMETERS];
    for (int i = 0; i < 3; i++) {
        assert_true(candidates_neighbour(c, around, 2, near));
        assert_true(near[0] != around[0] && near[1] != around[1] && near[2] == 0);
    }
    candidates_free(c);
    gsl_rng_free(random);
    arena_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(neighbours_without_end_are_drawn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
