/* Time to read a matrix multiply's PTX and to walk one warp through it, 512 iterations of its loop.
 */
#include "metrics/base/file.h"
#include "metrics/flow/walk.h"
#include "metrics/ptx/ptx_parse.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

enum { ROUNDS = 200 };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

int main(void)
{
    Arena *texts = arena_new(), *a = arena_new();
    Diag d = diag_new(texts);
    const Source *s = source_read(texts, SOURCE_DIR "/tests/data/ptx/matmul.sm_90.ptx", &d);
    if (!s)
        return 1;
    unsigned char params[36] = {0};
    const uint32_t sizes[3] = {4096, 4096, 8192};
    memcpy(params + 24, sizes, sizeof sizes);
    const WalkOptions o = {.launch = {.grid = {128, 128, 1},
                                      .block = {256, 1, 1},
                                      .has_geometry = true,
                                      .params = params,
                                      .param_bytes = sizeof params}};
    double parsing = 0, walking = 0, regions = 0;
    for (int i = 0; i < ROUNDS; i++) {
        const double start = now();
        const PtxModule *m = ptx_parse(a, s, &d);
        const double parsed = now();
        regions = walk_warp(a, ptx_find_entry(m, NULL), &o)->regions;
        walking += now() - parsed;
        parsing += parsed - start;
        arena_reset(a);
    }
    printf("%zu bytes of PTX: parse %.3f ms, walk %.3f ms, %.0f regions\n", s->size,
           parsing / ROUNDS * 1e3, walking / ROUNDS * 1e3, regions);
    arena_free(a);
    arena_free(texts);
    return 0;
}
