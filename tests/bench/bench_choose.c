/* How long the front, its layers and a random sample's expectation take.  Synthetic points: two
 * criteria that pull against each other with noise, and three independent ones. */
#include "metrics/base/clock.h"
#include "metrics/base/random.h"
#include "tuner/choose/front.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>

static double milliseconds(void)
{
    return clock_seconds() * 1e3;
}

static double uniform(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) * 0x1p-53;
}

static void bench_front(size_t n, size_t keys, size_t layers)
{
    Arena *a = arena_new();
    uint64_t seed = 1;
    double *v[3] = {ARENA_ARRAY(a, double, n), ARENA_ARRAY(a, double, n),
                    ARENA_ARRAY(a, double, n)};
    for (size_t i = 0; i < n; i++) {
        v[0][i] = 1 + uniform(&seed);
        v[1][i] = keys == 2 ? 1 / v[0][i] + 0.01 * uniform(&seed) : uniform(&seed);
        v[2][i] = uniform(&seed);
    }
    const Criterion c[3] = {{v[0], false}, {v[1], false}, {v[2], false}};
    const FrontInput in = {c, keys, n, NULL, FRONT_DROP};
    double start = milliseconds();
    Front f = front_build(a, &in, layers);
    double built = milliseconds() - start;
    front_band(a, &in, &f, 5);
    printf("%8zu points, %zu criteria, %3zu layers: %8.1f ms (front of %zu); band %8.1f ms\n", n,
           keys, layers, built, f.count, milliseconds() - start - built);
    arena_free(a);
}

int main(void)
{
    bench_front(10000, 2, 20);
    bench_front(1000000, 2, 1);
    bench_front(1000000, 2, 1000);
    bench_front(10000, 3, 20);
    bench_front(100000, 3, 1);
    bench_front(100000, 3, 20);

    Arena *a = arena_new();
    enum { TIMES = 100000 };
    double *t = ARENA_ARRAY(a, double, TIMES);
    uint64_t seed = 2;
    for (size_t i = 0; i < TIMES; i++)
        t[i] = 1 + uniform(&seed);
    double start = milliseconds();
    double best = random_best_without(a, t, TIMES, 100);
    printf("expected best of 100 out of %d: %.2f ms (%.4f)\n", TIMES, milliseconds() - start, best);
    arena_free(a);
    return 0;
}
