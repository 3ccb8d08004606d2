#include "tuner/command/options_run.h"

#include "tuner/command/start.h"

#include <stdio.h>

enum { SECONDS_MOST = 86400, DEVICES_MOST = 1024, JOBS_MOST = 1024 };

static const Option options[] = {
    {"space", "FILE", "the spec: kernel, parameters, constraints, launch, data", option_text,
     offsetof(RunOptions, space), 0, 0},
    {"arch", "NAME", "for another device: sm_90, h200 … (see aptune devices)", option_text,
     offsetof(RunOptions, arch), 0, 0},
    {"device", "N", "which GPU (default 0)", option_count, offsetof(RunOptions, ordinal), 0,
     DEVICES_MOST},
    {"problem", "\"N=8192\"", "one of the spec's problems (default: each in turn)", option_text,
     offsetof(RunOptions, problem_text), 0, 0},
    {"run-commands", NULL, "let the spec's commands print kernels", option_flag,
     offsetof(RunOptions, run_commands), 0, 0},
    {"no-gpu", NULL, "do as if there were no GPU", option_flag, offsetof(RunOptions, no_gpu), 0, 0},
    {"compile", NULL, "compile here even where a recording has the profiles", option_flag,
     offsetof(RunOptions, compile), 0, 0},
    {"jobs", "N", "compile workers (default: one per core)", option_count,
     offsetof(RunOptions, jobs), 1, JOBS_MOST},
    {"compile-limit", "S", "seconds one compile may take (default 60)", option_seconds,
     offsetof(RunOptions, compile_limit), 0, SECONDS_MOST},
    {"cache-dir", "DIR", "compiled code (default $APTUNE_CACHE, else ~/.cache/aptune)", option_text,
     offsetof(RunOptions, cache), 0, 0},
    {"recordings", "DIR", "shipped recordings (default: recordings beside the spec)", option_text,
     offsetof(RunOptions, recordings), 0, 0},
};

OptionGroup options_run(RunOptions *target)
{
    target->jobs = start_core_count();
    target->compile_limit = 60;
    target->ordinal = -1;
    return (OptionGroup){options, sizeof options / sizeof options[0], target};
}

bool options_run_check(const RunOptions *o)
{
    if (!o->space)
        fputs("aptune: which space? Say --space FILE\n", stderr);
    return o->space != NULL;
}
