/* Memory that ends: wherever an allocation fails below the library, a call says so, and the handle can
 * be used again and freed. */
#include "metrics/base/arena.h"
#include "metrics/base/vec.h"
#include "tuner/library/aptune.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

/* What a call was working on when memory ended is lost (arena.h): no leak to be told of. */
__attribute__((visibility("default"))) const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "detect_leaks=0";
}

__attribute__((visibility("default"))) const char *__lsan_default_options(void);
const char *__lsan_default_options(void)
{
    return "detect_leaks=0";
}

static void an_allocation_fails_when_it_is_told_to(void **state)
{
    (void)state;
    jmp_buf here;
    volatile int reached = 0;
    void *volatile p = NULL;
    memory_fail_at(1);
    p = memory_new(8); /* nobody would hear of it */
    free(p);
    jmp_buf *before = memory_set_escape(&here);
    memory_fail_at(2);
    if (setjmp(here) == 0) {
        reached = 1;
        p = memory_zeroed(1, 8);
        reached = 2;
        p = memory_resize(p, 2, 8);
        reached = 3;
    }
    memory_set_escape(before);
    assert_int_equal(reached, 2);
    free(p);
    assert_ptr_equal(before, NULL);
}

static void what_grows_starts_at_one_element_where_a_test_wants_it(void **state)
{
    (void)state;
    const bool before = memory_starts_small;
    Arena *a = arena_new();
    VEC(int) usual = {0}, small = {0};
    memory_starts_small = false;
    VEC_PUSH(a, &usual, 1);
    memory_starts_small = true;
    VEC_PUSH(a, &small, 1);
    memory_starts_small = before;
    assert_int_equal(usual.capacity, 8);
    assert_int_equal(small.capacity, 1);
    arena_free(a);
}

/* A replay of a shipped recording, as far as `failing` allocations allow. */
static aptune_status replay(aptune *a, size_t failing)
{
    memory_fail_at(failing);
    aptune_status s = aptune_set(a, "space", SOURCE_DIR "/spaces/transpose-tutorial.spec");
    s = s ? s : aptune_set(a, "no-gpu", NULL);
    s = s ? s : aptune_tune(a);
    memory_fail_at(0);
    return s;
}

static void a_replay_without_memory_says_so_and_can_be_made_again(void **state)
{
    (void)state;
    size_t failed = 0;
    for (size_t n = 1; n < 100000; n += 1 + n / 2) {
        aptune *a = aptune_new();
        assert_non_null(a);
        const aptune_status s = replay(a, n);
        if (s != APTUNE_OK) {
            assert_int_equal(s, APTUNE_NO_MEMORY);
            assert_string_equal(aptune_message(a), "out of memory");
            failed++;
            if (failed % 4 == 0) {
                aptune_reset(a);
                assert_int_equal(replay(a, 0), APTUNE_OK);
            }
        }
        aptune_free(a);
    }
    assert_true(failed > 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_allocation_fails_when_it_is_told_to),
        cmocka_unit_test(what_grows_starts_at_one_element_where_a_test_wants_it),
        cmocka_unit_test(a_replay_without_memory_says_so_and_can_be_made_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
