/* Measuring on a real GPU: every way a kernel can go wrong, and good trials after each.
 *
 * Prints a line per trial.  Nothing it checks is a speed. */
#include "tests/gpu/smoke.h"

#include "tuner/spec/contents.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 256 };

/* --- trials --------------------------------------------------------------------------------- */

static TaskArgument buffer(int i)
{
    return (TaskArgument){.buffer = i};
}

static TaskArgument value(const void *bytes, uint32_t size)
{
    TaskArgument x = {.buffer = -1, .size = size};
    memcpy(x.bytes, bytes, size);
    return x;
}

/* C = A · B + k of buffers 0, 1 and 2 by `kernel`, with a further argument that only some take. */
static TaskLaunch product(Smoke *s, const char *kernel, int arguments, int words)
{
    int n = N;
    float k = 0.25f;
    TaskArgument *x = ARENA_ARRAY(s->arena, TaskArgument, 6);
    for (int i = 0; i < 3; i++)
        x[i] = buffer(i);
    x[3] = value(&n, sizeof n);
    x[4] = value(&k, sizeof k);
    x[5] = value(&words, sizeof words);
    return (TaskLaunch){.kernel = kernel,
                        .grid = {N / THREADS, 1, 1},
                        .block = {THREADS, 1, 1},
                        .arguments = x,
                        .argument_count = (size_t)arguments};
}

/* D doubled, of buffer 3. */
static TaskLaunch twice(Smoke *s)
{
    TaskLaunch l = product(s, "twice", 5, 0);
    TaskArgument *x = ARENA_ARRAY(s->arena, TaskArgument, 2);
    x[0] = buffer(3);
    x[1] = l.arguments[3];
    l.arguments = x;
    l.argument_count = 2;
    return l;
}

static Trial trial_of(Smoke *s, const TaskModule *m, const TaskLaunch *launches, size_t count)
{
    TaskRun *run = ARENA_NEW(s->arena, TaskRun);
    *run = (TaskRun){.modules = m, .module_count = 1, .launches = launches, .launch_count = count};
    return (Trial){.runs = run,
                   .run_count = 1,
                   .warmups = 1,
                   .sampling = {.least = RUNS, .enough = RUNS, .most = RUNS}};
}

static TrialResult run_product(Smoke *s, const char *title, TaskLaunch l, double limit_s)
{
    TaskLaunch launches[] = {l, twice(s)};
    Trial t = trial_of(s, &s->cubin, launches, 2);
    t.limit_s = limit_s;
    return smoke_run(s, title, t);
}

static void good(Smoke *s)
{
    TrialResult r = run_product(s, "  a good one", product(s, "product", 5, 0), 0);
    CHECK(s, r.status == OUTCOME_OK && r.verified && r.time_count == RUNS);
    for (size_t i = 0; i < r.time_count; i++)
        CHECK(s, r.times[i] > 0);
}

/* Runs `kernel`, then a good one. */
static TrialResult try(Smoke *s, const char *kernel, Outcome expected)
{
    double limit_s = expected == OUTCOME_TIMEOUT ? 2 : 0;
    TrialResult r = run_product(s, kernel, product(s, kernel, 5, 0), limit_s);
    CHECK(s, r.status == expected);
    good(s);
    return r;
}

/* --- the first problem ---------------------------------------------------------------------- */

static const TaskTolerance NEAR = {.relative = 1e-5};

static bool set_product(Smoke *s, const char *reference)
{
    TaskBuffer b[] = {
        {.name = "A", .type = {TASK_FLOAT, 1}, .count = N, .contents = smoke_uniform(1)},
        {.name = "B", .type = {TASK_FLOAT, 1}, .count = N, .contents = smoke_uniform(2)},
        {.name = "C", .type = {TASK_FLOAT, 1}, .count = N, .role = TASK_OUT, .tolerance = NEAR},
        {.name = "D",
         .type = {TASK_FLOAT, 1},
         .count = N,
         .role = TASK_INOUT,
         .contents = smoke_uniform(3),
         .tolerance = NEAR},
        {.name = "S", .type = {TASK_U32, 1}, .count = 1000, .role = TASK_SCRATCH},
        {.name = "K",
         .type = {TASK_U32, 1},
         .count = 1000,
         .role = TASK_SCRATCH,
         .contents = {.kind = TASK_KEPT}},
    };
    TaskLaunch launches[] = {product(s, reference, 5, 0), twice(s)};
    TaskProblem p = {.buffers = b,
                     .buffer_count = sizeof b / sizeof b[0],
                     .reference = {.modules = &s->cubin,
                                   .module_count = 1,
                                   .launches = launches,
                                   .launch_count = 2},
                     .checking = s->checking};
    return set_gpu_problem(s->gpu, &p, &s->diag);
}

/* Element i of C as the host computes it from the same contents. */
static float product_at(uint64_t i)
{
    float a, b;
    contents_fill(smoke_uniform(1), TASK_FLOAT, i, 1, &a);
    contents_fill(smoke_uniform(2), TASK_FLOAT, i, 1, &b);
    return fmaf(a, b, 0.25f);
}

static void check_reference(Smoke *s)
{
    size_t count;
    double squares = 0;
    const TaskOutput *o = gpu_outputs(s->gpu, &count);
    for (uint64_t i = 0; i < N; i++)
        squares += pow((double)product_at(i), 2);
    CHECK(s, count == 2 && o[0].buffer == 2 && o[1].buffer == 3);
    CHECK(s, count == 2 && fabs(o[0].rms - sqrt(squares / N)) < 1e-9);
    CHECK(s, count == 2 && o[0].nonfinite == 0 && o[0].unwritten == 0);
}

static void wrong_results(Smoke *s)
{
    TrialResult r = try(s, "product_nearly", OUTCOME_OK);
    CHECK(s, r.check_count == 2 && r.checks[0].max_error > 5e-7 && r.checks[0].max_error < 2e-6);
    CHECK(s, r.check_count == 2 && r.checks[1].max_error == 0);

    r = try(s, "product_wrong", OUTCOME_WRONG);
    CHECK(s, r.time_count == 0);
    CHECK(s, r.checks[0].wrong == (N + 992) / 1000 && r.checks[0].first == 7);
    CHECK(s, r.checks[0].expected == (double)product_at(7));
    CHECK(s, r.checks[0].got == (double)(product_at(7) + 1));
    CHECK(s, fabs(r.checks[0].max_error - 1) < 1e-6);

    r = try(s, "product_half", OUTCOME_WRONG);
    CHECK(s, r.checks[0].wrong == N / 2 && r.checks[0].unwritten == N / 2);
    CHECK(s, r.checks[0].first == N / 2);
    CHECK(s, strstr(r.words, "nothing written instead of") != NULL);

    r = try(s, "product_nothing", OUTCOME_WRONG);
    CHECK(s, r.checks[0].unwritten == N);

    r = try(s, "product_nan", OUTCOME_WRONG);
    CHECK(s, r.checks[0].wrong == 1 && r.checks[0].nan == 1 && r.checks[0].first == 5);
    CHECK(s, isnan(r.checks[0].got));

    r = try(s, "product_infinite", OUTCOME_WRONG);
    CHECK(s, r.checks[0].wrong == 1 && r.checks[0].nan == 0 && isinf(r.checks[0].max_error));
}

/* Right the first time and never again, for what it left in its scratch. */
static void wrong_later(Smoke *s)
{
    TaskLaunch launches[] = {product(s, "product_once", 6, 0), twice(s), product(s, "mark", 1, 0)};
    TaskArgument once[6], scratch = buffer(4);
    memcpy(once, launches[0].arguments, sizeof once);
    once[5] = scratch;
    launches[0].arguments = once;
    launches[2].arguments = &scratch;
    launches[2].grid[0] = 1;
    TrialResult r = smoke_run(s, "right only once", trial_of(s, &s->cubin, launches, 3));
    CHECK(s, r.status == OUTCOME_WRONG && r.checks[0].unwritten == N && r.checks[1].wrong == 0);
    CHECK(s, strstr(r.words, "only after the timed runs") != NULL);
    good(s);
}

/* What is kept is zero when a trial begins, and then what the launches made of it. */
static void kept(Smoke *s)
{
    TaskLaunch launches[] = {product(s, "product_kept", 6, 0), twice(s), product(s, "grow", 2, 0)};
    TaskArgument all[7], both[] = {buffer(4), buffer(5)};
    memcpy(all, launches[0].arguments, 5 * sizeof all[0]);
    memcpy(all + 5, both, sizeof both);
    launches[0].arguments = all;
    launches[0].argument_count = 7;
    launches[2].arguments = both;
    launches[2].grid[0] = launches[2].block[0] = 1;
    for (int i = 0; i < 2; i++) {
        TrialResult r = smoke_run(s, "launches counted", trial_of(s, &s->cubin, launches, 3));
        CHECK(s, r.status == OUTCOME_OK && r.verified && r.time_count == RUNS);
    }
}

static void strays_and_faults(Smoke *s)
{
    TrialResult r = try(s, "product_writes_input", OUTCOME_WRONG);
    CHECK(s, strstr(r.words, "input 'A'") != NULL);
    r = try(s, "product_past_end", OUTCOME_WRONG);
    CHECK(s, strstr(r.words, "past the end of 'C'") != NULL);
    r = try(s, "product_before_start", OUTCOME_WRONG);
    CHECK(s, strstr(r.words, "before the start of 'C'") != NULL);
    r = try(s, "product_illegal", OUTCOME_FAULT);
    CHECK(s, strstr(r.words, "ILLEGAL_ADDRESS") != NULL);
    r = try(s, "product_misaligned", OUTCOME_FAULT);
    CHECK(s, strstr(r.words, "MISALIGNED") != NULL);
    try(s, "product_trap", OUTCOME_FAULT);
    try(s, "product_endless", OUTCOME_TIMEOUT);
}

static void expect(Smoke *s, const char *title, TaskLaunch l, Outcome status)
{
    TrialResult r = run_product(s, title, l, 0);
    CHECK(s, r.status == status);
    CHECK(s, (*r.words == 0) == (status == OUTCOME_OK));
}

static void resources(Smoke *s)
{
    const Device *v = gpu_device(s->gpu);
    TaskLaunch l = product(s, "product_shared", 6, v->shared_per_block_optin / 4);
    l.shared = v->shared_per_block_optin;
    expect(s, "all of the shared memory", l, OUTCOME_OK);
    l.shared += 1;
    expect(s, "one byte too much of it", l, OUTCOME_LAUNCH_FAILED);
    l.shared = INT64_C(1) << 40;
    expect(s, "a terabyte of it", l, OUTCOME_LAUNCH_FAILED);

    l = product(s, "product_narrow", 5, 0);
    expect(s, "more threads than its bounds", l, OUTCOME_LAUNCH_FAILED);
    l.block[0] = 64;
    l.grid[0] = N / 64;
    expect(s, "as many as its bounds", l, OUTCOME_OK);
    l = product(s, "product", 5, 0);
    l.block[0] = 2048;
    expect(s, "2048 threads in a block", l, OUTCOME_LAUNCH_FAILED);
    l = product(s, "product", 5, 0);
    l.grid[1] = 100000;
    expect(s, "too high a grid", l, OUTCOME_LAUNCH_FAILED);
    l.grid[1] = 0;
    expect(s, "an empty grid", l, OUTCOME_LAUNCH_FAILED);

    expect(s, "an argument too few", product(s, "product", 4, 0), OUTCOME_LAUNCH_FAILED);
    expect(s, "an argument too many", product(s, "product", 6, 0), OUTCOME_LAUNCH_FAILED);
    expect(s, "no such kernel", product(s, "produkt", 5, 0), OUTCOME_LOAD_FAILED);
    good(s);
}

static void images(Smoke *s)
{
    TaskLaunch launches[] = {product(s, "product", 5, 0), twice(s)};
    TaskModule cut = {s->cubin.cubin, s->cubin.size / 2};
    TaskModule text = {"this is no cubin, though it is longer than the header of an ELF file is",
                       72};
    char *noise = arena_copy(s->arena, s->cubin.cubin, s->cubin.size);
    for (size_t i = 64; i < s->cubin.size; i++)
        noise[i] = (char)contents_bits(1, i);
    TaskModule broken = {noise, s->cubin.size};

    CHECK(s, smoke_run(s, "half a cubin", trial_of(s, &cut, launches, 2)).status ==
                 OUTCOME_LOAD_FAILED);
    CHECK(s,
          smoke_run(s, "no cubin", trial_of(s, &text, launches, 2)).status == OUTCOME_LOAD_FAILED);
    CHECK(s, smoke_run(s, "another GPU's cubin", trial_of(s, &s->other, launches, 2)).status ==
                 OUTCOME_LOAD_FAILED);
    good(s);
    CHECK(s, smoke_run(s, "noise behind the header", trial_of(s, &broken, launches, 2)).status !=
                 OUTCOME_OK);
    good(s);
}

static void stop_rule(Smoke *s)
{
    TaskLaunch launches[] = {product(s, "product", 5, 0), twice(s)};
    Trial t = trial_of(s, &s->cubin, launches, 2);
    t.sampling.enough = t.sampling.most = RUNS + 300;
    t.sampling.best_ms = 1e-9;
    CHECK(s, smoke_run(s, "far behind the best", t).time_count == RUNS);
    t.sampling.best_ms = 1e9;
    CHECK(s, smoke_run(s, "the best so far", t).time_count == RUNS + 300);
    launches[0].repeat = 10;
    t = trial_of(s, &s->cubin, launches, 2);
    CHECK(s, smoke_run(s, "ten times in a row", t).status == OUTCOME_OK);
    launches[0].repeat = 0;
    launches[1].repeat = 2; /* D is doubled twice */
    TrialResult r = smoke_run(s, "an output changed twice", t);
    CHECK(s, r.status == OUTCOME_WRONG && r.checks[0].wrong == 0 && r.checks[1].wrong > N / 2);
}

/* --- further problems ----------------------------------------------------------------------- */

static bool set_problem(Smoke *s, const TaskBuffer *b, size_t count, const TaskLaunch *reference)
{
    TaskProblem p = {.buffers = b,
                     .buffer_count = count,
                     .reference = {.modules = &s->cubin,
                                   .module_count = 1,
                                   .launches = reference,
                                   .launch_count = 1},
                     .checking = s->checking};
    return set_gpu_problem(s->gpu, &p, &s->diag);
}

static TaskLaunch types(Smoke *s, int at)
{
    int n = 5000;
    TaskArgument *x = ARENA_ARRAY(s->arena, TaskArgument, 8);
    for (int i = 0; i < 6; i++)
        x[i] = buffer(i);
    x[6] = value(&n, sizeof n);
    x[7] = value(&at, sizeof at);
    return (TaskLaunch){.kernel = "types",
                        .grid = {20, 1, 1},
                        .block = {THREADS, 1, 1},
                        .arguments = x,
                        .argument_count = 8};
}

static void every_type(Smoke *s)
{
    static const TaskType TYPES[] = {{TASK_HALF, 1},   {TASK_I32, 1}, {TASK_I64, 1},
                                     {TASK_DOUBLE, 1}, {TASK_U8, 1},  {TASK_FLOAT, 4}};
    TaskBuffer b[6];
    for (int i = 0; i < 6; i++)
        b[i] = (TaskBuffer){.name = arena_printf(s->arena, "%c", "HILXUV"[i]),
                            .type = TYPES[i],
                            .count = 5000,
                            .role = TASK_OUT};
    TaskLaunch right = types(s, -1), wrong = types(s, 11);
    CHECK(s, set_problem(s, b, 6, &right));
    CHECK(s, smoke_run(s, "every type, equal", trial_of(s, &s->cubin, &right, 1)).status ==
                 OUTCOME_OK);
    TrialResult r = smoke_run(s, "every type, one wrong", trial_of(s, &s->cubin, &wrong, 1));
    CHECK(s, r.status == OUTCOME_WRONG && r.check_count == 6);
    for (size_t i = 0; i < r.check_count; i++) {
        CHECK(s, r.checks[i].wrong == 1);
        CHECK(s, r.checks[i].first == (i == 5 ? 4 * 11 + 3 : 11));
    }
    CHECK(s, r.check_count == 6 && r.checks[2].max_error == 1);
}

static TaskLaunch inner(Smoke *s, int n)
{
    TaskArgument *x = ARENA_ARRAY(s->arena, TaskArgument, 2);
    x[0] = buffer(0);
    x[1] = value(&n, sizeof n);
    return (TaskLaunch){.kernel = "inner",
                        .grid = {4, 1, 1},
                        .block = {THREADS, 1, 1},
                        .arguments = x,
                        .argument_count = 2};
}

static void unwritten_border(Smoke *s)
{
    size_t count;
    TaskBuffer b = {.name = "C", .type = {TASK_FLOAT, 1}, .count = 1000, .role = TASK_OUT};
    TaskLaunch same = inner(s, 990), more = inner(s, 1000);
    CHECK(s, set_problem(s, &b, 1, &same));
    CHECK(s, gpu_outputs(s->gpu, &count)->unwritten == 10);
    CHECK(s, smoke_run(s, "the same border left", trial_of(s, &s->cubin, &same, 1)).status ==
                 OUTCOME_OK);
    TrialResult r = smoke_run(s, "the border written", trial_of(s, &s->cubin, &more, 1));
    CHECK(s, r.status == OUTCOME_WRONG && r.checks[0].wrong == 10 && r.checks[0].first == 990);
}

/* Nothing to restore, so that short runs are batched, except with a cold L2. */
static void batches_and_caches(Smoke *s)
{
    TaskBuffer b = {.name = "C", .type = {TASK_FLOAT, 1}, .count = 1000, .role = TASK_OUT};
    TaskLaunch l = inner(s, 990);
    CHECK(s, set_problem(s, &b, 1, &l));
    Trial t = trial_of(s, &s->cubin, &l, 1);
    t.sampling.sample_ms = 0.2;
    TrialResult r = smoke_run(s, "many runs in a sample", t);
    CHECK(s, r.status == OUTCOME_OK && r.batch > 1 && r.time_count == RUNS && r.warm_count == 0);
    printf("    %d runs in each\n", r.batch);
    t.cache = TASK_COLD;
    r = smoke_run(s, "cold", t);
    CHECK(s, r.status == OUTCOME_OK && r.batch == 1 && r.time_count == RUNS && r.warm_count == 0);
    t.cache = TASK_BOTH;
    r = smoke_run(s, "cold and warm", t);
    CHECK(s, r.status == OUTCOME_OK && r.time_count == RUNS && r.warm_count == RUNS);
    l.repeat = 2000; /* more launches than a batch may have */
    t.cache = TASK_WARM;
    r = smoke_run(s, "two thousand launches in a run", t);
    CHECK(s, r.status == OUTCOME_OK && r.batch == 1);
}

/* Result of a final between these kernels. */
static TrialResult final(Smoke *s, const char *const *kernels, size_t count, TaskCache cache)
{
    TaskRun *runs = ARENA_ARRAY(s->arena, TaskRun, count);
    TaskLaunch *launches = ARENA_ARRAY(s->arena, TaskLaunch, count);
    TrialResult r = {0};
    for (size_t i = 0; i < count; i++) {
        launches[i] = product(s, kernels[i], 5, 0);
        runs[i] = (TaskRun){
            .modules = &s->cubin, .module_count = 1, .launches = &launches[i], .launch_count = 1};
    }
    Trial f = {.id = ++s->id,
               .runs = runs,
               .run_count = count,
               .rounds = 5,
               .cache = cache,
               .sampling.sample_ms = 0.2,
               .limit_s = 20};
    gpu_submit(s->gpu, &f);
    CHECK(s, next_result(s->gpu, s->arena, &r, 300));
    CHECK(s, r.id == f.id);
    printf("%-34s %-13s %7.3f s  %zu times%s%s\n", "a final", outcome_name(r.status), r.seconds,
           r.time_count, *r.words ? "\n    " : "", r.words);
    return r;
}

static void finals(Smoke *s)
{
    static const char *const GOOD[] = {"product", "product_nearly", "product_half"};
    static const char *const BAD[] = {"product", "product_illegal"};
    for (TaskCache c = TASK_WARM; c <= TASK_COLD; c++) {
        TrialResult r = final(s, GOOD, 3, c);
        CHECK(s, r.status == OUTCOME_OK && r.time_count == 15);
        for (size_t i = 0; i < r.time_count; i++)
            CHECK(s, r.times[i] > 0);
    }
    TrialResult r = final(s, BAD, 2, TASK_WARM);
    CHECK(s, r.status == OUTCOME_FAULT && r.time_count == 0 && *r.words);
    good(s);
}

/* What the device was doing: shown, since it may be anything. */
static void show_health(Smoke *s)
{
    TaskLaunch launches[] = {product(s, "product", 5, 0), twice(s)};
    Trial t = trial_of(s, &s->cubin, launches, 2);
    t.sampling.enough = t.sampling.most = 5000;
    TrialResult r = smoke_run(s, "for a while", t);
    HealthLog log = {0};
    Buf text = {0};
    health_note(&log, &r.health);
    health_print(&log, &text);
    printf("    %s\n", log.samples ? buf_text(&text) : "the device cannot be looked at");
    buf_free(&text);
}

/* A reference that makes something else every time. */
static void unsteady_reference(Smoke *s)
{
    size_t count;
    TaskBuffer b = {.name = "C", .type = {TASK_FLOAT, 1}, .count = 1000, .role = TASK_OUT};
    TaskLaunch l = inner(s, 1000);
    CHECK(s, set_problem(s, &b, 1, &l));
    CHECK(s, gpu_outputs(s->gpu, &count)->nondeterministic == 0);
    l.kernel = "unsteady";
    CHECK(s, set_problem(s, &b, 1, &l));
    const TaskOutput *o = gpu_outputs(s->gpu, &count);
    CHECK(s, count == 1 && o->nondeterministic > 0 && o->nondeterminism > 0);
    printf("%-34s %" PRId64 " elements, by up to %g\n", "a reference that disagrees",
           o->nondeterministic, o->nondeterminism);
}

static TaskLaunch large(Smoke *s, uint64_t n, uint64_t at)
{
    TaskArgument *x = ARENA_ARRAY(s->arena, TaskArgument, 3);
    x[0] = buffer(0);
    x[1] = value(&n, sizeof n);
    x[2] = value(&at, sizeof at);
    return (TaskLaunch){.kernel = "large",
                        .grid = {4096, 1, 1},
                        .block = {THREADS, 1, 1},
                        .arguments = x,
                        .argument_count = 3};
}

static void more_than_32_bits(Smoke *s)
{
    const uint64_t n = UINT64_C(5000000000), at = UINT64_C(4900000000);
    if (gpu_facts(s->gpu)->memory_bytes < INT64_C(20000000000)) {
        puts("5 GB of output: left out, the device is too small");
        return;
    }
    TaskBuffer b = {.name = "U", .type = {TASK_U8, 1}, .count = (int64_t)n, .role = TASK_OUT};
    TaskLaunch right = large(s, n, n), wrong = large(s, n, at);
    CHECK(s, set_problem(s, &b, 1, &right));
    CHECK(s,
          smoke_run(s, "5 GB of output", trial_of(s, &s->cubin, &right, 1)).status == OUTCOME_OK);
    TrialResult r = smoke_run(s, "one byte of it wrong", trial_of(s, &s->cubin, &wrong, 1));
    CHECK(s, r.status == OUTCOME_WRONG && r.checks[0].wrong == 1);
    CHECK(s, r.check_count == 1 && r.checks[0].first == (int64_t)at);
}

static void refused(Smoke *s, const char *reference, const char *words)
{
    size_t before = s->diag.messages.count;
    CHECK(s, !set_product(s, reference));
    CHECK(s, s->diag.messages.count == before + 1);
    const char *text = s->diag.messages.at[before].text;
    printf("reference %s\n    %s\n", reference, text);
    CHECK(s, strstr(text, words) != NULL);
}

static void bad_references(Smoke *s)
{
    refused(s, "product_nothing", "writes nothing to the output 'C'");
    refused(s, "product_writes_input", "input 'A'");
    refused(s, "product_illegal", "ILLEGAL_ADDRESS");
    refused(s, "product_trap", "does not run");
    refused(s, "missing", "missing");
    TaskBuffer b = {.name = "C", .type = {TASK_DOUBLE, 4}, .count = INT64_C(1) << 40};
    TaskLaunch l = inner(s, 10);
    CHECK(s, !set_problem(s, &b, 1, &l));
    printf("%s\n", s->diag.messages.at[s->diag.messages.count - 1].text);
    CHECK(s, set_product(s, "product"));
    good(s);
}

/* --- all of it ------------------------------------------------------------------------------ */

static void all(Smoke *s)
{
    CHECK(s, set_product(s, "product"));
    check_reference(s);
    good(s);
    wrong_results(s);
    wrong_later(s);
    kept(s);
    strays_and_faults(s);
    resources(s);
    images(s);
    stop_rule(s);
    finals(s);
    show_health(s);
    every_type(s);
    unwritten_border(s);
    batches_and_caches(s);
    unsteady_reference(s);
    more_than_32_bits(s);
    bad_references(s);
}

int main(int argc, char **argv)
{
    return smoke_main(argc, argv, all);
}
