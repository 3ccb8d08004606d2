/* The front, its layers and its band against their definitions, on small integers with many ties.
 */
#include "tuner/choose/carving.h"
#include "tuner/choose/front.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

enum { POINTS = 40, CRITERIA = 4, ROUNDS = 1500 };

static uint64_t random_next(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

typedef struct Case {
    double values[CRITERIA][POINTS];
    bool alive[POINTS];
    Criterion criteria[CRITERIA];
    FrontInput in;
} Case;

/* Few distinct values, so that most points tie somewhere; some negative, infinite or not known. */
static void case_draw(Case *c, uint64_t *seed)
{
    size_t keys = 1 + random_next(seed) % CRITERIA;
    uint64_t spread = 1 + random_next(seed) % 12;
    for (size_t k = 0; k < keys; k++) {
        for (size_t i = 0; i < POINTS; i++) {
            uint64_t r = random_next(seed) % 100;
            double v = (double)(random_next(seed) % spread) - 2;
            c->values[k][i] = r == 0 ? NAN : r == 1 ? INFINITY : r == 2 ? -INFINITY : v;
        }
        c->criteria[k] = (Criterion){c->values[k], random_next(seed) % 2};
    }
    for (size_t i = 0; i < POINTS; i++)
        c->alive[i] = random_next(seed) % 10 > 0;
    c->in = (FrontInput){c->criteria, keys, 1 + random_next(seed) % POINTS,
                         random_next(seed) % 2 ? c->alive : NULL,
                         random_next(seed) % 2 ? FRONT_KEEP : FRONT_DROP};
}

static bool eligible(const Case *c, size_t i)
{
    for (size_t k = 0; k < c->in.criteria_count; k++) {
        if (isnan(c->values[k][i]))
            return false;
    }
    return !c->in.alive || c->in.alive[i];
}

/* The definition, written out on the values themselves: `p` beats `q`. */
static bool beats(const Case *c, const double *p, const double *q)
{
    bool all_better = true, none_worse = true, some_better = false;
    for (size_t k = 0; k < c->in.criteria_count; k++) {
        bool up = c->criteria[k].up;
        bool better = up ? p[k] > q[k] : p[k] < q[k];
        bool worse = up ? p[k] < q[k] : p[k] > q[k];
        all_better = all_better && better;
        none_worse = none_worse && !worse;
        some_better = some_better || better;
    }
    return c->in.ties == FRONT_KEEP ? all_better : none_worse && some_better;
}

static void values_of(const Case *c, size_t i, double *v)
{
    for (size_t k = 0; k < c->in.criteria_count; k++)
        v[k] = c->values[k][i];
}

static bool beats_point(const Case *c, size_t i, size_t j)
{
    double p[CRITERIA], q[CRITERIA];
    values_of(c, i, p);
    values_of(c, j, q);
    return beats(c, p, q);
}

/* Peels layer after layer: whoever is not beaten by anybody still there. */
static void layers_by_definition(const Case *c, int32_t *layer, int32_t max)
{
    for (size_t i = 0; i < c->in.points; i++)
        layer[i] = eligible(c, i) ? max : LAYER_NONE;
    for (int32_t l = 0; l < max; l++) {
        bool next[POINTS] = {0};
        for (size_t i = 0; i < c->in.points; i++) {
            next[i] = layer[i] == max;
            for (size_t j = 0; j < c->in.points && next[i]; j++)
                next[i] = layer[j] != max || !beats_point(c, j, i);
        }
        for (size_t i = 0; i < c->in.points; i++) {
            if (next[i])
                layer[i] = l;
        }
    }
}

static void layers_are_what_peeling_gives(void **state)
{
    (void)state;
    uint64_t seed = 20080501;
    size_t deep = 0;
    for (int round = 0; round < ROUNDS; round++) {
        Arena *a = arena_new();
        Case c;
        case_draw(&c, &seed);
        int32_t max = 1 + (int32_t)(random_next(&seed) % POINTS);
        int32_t expected[POINTS];
        layers_by_definition(&c, expected, max);

        Front f = front_build(a, &c.in, (size_t)max);

        int32_t layers = 0;
        for (size_t i = 0; i < c.in.points; i++) {
            assert_int_equal(f.layer[i], expected[i]);
            layers = expected[i] < max && expected[i] >= layers ? expected[i] + 1 : layers;
        }
        assert_int_equal(f.layers, layers);
        deep += layers > 3;
        arena_free(a);
    }
    assert_true(deep > 100);
}

static void a_named_dominator_is_on_the_front_and_beats(void **state)
{
    (void)state;
    uint64_t seed = 771;
    size_t named = 0;
    for (int round = 0; round < ROUNDS; round++) {
        Arena *a = arena_new();
        Case c;
        case_draw(&c, &seed);

        Front f = front_build(a, &c.in, 1 + random_next(&seed) % 3);

        for (size_t i = 0; i < c.in.points; i++) {
            size_t by = f.dominator[i];
            assert_int_equal(by != POINT_NONE, f.layer[i] > 0);
            if (by == POINT_NONE)
                continue;
            named++;
            assert_int_equal(f.layer[by], 0);
            assert_true(beats_point(&c, by, i));
        }
        arena_free(a);
    }
    assert_true(named > 1000);
}

/* The definition of the band, one front point at a time. */
static bool in_band(const Case *c, const Front *f, size_t i, double percent)
{
    double q[CRITERIA];
    values_of(c, i, q);
    for (size_t j = 0; j < c->in.points; j++) {
        if (f->layer[j] != 0)
            continue;
        double p[CRITERIA];
        for (size_t k = 0; k < c->in.criteria_count; k++)
            p[k] = threshold_limit(c->values[k][j], c->criteria[k].up, percent);
        if (beats(c, p, q))
            return false;
    }
    return true;
}

static void the_band_is_what_its_definition_gives(void **state)
{
    (void)state;
    static const double percents[] = {0, 5, 25, 50, 100, 150};
    uint64_t seed = 4242;
    size_t wider = 0;
    for (int round = 0; round < ROUNDS; round++) {
        Arena *a = arena_new();
        Case c;
        case_draw(&c, &seed);
        double percent = percents[random_next(&seed) % 6];
        Front f = front_build(a, &c.in, 1);

        const bool *inside = front_band(a, &c.in, &f, percent);

        for (size_t i = 0; i < c.in.points; i++) {
            assert_int_equal(inside[i], eligible(&c, i) && in_band(&c, &f, i, percent));
            if (f.layer[i] == 0)
                assert_true(inside[i]);
            if (percent == 0)
                assert_int_equal(inside[i], f.layer[i] == 0);
            wider += inside[i] && f.layer[i] != 0;
        }
        arena_free(a);
    }
    assert_true(wider > 100);
}

/* Points on a falling line all stand on the front, and behind each stands one more: so many that
 * to compare each with all of the front would take minutes. */
static void a_front_of_two_may_be_long(void **state)
{
    (void)state;
    enum { LINE = 300000 };
    for (int ties = FRONT_DROP; ties <= FRONT_KEEP; ties++) {
        Arena *a = arena_new();
        double *x = ARENA_ARRAY(a, double, 2 * LINE), *y = ARENA_ARRAY(a, double, 2 * LINE);
        for (size_t i = 0; i < LINE; i++) {
            x[i] = (double)(2 * i);
            y[i] = (double)(2 * (LINE - i));
            x[LINE + i] = x[i] + 1;
            y[LINE + i] = y[i] + 1;
        }
        const Criterion criteria[] = {{x, false}, {y, false}};
        const FrontInput in = {criteria, 2, (size_t)2 * LINE, NULL, (FrontTies)ties};
        const Front f = front_build(a, &in, 2);
        const bool *inside = front_band(a, &in, &f, 50);
        assert_int_equal(f.count, LINE);
        assert_int_equal(f.layers, 2);
        for (size_t i = 0; i < LINE; i++) {
            assert_int_equal(f.layer[i], 0);
            assert_int_equal(f.layer[LINE + i], 1);
            assert_int_equal(f.dominator[LINE + i], i);
            assert_true(inside[i]);
        }
        arena_free(a);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(layers_are_what_peeling_gives),
        cmocka_unit_test(a_named_dominator_is_on_the_front_and_beats),
        cmocka_unit_test(the_band_is_what_its_definition_gives),
        cmocka_unit_test(a_front_of_two_may_be_long),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
