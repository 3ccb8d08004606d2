/* Rows by number, columns on demand, and the words of outcomes. */
#include "tuner/space/table.h"

#include "metrics/base/vec.h"

#include <string.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static Table *two_parameters(Arena *a)
{
    static Value blocks[] = {{.kind = VALUE_INT, {.integer = 32}},
                             {.kind = VALUE_INT, {.integer = 64}}};
    static Value types[] = {{.kind = VALUE_STRING, {.string = "half"}},
                            {.kind = VALUE_STRING, {.string = "float"}}};
    static TableParameter parameters[] = {{"BLOCK", VALUE_INT, {2, blocks}},
                                          {"TYPE", VALUE_STRING, {2, types}}};
    Table *t = table_new(a);
    t->parameters = parameters;
    t->parameter_count = 2;
    return t;
}

static size_t add(Table *t, uint64_t number, uint32_t block, uint32_t type)
{
    size_t row = table_add(t, number);
    t->values[2 * row] = block;
    t->values[2 * row + 1] = type;
    return row;
}

static void a_row_is_found_by_its_number(void **state)
{
    (void)state;
    Arena *a = arena_new();
    Table *t = two_parameters(a);
    for (uint64_t i = 0; i < 5000; i++) /* the first ones are their own numbers, then none is */
        assert_int_equal(table_add(t, i < 10 ? i : i * i * 7919), i);
    assert_int_equal(t->count, 5000);
    for (uint64_t i = 0; i < 5000; i++)
        assert_int_equal(table_find(t, i < 10 ? i : i * i * 7919), i);
    assert_int_equal(table_add(t, 100 * 100 * 7919), 100);
    assert_int_equal(table_find(t, 11), SIZE_MAX);
    assert_int_equal(t->count, 5000);
    arena_free(a);
}

static void of_a_new_row_nothing_is_known(void **state)
{
    (void)state;
    Arena *a = arena_new();
    Table *t = two_parameters(a);
    add(t, 7, 1, 0);
    assert_true(isnan(t->times[0].median) && isnan(t->warm[0].low) && isnan(t->ms[0]));
    assert_true(t->work[0] == 1 && isnan(t->trial[0].max_error));
    t->times[0].median = 2;
    t->work[0] = 4;
    for (uint64_t i = 0; i < 1000; i++)
        add(t, 1000 + i, 0, 1);
    assert_true(isnan(t->times[1000].median));
    assert_true(t->work[1000] == 1);
    assert_int_equal(t->outcome[1000], OUTCOME_NONE);
    assert_int_equal(t->same_as[1000], 1000);
    assert_true(table_ms(t, 0) == 0.5);
    assert_string_equal(table_name(a, t, 0), "BLOCK=64 TYPE=half");
    arena_free(a);
}

/* Two metrics and a field, of rows of which one has no profile. */
static void a_column_is_a_metric_or_a_field_of_profiled_rows(void **state)
{
    (void)state;
    Arena *a = arena_new();
    Table *t = two_parameters(a);
    add(t, 10, 0, 0);
    add(t, 11, 0, 1);
    Profile *p = ARENA_NEW(a, Profile);
    p->value[PROFILE_REGISTERS] = 40;
    t->profile[0].whole = p;
    t->profile[1].whole = NULL;
    MetricSet *metrics = metricset_new(a);
    VEC_PUSH(a, &metrics->metrics, ((Metric){.name = "first"}));
    VEC_PUSH(a, &metrics->metrics, ((Metric){.name = "second"}));
    table_set_metrics(t, metrics);
    t->metric[0][0] = 5;
    t->metric[1][0] = 6;
    static const struct {
        const char *name;
        double value;
    } columns[] = {{"first", 5}, {"second", 6}, {"registers", 40}};
    for (size_t i = 0; i < 3; i++) {
        const double *values = table_column(a, t, columns[i].name);
        assert_true(values[0] == columns[i].value && isnan(values[1]));
    }
    assert_true(isnan(table_column(a, t, "nothing")[0]));
    arena_free(a);
}

static void some_rows_make_a_table(void **state)
{
    (void)state;
    Arena *a = arena_new();
    Table *t = two_parameters(a);
    for (uint32_t i = 0; i < 4; i++) {
        size_t row = add(t, 10 + i, i / 2, i % 2); /* may move the column */
        t->ms[row] = i;
    }
    t->same_as[3] = 1;
    t->same_as[2] = 0;
    t->outcome[2] = OUTCOME_WRONG;
    MetricSet *metrics = metricset_new(a);
    VEC_PUSH(a, &metrics->metrics, ((Metric){.name = "made_up"}));
    table_set_metrics(t, metrics);
    t->metric[0][3] = 5;
    Table *some = table_take(a, t, (size_t[]){3, 2, 1}, 3);
    assert_true(some->metric[0][0] == 5 && t->metric[0][3] == 5);
    assert_int_equal(some->count, 3);
    assert_true(some->ms[0] == 3 && some->ms[2] == 1);
    assert_int_equal(some->same_as[0], 2);
    assert_int_equal(some->same_as[1], 1); /* the row that it is the same as is not there */
    assert_int_equal(some->outcome[1], OUTCOME_WRONG);
    assert_int_equal(table_find(some, 3), 0);
    assert_string_equal(table_name(a, some, 1), "BLOCK=64 TYPE=half");
    arena_free(a);
}

static void times_are_for_equal_work(void **state)
{
    (void)state;
    Arena *a = arena_new();
    Table *t = two_parameters(a);
    add(t, 0, 0, 1);
    t->times[0].median = 6;
    assert_true(table_ms(t, 0) == 6);
    t->work[0] = 4;
    assert_true(table_ms(t, 0) == 1.5);
    arena_free(a);
}

static void names_of_sizes_and_parameters_have_slots(void **state)
{
    (void)state;
    Arena *a = arena_new();
    Table *t = two_parameters(a);
    t->sizes = &(TableSize){"N", {.kind = VALUE_INT, {.integer = 4096}}};
    t->size_count = 1;
    add(t, 0, 0, 1);
    Scope scope = {.arena = a};
    table_names(t, 0, &scope);
    const ScopeName *type = NAME_FIND(scope.names.at, scope.names.count, name, "TYPE");
    const ScopeName *size = NAME_FIND(scope.names.at, scope.names.count, name, "N");
    assert_int_equal(type->kind, VALUE_STRING);
    assert_string_equal(table_slots(a, t, 0)[type->slot].string, "float");
    assert_int_equal(table_slots(a, t, 0)[size->slot].integer, 4096);
    assert_null(NAME_FIND(scope.names.at, scope.names.count, name, "M"));
    arena_free(a);
}

static void recordings_have_fewer_words(void **state)
{
    (void)state;
    assert_string_equal(outcome_recorded(OUTCOME_LOAD_FAILED), "launch_failed");
    assert_int_equal(outcome_of_recorded("launch_failed"), OUTCOME_LAUNCH_FAILED);
    assert_int_equal(outcome_of_recorded("compile_error"), OUTCOME_COMPILE_ERROR);
    assert_int_equal(outcome_of_recorded("melted"), OUTCOME_OTHER);
    assert_string_equal(outcome_recorded(OUTCOME_COMPILED), "skipped");
    assert_true(outcome_has_code(OUTCOME_WRONG) && !outcome_has_code(OUTCOME_COMPILE_CRASH));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_row_is_found_by_its_number),
        cmocka_unit_test(of_a_new_row_nothing_is_known),
        cmocka_unit_test(a_column_is_a_metric_or_a_field_of_profiled_rows),
        cmocka_unit_test(some_rows_make_a_table),
        cmocka_unit_test(times_are_for_equal_work),
        cmocka_unit_test(names_of_sizes_and_parameters_have_slots),
        cmocka_unit_test(recordings_have_fewer_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
