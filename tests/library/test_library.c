/* A whole run, its answers, and mistakes. */
#include "support.h"

/* --- a whole run ------------------------------------------------------------------------------ */

static void tuning_gives_what_the_program_prints(void **state)
{
    (void)state;
    aptune *a = replay_of(TUTORIAL);

    check(a, aptune_tune(a));

    char *ours = settled(aptune_text(a, APTUNE_JSON)), *theirs = settled_program(TUTORIAL);
    assert_string_equal(ours, theirs);
    assert_non_null(strstr(aptune_text(a, APTUNE_HEADING), "REPLAYED"));
    assert_non_null(strstr(aptune_text(a, APTUNE_REPORT), "(replayed)"));
    assert_string_equal(aptune_message(a), "");
    free(ours);
    free(theirs);
    aptune_free(a);
}

static void what_is_replayed_is_never_called_measured(void **state)
{
    (void)state;
    aptune *a = replay_of(TUTORIAL);

    check(a, aptune_open(a));

    assert_int_equal(aptune_source(a), APTUNE_REPLAYED);
    assert_non_null(strstr(aptune_why_not_measured(a), "--no-gpu"));
    assert_non_null(strstr(aptune_recording(a), "transpose-tutorial-h200.times"));
    assert_string_equal(aptune_recorded_on(a), aptune_device(a));
    assert_null(aptune_imported(a));
    aptune_free(a);
}

/* One configuration: its name names it, and its fate, outcome, times and reason fit together. */
static void check_configuration(aptune *a, size_t i)
{
    size_t count;
    const double *times = aptune_times_ms(a, i, &count);
    int timed = aptune_fate(a, i) == APTUNE_TIMED;
    assert_int_equal(aptune_find(a, aptune_name(a, i)), i);
    assert_int_equal(aptune_outcome(a, i) != NULL, timed);
    assert_int_equal(times != NULL && count > 0, timed);
    assert_int_equal(isnan(aptune_time_ms(a, i)), !timed);
    assert_non_null(strstr(aptune_why(a, i), aptune_name(a, i)));
    assert_int_equal(aptune_same_as(a, i), i);
    if (aptune_fate(a, i) == APTUNE_UNDECIDED) { /* the search did not look at it */
        assert_true(isnan(aptune_metric(a, i, "predicted_cycles")));
        assert_true(isnan(aptune_metric(a, i, "registers")));
        return;
    }
    assert_true(aptune_metric(a, i, "predicted_cycles") > 0);
    assert_true(aptune_metric(a, i, "registers") > 0);
}

static void answers_agree_with_each_other(void **state)
{
    (void)state;
    aptune *a = replay_of(TUTORIAL);
    check(a, aptune_tune(a));
    size_t best = aptune_best(a), fates[APTUNE_FAILED_TO_RUN + 1] = {0}, as_finalist = 0;

    for (size_t i = 0; i < aptune_count(a); i++) {
        check_configuration(a, i);
        fates[aptune_fate(a, i)]++;
    }
    for (size_t k = 0; k < aptune_finalist_count(a); k++)
        as_finalist += aptune_finalist(a, k) == best;

    assert_int_equal(fates[APTUNE_TIMED] + fates[APTUNE_CARVED] + fates[APTUNE_UNDECIDED],
                     aptune_count(a));
    assert_true(fates[APTUNE_TIMED] > 1);
    assert_int_equal(as_finalist, 1);
    assert_true(aptune_is_tied(a, best));
    assert_true(aptune_time_low_ms(a, best) <= aptune_time_ms(a, best));
    assert_true(aptune_time_ms(a, best) <= aptune_time_high_ms(a, best));
    assert_true(aptune_relative_performance(a) > 0.9);
    aptune_free(a);
}

static void metrics_and_problems_have_names(void **state)
{
    (void)state;
    aptune *a = replay_of(TUTORIAL);
    check(a, aptune_open(a));
    const size_t metrics = aptune_metric_count(a);
    size_t found = 0;

    for (size_t m = 0; m < metrics; m++)
        if (strcmp(aptune_metric_name(a, m), "bound_cycles") == 0) {
            assert_string_equal(aptune_metric_unit(a, m), "cycles");
            found++;
        }
    assert_int_equal(found, 1);
    assert_null(aptune_metric_name(a, metrics));
    assert_null(aptune_metric_unit(a, metrics));
    assert_non_null(aptune_metric_name(a, metrics - 1));

    assert_int_equal(aptune_problem_count(a), 1);
    assert_int_equal(aptune_problem_chosen(a), 0);
    assert_string_equal(aptune_problem(a, 0), "n=4096");
    assert_null(aptune_problem(a, 1));
    int part[3];
    assert_int_equal(sscanf(aptune_version(), "%d.%d.%d", &part[0], &part[1], &part[2]), 3);
    aptune_free(a);
}

static void parameters_have_names_texts_and_numbers(void **state)
{
    (void)state;
    aptune *a = replay_of(TUTORIAL);
    check(a, aptune_open(a));
    char name[256] = "";
    for (size_t p = 0; p < aptune_parameter_count(a); p++) {
        const char *parameter = aptune_parameter(a, p), *value = aptune_value(a, 5, parameter);
        snprintf(name + strlen(name), sizeof name - strlen(name), "%s%s=%s", p ? " " : "",
                 parameter, value);
        assert_true(aptune_number(a, 5, parameter, -1) == strtod(value, NULL));
    }
    assert_string_equal(name, aptune_name(a, 5));

    assert_null(aptune_parameter(a, aptune_parameter_count(a)));
    assert_null(aptune_value(a, 5, "XYZZY"));
    assert_true(aptune_number(a, 5, "XYZZY", -1) == -1);
    aptune_free(a);
}

static void a_handle_knows_nothing_before_it_is_asked_to(void **state)
{
    (void)state;
    aptune *a = aptune_new();
    size_t count = 1;

    assert_int_equal(aptune_source(a), APTUNE_STATIC);
    assert_int_equal(aptune_count(a), 0);
    assert_true(aptune_best(a) == APTUNE_NOTHING);
    assert_true(aptune_find(a, "A=1") == APTUNE_NOTHING);
    assert_null(aptune_name(a, 0));
    assert_null(aptune_why(a, 0));
    assert_null(aptune_times_ms(a, 0, &count));
    assert_int_equal(count, 0);
    assert_true(isnan(aptune_metric(a, 0, "registers")));
    assert_null(aptune_device(a));
    assert_null(aptune_recording(a));
    for (int kind = 0; kind <= APTUNE_TABLE + 1; kind++)
        assert_null(aptune_text(a, (aptune_text_kind)kind));
    assert_int_equal(aptune_launch_count(a), 0);
    aptune_free(a);
    aptune_free(NULL);
}

static void stages_do_what_comes_before_them(void **state)
{
    (void)state;
    aptune *a = replay_of(TUTORIAL);
    set(a, "carve", NULL);

    check(a, aptune_carve(a));
    assert_int_equal(aptune_fate(a, aptune_count(a) - 1), APTUNE_CARVED);
    assert_true(aptune_best(a) == APTUNE_NOTHING);
    assert_null(aptune_text(a, APTUNE_REPORT));
    check(a, aptune_compile(a)); /* was done on the way */
    check(a, aptune_tune(a));
    assert_true(aptune_best(a) != APTUNE_NOTHING);
    aptune_free(a);
}

static void a_search_looks_at_nothing_before_it_measures(void **state)
{
    (void)state;
    aptune *a = replay_of(TUTORIAL);

    check(a, aptune_carve(a));
    for (size_t i = 0; i < aptune_count(a); i++) {
        assert_int_equal(aptune_fate(a, i), APTUNE_UNDECIDED);
        assert_true(isnan(aptune_metric(a, i, "predicted_cycles")));
    }
    check(a, aptune_measure(a));
    size_t timed = 0;
    for (size_t i = 0; i < aptune_count(a); i++)
        timed += aptune_fate(a, i) == APTUNE_TIMED;
    assert_true(timed > 1);
    assert_true(aptune_best(a) == APTUNE_NOTHING);
    aptune_free(a);
}

static void a_handle_begins_anew_with_its_options(void **state)
{
    (void)state;
    aptune *a = replay_of(TUTORIAL);
    check(a, aptune_tune(a));
    char *first = settled(aptune_text(a, APTUNE_JSON));

    assert_int_equal(aptune_set(a, "exhaustive", NULL), APTUNE_TOO_LATE);
    assert_non_null(strstr(aptune_message(a), "aptune_reset"));
    aptune_reset(a);
    assert_int_equal(aptune_count(a), 0);
    check(a, aptune_tune(a));
    char *second = settled(aptune_text(a, APTUNE_JSON));
    assert_string_equal(first, second);

    aptune_reset(a);
    set(a, "exhaustive", NULL);
    check(a, aptune_tune(a));
    for (size_t i = 0; i < aptune_count(a); i++)
        assert_int_equal(aptune_fate(a, i), APTUNE_TIMED);
    free(first);
    free(second);
    aptune_free(a);
}

static void a_dry_run_counts_and_goes_no_further(void **state)
{
    (void)state;
    aptune *a = replay_of(TUTORIAL);
    set(a, "dry-run", NULL);

    check(a, aptune_tune(a));

    assert_int_equal(aptune_count(a), 156);
    assert_non_null(strstr(aptune_text(a, APTUNE_COUNTS_JSON), "\"configurations\": 156"));
    assert_null(aptune_text(a, APTUNE_JSON));
    aptune_free(a);
}

/* --- mistakes --------------------------------------------------------------------------------- */

static void wrong_options_are_values_with_a_message(void **state)
{
    (void)state;
    static const struct {
        const char *name, *value, *words;
    } wrong[] = {
        {"exaustive", NULL, "did you mean '--exhaustive'?"},
        {"xyzzy", "1", "unknown option '--xyzzy'"},
        {"jobs", "0", "--jobs takes a whole number from 1 to 1024, not '0'"},
        {"jobs", NULL, "--jobs needs a value"},
        {"json", NULL, "unknown option"}, /* the command's, not the library's */
        {"exhaustive", "yes", "--exhaustive takes no value"},
        {"cache", "tepid", "--cache takes warm, cold or both"},
        {"compile-limit", "nan", "--compile-limit takes a number of seconds"},
        {"shard", "4/4", "--shard takes i/n"},
    };
    aptune *a = aptune_new();
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        assert_int_equal(aptune_set(a, wrong[i].name, wrong[i].value), APTUNE_WRONG);
        if (!strstr(aptune_message(a), wrong[i].words))
            fail_msg("'%s' has no '%s'", aptune_message(a), wrong[i].words);
    }
    set(a, "jobs", "2");
    assert_string_equal(aptune_message(a), "");
    aptune_free(a);
}

static void every_option_that_is_listed_is_known(void **state)
{
    (void)state;
    aptune *a = aptune_new();
    size_t count = 0;
    for (; aptune_option_name(count); count++) {
        /* An option that takes a value is refused without one, not as unknown, and the reverse;
         * what stands in brackets may be left out. */
        const char *value = aptune_option_value(count), *wrong = value ? NULL : "x";
        aptune_status expected = value && value[0] == '[' ? APTUNE_OK : APTUNE_WRONG;
        assert_int_equal(aptune_set(a, aptune_option_name(count), wrong), expected);
        assert_null(strstr(aptune_message(a), "unknown"));
        assert_true(strlen(aptune_option_help(count)) > 0);
    }
    assert_true(count > 15);
    assert_null(aptune_option_help(count));
    aptune_free(a);
}

static void no_space_no_spec_no_configuration(void **state)
{
    (void)state;
    aptune *a = aptune_new();

    assert_int_equal(aptune_open(a), APTUNE_WRONG);
    assert_non_null(strstr(aptune_message(a), "no space is given"));
    assert_int_equal(aptune_tune(a), APTUNE_WRONG); /* the failure stays until a reset */
    assert_non_null(strstr(aptune_message(a), "no space is given"));

    aptune_reset(a);
    set(a, "space", "none.spec");
    assert_int_equal(aptune_tune(a), APTUNE_WRONG);
    assert_string_equal(aptune_message(a), "cannot open 'none.spec': No such file or directory");
    aptune_free(a);

    a = replay_of(TUTORIAL);
    check(a, aptune_open(a));
    assert_true(aptune_find(a, "VARIANT=77") == APTUNE_NOTHING);
    assert_true(strlen(aptune_message(a)) > 0);
    assert_int_equal(aptune_fetch(a, 100000), APTUNE_WRONG);
    assert_non_null(strstr(aptune_message(a), "no configuration 100000"));
    aptune_free(a);
}

static void mistakes_in_a_spec_come_with_their_place(void **state)
{
    (void)state;
    Heard heard = {0};
    aptune *a = aptune_new();
    write_text(in_folder("k.cu"), "\n");
    write_text(in_folder("x.spec"), "kernel \"k.cu\" k\n"
                                    "param BM in 1, 2\n"
                                    "require BMM > 1\n"
                                    "block 32\n"
                                    "grid 1\n");
    aptune_on_message(a, hear, &heard);
    set(a, "space", in_folder("x.spec"));

    assert_int_equal(aptune_open(a), APTUNE_WRONG);

    const char *message = aptune_message(a);
    assert_non_null(strstr(message, "x.spec:3:9: error: "));
    assert_non_null(strstr(message, "\n            ^~~"));
    assert_int_equal(heard.count[APTUNE_ERROR], 1);
    assert_memory_equal(heard.last, message, strlen(message));
    assert_string_equal(heard.last + strlen(message), "\n");
    aptune_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_handle_knows_nothing_before_it_is_asked_to),
        cmocka_unit_test(wrong_options_are_values_with_a_message),
        cmocka_unit_test(every_option_that_is_listed_is_known),
        cmocka_unit_test(no_space_no_spec_no_configuration),
        cmocka_unit_test(mistakes_in_a_spec_come_with_their_place),
        cmocka_unit_test(tuning_gives_what_the_program_prints),
        cmocka_unit_test(what_is_replayed_is_never_called_measured),
        cmocka_unit_test(answers_agree_with_each_other),
        cmocka_unit_test(metrics_and_problems_have_names),
        cmocka_unit_test(parameters_have_names_texts_and_numbers),
        cmocka_unit_test(stages_do_what_comes_before_them),
        cmocka_unit_test(a_search_looks_at_nothing_before_it_measures),
        cmocka_unit_test(a_handle_begins_anew_with_its_options),
        cmocka_unit_test(a_dry_run_counts_and_goes_no_further),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
