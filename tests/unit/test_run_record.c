/* Devices of recordings: what the header says goes before what the table knows. */
#include "tuner/record/header.h"
#include "tuner/run/run_parts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static const RecordFact facts[] = {{"sms", 7}, {"clock_hz", 1.5e9}, {"of the future", 1}};

static const Device *recorded(Arena *a, const char *arch)
{
    RecordHeader h = {.device = "Synthetic GPU", .arch = arch, .facts = facts, .fact_count = 3};
    return record_device(a, &h);
}

static void facts_of_the_header_go_before_the_table(void **state)
{
    (void)state;
    Arena *a = arena_new();
    const Device *table = device_find("sm_90"), *d = recorded(a, "sm_90");

    assert_string_equal(d->name, "Synthetic GPU");
    assert_int_equal(d->sms, 7);
    assert_true(d->clock_hz == 1.5e9);
    assert_int_equal(d->threads_per_sm, table->threads_per_sm);
    assert_memory_equal(d->grid_limit, table->grid_limit, sizeof d->grid_limit);
    arena_free(a);
}

static void an_architecture_that_the_table_lacks_has_limits_that_launches_keep(void **state)
{
    (void)state;
    Arena *a = arena_new();
    const Device *d = recorded(a, "sm_990");

    assert_null(device_find("sm_990"));
    assert_int_equal(d->block_limit[0], 1024);
    assert_int_equal(d->grid_limit[1], 65535);
    assert_int_equal(d->sms, 7);
    assert_int_equal(d->threads_per_sm, 0); /* nobody said */
    arena_free(a);
}

/* A run of two launches is all that the texts need. */
static void codes_and_their_text_are_the_same(void **state)
{
    (void)state;
    Arena *a = arena_new();
    Spec spec = {.launch_count = 2};
    Run r = {.spec = &spec, .arena = a, .table = table_new(a)};
    const Hash hash[2] = {hash_bytes("a", 1), hash_bytes("b", 1)};
    const char *text = arena_printf(a, "%s+%s", hash[0].text, hash[1].text);
    size_t row = table_add(r.table, 7);
    assert_string_equal(run_code_hash(&r, row, 0).text, "");

    assert_true(run_is_code(&r, text));
    run_set_code(&r, row, text);

    for (size_t l = 0; l < 2; l++) {
        Hash back = run_code_hash(&r, row, l);
        assert_true(hash_equal(&back, &hash[l]));
    }
    assert_false(run_is_code(&r, hash[0].text)); /* one of two */
    assert_false(run_is_code(&r, ""));
    assert_false(run_is_code(&r, NULL));
    arena_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(facts_of_the_header_go_before_the_table),
        cmocka_unit_test(an_architecture_that_the_table_lacks_has_limits_that_launches_keep),
        cmocka_unit_test(codes_and_their_text_are_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
