/* Progress, stopping, and measuring on a GPU process that makes its times up. */
#include "support.h"

/* --- progress and stopping -------------------------------------------------------------------- */

static void progress_is_told_and_never_goes_back(void **state)
{
    (void)state;
    Seen seen = {0};
    aptune *a = compiling(&seen);
    check(a, aptune_carve(a));
    assert_true(seen.calls >= aptune_count(a) - 1);
    assert_int_equal(seen.backwards, 0);
    assert_string_equal(seen.stage, "compile");
    aptune_free(a);
}

static void progress_can_stop_and_a_reset_goes_on(void **state)
{
    (void)state;
    Seen seen = {.stop_at = 3};
    aptune *a = compiling(&seen);
    char cache[256];
    snprintf(cache, sizeof cache, "%s", in_folder("empty-cache"));
    set(a, "cache-dir", cache);

    assert_int_equal(aptune_tune(a), APTUNE_STOPPED);
    assert_string_equal(aptune_message(a), "stopped");
    assert_int_equal(aptune_tune(a), APTUNE_STOPPED);

    aptune_reset(a);
    aptune_on_progress(a, NULL, NULL);
    check(a, aptune_carve(a));
    aptune_free(a);
}

static void a_stop_before_the_call_holds(void **state)
{
    (void)state;
    aptune *a = replay_of(TUTORIAL);
    aptune_stop(a);
    assert_int_equal(aptune_open(a), APTUNE_STOPPED);
    aptune_reset(a);
    check(a, aptune_open(a));
    aptune_free(a);
}

static void a_descriptor_can_stop(void **state)
{
    (void)state;
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    aptune *a = replay_of(TUTORIAL);
    check(a, aptune_stop_on(a, ends[0]));
    check(a, aptune_open(a));
    assert_int_equal(write(ends[1], "x", 1), 1);
    assert_int_equal(aptune_tune(a), APTUNE_STOPPED);

    aptune_reset(a);
    assert_int_equal(aptune_open(a), APTUNE_STOPPED); /* it is readable still */
    aptune_reset(a);
    check(a, aptune_stop_on(a, -1));
    check(a, aptune_tune(a));
    assert_int_equal(aptune_stop_on(a, 12345), APTUNE_WRONG);
    close(ends[0]);
    close(ends[1]);
    aptune_free(a);
}

/* Stops the handle once a compiler is at work on what it never ends. */
static void *stop_soon(void *handle)
{
    nanosleep(&(struct timespec){.tv_nsec = 300000000}, NULL);
    aptune_stop(handle);
    return NULL;
}

static void another_thread_can_stop_a_compiler_at_work(void **state)
{
    (void)state;
    pthread_t other;
    aptune *a = handle_on(ENDLESS);
    set(a, "arch", "sm_90");
    assert_int_equal(pthread_create(&other, NULL, stop_soon, a), 0);

    assert_int_equal(aptune_tune(a), APTUNE_STOPPED);

    pthread_join(other, NULL);
    aptune_free(a);
}

/* --- measuring (times are made up) ------------------------------------------------------------ */

static void what_was_measured_is_recorded_and_replayed(void **state)
{
    (void)state;
    aptune *a = measuring("measured");
    check(a, aptune_tune(a));
    size_t best = aptune_best(a);
    assert_int_equal(aptune_source(a), APTUNE_MEASURED);
    assert_null(aptune_why_not_measured(a));
    assert_true(best != APTUNE_NOTHING);

    aptune *b = replay_of(MANY);
    set(b, "recordings", in_folder("measured"));
    check(b, aptune_tune(b));
    assert_int_equal(aptune_source(b), APTUNE_REPLAYED);
    assert_string_equal(aptune_name(b, aptune_best(b)), aptune_name(a, best));
    assert_true(aptune_time_ms(b, best) == aptune_time_ms(a, best));
    aptune_free(a);
    aptune_free(b);
}

static void two_handles_do_not_measure_on_one_gpu(void **state)
{
    (void)state;
    aptune *a = measuring("claimed"), *b = measuring("other");
    check(a, aptune_compile(a));
    assert_int_equal(aptune_compile(b), APTUNE_FAILED);
    assert_non_null(strstr(aptune_message(b), "in use by another run"));
    aptune_free(a);
    aptune_reset(b);
    check(b, aptune_compile(b));
    aptune_free(b);
}

typedef struct Job {
    aptune *handle;
    aptune_status (*stage)(aptune *a);
    aptune_status status;
} Job;

static void *do_job(void *job)
{
    Job *j = job;
    j->status = j->stage(j->handle);
    return NULL;
}

/* The call in a thread that ends with it. */
static void in_a_thread(aptune *a, aptune_status (*stage)(aptune *a))
{
    pthread_t thread;
    Job job = {a, stage, APTUNE_FAILED};
    assert_int_equal(pthread_create(&thread, NULL, do_job, &job), 0);
    pthread_join(thread, NULL);
    check(a, job.status);
}

static void a_handle_goes_from_thread_to_thread(void **state)
{
    (void)state;
    Heard heard = {0};
    aptune *a = measuring("threads");
    aptune_on_message(a, hear, &heard);
    in_a_thread(a, aptune_open); /* starts the GPU process */
    in_a_thread(a, aptune_compile);
    in_a_thread(a, aptune_measure);
    check(a, aptune_tune(a));
    assert_int_equal(aptune_source(a), APTUNE_MEASURED);
    assert_int_equal(heard.count[APTUNE_WARNING], 1); /* the spec has no reference */
    aptune_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stop_before_the_call_holds),
        cmocka_unit_test(a_descriptor_can_stop),
        cmocka_unit_test(progress_is_told_and_never_goes_back),
        cmocka_unit_test(progress_can_stop_and_a_reset_goes_on),
        cmocka_unit_test(another_thread_can_stop_a_compiler_at_work),
        cmocka_unit_test(what_was_measured_is_recorded_and_replayed),
        cmocka_unit_test(two_handles_do_not_measure_on_one_gpu),
        cmocka_unit_test(a_handle_goes_from_thread_to_thread),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
