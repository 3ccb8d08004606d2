/* Kernel arguments as bytes, against the C compiler's own layout of the same parameters, and as a
 * task for the GPU. */
#include "tests/support/spec_text.h"
#include "tests/support/made_table.h"
#include "tuner/run/run_parts.h"

#include <string.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

/* A run that got as far as a spec; ends with close_run. */
static Run *open_run(const char *fragment)
{
    Arena *a = arena_new();
    Run *r = ARENA_NEW(a, Run);
    r->arena = a;
    r->diag = ARENA_NEW(a, Diag);
    *r->diag = diag_new(a);
    r->spec = spec_parse(a, spec_source(a, spec_completed(a, fragment)), r->diag);
    assert_non_null(r->spec);
    assert_true(space_build(a, r->spec, 0, NULL, &r->space, r->diag));
    r->table = table_new(a);
    size_t row = table_add(r->table, 0);
    r->table->launch[row].geometry = ARENA_ARRAY(a, Geometry, r->spec->launch_count);
    return r;
}

/* The bytes that the first kernel of the only configuration gets. */
static bool bytes_of(Run *r, ArgumentBytes *out, Evaluation *ev)
{
    const Launch *l = &r->spec->launches[0];
    return run_launch_bytes(r->arena, r, l, run_slots(r->arena, r, 0), ev, out);
}

static void close_run(Run *r)
{
    space_free(&r->space);
    arena_free(r->arena);
}

static void parameters_lie_as_the_compiler_lays_them_out(void **state)
{
    (void)state;
    Run *r = open_run("problem N = 7\n"
                      "arg a : int8 = -3\n"
                      "arg b : double = 0.25\n"
                      "arg c : uint16 = 65535\n"
                      "out p : float[N]\n"
                      "arg d : float = 1.5\n"
                      "arg e : half = 1\n"
                      "arg f : int64 = -9000000000\n"
                      "arg g : uint8 = N\n"
                      "arg h : int = N * 1000\n"
                      "arg i : float2 = 2\n");
    struct {
        int8_t a;
        double b;
        uint16_t c;
        uint64_t p;
        float d;
        uint16_t e;
        int64_t f;
        uint8_t g;
        int32_t h;
        _Alignas(8) float i[2]; /* CUDA's float2 */
    } want;
    memset(&want, 0, sizeof want);
    want.a = -3, want.b = 0.25, want.c = 65535, want.d = 1.5f, want.e = 0x3c00;
    want.f = -9000000000, want.g = 7, want.h = 7000, want.i[0] = want.i[1] = 2;

    ArgumentBytes got;
    Evaluation ev = {.arena = r->arena};
    assert_true(bytes_of(r, &got, &ev));

    assert_int_equal(got.size, offsetof(__typeof__(want), i) + sizeof want.i);
    memcpy(&want.p, got.bytes + offsetof(__typeof__(want), p), sizeof want.p);
    assert_memory_equal(got.bytes, &want, got.size);
    close_run(r);
}

static void conditions_are_integers(void **state)
{
    (void)state;
    Run *r = open_run("problem N = 7\nparam A in 2\n"
                      "arg a : bool = true\narg b : bool = N < A\narg c : uint8 = not (N < A)\n"
                      "arg d : int = A == 2 and N == 7\n");
    const unsigned char want[] = {1, 0, 1, 0, 1, 0, 0, 0};
    ArgumentBytes got;
    Evaluation ev = {.arena = r->arena};
    assert_true(bytes_of(r, &got, &ev));
    assert_int_equal(got.size, sizeof want);
    assert_memory_equal(got.bytes, want, sizeof want);
    close_run(r);
}

/* Members of one type are lanes of it, others are bytes. */
static void members_of_a_struct_are_lanes_where_they_are_alike(void **state)
{
    (void)state;
    static const struct {
        const char *type;
        TaskType element;
    } cases[] = {{"struct(float)", {TASK_FLOAT, 1}},
                 {"struct(double, double, double)", {TASK_DOUBLE, 3}},
                 {"struct(float, float3)", {TASK_FLOAT, 4}},
                 {"struct(int, float)", {TASK_U8, 8}},
                 {"struct(int8, float)", {TASK_U8, 8}},
                 {"struct(double, float)", {TASK_U8, 16}},
                 {"struct(float, double)", {TASK_U8, 16}}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[80];
        snprintf(text, sizeof text, "arg s : %s = 1\n", cases[i].type);
        Run *r = open_run(text);
        const TaskType t = r->spec->arguments[0].element;
        assert_int_equal(t.scalar, cases[i].element.scalar);
        assert_int_equal(t.lanes, cases[i].element.lanes);
        close_run(r);
    }
}

static void structs_lie_as_c_lays_them_out(void **state)
{
    (void)state;
    Run *r = open_run("problem N = 7\n"
                      "arg a : int8 = 1\n"
                      "arg s : struct(int8, float4, double, bfloat16) = [N, 1, 2, 3, 4, 0.5, 2]\n"
                      "arg t : struct(float, float3) = 0.25\n"
                      "inout b : struct(float, int)[3] = formula(lane == 0 ? i + 0.5 : -i)\n");
    struct {
        int8_t a;
        struct {
            int8_t a;
            _Alignas(16) float b[4]; /* CUDA's float4 */
            double c;
            uint16_t d;
        } s;
        float t[4];
        uint64_t b;
    } want;
    memset(&want, 0, sizeof want);
    want.a = 1, want.s.a = 7, want.s.c = 0.5, want.s.d = 0x4000;
    for (int i = 0; i < 4; i++)
        want.s.b[i] = (float)(i + 1), want.t[i] = 0.25f;

    ArgumentBytes got;
    Evaluation ev = {.arena = r->arena};
    assert_true(bytes_of(r, &got, &ev));

    assert_int_equal(got.size, offsetof(__typeof__(want), b) + sizeof want.b);
    memcpy(&want.b, got.bytes + offsetof(__typeof__(want), b), sizeof want.b);
    assert_memory_equal(got.bytes, &want, got.size);
    const RunData *data = run_data(r);
    assert_non_null(data);
    assert_int_equal(data->buffers.at[0].contents.size, 24);
    for (int i = 0; i < 3; i++) {
        const unsigned char *at = (const unsigned char *)data->buffers.at[0].contents.bytes + 8 * i;
        assert_true(contents_value(TASK_FLOAT, at) == i + 0.5);
        assert_true(contents_value(TASK_I32, at + 4) == -i);
    }
    close_run(r);
}

/* A struct by value with addresses in it, and what lies behind it. */
static void members_of_a_struct_lie_as_c_lays_them_out(void **state)
{
    (void)state;
    Run *r = open_run("kernel \"k.cu\" k\nblock 1\ngrid 1\n"
                      "in in : float[4]\narg n : int8 = 3\nout y : float[4]\n"
                      "args n, struct(in, n, y, a : half = 1), n, struct(n, m : float = 2)\n");
    struct {
        int8_t a;
        struct {
            uint64_t x;
            int8_t n;
            uint64_t y;
            uint16_t a;
        } s;
        int8_t b;
        struct {
            int8_t n;
            float m;
        } t;
    } want;
    memset(&want, 0, sizeof want);
    want.a = want.b = want.s.n = want.t.n = 3, want.s.a = 0x3c00, want.t.m = 2;
    want.s.x = run_pretended_address(0), want.s.y = run_pretended_address(2);
    ArgumentBytes got;
    Evaluation ev = {.arena = r->arena};
    assert_true(bytes_of(r, &got, &ev));
    assert_int_equal(got.size, offsetof(__typeof__(want), t) + sizeof want.t);
    assert_memory_equal(got.bytes, &want, got.size);
    close_run(r);
}

static void buffers_are_far_apart_and_aligned_as_cuda_aligns_them(void **state)
{
    (void)state;
    Run *r = open_run("in x : float[4]\nin y : float[4]\nout z : float[4]\n");
    ArgumentBytes got;
    Evaluation ev = {.arena = r->arena};
    uint64_t address[3];

    assert_true(bytes_of(r, &got, &ev));

    assert_int_equal(got.size, sizeof address);
    memcpy(address, got.bytes, sizeof address);
    for (int i = 0; i < 3; i++)
        assert_true(address[i] != 0 && address[i] % 256 == 0);
    assert_true(address[1] - address[0] > (uint64_t)1 << 38);
    assert_true(address[2] - address[1] > (uint64_t)1 << 38);
    close_run(r);
}

static bool fits(const char *type, const char *value)
{
    Buf line = {0};
    buf_printf(&line, "arg x : %s = %s\n", type, value);
    Run *r = open_run(buf_text(&line));
    ArgumentBytes bytes;
    Evaluation ev = {.arena = r->arena};
    RunTask task;
    bool fit = bytes_of(r, &bytes, &ev);
    assert_true((ev.error == NULL) == fit);
    if (!fit)
        assert_non_null(strstr(ev.error, "the value of 'x' does not fit into "));
    assert_non_null(run_data(r));
    assert_int_equal(run_make_steps(r->arena, r, 0, &ev), OUTCOME_NONE);
    assert_true(run_task(r->arena, r, 0, &task, &ev) == fit);
    if (!fit) { /* who wants the code is told, too */
        Fetched x;
        r->home.compile_helper = r->options.cache = "/dev/null/none";
        assert_false(run_fetch(r, r->arena, 0, &x));
        assert_non_null(strstr(x.failure, ev.error));
    }
    close_run(r);
    buf_free(&line);
    return fit;
}

static void an_integer_that_does_not_fit_is_refused_with_a_message(void **state)
{
    (void)state;
    assert_true(fits("int8", "127") && fits("int8", "-128"));
    assert_false(fits("int8", "128") || fits("int8", "-129"));
    assert_true(fits("uint8", "255") && fits("uint8", "0"));
    assert_false(fits("uint8", "256") || fits("uint8", "-1"));
    assert_true(fits("int16", "-32768") && fits("uint16", "65535"));
    assert_false(fits("int16", "32768") || fits("uint16", "65536"));
    assert_true(fits("int32", "2147483647") && fits("uint32", "4294967295"));
    assert_false(fits("int32", "2147483648") || fits("uint32", "4294967296"));
    assert_true(fits("int64", "-9223372036854775807") && fits("uint64", "9223372036854775807"));
    assert_false(fits("uint64", "-1"));
}

static void arguments_of_a_task_name_buffers_in_their_order(void **state)
{
    (void)state;
    Run *r = open_run("out x : float[4]\narg n : int = 5\ninout y : half[2]\n");
    Evaluation ev = {.arena = r->arena};
    RunTask task;

    const RunData *data = run_data(r);
    assert_non_null(data);
    assert_int_equal(run_make_steps(r->arena, r, 0, &ev), OUTCOME_NONE);
    assert_true(run_task(r->arena, r, 0, &task, &ev));

    assert_int_equal(task.run.launch_count, 1);
    const TaskArgument *t = task.launches[0].arguments;
    const TaskBuffer *buffers = data->buffers.at;
    size_t count = data->buffers.count;
    assert_int_equal(t[0].buffer, 0);
    assert_int_equal(t[1].buffer, -1);
    assert_int_equal(t[1].size, 4);
    assert_memory_equal(t[1].bytes, (&(int32_t){5}), 4);
    assert_int_equal(t[2].buffer, 1);
    assert_int_equal(count, 2);
    assert_string_equal(buffers[1].name, "y");
    assert_int_equal(buffers[1].role, TASK_INOUT);
    assert_int_equal(buffers[1].type.scalar, TASK_HALF);
    close_run(r);
}

/* The numbers that the kernels get, not those of the spec: 0.3 is 0.300048828125 as half. */
static void a_reference_in_double_gets_the_same_numbers_wider(void **state)
{
    (void)state;
    Run *r = open_run("out x : float[4]\narg a : float = 0.1\narg h : half = 0.3\narg n : int = 5\n"
                      "arg d : double = 0.1\nreference \"k.cu\" simple block 32 grid 1 double\n");
    const double wide[] = {0.1F, 0.300048828125};
    const Launch *l = &r->spec->reference[0];
    Evaluation ev = {.arena = r->arena};
    Value *slots = run_slots(r->arena, r, SIZE_MAX);
    TaskLaunch t;
    Steps steps;
    const RunData *data = run_data(r);
    assert_non_null(data);
    assert_true(geometry_steps(r->arena, l, 0, slots, &ev, &steps));
    assert_true(run_task_launch(r->arena, r, &steps.at[0], l, slots, &ev, &t));

    assert_int_equal(t.argument_count, 5);
    assert_int_equal(t.arguments[0].buffer, data->double_copy[0]);
    assert_int_equal(data->buffers.at[data->double_copy[0]].type.scalar, TASK_DOUBLE);
    for (int i = 0; i < 2; i++) {
        assert_memory_equal(t.arguments[1 + i].bytes, &wide[i], 8);
        assert_int_equal(t.arguments[1 + i].size, 8);
        assert_int_equal(t.arguments[1 + i].alignment, 8);
    }
    assert_int_equal(t.arguments[3].size, 4);
    assert_memory_equal(t.arguments[3].bytes, (&(int32_t){5}), 4);
    assert_memory_equal(t.arguments[4].bytes, (&(double){0.1}), 8);
    close_run(r);
}

static void buffers_get_the_contents_of_the_spec(void **state)
{
    (void)state;
    Run *r = open_run("problem N = 8\ntolerance 0.5\n"
                      "in a : float[N * N] = uniform(-1, N)\n"
                      "in b : float[N] = uniform(0, 1, N + 34)\n"
                      "in c : int[N] = constant(2 * N)\n"
                      "inout d : int[N]\n"
                      "out e : int[N]\n"
                      "in f : float[N] = uniform(-1, N)\n");

    const RunData *data = run_data(r);

    assert_non_null(data);
    const TaskBuffer *b = data->buffers.at;
    size_t count = data->buffers.count;
    assert_int_equal(count, 6);
    assert_int_equal(b[0].count, 64);
    assert_int_equal(b[0].contents.kind, TASK_UNIFORM);
    assert_true(b[0].contents.lo == -1 && b[0].contents.hi == 8);
    assert_int_equal(b[1].contents.seed, 42);
    assert_int_equal(b[2].contents.kind, TASK_CONSTANT);
    assert_true(b[2].contents.value == 16);
    assert_int_equal(b[3].contents.kind, TASK_ZERO);
    assert_int_equal(b[4].contents.kind, TASK_UNDEFINED);
    assert_true(b[0].contents.seed != b[5].contents.seed);
    assert_true(b[4].tolerance.relative == 0.5);
    close_run(r);
}

/* The spec's tolerance is for outputs that say nothing of their own. */
static void outputs_are_compared_as_the_spec_says(void **state)
{
    (void)state;
    Run *r = open_run("problem N = 8\ntolerance 0.5\n"
                      "out a : float[N]\ncompare a exact\n"
                      "out b : float[N]\ncompare b relative 0.25 of max\n"
                      "out c : float[N]\ncompare c absolute 0.125\n"
                      "out d : float[N]\ncompare d relative 0.25 of element absolute 0.125\n"
                      "out e : float[N]\ncompare e sum\n"
                      "out f : float[N]\ncompare f except N / 4\n"
                      "out g : float[N]\ncompare g first N / 2\n");
    static const TaskTolerance expected[] = {
        {0},
        {.relative = 0.25, .scale = TASK_SCALE_MAX},
        {.absolute = 0.125},
        {.relative = 0.25, .absolute = 0.125, .scale = TASK_SCALE_ELEMENT},
        {.relative = 0.5, .sum = true},
        {.relative = 0.5, .except = 2},
        {.relative = 0.5},
    };

    const RunData *data = run_data(r);

    assert_non_null(data);
    assert_int_equal(data->buffers.count, sizeof expected / sizeof *expected);
    for (size_t i = 0; i < data->buffers.count; i++) {
        const TaskTolerance *t = &data->buffers.at[i].tolerance;
        assert_true(t->relative == expected[i].relative && t->absolute == expected[i].absolute);
        assert_int_equal(t->except, expected[i].except);
        assert_int_equal(t->scale, expected[i].scale);
        assert_int_equal(t->sum, expected[i].sum);
    }
    close_run(r);
}

static void an_exception_that_cannot_be_computed_is_refused(void **state)
{
    (void)state;
    Run *r = open_run("problem N = 8\nout f : float[N]\ncompare f except 1 / (N - 8)\n");

    assert_null(run_data(r));

    assert_int_equal(r->diag->errors, 1);
    close_run(r);
}

/* As many elements as there are, or as the spec says; of inputs none. */
static void what_a_configuration_makes_is_compared(void **state)
{
    (void)state;
    Run *r = open_run("problem N = 8\nparam A in 2\nreference first\nin x : float[N]\n"
                      "out y : float[N * A]\ncompare y first N / A\ninout z : int[N]\n"
                      "compare z first 100\n");
    const int64_t *compared;
    size_t count;
    assert_non_null(run_data(r));

    assert_true(run_compared(r->arena, r, 0, &compared, &count));

    assert_int_equal(count, 3);
    assert_int_equal(compared[0], -1);
    assert_int_equal(compared[1], 4);
    assert_int_equal(compared[2], 8);
    close_run(r);
}

/* What an output should be is a buffer, too, and none that a configuration makes. */
static void what_results_should_be_is_not_compared(void **state)
{
    (void)state;
    Run *r =
        open_run("problem N = 8\nparam A in 2\nout y : float[N]\nreference y = formula(3 * i)\n");
    const int64_t *compared;
    size_t count;
    assert_non_null(run_data(r));

    assert_true(run_compared(r->arena, r, 0, &compared, &count));

    assert_int_equal(count, 2);
    assert_int_equal(compared[0], 8);
    assert_int_equal(compared[1], -1);
    close_run(r);
}

static void a_number_of_results_that_is_none_is_refused(void **state)
{
    (void)state;
    Run *r = open_run("problem N = 8\nparam A in 2\nreference first\nout y : float[N]\n"
                      "compare y first N / (A - 2)\n");
    const int64_t *compared;
    size_t count;
    assert_non_null(run_data(r));

    assert_false(run_compared(r->arena, r, 0, &compared, &count));

    assert_int_equal(r->diag->errors, 1);
    close_run(r);
}

static void a_buffer_without_elements_is_refused(void **state)
{
    (void)state;
    Run *r = open_run("problem N = 8\nout a : float[N - 8]\n");

    assert_null(run_data(r));

    assert_int_equal(r->diag->errors, 1);
    close_run(r);
}

/* Every number of every buffer that walks may read, one at a time and whole words. */
static void assert_walks_read_what_the_gpu_gets(const Run *r, const RunData *data, Data *read)
{
    const WalkData *w = data_of_walk(read);
    size_t looked_at = 0;
    for (size_t i = 0; i < r->spec->argument_count; i++) {
        const Argument *g = &r->spec->arguments[i];
        if (g->role != ARGUMENT_IN && g->role != ARGUMENT_CONSTANT)
            continue;
        const TaskBuffer *b = &data->buffers.at[data->buffer[i]];
        const size_t size = task_scalar_size(b->type.scalar);
        const size_t scalars = (size_t)b->count * (size_t)b->type.lanes;
        unsigned char *want = arena_alloc(r->arena, scalars * size + 8);
        contents_fill(b->contents, b->type.scalar, 0, scalars, want);
        for (size_t at = 0; at + 8 <= scalars * size; at++) {
            uint64_t got, whole;
            memcpy(&whole, want + at, 8);
            assert_true(w->load(w->context, run_pretended_address(i) + at, 8, &got));
            assert_true(got == whole);
            assert_true(w->load(w->context, run_pretended_address(i) + at, 1, &got));
            assert_true(got == want[at]);
            looked_at++;
        }
    }
    assert_true(looked_at > 0);
}

static void walks_read_what_the_gpu_gets(void **state)
{
    (void)state;
    Run *r = open_run("problem N = 37, HALF = 5\nlet MOST = 2 * N\nlet ODD = N % 2 == 1\n"
                      "in a : double[N] = copy(j)\n"
                      "in b : int[N] = uniform(0, MOST)\n"
                      "in c : half2[N] = normal(0, 0.5, 7)\n"
                      "in d : float4[N] = formula(i * MOST + lane + HALF + (ODD ? 0.5 : 2))\n"
                      "in e : uint8[N] = formula(\n  i * i % 251 # of any size\n)\n"
                      "in f : int64[N] = sorted(uniform(-1000, 1000))\n"
                      "in g : float[N] = lane(d, 2)\n"
                      "in h : float[4 * N] = lanes(d)\n"
                      "in j : float[N] = uniform(-1, 1)\n"
                      "in k : int16[N] = constant(3)\n"
                      "constant l : float[N] = sorted(normal(0, 1))\n"
                      "in m : uint[N] = zero\n");
    const RunData *data = run_data(r);
    assert_non_null(data);

    Data *read = data_open(run_describe_data(r));

    assert_walks_read_what_the_gpu_gets(r, data, read);
    const WalkData *w = data_of_walk(read);
    uint64_t address, value;
    assert_true(w->symbol(w->context, "l", &address));
    assert_true(address == run_pretended_address(10));
    assert_false(w->symbol(w->context, "a", &address));
    assert_false(w->load(w->context, run_pretended_address(99), 4, &value));
    data_close(read);
    close_run(r);
}

static void what_a_launch_writes_is_not_read(void **state)
{
    (void)state;
    Run *r = open_run("inout a : float[8] = uniform(-1, 1)\nout b : int[8]\nscratch c : int[8]\n");
    Data *read = data_open(run_describe_data(r));
    const WalkData *w = data_of_walk(read);
    uint64_t value;
    for (size_t i = 0; i < 3; i++)
        assert_false(w->load(w->context, run_pretended_address(i), 4, &value));
    data_close(read);
    close_run(r);
}

/* What is described is numbers of one type. */
static void members_of_several_types_are_not_read(void **state)
{
    (void)state;
    Run *r = open_run("in a : struct(float, int)[3] = formula(lane + i)\n"
                      "in b : struct(int, int)[3] = formula(lane == 0 ? i : -i)\n");
    Data *read = data_open(run_describe_data(r));
    const WalkData *w = data_of_walk(read);
    uint64_t value;
    assert_false(w->load(w->context, run_pretended_address(0) + 8, 4, &value));
    assert_true(w->load(w->context, run_pretended_address(1) + 20, 4, &value));
    assert_int_equal((int32_t)value, -2);
    data_close(read);
    close_run(r);
}

static void a_description_that_is_none_says_nothing(void **state)
{
    (void)state;
    static const char *const texts[] = {"", "{}", "[7]", "[{\"address\":1099511627776}]"};
    static const DataContents zero = {.task.kind = TASK_ZERO};
    static const DataContents none[] = {
        {.kind = DATA_FORMULA, .formula = "1 +"},
        {.kind = DATA_FILE, .path = "/", .bytes = 4},
        {.kind = DATA_FILE, .bytes = 4},
        {.kind = DATA_SORTED, .bytes = 99999999999, .of = (DataContents *)(uintptr_t)&zero},
        {.kind = DATA_TAKEN, .lanes = 1, .step = 1, .wrap = 1},
        {.task.kind = TASK_KEPT}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        Data *d = data_open(texts[i]);
        uint64_t value;
        assert_false(data_of_walk(d)->load(d, UINT64_C(1) << 40, 4, &value));
        data_close(d);
    }
    Arena *a = arena_new();
    for (size_t i = 0; i <= sizeof none / sizeof *none; i++) {
        const bool known = i == sizeof none / sizeof *none;
        const DataBuffer b = {.address = INT64_C(1) << 40,
                              .scalar = TASK_I32,
                              .lanes = 1,
                              .is = known ? zero : none[i]};
        Data *d = data_open(data_describe(a, &b, 1));
        uint64_t value;
        assert_int_equal(data_of_walk(d)->load(d, UINT64_C(1) << 40, 4, &value), known);
        const char *fault = data_of_walk(d)->fault;
        assert_true(known ? !fault : b.is.path ? strstr(fault, "'/'") != NULL : true);
        data_close(d);
    }
    arena_free(a);
}

/* 12,800 instructions of all threads once, or 6,400 three times: the second are more. */
static void a_launch_counts_as_often_as_it_comes(void **state)
{
    (void)state;
    Arena *a = arena_new();
    Run r = {.arena = a, .table = made_table(a, 2, 2)};
    const size_t row = made_row(r.table, 0, (uint32_t[]){0, 0});
    Profile once = profile_new(), often = profile_new();
    once.value[PROFILE_THREADS] = often.value[PROFILE_THREADS] = 128;
    once.value[PROFILE_INSTR] = 100;
    often.value[PROFILE_INSTR] = 50;

    run_take_profiles(&r, row, &(StepGroups){(StepGroup[]){{NULL, 1}, {NULL, 3}}, 2, 2},
                      (const Profile *[]){&once, &often});

    const TableProfile *taken = &r.table->profile[row];
    assert_int_equal(taken->share_count, 2);
    assert_true(taken->shares[0].times == 1 && taken->shares[1].times == 3);
    assert_true(taken->whole->value[PROFILE_INSTR] == 50);
    arena_free(a);
}

static const char *fill(const Run *r, size_t option, int64_t t, Evaluation *ev)
{
    Value *slots = ARENA_ARRAY(r->arena, Value, spec_slot_count(r->spec));
    slots[0] = value_int(8); /* N */
    slots[spec_parameter_slot(r->spec, 0)] = value_int(t);
    return spec_text_fill(&r->spec->option_parts[option].text, slots, ev);
}

/* Values stand bare, doubled braces for one, escapes for what they are in C. */
static void texts_are_filled_with_values(void **state)
{
    (void)state;
    Run *r = open_run("problem N = 8\nparam T in 1, 2\n"
                      "option \"-DA={N * T}/{T * 0.5}\"\n"
                      "option \"-DB={{{T}}} \\\"{T > 1}\\\"\\\\\"\n"
                      "option \"-DC={8 // (T - 1)}, {T}\"\n"
                      "option \"-DD\"\n");
    Evaluation ev = {.arena = r->arena};

    assert_string_equal(fill(r, 0, 1, &ev), "-DA=8/0.5");
    assert_string_equal(fill(r, 0, 2, &ev), "-DA=16/1.0");
    assert_string_equal(fill(r, 1, 2, &ev), "-DB={2} \"1\"\\");
    assert_string_equal(fill(r, 2, 2, &ev), "-DC=8, 2");
    assert_null(fill(r, 2, 1, &ev));
    assert_non_null(strstr(ev.error, "division by zero"));
    assert_string_equal(fill(r, 3, 1, &ev), "-DD");
    close_run(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parameters_lie_as_the_compiler_lays_them_out),
        cmocka_unit_test(buffers_are_far_apart_and_aligned_as_cuda_aligns_them),
        cmocka_unit_test(an_integer_that_does_not_fit_is_refused_with_a_message),
        cmocka_unit_test(arguments_of_a_task_name_buffers_in_their_order),
        cmocka_unit_test(a_reference_in_double_gets_the_same_numbers_wider),
        cmocka_unit_test(buffers_get_the_contents_of_the_spec),
        cmocka_unit_test(outputs_are_compared_as_the_spec_says),
        cmocka_unit_test(texts_are_filled_with_values),
        cmocka_unit_test(an_exception_that_cannot_be_computed_is_refused),
        cmocka_unit_test(what_a_configuration_makes_is_compared),
        cmocka_unit_test(what_results_should_be_is_not_compared),
        cmocka_unit_test(a_number_of_results_that_is_none_is_refused),
        cmocka_unit_test(a_buffer_without_elements_is_refused),
        cmocka_unit_test(walks_read_what_the_gpu_gets),
        cmocka_unit_test(conditions_are_integers),
        cmocka_unit_test(members_of_a_struct_are_lanes_where_they_are_alike),
        cmocka_unit_test(structs_lie_as_c_lays_them_out),
        cmocka_unit_test(members_of_a_struct_lie_as_c_lays_them_out),
        cmocka_unit_test(what_a_launch_writes_is_not_read),
        cmocka_unit_test(members_of_several_types_are_not_read),
        cmocka_unit_test(a_description_that_is_none_says_nothing),
        cmocka_unit_test(a_launch_counts_as_often_as_it_comes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
