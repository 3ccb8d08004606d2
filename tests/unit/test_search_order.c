/* What a search asks for and times, row by row, on a small space made up: tests/golden/search_order.txt.
 * A change of the models or of the choice changes it; the difference is the review. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/support/golden.h"
#include "tuner/choose/replay.h"

#include <math.h>

enum { X = 7, Y = 6, Z = 5, POINTS = X * Y * Z };

/* Made up: a bowl along each axis, two of them tied, and up to 12 % that nothing foretells; of the
 * prediction up to 40 %. */
static double part_of(uint32_t i, uint32_t salt)
{
    return (double)((i * 2654435761u + salt * 40503u) * 2246822519u >> 8) / (1 << 24);
}

static void play(Buf *out, unsigned long seed, size_t workers, double lie)
{
    static const size_t values[] = {X, Y, Z};
    Arena *a = arena_new();
    uint64_t *ranks = ARENA_ARRAY(a, uint64_t, POINTS);
    double *ms = ARENA_ARRAY(a, double, POINTS), *predicted = ARENA_ARRAY(a, double, POINTS);
    double *variance = ARENA_ARRAY(a, double, POINTS);
    bool *broken = ARENA_ARRAY(a, bool, POINTS);
    size_t *same_as = ARENA_ARRAY(a, size_t, POINTS);
    for (uint32_t i = 0; i < POINTS; i++) {
        const double x = i / (Y * Z), y = i / Z % Y, z = i % Z;
        ranks[i] = i;
        ms[i] = (1 + 0.04 * (x - 4) * (x - 4)) * (1 + 0.07 * (y - 1) * (y - 1)) *
                (1 + 0.1 * fabs(x - y - z)) * (1 + 0.12 * part_of(i, 1));
        predicted[i] = pow(ms[i], lie) * (1 + 0.4 * part_of(i, 2));
        variance[i] = 0.05 * part_of(i, 3);
        broken[i] = part_of(i, 4) < 0.05;
        same_as[i] = i % 31 == 30 && !broken[i] && !broken[i - 1] ? i - 1 : i;
        if (same_as[i] != i)
            ms[i] = ms[i - 1], predicted[i] = predicted[i - 1];
    }
    const ReplayRows rows = {.space = {.parameters = 3,
                                       .values = values,
                                       .ranks = ranks,
                                       .count = POINTS,
                                       .size = POINTS},
                             .ms = ms,
                             .broken = broken,
                             .predicted = predicted,
                             .bound = predicted,
                             .latency = predicted,
                             .variance = variance,
                             .same_as = same_as};
    const ReplayOptions o = {
        .search = {.seed = seed, .workers = workers, .compiles = 60, .trials = 48}, .gpus = 1};
    const ReplayResult r = replay_search(a, &rows, &o);
    buf_printf(out, "seed %lu, %zu workers, predictions to the power of %g\n compiled:", seed,
               workers, lie);
    for (size_t i = 0; i < r.compiled_count; i++)
        buf_printf(out, "%s%zu", i % 24 ? " " : "\n  ", r.compiled[i]);
    buf_printf(out, "\n timed:");
    for (size_t i = 0; i < r.timed_count; i++)
        buf_printf(out, "%s%zu", i % 24 ? " " : "\n  ", r.timed[i]);
    buf_puts(out, "\n");
    arena_free(a);
}

static void a_search_asks_as_it_did(void **state)
{
    (void)state;
    Buf out = {0};
    play(&out, 1, 4, 1);
    play(&out, 2, 1, -0.5);
    golden_compare("search_order", &out);
    buf_free(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_search_asks_as_it_did)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
