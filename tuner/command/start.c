#include "tuner/command/start.h"

#include <stdio.h>

Run start_run(Arena *a, const RunOptions *options, ProgressBar *bar, Diag *d)
{
    Run r = run_begin(a, options, NULL, d);
    r.progress = (RunProgress){bar, progress_step};
    return r;
}

bool options_run_check(const RunOptions *o)
{
    if (!o->space)
        fputs("aptune: which space? Say --space FILE\n", stderr);
    return o->space != NULL;
}
