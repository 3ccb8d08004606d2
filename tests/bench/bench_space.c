/* How fast spaces of millions of points are enumerated, on one core.
 *
 * Two spaces of the kind and size of BAT's hotspot (22,200,000 points, 349,853 valid) and
 * dedispersion (123,863,040 points, 16,851,135 valid) benchmarks. */
#include "metrics/base/clock.h"
#include "metrics/base/file.h"
#include "tuner/space/space.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/resource.h>

static int run(const char *path)
{
    Arena *a = arena_new();
    Diag d = diag_new(a);
    Spec *spec = spec_read(a, path, &d);
    Space space = {0};
    double start = clock_seconds();
    bool ok = spec && space_build(a, spec, 0, NULL, &space, &d);
    double seconds = clock_seconds() - start;
    Buf messages = {0};
    diag_print(&d, &messages);
    fputs(buf_text(&messages), stderr);
    buf_free(&messages);
    struct rusage use;
    getrusage(RUSAGE_SELF, &use);
    if (ok)
        printf("%-12s %12" PRIu64 " points %10zu valid %7.3f s  %6.1f ns/point  peak %ld MB\n",
               spec->name, space.product, space.count, seconds,
               1e9 * seconds / (double)space.product, use.ru_maxrss / 1024);
    space_free(&space);
    arena_free(a);
    return ok ? 0 : 1;
}

int main(int argc, char **argv)
{
    int bad = 0;
    for (int i = 1; i < argc; i++)
        bad += run(argv[i]);
    if (argc == 1) {
        bad += run(SOURCE_DIR "/tests/bench/hotspot.spec");
        bad += run(SOURCE_DIR "/tests/bench/dedispersion.spec");
    }
    return bad ? 1 : 0;
}
