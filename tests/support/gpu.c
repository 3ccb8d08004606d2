#include "tests/support/gpu.h"

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
