#include "tuner/command/options_run.h"

#include <stdio.h>

bool options_run_check(const RunOptions *o)
{
    if (!o->space)
        fputs("aptune: which space? Say --space FILE\n", stderr);
    return o->space != NULL;
}
