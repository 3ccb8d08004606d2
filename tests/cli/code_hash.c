/* code_hash SPEC: compiles a spec for sm_90 and prints each configuration's name, a tab and the
 * hash of its code, so that tests can tell whether two sources are the same program. */
#include "tuner/run/run_parts.h"

#include <stdio.h>

static const char *const metric_files[] = {SOURCE_DIR "/metrics/thesis.metrics",
                                           SOURCE_DIR "/metrics/cycles.metrics"};

int main(int argc, char **argv)
{
    if (argc != 2)
        return 2;
    Arena *a = arena_new();
    Diag d = diag_new(a);
    Run r = {.arena = a,
             .diag = &d,
             .options = {.space = argv[1], .arch = "sm_90", .compile = true, .jobs = 2},
             .home.compile_helper = BUILD_DIR "/aptune-compile",
             .home.cuda_folder = SOURCE_DIR "/.cuda",
             .home.metric_files = metric_files,
             .home.metric_file_count = 2};
    bool ok = run_open(&r) && run_compile(&r);
    for (size_t i = 0; i < r.table->count && ok; i++)
        printf("%s\t%s\n", table_name(a, r.table, i), r.table->code[i].hash);
    Buf text = {0};
    diag_print(&d, &text);
    fputs(buf_text(&text), stderr);
    buf_free(&text);
    run_close(&r);
    arena_free(a);
    return ok ? 0 : 1;
}
