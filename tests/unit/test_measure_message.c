/* Problems, trials and results over the wire: what goes in comes out, and nothing else gets in. */
#include "tuner/gpu/message.h"

#include "metrics/metric/device.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

typedef struct Fixture {
    Arena *arena;
    Diag diag;
    WireMessage message;
} Fixture;

/* The message as the other end sees it: through text and back. */
static void send_over(Fixture *f, json_t *header, Buf *blob)
{
    char *text = json_dumps(header, JSON_COMPACT | JSON_REAL_PRECISION(17));
    f->arena = arena_new();
    f->diag = diag_new(f->arena);
    f->message = (WireMessage){.header = json_loads(text, 0, NULL),
                               .blob = {blob->text, blob->size},
                               .storage = blob->text};
    *blob = (Buf){0};
    free(text);
    json_decref(header);
}

static void end(Fixture *f)
{
    wire_message_free(&f->message);
    arena_free(f->arena);
}

static const TaskArgument ARGUMENTS[] = {{.buffer = 1},
                                         {.buffer = -1, .size = 3, .bytes = {0, 0x7f, 0xff}}};
static const TaskModule MODULES[] = {{"first", 5}, {"second one", 10}};
static const TaskLaunch LAUNCHES[] = {
    {.module = 1,
     .kernel = "k",
     .grid = {INT64_C(1) << 31, 2, 3},
     .block = {4, 5, 6},
     .shared = 1000,
     .repeat = 7,
     .arguments = ARGUMENTS,
     .argument_count = 2},
    {.module = 0, .kernel = "l", .grid = {1, 1, 1}, .block = {1, 1, 1}},
};
static const TaskSymbol SYMBOLS[] = {{"filter", 1, true}};
static const TaskRun RUN = {.modules = MODULES,
                            .module_count = 2,
                            .launches = LAUNCHES,
                            .launch_count = 2,
                            .symbols = SYMBOLS,
                            .symbol_count = 1};

static const TaskBuffer BUFFERS[] = {
    {.name = "A",
     .type = {TASK_HALF, 4},
     .count = INT64_C(5000000000),
     .contents = {.kind = TASK_UNIFORM, .lo = -0.1, .hi = INFINITY, .seed = UINT64_MAX - 1}},
    {.name = "B",
     .type = {TASK_U64, 1},
     .count = 1,
     .role = TASK_INOUT,
     .contents = {.kind = TASK_CONSTANT, .value = 1.0 / 3},
     .tolerance =
         {.absolute = 1e-300, .relative = 1e-5, .scale = TASK_SCALE_MAX, .sum = true, .except = 7},
     .expected = 3},
    {.name = "C",
     .type = {TASK_DOUBLE, 1},
     .count = 1,
     .role = TASK_REFERENCE,
     .contents = {.kind = TASK_BYTES,
                  .bytes = "12345678",
                  .size = 8,
                  .converted = true,
                  .made_as = TASK_U64}},
};

static const TaskTexture TEXTURES[] = {{.buffer = 1,
                                        .size = {1, 1, 0},
                                        .edge = TASK_EDGE_MIRROR,
                                        .linear = true,
                                        .normalized = true,
                                        .fetch = true}};

static void expect_run(const TaskRun *r)
{
    assert_int_equal(r->module_count, 2);
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(r->modules[i].size, MODULES[i].size);
        assert_memory_equal(r->modules[i].cubin, MODULES[i].cubin, MODULES[i].size);
    }
    assert_int_equal(r->launch_count, 2);
    const TaskLaunch *l = &r->launches[0];
    assert_int_equal(l->module, 1);
    assert_string_equal(l->kernel, "k");
    assert_memory_equal(l->grid, LAUNCHES[0].grid, sizeof l->grid);
    assert_memory_equal(l->block, LAUNCHES[0].block, sizeof l->block);
    assert_true(l->shared == 1000 && l->repeat == 7 && l->argument_count == 2);
    assert_int_equal(l->arguments[0].buffer, 1);
    assert_true(l->arguments[1].buffer == -1 && l->arguments[1].size == 3);
    assert_memory_equal(l->arguments[1].bytes, ARGUMENTS[1].bytes, 3);
    assert_int_equal(r->symbol_count, 1);
    assert_string_equal(r->symbols[0].name, "filter");
    assert_true(r->symbols[0].buffer == 1 && r->symbols[0].optional);
}

static json_t *problem(Buf *blob)
{
    TaskProblem p = {.buffers = BUFFERS,
                     .buffer_count = 3,
                     .textures = TEXTURES,
                     .texture_count = 1,
                     .reference = RUN,
                     .checking = {"checking", 8},
                     .bare = true};
    return message_problem(&p, blob);
}

static json_t *trial(Buf *blob)
{
    Trial t = {.id = INT64_C(1) << 40,
               .runs = &RUN,
               .run_count = 1,
               .compared = (const int64_t[]){-1, 5},
               .compared_count = 2,
               .verify = true,
               .warmups = 1,
               .cache = TASK_BOTH,
               .sampling = {2, 7, 100, 0.25, 0.005, 50, 0.3}};
    return message_trial(&t, blob);
}

static void a_problem_arrives_as_it_was_sent(void **state)
{
    (void)state;
    Fixture f;
    Buf blob = {0};
    TaskProblem p;
    send_over(&f, problem(&blob), &blob);

    assert_true(message_read_problem(f.arena, &f.message, &p, &f.diag));

    assert_int_equal(p.buffer_count, 3);
    const TaskBuffer *a = &p.buffers[0], *b = &p.buffers[1];
    assert_string_equal(a->name, "A");
    assert_true(a->type.scalar == TASK_HALF && a->type.lanes == 4 && a->count == 5000000000);
    assert_true(a->contents.kind == TASK_UNIFORM && a->contents.seed == UINT64_MAX - 1);
    assert_true(a->contents.lo == -0.1 && isinf(a->contents.hi));
    assert_true(b->role == TASK_INOUT && b->contents.value == 1.0 / 3);
    assert_true(b->tolerance.absolute == 1e-300 && b->tolerance.relative == 1e-5);
    assert_true(b->tolerance.scale == TASK_SCALE_MAX && b->tolerance.sum && b->expected == 3);
    assert_int_equal(b->tolerance.except, 7);
    const TaskContents *c = &p.buffers[2].contents;
    assert_true(c->kind == TASK_BYTES && c->size == 8 && c->converted && c->made_as == TASK_U64);
    assert_memory_equal(c->bytes, "12345678", 8);
    const TaskTexture *t = &p.textures[0];
    assert_true(p.texture_count == 1 && t->buffer == 1 && t->size[0] == 1 && t->size[2] == 0);
    assert_true(t->edge == TASK_EDGE_MIRROR && t->linear && t->normalized && t->fetch);
    assert_memory_equal(p.checking.cubin, "checking", 8);
    assert_true(p.bare);
    expect_run(&p.reference);
    end(&f);
}

static void a_trial_arrives_as_it_was_sent(void **state)
{
    (void)state;
    Fixture f;
    Buf blob = {0};
    Trial t;
    send_over(&f, trial(&blob), &blob);

    assert_true(message_read_trial(f.arena, &f.message, (MessageLimits){3, 1}, &t, &f.diag));

    assert_true(t.id == INT64_C(1) << 40 && t.verify && t.warmups == 1);
    assert_true(t.compared_count == 2 && t.compared[0] == -1 && t.compared[1] == 5);
    const TaskSampling *x = &t.sampling;
    assert_true(t.cache == TASK_BOTH && x->least == 2 && x->enough == 7 && x->most == 100);
    assert_true(x->sample_ms == 0.25 && x->width == 0.005 && x->budget_ms == 50);
    assert_true(x->best_ms == 0.3);
    assert_true(t.run_count == 1 && t.rounds == 0);
    expect_run(t.runs);
    end(&f);
}

static void a_final_arrives_as_it_was_sent(void **state)
{
    (void)state;
    Fixture f;
    Buf blob = {0};
    TaskRun runs[] = {RUN, RUN, RUN};
    Trial sent = {.id = 3, .runs = runs, .run_count = 3, .rounds = 21, .warm_s = 1.5};
    Trial got;
    sent.sampling.sample_ms = 0.25;
    sent.cache = TASK_COLD;
    send_over(&f, message_trial(&sent, &blob), &blob);

    assert_true(message_read_trial(f.arena, &f.message, (MessageLimits){3, 1}, &got, &f.diag));

    assert_true(got.id == 3 && got.run_count == 3 && got.rounds == 21);
    assert_true(got.sampling.sample_ms == 0.25);
    assert_int_equal(got.cache, TASK_COLD);
    assert_true(got.warm_s == 1.5);
    for (size_t i = 0; i < 3; i++)
        expect_run(&got.runs[i]);
    end(&f);
}

static const TaskRivalArgument TAKEN[] = {
    {.name = "C", .buffer = 2},
    {.name = "N", .buffer = -1, .integer = INT64_MIN},
    {.name = "alpha", .buffer = -1, .real = true, .number = 1.0 / 3},
};
static const TaskRival RIVAL = {
    .library = "cublas", .call = "gemm", .arguments = TAKEN, .argument_count = 3};

static void a_rival_arrives_as_it_was_sent(void **state)
{
    (void)state;
    Fixture f;
    Buf blob = {0};
    TaskRun runs[] = {RUN, {.rival = &RIVAL}};
    Trial sent = {.runs = runs, .run_count = 2, .rounds = 1}, got;
    send_over(&f, message_trial(&sent, &blob), &blob);

    assert_true(message_read_trial(f.arena, &f.message, (MessageLimits){3, 1}, &got, &f.diag));

    assert_null(got.runs[0].rival);
    expect_run(&got.runs[0]);
    const TaskRival *r = got.runs[1].rival;
    assert_int_equal(got.runs[1].launch_count + got.runs[1].module_count, 0);
    assert_string_equal(r->library, "cublas");
    assert_string_equal(r->call, "gemm");
    assert_int_equal(r->argument_count, 3);
    for (size_t i = 0; i < 3; i++)
        assert_string_equal(r->arguments[i].name, TAKEN[i].name);
    assert_int_equal(r->arguments[0].buffer, 2);
    assert_true(r->arguments[1].buffer == -1 && r->arguments[1].integer == INT64_MIN);
    assert_true(r->arguments[2].real && r->arguments[2].number == 1.0 / 3);
    end(&f);
}

static void a_rival_of_a_buffer_that_does_not_exist_is_refused(void **state)
{
    (void)state;
    Fixture f;
    Buf blob = {0};
    Trial sent = {.runs = &(TaskRun){.rival = &RIVAL}, .run_count = 1}, got;
    send_over(&f, message_trial(&sent, &blob), &blob);

    assert_false(message_read_trial(f.arena, &f.message, (MessageLimits){2, 1}, &got, &f.diag));

    assert_string_equal(f.diag.messages.at[0].text, "a rival takes a buffer that does not exist");
    end(&f);
}

static void an_absurd_number_of_runs_rounds_or_samples_is_refused(void **state)
{
    (void)state;
    Fixture f;
    Buf blob = {0};
    Trial none = {0}, empty;
    send_over(&f, message_trial(&none, &blob), &blob);
    assert_false(message_read_trial(f.arena, &f.message, (MessageLimits){3, 1}, &empty, &f.diag));
    assert_string_equal(f.diag.messages.at[0].text, "a trial has one run");
    end(&f);

    blob = (Buf){0};
    Trial final = {.rounds = INT32_MAX}, got;
    send_over(&f, message_trial(&final, &blob), &blob);
    assert_false(message_read_trial(f.arena, &f.message, (MessageLimits){3, 1}, &got, &f.diag));
    end(&f);

    Trial trial = {.runs = &(TaskRun){0}, .run_count = 1, .sampling = {.least = -1}}, read;
    blob = (Buf){0};
    send_over(&f, message_trial(&trial, &blob), &blob);
    assert_false(message_read_trial(f.arena, &f.message, (MessageLimits){3, 1}, &read, &f.diag));
    end(&f);
}

static void what_the_reference_made_arrives_as_it_was_sent(void **state)
{
    (void)state;
    Fixture f;
    Buf blob = {0};
    const TaskOutput sent = {.buffer = 1,
                             .rms = 0.5,
                             .nondeterministic = 7,
                             .nondeterminism = 1e-3},
                     *got;
    size_t count;
    send_over(&f, message_outputs(&sent, 1), &blob);

    assert_true(message_read_outputs(f.arena, f.message.header, &got, &count));

    assert_true(count == 1 && got->buffer == 1 && got->rms == 0.5);
    assert_true(got->nondeterministic == 7 && got->nondeterminism == 1e-3);
    end(&f);
}

static void a_result_arrives_as_it_was_sent(void **state)
{
    (void)state;
    Fixture f;
    Buf blob = {0};
    double times[] = {0.1, 1.0 / 3, 5};
    TrialCheck checks[] = {{.buffer = 2, .wrong = 3, .nan = 1, .unwritten = 1, .first = 9},
                           {.got = NAN, .expected = -INFINITY, .max_error = 1e-30, .scale = -1}};
    TrialResult sent = {.id = 12,
                        .status = OUTCOME_WRONG,
                        .verified = true,
                        .times = times,
                        .time_count = 3,
                        .warm_times = times + 1,
                        .warm_count = 2,
                        .batch = 40,
                        .health = {.known = true, .clock_mhz = 1980, .throttle = 5, .others = 2},
                        .first_ms = 7,
                        .checks = checks,
                        .check_count = 2,
                        .words = "not \xff UTF-8",
                        .title = "cuBLAS SGEMM",
                        .details = "13.0"};
    TrialResult r;
    send_over(&f, message_result(&sent), &blob);

    assert_true(message_read_result(f.arena, f.message.header, &r));

    assert_true(r.id == 12 && r.status == OUTCOME_WRONG && r.verified && r.first_ms == 7);
    assert_int_equal(r.time_count, 3);
    assert_memory_equal(r.times, times, sizeof times);
    assert_int_equal(r.warm_count, 2);
    assert_memory_equal(r.warm_times, times + 1, 2 * sizeof times[0]);
    assert_int_equal(r.batch, 40);
    assert_true(r.health.known && r.health.clock_mhz == 1980 && r.health.throttle == 5);
    assert_int_equal(r.health.others, 2);
    assert_int_equal(r.check_count, 2);
    assert_true(r.checks[0].wrong == 3 && r.checks[0].first == 9 && r.checks[0].unwritten == 1);
    assert_true(isnan(r.checks[1].got) && r.checks[1].expected < -1e308);
    assert_true(r.checks[1].max_error == 1e-30 && r.checks[1].scale == -1);
    assert_string_equal(r.words, "not ? UTF-8");
    assert_string_equal(r.title, "cuBLAS SGEMM");
    assert_string_equal(r.details, "13.0");
    end(&f);
}

static void the_facts_of_a_device_arrive_as_they_were_sent(void **state)
{
    (void)state;
    Fixture f;
    Buf blob = {0};
    const DeviceSheet sheet = {.rates = {.issue = 4, .code_bytes = 1024},
                               .latencies = {.alu = 4.5, .barrier_warp = 2}};
    GpuFacts sent = {.device = {.name = "Synthetic",
                                .major = 9,
                                .minor = 1,
                                .sms = 2,
                                .block_limit = {3, 4, 5},
                                .grid_limit = {2147483647, 6, 7},
                                .shared_reserved = 8,
                                .clock_hz = 1.98e9,
                                .l2_bytes = INT64_C(1) << 33,
                                .fp32_per_sm = 128,
                                .sheet = &sheet},
                     .uuid = "GPU-0",
                     .driver = "580",
                     .cuda_version = 13000,
                     .memory_bytes = INT64_C(1) << 37,
                     .memory_clock_hz = 3.2e9,
                     .bus_bits = 6144};
    GpuFacts r;
    send_over(&f, message_facts(&sent), &blob);

    assert_true(message_read_facts(f.arena, f.message.header, &r));

    assert_string_equal(r.device.name, "Synthetic");
    assert_string_equal(r.uuid, "GPU-0");
    json_t *again = message_facts(&r);
    assert_true(json_equal(again, f.message.header));
    json_decref(again);
    assert_true(r.device.grid_limit[0] == 2147483647 && r.device.block_limit[2] == 5);
    assert_true(r.device.clock_hz == 1.98e9 && r.device.l2_bytes == INT64_C(1) << 33);
    assert_true(r.device.fp32_per_sm == 128 && r.device.shared_reserved == 8);
    assert_true(r.memory_bytes == INT64_C(1) << 37 && r.memory_clock_hz == 3.2e9);
    assert_true(r.bus_bits == 6144 && r.cuda_version == 13000);
    assert_memory_equal(device_rates(&r.device), &sheet.rates, sizeof sheet.rates);
    assert_memory_equal(device_latencies(&r.device), &sheet.latencies, sizeof sheet.latencies);
    end(&f);
}

/* Every number of the trial in turn becomes absurd: it is read or refused, and what is read has
 * indices that exist. */
static void absurd_numbers_never_get_past_the_reader(void **state)
{
    (void)state;
    static const char *const ABSURD[][2] = {
        {"\"module\":1", "\"module\":2"},
        {"\"module\":1", "\"module\":-1"},
        {"\"module\":1", "\"module\":4294967297"},
        {"\"buffer\":1", "\"buffer\":3"},
        {"\"buffer\":1", "\"buffer\":-1"},
        {"\"buffer\":1", "\"buffer\":null"},
        {"[0,127,255]", "[0,127,256]"},
        {"[0,127,255]", "[0,-1,255]"},
        {"[0,127,255]", "[0,127,\"f\"]"},
        {"[0,127,255]", "[]"},
        {"[0,5]", "[0,16]"},
        {"[0,5]", "[-1,5]"},
        {"[0,5]", "[9223372036854775807,5]"},
        {"[0,5]", "[0,0]"},
        {"[0,5]", "{}"},
    };
    for (size_t i = 0; i < sizeof ABSURD / sizeof ABSURD[0]; i++) {
        Fixture f;
        Buf blob = {0}, changed = {0};
        Trial t;
        json_t *header = trial(&blob);
        char *text = json_dumps(header, JSON_COMPACT);
        char *at = strstr(text, ABSURD[i][0]);
        assert_non_null(at);
        buf_add(&changed, text, (size_t)(at - text));
        buf_puts(&changed, ABSURD[i][1]);
        buf_puts(&changed, at + strlen(ABSURD[i][0]));
        json_decref(header);
        send_over(&f, json_loads(buf_text(&changed), 0, NULL), &blob);

        assert_false(message_read_trial(f.arena, &f.message, (MessageLimits){3, 1}, &t, &f.diag));

        assert_int_equal(f.diag.errors, 1);
        free(text);
        buf_free(&changed);
        end(&f);
    }
}

static void what_is_expected_has_the_size_of_its_buffer(void **state)
{
    (void)state;
    for (int64_t count = 6; count <= 8; count++) {
        const TaskBuffer buffers[] = {
            {.name = "C", .type = {TASK_FLOAT, 1}, .count = 7, .role = TASK_OUT, .expected = 2},
            {.name = "E", .type = {TASK_FLOAT, 1}, .count = count, .role = TASK_REFERENCE}};
        const TaskProblem sent = {
            .buffers = buffers, .buffer_count = 2, .checking = {"synthetic", 9}};
        TaskProblem got;
        Fixture f;
        Buf blob = {0};
        send_over(&f, message_problem(&sent, &blob), &blob);

        assert_int_equal(message_read_problem(f.arena, &f.message, &got, &f.diag), count == 7);

        if (count != 7)
            assert_string_equal(f.diag.messages.at[0].text,
                                "the expected contents of 'C' have another size");
        end(&f);
    }
}

static void a_buffer_of_no_size_or_type_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *part; /* of the buffer; NULL: itself */
        const char *key;
        json_int_t value;
        const char *said;
    } ABSURD[] = {{NULL, "count", 0, "'B'"},
                  {NULL, "count", -1, "'B'"},
                  {NULL, "count", INT64_MAX, "'B'"},
                  {"type", "lanes", 0, "'B'"},
                  {"type", "lanes", 5, "'B'"},
                  {"type", "scalar", TASK_SCALARS, "buffers[1].type.scalar"},
                  {NULL, "type", 1, "buffers[1].type"},
                  {NULL, "role", 5, "buffers[1].role"},
                  {NULL, "role", -1, "buffers[1].role"},
                  {NULL, "contents", 4, "buffers[1].contents"},
                  {"contents", "kind", TASK_CONTENTS_KINDS, "buffers[1].contents.kind"},
                  {"tolerance", "scale", 3, "buffers[1].tolerance.scale"}};
    for (size_t i = 0; i < sizeof ABSURD / sizeof ABSURD[0]; i++) {
        Fixture f;
        Buf blob = {0};
        TaskProblem p;
        json_t *header = problem(&blob);
        json_t *buffer = json_array_get(json_object_get(header, "buffers"), 1);
        json_object_set_new(ABSURD[i].part ? json_object_get(buffer, ABSURD[i].part) : buffer,
                            ABSURD[i].key, json_integer(ABSURD[i].value));
        send_over(&f, header, &blob);

        assert_false(message_read_problem(f.arena, &f.message, &p, &f.diag));

        assert_non_null(strstr(f.diag.messages.at[0].text, ABSURD[i].said));
        end(&f);
    }
}

/* The value at "runs/0/launches/1" becomes another one. */
static void change(json_t *at, const char *path, const char *value)
{
    char part[32];
    for (;;) {
        const size_t n = strcspn(path, "/");
        snprintf(part, sizeof part, "%.*s", (int)n, path);
        path += n;
        if (!*path)
            break;
        at = json_is_array(at) ? json_array_get(at, (size_t)atoi(part)) : json_object_get(at, part);
        assert_non_null(at);
        path++;
    }
    json_t *new = json_loads(value, JSON_DECODE_ANY, NULL);
    assert_non_null(new);
    if (json_is_array(at))
        json_array_set_new(at, (size_t)atoi(part), new);
    else
        json_object_set_new(at, part, new);
}

/* One thing of a sound message becomes another one: what is said then; NULL: it is sound, too. */
static void limits_are_where_they_should_be(void **state)
{
    (void)state;
    static const struct {
        char of; /* a trial, a problem */
        const char *path, *value, *said;
    } CASES[] = {
        {'t', "runs/0/launches/1/module", "1", NULL},
        {'t', "runs/0/launches/1/module", "2", "a launch of 'l' names a cubin that does not exist"},
        {'t', "runs/0/launches/0/arguments/0/buffer", "0", NULL},
        {'t', "runs/0/launches/0/arguments/0/buffer", "2", NULL},
        {'t', "runs/0/launches/0/arguments/0/buffer", "3",
         "argument 0 of 'k' is neither a value nor a buffer that exists"},
        {'t', "runs/0/launches/0/arguments/0/texture", "true",
         "argument 0 of 'k' is neither a value nor a buffer that exists"},
        {'t', "runs/0/launches/0/arguments/1/texture", "true",
         "argument 1 of 'k' is neither a value nor a buffer that exists"},
        {'t', "runs/0/launches/0/arguments/1/alignment", "16", NULL},
        {'t', "runs/0/launches/0/arguments/1/alignment", "17",
         "argument 1 of 'k' has no valid place"},
        {'t', "runs/0/launches/0/arguments/1/alignment", "-1",
         "argument 1 of 'k' has no valid place"},
        {'t', "runs/0/launches/0/arguments/1/joined", "true", NULL},
        {'t', "runs/0/launches/0/arguments/0/joined", "true",
         "argument 0 of 'k' has no valid place"},
        {'t', "runs/0/modules/0/cubin", "[0,0]", "a cubin is missing from the message"},
        {'t', "runs/0/symbols/0/buffer", "2", NULL},
        {'t', "runs/0/symbols/0/buffer", "3",
         "the variable 'filter' gets a buffer that does not exist"},
        {'t', "runs/0/symbols/0/buffer", "-1",
         "the variable 'filter' gets a buffer that does not exist"},
        {'t', "compared", "[1,2,3]", NULL},
        {'t', "compared", "[1,2,3,4]", "a trial compares more buffers than there are"},
        {'t', "rounds", "10000", NULL},
        {'t', "rounds", "10001", "a message's rounds is missing or malformed"},
        {'t', "sampling/least", "1048576", NULL},
        {'t', "sampling/least", "1048577", "a message's sampling.least is missing or malformed"},
        {'t', "sampling/enough", "1048577", "a message's sampling.enough is missing or malformed"},
        {'t', "sampling/most", "1048577", "a message's sampling.most is missing or malformed"},
        {'t', "runs", "[]", "a trial has one run"},
        {'p', "buffers/0/count", "1", NULL},
        {'p', "buffers/0/type/lanes", "1", NULL},
        {'p', "buffers/0/type/lanes", "0", "the buffer 'A' has no usable type, size or contents"},
        {'p', "buffers/1/type/lanes", "4", "the expected contents of 'B' have another size"},
        {'p', "buffers/1/type/lanes", "5", "the buffer 'B' has no usable type, size or contents"},
        {'p', "buffers/1/expected", "0", NULL},
        {'p', "buffers/1/expected", "1", "the expected contents of 'B' have another size"},
        {'p', "buffers/1/expected", "4", "the buffer 'B' has no usable type, size or contents"},
        {'p', "buffers/1/expected", "-1", "the buffer 'B' has no usable type, size or contents"},
        {'p', "buffers/2/contents/bytes", "[0,0]",
         "the buffer 'C' has no usable type, size or contents"},
        {'p', "textures/0/buffer", "2", NULL},
        {'p', "textures/0/buffer", "3", "a texture has no usable size or buffer"},
        {'p', "textures/0/size", "[1,1,1]", NULL},
        {'p', "textures/0/size", "[1,0,0]", NULL},
        {'p', "textures/0/size", "[0,1,1]", "a texture has no usable size or buffer"},
        {'p', "textures/0/size", "[1,-1,1]", "a texture has no usable size or buffer"},
        {'p', "textures/0/size", "[1,2,1]", "a texture has no usable size or buffer"},
        {'p', "textures/0/size", "[1,1,2147483648]", "a texture has no usable size or buffer"},
        {'p', "reference/launches/0/module", "2",
         "a launch of 'k' names a cubin that does not exist"},
        {'p', "checking/cubin", "[0,0]", "a cubin is missing from the message"},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        Fixture f;
        Buf blob = {0};
        Trial t;
        TaskProblem p;
        json_t *header = CASES[i].of == 't' ? trial(&blob) : problem(&blob);
        change(header, CASES[i].path, CASES[i].value);
        send_over(&f, header, &blob);

        const bool ok = CASES[i].of == 't' ? message_read_trial(f.arena, &f.message,
                                                                (MessageLimits){3, 1}, &t, &f.diag)
                                           : message_read_problem(f.arena, &f.message, &p, &f.diag);

        assert_int_equal(ok, CASES[i].said == NULL);
        if (CASES[i].said)
            assert_string_equal(f.diag.messages.at[0].text, CASES[i].said);
        assert_int_equal(f.diag.messages.count, !ok);
        end(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_problem_arrives_as_it_was_sent),
        cmocka_unit_test(a_trial_arrives_as_it_was_sent),
        cmocka_unit_test(a_final_arrives_as_it_was_sent),
        cmocka_unit_test(a_rival_arrives_as_it_was_sent),
        cmocka_unit_test(a_rival_of_a_buffer_that_does_not_exist_is_refused),
        cmocka_unit_test(an_absurd_number_of_runs_rounds_or_samples_is_refused),
        cmocka_unit_test(what_the_reference_made_arrives_as_it_was_sent),
        cmocka_unit_test(a_result_arrives_as_it_was_sent),
        cmocka_unit_test(the_facts_of_a_device_arrive_as_they_were_sent),
        cmocka_unit_test(absurd_numbers_never_get_past_the_reader),
        cmocka_unit_test(what_is_expected_has_the_size_of_its_buffer),
        cmocka_unit_test(a_buffer_of_no_size_or_type_is_refused),
        cmocka_unit_test(limits_are_where_they_should_be),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
