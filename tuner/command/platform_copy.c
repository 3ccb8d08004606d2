#include "tuner/command/platform_copy.h"

#include "metrics/base/file.h"
#include "tuner/command/bench.h"
#include "tuner/command/bench_print.h"
#include "tuner/command/start.h"

#include <jansson.h>
#include <math.h>

bool platform_copy_measure(const char *spec, const char *problem, const char *configuration,
                           const char *path, ProgressBar *bar, Diag *d)
{
    Arena *a = arena_new();
    RunOptions o = {0};
    const BenchOptions how = {.config = configuration, .rounds = 101};
    Bench b;
    options_run(&o);
    options_compile(&o);
    o.space = spec;
    o.problem_text = problem;
    Run r = start_run(a, &o, bar, d);
    bool ok = bench_take_problem(&r, &how) && run_open(&r) && bench_choose(&r, &how, &b) &&
              bench_run(&r, &how, &b);
    progress_end(bar);
    if (ok) {
        Buf out = {0};
        bench_print_json(&r, &b, &out);
        ok = file_write(path, buf_text(&out), out.size, d);
        buf_free(&out);
    }
    run_close(&r);
    arena_free(a);
    return ok;
}

static double number_of(const json_t *object, const char *name)
{
    const json_t *x = json_object_get(object, name);
    return json_is_number(x) ? json_number_value(x) : NAN;
}

PlatformCopy platform_copy_read(const char *path)
{
    json_t *all = json_load_file(path, 0, NULL);
    const json_t *kernel = json_object_get(all, "kernel");
    const json_t *rival = json_array_get(json_object_get(all, "rivals"), 0);
    const PlatformCopy c = {.driver = number_of(rival, "bytes_per_s"),
                            .kernel = number_of(kernel, "bytes_per_s"),
                            .clock_mhz = number_of(kernel, "sustained_clock_mhz"),
                            .watt = number_of(kernel, "sustained_power_w")};
    json_decref(all);
    return c;
}
