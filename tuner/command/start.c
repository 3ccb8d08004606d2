#include "tuner/command/start.h"

#include "tuner/command/where.h"

#include <sched.h>

int start_core_count(void)
{
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
}

Run start_run(Arena *a, const RunOptions *options, ProgressBar *bar, Diag *d)
{
    Run r = {.arena = a, .options = *options, .diag = d, .progress = {bar, progress_step}};
    r.compile_helper = where_helper(a, "aptune-compile");
    r.gpu_helper = where_helper(a, "aptune-gpu");
    r.cuda_folder = where_data(a, ".cuda");
    r.compare_source = where_data(a, "tuner/measure/compare.cu");
    r.metric_files = where_metrics(a, &r.metric_file_count);
    return r;
}
