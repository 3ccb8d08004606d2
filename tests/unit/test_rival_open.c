/* What becomes of a rival in the GPU process, with a driver that is none: it notes the copies it is
 * told to make. */
#include "tuner/gpu/worker/launch.h"

/* The worker is a program and not a library. */
#include "tuner/gpu/worker/rival.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

/* --- the driver that is none ------------------------------------------------------------------ */

struct Driver {
    DriverStatus state; /* what every call gives */
    DriverAddress to, from;
    size_t bytes; /* of the last copy */
    char words[256];
};

DriverStatus driver_copy(Driver *v, DriverAddress to, DriverAddress from, size_t bytes)
{
    v->to = to;
    v->from = from;
    v->bytes = bytes;
    return v->state;
}

DriverStatus driver_wait(Driver *v)
{
    return v->state;
}

void driver_clear_error(Driver *v)
{
    if (v->state != DRIVER_FAULT && v->state != DRIVER_LOST)
        v->state = DRIVER_OK;
}

DriverStatus driver_fail(Driver *v, const char *words)
{
    if (v->state)
        return v->state;
    snprintf(v->words, sizeof v->words, "%s", words);
    return DRIVER_REFUSED;
}

const char *driver_error(const Driver *v)
{
    return v->state ? "the driver's own words" : "";
}

void *driver_stream(const Driver *v)
{
    return (void *)(uintptr_t)v;
}

int rival_cublas(Arena *a, const AptuneRivalCall *call, AptuneRival *out, bool *found)
{
    (void)a;
    (void)call;
    (void)out;
    *found = false;
    return 1;
}

/* --- a problem -------------------------------------------------------------------------------- */

enum { COUNT = 5 };

static float ROOM[2][COUNT];

typedef struct Fixture {
    Arena *arena;
    Driver driver;
    TaskBuffer buffers[3];
    DriverAddress at[3];
    Places places;
    Buf words;
    AptuneRival *rival;
} Fixture;

static Fixture begin(void)
{
    Fixture f = {.arena = arena_new(),
                 .buffers = {{.name = "X", .type = {TASK_FLOAT, 1}, .count = COUNT},
                             {.name = "Y", .type = {TASK_FLOAT, 1}, .count = COUNT},
                             {.name = "H", .type = {TASK_HALF, 2}, .count = COUNT}}};
    for (int i = 0; i < 3; i++)
        f.at[i] = (DriverAddress)(uintptr_t)ROOM[i % 2];
    return f;
}

static Outcome open_rival(Fixture *f, const char *library, const char *call,
                          const TaskRivalArgument *x, size_t count)
{
    TaskRival task = {library, call, x, count};
    f->places = (Places){.buffers = f->at, .buffer = f->buffers};
    buf_clear(&f->words);
    f->rival = NULL;
    return rival_open(f->arena, &f->driver, &task, &f->places, &f->rival, &f->words);
}

static void end_fixture(Fixture *f)
{
    rival_end(f->rival);
    buf_free(&f->words);
    arena_free(f->arena);
}

static const char *const PLUGIN = BUILD_DIR "/tests/rivals/fake_plugin.so";

/* --- tests ------------------------------------------------------------------------------------ */

static void a_copy_moves_all_bytes_the_right_way(void **state)
{
    (void)state;
    Fixture f = begin();
    const TaskRivalArgument x[] = {{.name = "Y", .buffer = 1}, {.name = "X", .buffer = 0}};

    assert_int_equal(open_rival(&f, "memory", "copy", x, 2), OUTCOME_OK);
    assert_int_equal(rival_run(&f.driver, f.rival), DRIVER_OK);

    assert_true(f.driver.to == f.at[1] && f.driver.from == f.at[0]);
    assert_int_equal(f.driver.bytes, COUNT * sizeof(float));
    assert_string_equal(f.rival->details, "cuMemcpyDtoDAsync, 20 bytes");
    end_fixture(&f);
}

static void a_copy_of_what_does_not_match_is_refused(void **state)
{
    (void)state;
    Fixture f = begin();
    f.buffers[1].count--;
    const TaskRivalArgument sizes[] = {{.name = "Y", .buffer = 1}, {.name = "X", .buffer = 0}};
    const TaskRivalArgument number[] = {{.name = "Y", .buffer = 1}, {.name = "n", .buffer = -1}};

    assert_int_equal(open_rival(&f, "memory", "copy", sizes, 2), OUTCOME_LAUNCH_FAILED);
    assert_string_equal(buf_text(&f.words), "'memory copy' takes two buffers of the same size");
    assert_int_equal(open_rival(&f, "memory", "copy", sizes, 1), OUTCOME_LAUNCH_FAILED);
    assert_int_equal(open_rival(&f, "memory", "copy", number, 2), OUTCOME_LAUNCH_FAILED);
    assert_int_equal(open_rival(&f, "memory", "move", sizes, 2), OUTCOME_LAUNCH_FAILED);
    assert_null(f.rival);

    /* Of another type, but as large. */
    f.buffers[1].count = COUNT;
    const TaskRivalArgument types[] = {{.name = "Y", .buffer = 1}, {.name = "H", .buffer = 2}};
    assert_int_equal(open_rival(&f, "memory", "copy", types, 2), OUTCOME_OK);
    end_fixture(&f);
}

static void a_plugin_gets_buffers_and_numbers(void **state)
{
    (void)state;
    Fixture f = begin();
    for (int i = 0; i < COUNT; i++)
        ROOM[0][i] = (float)i;
    const TaskRivalArgument x[] = {{.name = "X", .buffer = 0},
                                   {.name = "k", .buffer = -1, .real = true, .number = 0.5}};

    assert_int_equal(open_rival(&f, PLUGIN, "add", x, 2), OUTCOME_OK);
    assert_int_equal(rival_run(&f.driver, f.rival), DRIVER_OK);

    for (int i = 0; i < COUNT; i++)
        assert_true(ROOM[0][i] == (float)i + 0.5f);
    assert_string_equal(f.rival->details, "X: 5 of float");
    end_fixture(&f);
}

static void the_status_tells_a_missing_library_from_one_that_refuses(void **state)
{
    (void)state;
    Fixture f = begin();
    const TaskRivalArgument x[] = {{.name = "H", .buffer = 2}};

    assert_int_equal(open_rival(&f, "./missing.so", "add", x, 1), OUTCOME_LOAD_FAILED);
    assert_int_equal(open_rival(&f, "cublas", "gemm", x, 1), OUTCOME_LOAD_FAILED);
    assert_string_equal(buf_text(&f.words), "the library gives no reason");
    assert_int_equal(open_rival(&f, PLUGIN, "refused", x, 1), OUTCOME_LAUNCH_FAILED);
    assert_string_equal(buf_text(&f.words), "refused on purpose");
    assert_int_equal(open_rival(&f, PLUGIN, "idle", x, 1), OUTCOME_LAUNCH_FAILED);
    assert_string_equal(buf_text(&f.words), "the library names nothing to run");
    assert_null(f.rival);
    end_fixture(&f);
}

/* A library that fails in a sound context says why; where the context is broken that is what
 * counts. */
static void a_broken_context_outweighs_what_the_library_says(void **state)
{
    (void)state;
    Fixture f = begin();
    const TaskRivalArgument x[] = {{.name = "H", .buffer = 2}};
    assert_int_equal(open_rival(&f, PLUGIN, "broken", x, 1), OUTCOME_OK);

    assert_int_equal(rival_run(&f.driver, f.rival), DRIVER_REFUSED);
    assert_string_equal(f.driver.words, "broken on purpose");

    f.driver.state = DRIVER_FAULT;
    assert_int_equal(rival_run(&f.driver, f.rival), DRIVER_FAULT);
    end_fixture(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_copy_moves_all_bytes_the_right_way),
        cmocka_unit_test(a_copy_of_what_does_not_match_is_refused),
        cmocka_unit_test(a_plugin_gets_buffers_and_numbers),
        cmocka_unit_test(the_status_tells_a_missing_library_from_one_that_refuses),
        cmocka_unit_test(a_broken_context_outweighs_what_the_library_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
