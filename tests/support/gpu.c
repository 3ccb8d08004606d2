#include "tests/support/gpu.h"

#include "metrics/base/clock.h"

Gpu *open_gpu(const GpuOptions *o, Diag *d)
{
    Gpu *g = gpu_start(o);
    gpu_settle(&g, 1, -1);
    if (gpu_usable(g, d))
        return g;
    gpu_close(g);
    return NULL;
}

bool set_gpu_problem(Gpu *g, const TaskProblem *p, Diag *d)
{
    gpu_start_problem(g, p);
    gpu_settle(&g, 1, -1);
    return gpu_usable(g, d);
}

bool next_result(Gpu *g, Arena *a, TrialResult *r, double seconds)
{
    const double end = clock_seconds() + seconds;
    bool any = gpu_next(g, a, r);
    while (!any && clock_seconds() < end) {
        Waits w = waits_new(end - clock_seconds());
        gpu_await(g, &w);
        waits_end(&w);
        any = gpu_next(g, a, r);
    }
    return any;
}
