#include "tests/support/opened_run.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

Run *opened_unlisted(Arena *a)
{
    static const char *const metrics[] = {SOURCE_DIR "/metrics/thesis.metrics",
                                          SOURCE_DIR "/metrics/cycles.metrics"};
    Run *r = ARENA_NEW(a, Run);
    *r = (Run){
        .arena = a,
        .diag = ARENA_NEW(a, Diag),
        .home = {.compile_helper = "/nonexistent", .metric_files = metrics, .metric_file_count = 2},
        .options = {.space = TEST_DATA "/cli/unlisted.spec",
                    .arch = "sm_90",
                    .output = "/nonexistent",
                    .no_gpu = true,
                    .search = true,
                    .compiles = 5,
                    .jobs = 1}};
    *r->diag = diag_new(a);
    assert_true(run_open(r) && run_open_sources(r));
    assert_int_equal(r->space.size, 399 * 400);
    return r;
}
