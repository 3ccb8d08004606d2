/* The vendors' kernels on a real GPU: right, wrong, with too little, not there, and in turn. */
#include "tests/gpu/smoke.h"

#include <stdio.h>
#include <string.h>

/* C must become A. */
static bool set_copy(Smoke *s)
{
    TaskBuffer b[] = {
        {.name = "A", .type = {TASK_FLOAT, 1}, .count = N, .contents = smoke_uniform(1)},
        {.name = "C", .type = {TASK_FLOAT, 1}, .count = N, .role = TASK_OUT, .expected = 3},
        {.name = "E",
         .type = {TASK_FLOAT, 1},
         .count = N,
         .role = TASK_REFERENCE,
         .contents = smoke_uniform(1)},
    };
    TaskProblem p = {.buffers = b, .buffer_count = 3, .checking = s->checking};
    return set_gpu_problem(s->gpu, &p, &s->diag);
}

/* A library's call that is given two buffers, rows and columns, or the first `count` of them. */
static TaskRival rival(Smoke *s, const char *library, const char *call, int to, int from,
                       size_t count)
{
    TaskRivalArgument *x = ARENA_ARRAY(s->arena, TaskRivalArgument, 4);
    x[0] = (TaskRivalArgument){.name = "to", .buffer = to};
    x[1] = (TaskRivalArgument){.name = "from", .buffer = from};
    x[2] = (TaskRivalArgument){.name = "rows", .buffer = -1, .integer = 1};
    x[3] = (TaskRivalArgument){.name = "columns", .buffer = -1, .integer = N};
    return (TaskRival){library, call, x, count};
}

static TrialResult run_rival(Smoke *s, const char *title, TaskRival v)
{
    Trial t = {.runs = &(TaskRun){.rival = &v},
               .run_count = 1,
               .sampling = {.least = RUNS, .enough = RUNS, .most = RUNS}};
    t.sampling.sample_ms = 0.2;
    t.limit_s = 120;
    TrialResult r = smoke_run(s, title, t);
    printf("    %s, %s\n", r.title, r.details);
    return r;
}

static void rivals_in_turn(Smoke *s, TaskRival v, TaskCache cache)
{
    TaskRun runs[] = {{.rival = &v}, {.rival = &v}};
    TrialResult r = {0};
    Trial f = {.id = ++s->id,
               .runs = runs,
               .run_count = 2,
               .rounds = 5,
               .cache = cache,
               .sampling.sample_ms = 0.2,
               .warm_s = 0.1,
               .limit_s = 60};
    gpu_submit(s->gpu, &f);
    CHECK(s, next_result(s->gpu, s->arena, &r, 300));
    CHECK(s, r.status == OUTCOME_OK && r.time_count == 10);
    printf("%-34s %-13s %7.3f s  %s\n", "in turn", outcome_name(r.status), r.seconds, r.words);
}

/* The transpose of a single row is a copy.  A machine may be without cuBLAS, and says so then. */
static void vendor(Smoke *s)
{
    TaskRival v = rival(s, "cublas", "transpose", 1, 0, 4);
    TrialResult r = run_rival(s, "cuBLAS", v);
    CHECK(s, r.status == OUTCOME_OK || r.status == OUTCOME_LOAD_FAILED);
    CHECK(s, (r.status == OUTCOME_OK) == (strcmp(r.title, "cuBLAS Sgeam") == 0));
    if (r.status == OUTCOME_OK)
        rivals_in_turn(s, v, TASK_WARM);
    r = run_rival(s, "cuBLAS with too little", rival(s, "cublas", "transpose", 1, 0, 2));
    CHECK(s, r.status == OUTCOME_LAUNCH_FAILED && strstr(r.words, "OUT, IN, ROWS, COLUMNS"));
}

static void rivals(Smoke *s)
{
    CHECK(s, set_copy(s));
    TaskRival copy = rival(s, "memory", "copy", 1, 0, 2);
    TrialResult r = run_rival(s, "a copy by the driver", copy);
    CHECK(s, r.status == OUTCOME_OK && r.verified && r.time_count == RUNS && r.batch > 1);
    rivals_in_turn(s, copy, TASK_WARM);
    rivals_in_turn(s, copy, TASK_COLD);
    r = run_rival(s, "a copy the wrong way round", rival(s, "memory", "copy", 0, 1, 2));
    CHECK(s, r.status == OUTCOME_WRONG && strstr(r.words, "the rival wrote to the input 'A'"));
    r = run_rival(s, "no such call", rival(s, "memory", "move", 1, 0, 2));
    CHECK(s, r.status == OUTCOME_LAUNCH_FAILED);
    r = run_rival(s, "no such plugin", rival(s, "./missing.so", "copy", 1, 0, 2));
    CHECK(s, r.status == OUTCOME_LOAD_FAILED && strstr(r.words, "missing.so"));
    vendor(s);
}

int main(int argc, char **argv)
{
    return smoke_main(argc, argv, rivals);
}
