/* What is drawn to be audited, and what is made of times that are made up. */
#include "tests/support/made_table.h"
#include "tests/support/opened_run.h"

#include "tuner/choose/audit.h"
#include "tuner/run/timer.h"

#include <math.h>
#include <string.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

enum { CONFIGS = 30, CHOSEN = 5 };

/* A run that chose the first five of thirty; #0 is the winner with 1 ms. */
typedef struct Fixture {
    Run run;
    Table *table;
    double ms[CONFIGS]; /* what a timer finds; NaN: wrong; below zero: nothing */
    size_t asked[CONFIGS];
    Diag diag;
} Fixture;

static void start(Fixture *f, int audit)
{
    *f = (Fixture){.run = {.arena = arena_new(), .best = 0}};
    f->diag = diag_new(f->run.arena);
    f->run.diag = &f->diag;
    f->run.options.audit = audit;
    f->run.options.audit_seed = 1;
    f->run.final.count = 1;
    f->run.table = f->table = made_table(f->run.arena, 1, CONFIGS);
    for (uint32_t i = 0; i < CONFIGS; i++) {
        made_row(f->table, 3 * i, &i);
        f->ms[i] = 1 + 0.1 * (double)i;
        f->table->selected[i] = i < CHOSEN;
        f->table->outcome[i] = i < CHOSEN ? OUTCOME_OK : OUTCOME_COMPILED;
        f->table->times[i].median = i < CHOSEN ? f->ms[i] : NAN;
    }
}

static void end(Fixture *f)
{
    arena_free(f->run.arena);
}

static void find_time(void *state, size_t i)
{
    Fixture *f = state;
    f->asked[i]++;
    if (f->ms[i] < 0)
        return;
    f->table->outcome[i] = isnan(f->ms[i]) ? OUTCOME_WRONG : OUTCOME_OK;
    f->table->times[i].median = f->ms[i];
}

static const RunAudit *audit(Fixture *f)
{
    Timer t = {.state = f, .add = find_time};
    assert_true(run_audit(&f->run, &t));
    run_audit_judge(&f->run);
    return &f->run.audit;
}

static void only_dropped_ones_of_distinct_code_are_drawn(void **state)
{
    (void)state;
    Fixture f;
    start(&f, CONFIGS);
    f.table->outcome[7] = OUTCOME_COMPILE_ERROR;
    f.table->same_as[8] = 6;
    f.table->outcome[9] = OUTCOME_COMPILE_ERROR;

    const RunAudit *u = audit(&f);

    assert_int_equal(u->dropped, CONFIGS - CHOSEN - 3);
    assert_int_equal(u->count, u->dropped);
    for (size_t i = 0; i < CONFIGS; i++) {
        bool drawn = i >= CHOSEN && (i < 7 || i > 9);
        assert_int_equal(f.asked[i], drawn);
        assert_int_equal(f.table->audited[i], drawn);
        assert_false(f.table->selected[i] && drawn);
    }
    end(&f);
}

static void the_seed_decides_who_is_drawn_and_a_larger_audit_has_the_smaller_one(void **state)
{
    (void)state;
    size_t first[CONFIGS] = {0}, other[CONFIGS] = {0};
    for (int seed = 1; seed <= 2; seed++)
        for (int count = 6; count <= 12; count += 6) {
            Fixture f;
            start(&f, count);
            f.run.options.audit_seed = seed;
            const RunAudit *u = audit(&f);
            assert_int_equal(u->count, count);
            size_t *list = seed == 1 ? first : other;
            if (count == 12)
                assert_memory_equal(list, u->list, 6 * sizeof *list);
            memcpy(list, u->list, u->count * sizeof *list);
            end(&f);
        }
    assert_memory_not_equal(first, other, sizeof first);
}

static void a_part_of_a_space_audits_its_share(void **state)
{
    (void)state;
    Fixture f;
    start(&f, 10);
    f.run.plan.request.parts = 4;
    assert_int_equal(audit(&f)->count, 3);
    end(&f);
}

static void what_is_all_of_it_leaves_no_bound_but_the_truth(void **state)
{
    (void)state;
    Fixture f;
    start(&f, 1000);
    f.ms[20] = 0.9;
    f.ms[21] = 0.8;
    f.ms[22] = 0.996; /* within the margin of 0.5 %: near, not better */
    f.table->times[1].median = 1.005;

    const RunAudit *u = audit(&f);

    assert_int_equal(u->outcomes, CONFIGS - CHOSEN);
    assert_int_equal(u->better, 2);
    assert_int_equal(u->better_high, 2);
    assert_int_equal(u->beyond_high, 0);
    assert_true(fabs(u->share_high - 2.0 / 25) < 1e-15);
    assert_int_equal(u->fastest, 21);
    assert_true(fabs(u->ratio - 0.8) < 1e-15);
    assert_int_equal(u->near_timed, 2); /* the winner, and #1 */
    assert_int_equal(u->near, 3);
    assert_true(fabs(u->recall - 2.0 / 5) < 1e-15 && fabs(u->recall_low - 2.0 / 5) < 1e-15);
    end(&f);
}

static void of_a_part_bounds_are_those_of_its_size(void **state)
{
    (void)state;
    Fixture f;
    start(&f, 10);

    const RunAudit *u = audit(&f);

    assert_int_equal(u->outcomes, 10);
    assert_int_equal(u->better, 0);
    assert_true(fabs(u->share_high - audit_share_high(10, 0)) < 1e-15);
    assert_int_equal(u->better_high, audit_count_high(25, 10, 0));
    assert_int_equal(u->beyond_high, u->better_high);
    assert_true(fabs(u->recall - 1) < 1e-15);
    assert_true(fabs(u->recall_low - 1 / (1 + (double)u->better_high)) < 1e-15);
    assert_true(u->ratio > 1);
    end(&f);
}

static void failures_count_as_not_better_and_what_has_no_outcome_does_not_count(void **state)
{
    (void)state;
    Fixture f;
    start(&f, 1000);
    for (size_t i = CHOSEN; i < CONFIGS; i++)
        f.ms[i] = i % 2 ? NAN : -1;

    const RunAudit *u = audit(&f);

    assert_int_equal(u->count, 25);
    assert_int_equal(u->outcomes, 13);
    assert_int_equal(u->failed, 13);
    assert_int_equal(u->better, 0);
    assert_int_equal(u->fastest, SIZE_MAX);
    assert_true(isnan(u->ratio));
    assert_true(u->share_high > 0 && u->share_high < 1);
    end(&f);
}

static void times_count_for_the_same_work(void **state)
{
    (void)state;
    Fixture f;
    start(&f, 1000);
    f.table->work[10] = 4; /* 2 ms for four times the work */

    const RunAudit *u = audit(&f);

    assert_int_equal(u->better, 1);
    assert_int_equal(u->fastest, 10);
    assert_true(fabs(u->ratio - 0.5) < 1e-15);
    end(&f);
}

static void without_a_winner_nothing_is_timed_and_that_is_said(void **state)
{
    (void)state;
    Fixture f;
    start(&f, 10);
    f.run.final.count = 0;
    f.run.best = SIZE_MAX;

    const RunAudit *u = audit(&f);

    assert_int_equal(u->count, 0);
    assert_int_equal(f.diag.warnings, 1);
    end(&f);
}

static void nothing_is_drawn_unless_it_is_asked_for(void **state)
{
    (void)state;
    Fixture f;
    start(&f, 0);
    assert_int_equal(audit(&f)->count, 0);
    assert_null(f.run.audit.list);
    assert_int_equal(f.diag.messages.count, 0);
    end(&f);
}

/* Of a space without a list rows are added, which no stage of the carving has seen. */
static void points_that_are_drawn_take_no_part_in_the_carving(void **state)
{
    (void)state;
    Arena *a = arena_new();
    Run *r = opened_unlisted(a);
    Timer t = {.add = find_time};
    for (uint64_t rank = 0; rank < 2; rank++) {
        size_t row = run_add_config(r, rank);
        r->table->outcome[row] = OUTCOME_OK;
    }
    Fate fates[] = {{.kind = OUTCOME_DOMINATED, .stage = 0, .by = 1},
                    {.kind = OUTCOME_SURVIVES, .stage = 1, .by = POINT_NONE}};
    r->carving = (Carving){.fates = fates, .stage_count = 1};
    r->options.audit = 3;
    r->source = RUN_MEASURED;
    r->search.done = true;
    r->final.count = 1;

    run_audit(r, &t); /* nothing compiles here */

    assert_int_equal(r->audit.count, 3);
    assert_int_equal(r->table->count, 5);
    assert_memory_equal(r->carving.fates, fates, sizeof fates);
    for (size_t i = 2; i < 5; i++) {
        assert_int_equal(r->carving.fates[i].kind, OUTCOME_UNKNOWN);
        assert_int_equal(r->carving.fates[i].by, POINT_NONE);
    }
    run_close(r);
    arena_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_dropped_ones_of_distinct_code_are_drawn),
        cmocka_unit_test(the_seed_decides_who_is_drawn_and_a_larger_audit_has_the_smaller_one),
        cmocka_unit_test(a_part_of_a_space_audits_its_share),
        cmocka_unit_test(what_is_all_of_it_leaves_no_bound_but_the_truth),
        cmocka_unit_test(of_a_part_bounds_are_those_of_its_size),
        cmocka_unit_test(failures_count_as_not_better_and_what_has_no_outcome_does_not_count),
        cmocka_unit_test(times_count_for_the_same_work),
        cmocka_unit_test(without_a_winner_nothing_is_timed_and_that_is_said),
        cmocka_unit_test(nothing_is_drawn_unless_it_is_asked_for),
        cmocka_unit_test(points_that_are_drawn_take_no_part_in_the_carving),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
