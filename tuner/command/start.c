#include "tuner/command/start.h"

Run start_run(Arena *a, const RunOptions *options, ProgressBar *bar, Diag *d)
{
    Run r = run_begin(a, options, NULL, d);
    r.progress = (RunProgress){bar, progress_step};
    return r;
}
