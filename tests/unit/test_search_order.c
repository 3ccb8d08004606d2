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

/* A made up space, and how a search of it is played. */
typedef struct Play {
    const char *name;
    size_t values[5];
    size_t left_out; /* one in so many points is not valid; 0: all are */
    unsigned long seed;
    size_t workers, gpus, compiles, trials;
    double
        lie; /* the prediction is the time to this power, and up to 40 % that nothing foretells */
    bool parts; /* known of the prediction and of the cost, too */
} Play;

enum { LISTED_MOST = 2000 }; /* of a larger space only the first ones are valid */

/* Between 0 and 1. */
static double part_of(uint32_t i, uint32_t salt)
{
    return (double)((i * 2654435761u + salt * 40503u) * 2246822519u >> 8) / (1 << 24);
}

/* A bowl along each axis, two of them tied, and up to 12 % that nothing foretells. */
static double time_of(uint32_t rank, const size_t *number, size_t parameters)
{
    const double x = (double)number[0], y = (double)number[1], z = (double)number[2];
    double t = (1 + 0.04 * (x - 4) * (x - 4)) * (1 + 0.07 * (y - 1) * (y - 1)) *
               (1 + 0.1 * fabs(x - y - z)) * (1 + 0.12 * part_of(rank, 1));
    for (size_t p = 3; p < parameters; p++)
        t *= 1 + 0.05 * fabs((double)number[p] - 1);
    return t;
}

static void print_order(Buf *out, const char *what, const size_t *order, size_t count)
{
    buf_printf(out, "\n %s:", what);
    for (size_t i = 0; i < count; i++)
        buf_printf(out, "%s%zu", i % 24 ? " " : "\n  ", order[i]);
}

static void play(Buf *out, const Play *x)
{
    Arena *a = arena_new();
    size_t parameters = 0, count = 0;
    uint64_t all = 1;
    while (parameters < 5 && x->values[parameters])
        all *= x->values[parameters++];
    const uint64_t points = all < LISTED_MOST ? all : LISTED_MOST;
    uint64_t *ranks = ARENA_ARRAY(a, uint64_t, points);
    double *shares = ARENA_ARRAY(a, double, points *TABLE_PARTS);
    ReplayRow *at = ARENA_ARRAY(a, ReplayRow, points);
    for (uint32_t rank = 0; rank < points; rank++) {
        if (x->left_out && rank * 2654435761u >> 16 & 1 && rank % x->left_out == 0)
            continue;
        size_t number[5], rest = rank;
        for (size_t p = parameters; p-- > 0; rest /= x->values[p])
            number[p] = rest % x->values[p];
        const size_t i = count++;
        ranks[i] = rank;
        ReplayRow *r = &at[i];
        *r = (ReplayRow){.ms = time_of(rank, number, parameters), .work = 1};
        for (size_t k = 0; k < TABLE_PARTS; k++)
            shares[i * TABLE_PARTS + k] = k < 2 ? fabs((double)k - part_of(rank, 6)) : 0;
        r->code = (SearchCompiled){.failed = part_of(rank, 4) < 0.05,
                                   .predicted = pow(r->ms, x->lie) * (1 + 0.4 * part_of(rank, 2)),
                                   .variance = 0.05 * part_of(rank, 3),
                                   .shares = x->parts ? shares + i * TABLE_PARTS : NULL,
                                   .same_as = i};
        if (x->parts)
            r->work = 1 + (double)(number[0] & 1), r->compile_s = 0.05 + 0.1 * part_of(rank, 5);
        if (i % 31 == 30 && !r->code.failed && !r[-1].code.failed)
            r->code.same_as = i - 1, r->ms = r[-1].ms, r->code.predicted = r[-1].code.predicted;
    }
    const ReplayRows rows = {.space = {.parameters = parameters,
                                       .values = x->values,
                                       .ranks = ranks,
                                       .count = count,
                                       .size = (double)count},
                             .at = at};
    const ReplayOptions o = {.search = {.seed = x->seed,
                                        .workers = x->workers,
                                        .compiles = x->compiles,
                                        .trials = x->trials},
                             .gpus = x->gpus};
    const ReplayResult r = replay_search(a, &rows, &o);
    buf_printf(out, "%s: %zu points, %zu workers, predictions to the power of %g", x->name, count,
               x->workers, x->lie);
    print_order(out, "compiled", r.compiled, r.compiled_count);
    print_order(out, "timed", r.timed, r.timed_count);
    buf_puts(out, "\n best:");
    for (size_t i = 0; i < r.step_count; i++)
        buf_printf(out, " %zu after %.3f s", r.steps[i].place, r.steps[i].seconds);
    buf_printf(out,
               "\n end %d after %.3f s, %.3f of cores and %.3f of GPUs; %.3g better expected\n",
               (int)r.end, r.seconds, r.compile_core_s, r.gpu_s, r.expected);
    arena_free(a);
}

static void a_search_asks_as_it_did(void **state)
{
    (void)state;
    static const Play plays[] = {
        {"true", {7, 6, 5}, 0, 1, 4, 1, 60, 48, 1, false},
        {"inverted", {7, 6, 5}, 0, 2, 1, 1, 60, 48, -0.5, false},
        {"until its end", {6, 5, 4, 4, 3}, 2, 3, 8, 2, 0, 0, 0.7, false},
        {"all known", {6, 5, 4, 4, 3}, 3, 4, 3, 1, 0, 0, 0.7, true},
        {"few trials", {6, 5, 4, 4, 3}, 2, 5, 2, 1, 0, 8, 1, true},
        {"as few as predictions lead", {6, 5, 4, 4, 3}, 2, 9, 2, 1, 0, 24, 0.8, false},
        {"one more", {6, 5, 4, 4, 3}, 2, 9, 2, 1, 0, 25, 0.8, false},
        {"a corner", {150, 150, 150, 150, 150}, 0, 7, 4, 1, 60, 40, 1, false},
        {"two values", {2, 2, 2}, 0, 6, 2, 1, 0, 0, 1, false},
    };
    Buf out = {0};
    for (size_t i = 0; i < sizeof plays / sizeof *plays; i++)
        play(&out, &plays[i]);
    golden_compare("search_order", &out);
    buf_free(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_search_asks_as_it_did)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
