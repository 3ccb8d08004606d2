/* What the measuring process makes of the sums and findings that its kernels leave: on a driver whose
 * memory is the host's and whose kernels add up here. */
#include "tuner/gpu/worker/verify.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

/* --- the driver ------------------------------------------------------------------------------- */

struct Driver {
    Finding finding; /* that the comparing kernel leaves */
    Part parts[2];   /* that the scaling one leaves, of the first blocks */
};

struct DriverFunction {
    char name[16];
};

static void *host(DriverAddress p)
{
    return (void *)(uintptr_t)p; // NOLINT(performance-no-int-to-ptr)
}

static DriverAddress device(const void *p)
{
    return (uintptr_t)p;
}

DriverStatus driver_load(Driver *v, const void *cubin, DriverModule **m)
{
    (void)v, (void)cubin;
    *m = NULL;
    return DRIVER_OK;
}

void driver_unload(Driver *v, DriverModule *m)
{
    (void)v, (void)m;
}

DriverStatus driver_function(Driver *v, DriverModule *m, const char *name, DriverFunction **f)
{
    (void)v, (void)m;
    *f = memory_zeroed(1, sizeof **f);
    snprintf((*f)->name, sizeof(*f)->name, "%s", name);
    return DRIVER_OK;
}

DriverStatus driver_alloc(Driver *v, size_t bytes, DriverAddress *p)
{
    (void)v;
    *p = device(memory_zeroed(bytes, 1));
    return DRIVER_OK;
}

void driver_free(Driver *v, DriverAddress p)
{
    (void)v;
    free(host(p));
}

DriverStatus driver_set_bytes(Driver *v, DriverAddress p, unsigned char value, size_t bytes)
{
    (void)v;
    memset(host(p), value, bytes);
    return DRIVER_OK;
}

DriverStatus driver_upload(Driver *v, DriverAddress to, const void *from, size_t bytes)
{
    (void)v;
    memcpy(host(to), from, bytes);
    return DRIVER_OK;
}

DriverStatus driver_download(Driver *v, void *to, DriverAddress from, size_t bytes)
{
    (void)v;
    memcpy(to, host(from), bytes);
    return DRIVER_OK;
}

/* aptune_sum of floats by so many blocks, which take one element in turn. */
static void add_floats(uint64_t blocks, void **arguments)
{
    const float *x = host(*(DriverAddress *)arguments[0]);
    const uint64_t count = *(uint64_t *)arguments[1];
    const int kind = *(int *)arguments[2], lanes = *(int *)arguments[3];
    Sums *parts = host(*(DriverAddress *)arguments[5]);
    assert_int_equal(kind, TASK_FLOAT);
    memset(parts, 0, blocks * sizeof *parts);
    for (uint64_t i = 0; i < count; i++) {
        uint32_t bits;
        Sums *s = &parts[i / (uint64_t)lanes % blocks];
        memcpy(&bits, &x[i], sizeof bits);
        if (*(int *)arguments[4] && bits == UINT32_MAX) {
            s->unwritten++;
            continue;
        }
        s->nan += isnan(x[i]) ? 1 : 0;
        s->sum[i % (uint64_t)lanes] += x[i];
    }
}

DriverStatus driver_launch(Driver *v, DriverFunction *f, const int64_t grid[3],
                           const int64_t block[3], int64_t shared, bool cooperative,
                           void **arguments)
{
    (void)shared;
    (void)cooperative;
    assert_int_equal(block[0], THREADS);
    if (strcmp(f->name, "aptune_sum") == 0)
        add_floats((uint64_t)grid[0], arguments);
    else if (strcmp(f->name, "aptune_compare") == 0)
        memcpy(host(*(DriverAddress *)arguments[9]), &v->finding, sizeof v->finding);
    else
        memcpy(host(*(DriverAddress *)arguments[4]), v->parts, sizeof v->parts);
    return DRIVER_OK;
}

/* --- one output ------------------------------------------------------------------------------- */

typedef struct Fixture {
    Driver driver;
    Verifier verifier;
    TaskBuffer task;
    Compared compared;
    float reference[4], got[4];
} Fixture;

static int set_up(void **state)
{
    Fixture *f = memory_zeroed(1, sizeof *f);
    const TaskModule module = {0};
    verify_open(&f->verifier, &f->driver, &module);
    f->task = (TaskBuffer){.name = "C", .type = {TASK_FLOAT, 1}, .count = 4};
    f->compared = (Compared){.buffer = 7,
                             .task = &f->task,
                             .at = device(f->got),
                             .reference = device(f->reference),
                             .scalar = TASK_FLOAT,
                             .poisoned = true};
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    Fixture *f = *state;
    free(f->verifier.scale);
    free(f->verifier.compare);
    free(f->verifier.sum);
    free(f->verifier.checksum);
    verify_close(&f->verifier);
    free(f);
    return 0;
}

static void fill(float *to, float a, float b, float c, float d)
{
    to[0] = a;
    to[1] = b;
    to[2] = c;
    to[3] = d;
}

static TrialCheck check(Fixture *f, int64_t elements)
{
    TrialCheck c;
    TaskOutput out;
    assert_int_equal(verify_scale(&f->verifier, &f->compared, &out), DRIVER_OK);
    assert_int_equal(verify_compare(&f->verifier, &f->compared, elements, &c), DRIVER_OK);
    assert_int_equal(c.buffer, 7);
    return c;
}

static void sum_tolerance(Fixture *f, double absolute, double relative, TaskScale scale)
{
    f->task.tolerance = (TaskTolerance){absolute, relative, scale, true, 0};
}

static void explains(const Fixture *f, const TrialCheck *c, const char *expected)
{
    Buf words = {0};
    verify_explain(&f->compared, c, &words);
    assert_string_equal(buf_text(&words), expected);
    buf_free(&words);
}

/* --- sums ------------------------------------------------------------------------------------- */

/* 1000 of four numbers; a thousandth of it is 1, however it is spread. */
static void a_sum_may_be_off_by_its_tolerance_and_no_more(void **state)
{
    Fixture *f = *state;
    fill(f->reference, 100, 200, 300, 400);
    fill(f->got, 401, 300, 200, 100);
    sum_tolerance(f, 0, 1e-3, TASK_SCALE_ELEMENT);
    TrialCheck c = check(f, 4);
    assert_int_equal(c.wrong, 0);
    assert_int_equal(c.first, -1);
    assert_true(c.max_error == 1 && c.scale == -1);
    f->got[3] = 98.5;
    assert_int_equal(check(f, 4).wrong, 0);
    f->got[3] = 97.5;
    c = check(f, 4);
    assert_int_equal(c.wrong, 1);
    assert_int_equal(c.first, 0);
    assert_true(c.got == 998.5 && c.expected == 1000 && c.max_error == 1.5);
    explains(f, &c, "C: the sum is wrong: 998.5 instead of 1000; largest error 1.5");
    sum_tolerance(f, 0.5, 1e-3, TASK_SCALE_ELEMENT);
    assert_int_equal(check(f, 4).wrong, 0);
    sum_tolerance(f, 0, 0, TASK_SCALE_ELEMENT);
    assert_int_equal(check(f, 4).wrong, 1);
}

/* Two lanes of 3000 and 4000: root mean square 3535.53, the larger 4000; a thousandth of that. */
static void lanes_have_sums_of_their_own_and_one_scale(void **state)
{
    Fixture *f = *state;
    f->task.type.lanes = 2;
    f->task.count = 2;
    fill(f->reference, 1000, 1500, 2000, 2500);
    fill(f->got, 1000, 1500, 2000, 2503.5);
    sum_tolerance(f, 0, 1e-3, TASK_SCALE_RMS);
    TrialCheck c = check(f, 2);
    assert_int_equal(c.wrong, 0);
    assert_true(fabs(c.scale - sqrt(12.5e6)) < 1e-9);
    f->got[3] = 2503.75;
    c = check(f, 2);
    assert_int_equal(c.wrong, 1);
    assert_int_equal(c.first, 1);
    assert_true(c.got == 4003.75 && c.expected == 4000);
    explains(f, &c,
             "C: the sum is wrong: 4003.75 instead of 4000; largest error 3.75 = 0.00106 of the "
             "output's scale");
    sum_tolerance(f, 0, 1e-3, TASK_SCALE_MAX);
    assert_int_equal(check(f, 2).wrong, 0);
    sum_tolerance(f, 0, 1e-3, TASK_SCALE_ELEMENT); /* of 3000 only 3 */
    fill(f->got, 1003.5, 1500, 2000, 2503.5);
    c = check(f, 2);
    assert_int_equal(c.wrong, 1);
    assert_int_equal(c.first, 0);
    f->got[3] = 2600; /* both; the first one is told */
    c = check(f, 2);
    assert_int_equal(c.wrong, 2);
    assert_int_equal(c.first, 0);
    assert_true(c.got == 3003.5 && c.max_error == 100);
}

static void no_tolerance_lets_infinity_or_nan_pass(void **state)
{
    Fixture *f = *state;
    fill(f->reference, 1, 1, 1, 1);
    fill(f->got, INFINITY, 1, 1, 1);
    sum_tolerance(f, INFINITY, 0, TASK_SCALE_ELEMENT);
    assert_int_equal(check(f, 4).wrong, 1);
    f->got[0] = NAN;
    TrialCheck c = check(f, 4);
    assert_int_equal(c.wrong, 1);
    assert_int_equal(c.nan, 1);
    fill(f->got, 1, 1, 1, 1);
    assert_int_equal(check(f, 4).wrong, 0);
    f->reference[0] = INFINITY;
    assert_int_equal(check(f, 4).wrong, 1);
}

/* What holds the poison counts neither here nor there, but more of it than the reference left is wrong
 * even where the rest adds up. */
static void more_gaps_than_the_reference_left_are_wrong(void **state)
{
    Fixture *f = *state;
    fill(f->reference, 4, 0, 0, 0);
    fill(f->got, 4, 0, 0, 0);
    memset(&f->got[2], 0xff, sizeof f->got[2]);
    memset(&f->got[3], 0xff, sizeof f->got[3]);
    sum_tolerance(f, 0, 0, TASK_SCALE_RMS);
    f->compared.gaps = 2;
    assert_int_equal(check(f, 4).wrong, 0);
    f->compared.gaps = 1;
    TrialCheck c = check(f, 4);
    assert_int_equal(c.wrong, 2);
    assert_int_equal(c.unwritten, 2);
    assert_int_equal(c.first, 0);
    assert_true(c.got == 4 && c.expected == 4);
    sum_tolerance(f, 1, 0, TASK_SCALE_RMS); /* within it, and wrong for the gaps alone */
    f->compared.gaps = 1;
    f->got[0] = 3.5;
    c = check(f, 4);
    assert_int_equal(c.wrong, 2);
    assert_true(c.got == 3.5 && c.expected == 4 && c.max_error == 0.5);
}

static void only_the_elements_asked_for_are_added(void **state)
{
    Fixture *f = *state;
    fill(f->reference, 5, 0, 0, 0);
    fill(f->got, 2, 3, 100, 100);
    sum_tolerance(f, 0, 0, TASK_SCALE_ELEMENT);
    assert_int_equal(check(f, 2).wrong, 0);
    assert_int_equal(check(f, 3).wrong, 1);
}

/* --- elements --------------------------------------------------------------------------------- */

static void blocks_are_launched_that_have_something_to_do(void **state)
{
    (void)state;
    static const struct {
        uint64_t count;
        int blocks;
    } all[] = {{0, 1},         {1, 1},         {256, 1},       {257, 2},
               {261888, 1023}, {261889, 1024}, {262144, 1024}, {UINT64_MAX, 1024}};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        assert_int_equal(blocks_of(all[i].count), all[i].blocks);
}

static void findings_are_told_with_their_values(void **state)
{
    Fixture *f = *state;
    const double error = 2.5;
    fill(f->reference, 1, 2, 3, 4);
    fill(f->got, 1, 2, 5.5, NAN);
    f->driver.parts[0] = (Part){.squares = 10, .max = 3, .finite = 3};
    f->driver.parts[1] =
        (Part){.squares = 22, .max = 4, .finite = 5, .nonfinite = 1, .unwritten = 2};
    f->driver.finding = (Finding){.wrong = 2, .nan = 1, .first = 2};
    memcpy(&f->driver.finding.error, &error, sizeof error);
    TaskOutput out;
    f->task.tolerance.scale = TASK_SCALE_RMS;
    f->task.count = 257; /* one more than a block has threads */
    verify_scale(&f->verifier, &f->compared, &out);
    f->task.count = 4;
    assert_true(out.rms == 2 && out.max == 4 && f->compared.scale == 2);
    assert_int_equal(out.nonfinite, 1);
    assert_int_equal(out.unwritten, 2);
    TrialCheck c = check(f, 4);
    assert_int_equal(c.wrong, 2);
    assert_int_equal(c.first, 2);
    assert_true(f->compared.scale ==
                sqrt(10 / 3.0)); /* of one block: the other's part is not its own */
    f->compared.scale = c.scale = 2;
    assert_true(c.got == 5.5 && c.expected == 3 && c.max_error == 2.5);
    explains(f, &c,
             "C: 2 of 4 elements wrong, 1 of them NaN; the first at 2: 5.5 instead of 3; largest "
             "error 2.5 = 1.25 of the output's scale");
    f->task.tolerance.except = 1;
    assert_int_equal(check(f, 4).wrong, 2);
    f->task.tolerance.except = 2;
    assert_int_equal(check(f, 4).wrong, 0);
}

int main(void)
{
#define TEST(t) cmocka_unit_test_setup_teardown(t, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(a_sum_may_be_off_by_its_tolerance_and_no_more),
        TEST(lanes_have_sums_of_their_own_and_one_scale),
        TEST(blocks_are_launched_that_have_something_to_do),
        TEST(no_tolerance_lets_infinity_or_nan_pass),
        TEST(more_gaps_than_the_reference_left_are_wrong),
        TEST(only_the_elements_asked_for_are_added),
        TEST(findings_are_told_with_their_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
