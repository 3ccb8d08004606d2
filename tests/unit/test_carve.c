/* Statements over points made up here: what they leave, what they cannot say, and how mistakes in
 * them are shown. */
#include "tests/support/made_table.h"
#include "tuner/choose/carve.h"

#include <math.h>
#include <string.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

enum { POINTS = 60 };

/* Row i is one of 60: 5 values of X, 12 of Y, and KIND. */
typedef struct Made {
    Arena *arena;
    Diag diag;
    Profile profiles[POINTS];
    bool alive[POINTS];
    Table *rows; /* with one metric, `guess` */
    CarvePlan plan;
} Made;

static const Source *source(Arena *a, const char *text)
{
    Source *s = ARENA_NEW(a, Source);
    *s = (Source){"text", text, strlen(text)};
    return s;
}

static Made *made_new(void)
{
    Arena *a = arena_new();
    Made *m = ARENA_NEW(a, Made);
    m->arena = a;
    m->diag = diag_new(a);
    MetricSet *metrics = metricset_new(a);
    assert_true(metricset_read(
        metrics, source(a, "metric guess lower \"cycles\" \"Made up.\" = instr"), &m->diag));
    static Value kinds[] = {{.kind = VALUE_STRING, {.string = "even"}},
                            {.kind = VALUE_STRING, {.string = "odd"}}};
    m->rows = made_table(a, 3, 12);
    m->rows->parameters[2] = (TableParameter){"KIND", VALUE_STRING, {2, kinds}};
    for (uint32_t i = 0; i < POINTS; i++)
        made_row(m->rows, i, (uint32_t[]){i % 5, i / 5, i % 2});
    table_set_metrics(m->rows, metrics);
    for (size_t i = 0; i < POINTS; i++) {
        m->profiles[i] = profile_new();
        m->profiles[i].value[PROFILE_SPILL_BYTES] = i % 3 == 0 ? 8 : 0;
        m->rows->profile[i].whole = &m->profiles[i];
        m->rows->metric[0][i] = 100 + (double)(i * 7 % POINTS);
        m->alive[i] = true;
    }
    return m;
}

/* Opens statements; NULL: the default.  Messages are in the diag when it fails. */
static bool made_open(Made *m, const char *text, size_t parts)
{
    SpecCarving said = {0};
    if (text && !spec_parse_carving(m->arena, source(m->arena, text), &said, &m->diag))
        return false;
    CarveRequest q = {said.stages, said.count, (size_t)said.polish, "guess", parts};
    return carve_open(m->arena, &q, m->rows, &m->plan, &m->diag);
}

static Carving made_carve(Made *m, const char *text)
{
    if (!made_open(m, text, 1))
        fail_msg("refused: %s", m->diag.messages.at[0].text);
    return carve_apply(&m->plan, m->alive, &m->diag);
}

static void assert_messages(Made *m, const char *text)
{
    Buf out = {0};
    diag_print(&m->diag, &out);
    assert_string_equal(buf_text(&out), text);
    buf_free(&out);
}

/* --- statements ------------------------------------------------------------------------------- */

static void lines_and_semicolons_part_statements_and_the_word_carve_may_stand(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "spill_bytes == 0; best 10 by guess; polish 4",
        "carve spill_bytes == 0\ncarve best 10 by guess # few\n\npolish 4\n",
        ";spill_bytes == (0\n); carve best 10 by guess;; polish 4;",
    };
    for (size_t k = 0; k < sizeof texts / sizeof texts[0]; k++) {
        Made *m = made_new();
        Carving c = made_carve(m, texts[k]);
        assert_int_equal(c.stage_count, 2);
        assert_int_equal(c.reports[0].after, 40);
        assert_int_equal(c.survivor_count, 10);
        assert_int_equal(m->plan.polish, 4);
        assert_int_equal(m->diag.messages.count, 0);
        arena_free(m->arena);
    }
}

static void a_stage_is_called_by_its_statement_alone(void **state)
{
    (void)state;
    Made *m = made_new();
    Carving c = made_carve(m, "X < 3 ; carve best 10 by  guess  # the best");
    assert_string_equal(c.stages[0].text, "X < 3");
    assert_string_equal(c.stages[1].text, "carve best 10 by  guess");
    arena_free(m->arena);
}

static void conditions_see_fields_metrics_and_own_names(void **state)
{
    (void)state;
    Made *m = made_new();
    Carving c = made_carve(m, "spill_bytes == 0 and guess < 130; X in [1, 2] and KIND == \"odd\"");
    for (size_t i = 0; i < POINTS; i++) {
        bool first = i % 3 != 0 && m->rows->metric[0][i] < 130;
        bool second = (i % 5 == 1 || i % 5 == 2) && i % 2 == 1;
        assert_int_equal(c.fates[i].stage, !first ? 0 : !second ? 1 : 2);
    }
    arena_free(m->arena);
}

static void mistakes_are_shown_where_they_are(void **state)
{
    (void)state;
    Made *m = made_new();
    assert_false(made_open(m, "best 4 by gues; spil_bytes == 0; best 3 by spill_bytes", 1));
    assert_messages(m, "text:1:11: error: unknown metric 'gues'; did you mean 'guess'?\n"
                       "    best 4 by gues; spil_bytes == 0; best 3 by spill_bytes\n"
                       "              ^~~~\n"
                       "text:1:17: error: unknown name 'spil_bytes'; did you mean 'spill_bytes'?\n"
                       "    best 4 by gues; spil_bytes == 0; best 3 by spill_bytes\n"
                       "                    ^~~~~~~~~~\n"
                       "text:1:44: error: 'spill_bytes' is a field of the profile and has no "
                       "direction: write 'higher spill_bytes' or 'lower spill_bytes'\n"
                       "    best 4 by gues; spil_bytes == 0; best 3 by spill_bytes\n"
                       "                                               ^~~~~~~~~~~\n");
    arena_free(m->arena);
}

static void after_a_mistake_the_next_statement_is_read(void **state)
{
    (void)state;
    Made *m = made_new();
    assert_false(made_open(m, "best x by guess; front guess\npolish 1; polish 2", 1));
    assert_messages(m, "text:1:6: error: expected the number of configurations, an integer of "
                       "at least 1\n"
                       "    best x by guess; front guess\n"
                       "         ^\n"
                       "text:1:18: error: a front needs two or more metrics\n"
                       "    best x by guess; front guess\n"
                       "                     ^~~~~\n"
                       "text:2:11: error: there is already a polish line, in line 2\n"
                       "    polish 1; polish 2\n"
                       "              ^~~~~~\n");
    arena_free(m->arena);
}

static void nothing_said_is_no_carving(void **state)
{
    (void)state;
    Made *m = made_new();
    assert_false(made_open(m, " # nothing\n;", 1));
    assert_int_equal(m->diag.errors, 1);
    arena_free(m->arena);
}

/* --- what is not known ------------------------------------------------------------------------ */

static void what_cannot_be_computed_is_dropped_as_unknown_and_counted(void **state)
{
    (void)state;
    Made *m = made_new();
    Carving c = made_carve(m, "1 / spill_bytes > 0");
    Buf why = {0};
    for (size_t i = 0; i < POINTS; i++)
        assert_int_equal(c.fates[i].kind, i % 3 == 0 ? OUTCOME_SURVIVES : OUTCOME_UNKNOWN);
    assert_int_equal(c.reports[0].unknown, 40);
    carving_why(&c, 1, &why);
    assert_string_equal(
        buf_text(&why),
        "X=1 Y=0 KIND=odd: dropped by stage 1, '1 / spill_bytes > 0': division by zero\n");
    buf_free(&why);
    assert_messages(m, "text:1:1: warning: division by zero for 40 configurations: unknown here, "
                       "and not kept\n"
                       "    1 / spill_bytes > 0\n"
                       "    ^~~~~~~~~~~~~~~\n");
    arena_free(m->arena);
}

static void a_name_without_a_value_makes_no_answer_either_way(void **state)
{
    (void)state;
    static const char *const texts[] = {"guess > 0", "not (guess > 0)", "guess != 1"};
    for (size_t k = 0; k < sizeof texts / sizeof texts[0]; k++) {
        Made *m = made_new();
        m->rows->metric[0][7] = NAN;
        Carving c = made_carve(m, texts[k]);
        Buf why = {0};
        assert_int_equal(c.fates[7].kind, OUTCOME_UNKNOWN);
        assert_int_equal(c.reports[0].unknown, 1);
        carving_why(&c, 7, &why);
        assert_non_null(strstr(buf_text(&why), "'guess' is not known"));
        buf_free(&why);
        arena_free(m->arena);
    }
}

static void a_column_without_a_value_is_counted_by_its_stage(void **state)
{
    (void)state;
    Made *m = made_new();
    m->rows->metric[0][7] = m->rows->metric[0][8] = NAN;
    Carving c = made_carve(m, "best 10 by guess");
    assert_int_equal(c.reports[0].unknown, 2);
    assert_int_equal(c.survivor_count, 10);
    arena_free(m->arena);
}

/* --- the default, shares and polish ----------------------------------------------------------- */

static void the_default_keeps_its_budget_less_what_polish_gets(void **state)
{
    (void)state;
    Made *m = made_new();
    Carving c = made_carve(m, NULL);
    size_t budget = budget_default(POINTS);
    assert_int_equal(c.survivor_count + m->plan.polish, budget);
    assert_int_equal(m->plan.polish, budget_polish(budget));
    assert_int_equal(c.fates[0].kind, OUTCOME_SURVIVES); /* the best guess */
    arena_free(m->arena);
}

/* A tenth: 6 of 60, 5 of 59. */
static void what_is_dropped_before_is_no_part_of_the_space(void **state)
{
    (void)state;
    Made *m = made_new();
    assert_true(made_open(m, NULL, 1));
    m->alive[POINTS - 1] = false;
    Carving c = carve_apply(&m->plan, m->alive, &m->diag);
    assert_int_equal(c.survivor_count + m->plan.polish, 5);
    arena_free(m->arena);
}

static void polish_alone_leaves_the_carving_to_the_default(void **state)
{
    (void)state;
    Made *m = made_new();
    Carving c = made_carve(m, "polish 9");
    assert_int_equal(c.stage_count, 1);
    assert_int_equal(c.stages[0].kind, STAGE_SPREAD);
    assert_int_equal(m->plan.polish, 9);
    arena_free(m->arena);
}

static void parts_of_a_space_share_budgets(void **state)
{
    (void)state;
    Made *m = made_new();
    assert_true(made_open(m, "best 10 by guess; polish 4", 3));
    Carving c = carve_apply(&m->plan, m->alive, &m->diag);
    assert_int_equal(c.survivor_count, 4);
    assert_int_equal(m->plan.polish, 2);
    arena_free(m->arena);
}

static void polish_may_time_what_metrics_dropped_but_not_what_conditions_forbid(void **state)
{
    (void)state;
    Made *m = made_new();
    m->alive[1] = false;
    m->rows->metric[0][2] = NAN;
    Carving c = made_carve(m, "spill_bytes == 0 and guess > 0; best 3 by guess");
    PosteriorInput in = carve_polish_input(&m->plan, &c, m->alive);
    for (size_t i = 0; i < POINTS; i++)
        assert_int_equal(in.alive[i], i % 3 != 0 && i > 2);
    assert_ptr_equal(in.guess, m->plan.columns.at[0].values);
    arena_free(m->arena);
}

static void polish_goes_by_the_time_where_the_last_stage_has_none(void **state)
{
    (void)state;
    Made *m = made_new();
    Carving c = made_carve(m, "best 3 by lower spill_bytes");
    PosteriorInput in = carve_polish_input(&m->plan, &c, m->alive);
    assert_memory_equal(in.guess, m->rows->metric[0], POINTS * sizeof *in.guess);
    arena_free(m->arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_and_semicolons_part_statements_and_the_word_carve_may_stand),
        cmocka_unit_test(a_stage_is_called_by_its_statement_alone),
        cmocka_unit_test(conditions_see_fields_metrics_and_own_names),
        cmocka_unit_test(mistakes_are_shown_where_they_are),
        cmocka_unit_test(after_a_mistake_the_next_statement_is_read),
        cmocka_unit_test(nothing_said_is_no_carving),
        cmocka_unit_test(what_cannot_be_computed_is_dropped_as_unknown_and_counted),
        cmocka_unit_test(a_name_without_a_value_makes_no_answer_either_way),
        cmocka_unit_test(a_column_without_a_value_is_counted_by_its_stage),
        cmocka_unit_test(the_default_keeps_its_budget_less_what_polish_gets),
        cmocka_unit_test(what_is_dropped_before_is_no_part_of_the_space),
        cmocka_unit_test(polish_alone_leaves_the_carving_to_the_default),
        cmocka_unit_test(parts_of_a_space_share_budgets),
        cmocka_unit_test(polish_may_time_what_metrics_dropped_but_not_what_conditions_forbid),
        cmocka_unit_test(polish_goes_by_the_time_where_the_last_stage_has_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
