/* Statements over points made up here: what they leave, what they cannot say, and how mistakes in
 * them are shown. */
#include "tuner/carve/carve.h"

#include "tuner/choose/budget.h"

#include <math.h>
#include <string.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

enum { POINTS = 60 };

/* Point i is one of 60: 5 values of X, 12 of Y. */
typedef struct Made {
    Arena *arena;
    Diag diag;
    MetricSet *metrics;
    Profile profiles[POINTS];
    double metric[POINTS]; /* the one metric, `guess` */
    uint16_t values[2 * POINTS];
    bool alive[POINTS];
    CarvePoints points;
    CarvePlan plan;
} Made;

static const Profile *made_profile(void *context, size_t i)
{
    return &((const Made *)context)->profiles[i];
}

static double made_metric(void *context, size_t metric, size_t i)
{
    (void)metric;
    return ((const Made *)context)->metric[i];
}

static const Value *made_own(void *context, Arena *scratch, size_t i)
{
    Value *v = ARENA_ARRAY(scratch, Value, 2);
    (void)context;
    v[0] = value_int((int64_t)i % 5);
    v[1] = value_string(i % 2 ? "odd" : "even");
    return v;
}

static bool find_own(void *context, const char *name, int *slot, ValueKind *kind,
                     const char **reason)
{
    (void)context;
    (void)reason;
    *slot = strcmp(name, "KIND") == 0;
    *kind = *slot ? VALUE_STRING : VALUE_INT;
    return *slot || strcmp(name, "X") == 0;
}

static size_t list_own(void *context, const char **out, size_t room)
{
    (void)context;
    if (room > 0)
        out[0] = "X";
    return room > 0;
}

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
    m->metrics = metricset_new(a);
    assert_true(metricset_read(
        m->metrics, source(a, "metric guess lower \"cycles\" \"Made up.\" = instr"), &m->diag));
    for (size_t i = 0; i < POINTS; i++) {
        m->profiles[i] = profile_new();
        m->profiles[i].value[PROFILE_SPILL_BYTES] = i % 3 == 0 ? 8 : 0;
        m->metric[i] = 100 + (double)(i * 7 % POINTS);
        m->values[2 * i] = (uint16_t)(i % 5);
        m->values[2 * i + 1] = (uint16_t)(i / 5);
        m->alive[i] = true;
    }
    m->points = (CarvePoints){.context = m,
                              .count = POINTS,
                              .profile = made_profile,
                              .metric = made_metric,
                              .own = made_own,
                              .values = m->values,
                              .parameters = 2};
    return m;
}

/* Opens statements; NULL: the default.  Messages are in the diag when it fails. */
static bool made_open(Made *m, const char *text, size_t parts)
{
    SpecCarving said = {0};
    CarveNames names = {m->metrics, {.find = find_own, .names = list_own}, 2};
    if (text && !spec_parse_carving(m->arena, source(m->arena, text), &said, &m->diag))
        return false;
    CarveRequest q = {said.stages, said.count, (size_t)said.polish, "guess", parts};
    return carve_open(m->arena, &q, &names, &m->plan, &m->diag);
}

static Carving made_carve(Made *m, const char *text)
{
    if (!made_open(m, text, 1))
        fail_msg("refused: %s", m->diag.messages.at[0].text);
    return carve_apply(&m->plan, &m->points, m->alive, &m->diag);
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
        bool first = i % 3 != 0 && m->metric[i] < 130;
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
    assert_messages(m, "text:1:6: error: expected the number of configurations, a whole number of "
                       "at least 1\n"
                       "    best x by guess; front guess\n"
                       "         ^\n"
                       "text:1:18: error: a front is a tradeoff between two or more metrics\n"
                       "    best x by guess; front guess\n"
                       "                     ^~~~~\n"
                       "text:2:11: error: there is a polish line already, in line 2\n"
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
    assert_string_equal(buf_text(&why),
                        "#1: dropped by stage 1, '1 / spill_bytes > 0': division by zero\n");
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
        m->metric[7] = NAN;
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
    m->metric[7] = m->metric[8] = NAN;
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
    Carving c = carve_apply(&m->plan, &m->points, m->alive, &m->diag);
    assert_int_equal(c.survivor_count, 4);
    assert_int_equal(m->plan.polish, 2);
    arena_free(m->arena);
}

static void polish_may_time_what_metrics_dropped_but_not_what_conditions_forbid(void **state)
{
    (void)state;
    Made *m = made_new();
    m->alive[1] = false;
    m->metric[2] = NAN;
    Carving c = made_carve(m, "spill_bytes == 0 and guess > 0; best 3 by guess");
    BeliefInput in = carve_polish_input(&m->plan, &m->points, &c, m->alive);
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
    BeliefInput in = carve_polish_input(&m->plan, &m->points, &c, m->alive);
    assert_memory_equal(in.guess, m->metric, sizeof m->metric);
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
        cmocka_unit_test(polish_alone_leaves_the_carving_to_the_default),
        cmocka_unit_test(parts_of_a_space_share_budgets),
        cmocka_unit_test(polish_may_time_what_metrics_dropped_but_not_what_conditions_forbid),
        cmocka_unit_test(polish_goes_by_the_time_where_the_last_stage_has_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
