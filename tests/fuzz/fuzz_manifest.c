/* Any bytes as the manifest of emitted code that `bench` is to run, of a space of two
 * configurations of which one's cubin lies there. */
#include "tests/fuzz/folder.h"
#include "tests/fuzz/told.h"
#include "tuner/command/bench.h"

#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char SPEC[] = "kernel \"k.cu\" k\nproblem N = 64\nparam A in 1, 2\nblock 32\n"
                           "grid 1\nout y : float[N]\nargs y\n"
                           "metric predicted_cycles lower \"cycles\" \"Made up.\" = instr\n";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Arena *a = arena_new();
    Diag d = diag_new(a);
    Run r = {.arena = a, .diag = &d, .options = {.arch = "sm_90", .jobs = 1, .search = true}};
    fuzz_put("k.cu", "", 0);
    fuzz_put("a.cubin", "code", 4);
    r.options.space = arena_string(a, fuzz_put("k.spec", SPEC, sizeof SPEC - 1));
    if (!run_open(&r) || !run_data(&r))
        __builtin_trap();
    const char *manifest = arena_string(a, fuzz_put("k.json", data, size)), *origin;
    const size_t i = bench_emitted_config(&r, manifest, NULL, &origin);
    TaskRun run;
    if ((i == SIZE_MAX || !bench_emitted_code(&r, manifest, i, &run)) && d.errors == 0)
        __builtin_trap(); /* refused without a word */
    told_messages(&d);
    run_close(&r);
    arena_free(a);
    return 0;
}
