/* Code of configurations and files that are written. */
#include "support.h"

#include <sys/stat.h>

/* --- code ------------------------------------------------------------------------------------- */

static void code_of_a_configuration_can_be_fetched(void **state)
{
    (void)state;
    aptune *a = handle_on(MANY);
    aptune_launch l = {.struct_size = sizeof l};
    set(a, "arch", "sm_90");
    check(a, aptune_open(a));
    size_t i = aptune_find(a, "THREADS=96 EACH=2");
    check(a, aptune_fetch(a, i));

    assert_int_equal(aptune_launch_count(a), 1);
    check(a, aptune_get_launch(a, 0, &l));
    assert_string_equal(l.kernel, "synthetic");
    assert_true(l.cubin_size > 64);
    assert_memory_equal(l.cubin, "\177ELF", 4);
    assert_non_null(strstr(l.ptx, ".visible .entry synthetic("));
    assert_int_equal(l.grid[0], 65536 / (96 * 2));
    assert_int_equal(l.block[0], 96);
    assert_int_equal(l.block[1], 1);
    assert_int_equal(l.repeat, 1);

    static const char *const names[] = {"Y", "X"};
    assert_int_equal(l.argument_count, 2);
    for (size_t k = 0; k < 2; k++) {
        aptune_argument g = {.struct_size = sizeof g};
        check(a, aptune_get_argument(a, 0, k, &g));
        assert_string_equal(g.name, names[k]);
        assert_string_equal(g.type, "float");
        assert_int_equal(g.kind, APTUNE_BUFFER);
        assert_int_equal(g.count, 65536);
        assert_null(g.value);
    }
    aptune_free(a);
}

static void what_is_asked_for_past_the_end_has_a_message(void **state)
{
    (void)state;
    aptune *a = handle_on(MANY);
    aptune_launch l = {.struct_size = sizeof l};
    aptune_argument g = {.struct_size = sizeof g};
    set(a, "arch", "sm_90");
    assert_int_equal(aptune_get_launch(a, 0, &l), APTUNE_WRONG);
    assert_non_null(strstr(aptune_message(a), "call aptune_fetch first"));
    check(a, aptune_open(a));
    check(a, aptune_fetch(a, 0));

    assert_int_equal(aptune_get_launch(a, 1, &l), APTUNE_WRONG);
    assert_string_equal(aptune_message(a), "there is no launch 1");
    assert_int_equal(aptune_get_argument(a, 1, 0, &g), APTUNE_WRONG);
    assert_string_equal(aptune_message(a), "there is no launch 1");
    assert_int_equal(aptune_get_argument(a, 0, 2, &g), APTUNE_WRONG);
    assert_string_equal(aptune_message(a), "there is no argument 2");
    assert_int_equal(aptune_get_variable(a, 0, &g), APTUNE_WRONG);
    assert_string_equal(aptune_message(a), "there is no variable 0");

    check(a, aptune_get_argument(a, 0, 1, &g));
    assert_string_equal(aptune_message(a), "");
    aptune_free(a);
}

static void a_problem_that_is_not_there_is_refused(void **state)
{
    (void)state;
    aptune *a = handle_on(MANY);
    set(a, "arch", "sm_90");

    check(a, aptune_choose_problem(a, 99));
    assert_int_equal(aptune_open(a), APTUNE_WRONG);
    assert_non_null(strstr(aptune_message(a), "there is no problem number 99"));

    aptune_reset(a);
    check(a, aptune_choose_problem(a, 0));
    check(a, aptune_open(a));
    aptune_free(a);
}

static void values_of_arguments_are_their_bytes(void **state)
{
    (void)state;
    aptune *a = replay_of("spaces/saxpy.spec");
    check(a, aptune_open(a));
    check(a, aptune_fetch(a, 0));
    size_t values = 0;
    aptune_argument g = {.struct_size = sizeof g};
    for (size_t k = 0; aptune_get_argument(a, 0, k, &g) == APTUNE_OK; k++) {
        assert_int_equal(g.value != NULL, g.kind == APTUNE_VALUE);
        if (g.kind == APTUNE_VALUE && strcmp(g.type, "float") == 0) {
            float value;
            assert_int_equal(g.value_size, sizeof value);
            memcpy(&value, g.value, sizeof value);
            assert_int_equal(isnan(value) != 0, 0);
            values++;
        }
    }
    assert_int_equal(values, 1); /* of y = a x + y */
    aptune_free(a);
}

static void variables_of_the_device_are_described(void **state)
{
    (void)state;
    aptune *a = replay_of("spaces/convolution.spec");
    check(a, aptune_open(a));
    assert_int_equal(aptune_variable_count(a), 0);
    check(a, aptune_fetch(a, 0));

    assert_int_equal(aptune_variable_count(a), 1);
    aptune_argument g = {.struct_size = sizeof g};
    check(a, aptune_get_variable(a, 0, &g));
    assert_string_equal(g.name, "filter");
    assert_string_equal(g.type, "float");
    assert_int_equal(g.kind, APTUNE_BUFFER);
    assert_int_equal(g.count, 9 * 9);
    assert_null(g.value);
    assert_int_equal(aptune_get_variable(a, 1, &g), APTUNE_WRONG);
    assert_string_equal(aptune_message(a), "there is no variable 1");
    aptune_free(a);
}

/* A caller compiled with another version of the header has a shorter or a longer struct. */
static void structs_of_other_versions_are_filled_as_far_as_they_go(void **state)
{
    (void)state;
    struct {
        aptune_launch launch;
        char more[16];
    } longer;
    aptune *a = handle_on(MANY);
    set(a, "arch", "sm_90");
    check(a, aptune_open(a));
    check(a, aptune_fetch(a, 0));

    memset(&longer, 0x55, sizeof longer);
    longer.launch.struct_size = offsetof(aptune_launch, cubin);
    check(a, aptune_get_launch(a, 0, &longer.launch));
    assert_int_equal(longer.launch.struct_size, offsetof(aptune_launch, cubin));
    assert_string_equal(longer.launch.kernel, "synthetic");
    assert_int_equal(((unsigned char *)&longer)[offsetof(aptune_launch, cubin)], 0x55);

    longer.launch.struct_size = sizeof longer;
    check(a, aptune_get_launch(a, 0, &longer.launch));
    assert_true(longer.launch.cubin_size > 0);
    for (size_t i = 0; i < sizeof longer.more; i++)
        assert_int_equal(longer.more[i], 0);
    aptune_free(a);
}

/* --- files ------------------------------------------------------------------------------------ */

static void the_tuned_kernel_is_written_where_asked(void **state)
{
    (void)state;
    char header[300];
    struct stat st;
    aptune *a = replay_of(TUTORIAL);
    char emitted[256];
    snprintf(emitted, sizeof emitted, "%s", in_folder("emitted/here"));
    check(a, aptune_emit(a, emitted));
    assert_non_null(strstr(aptune_emitted(a), ".h"));
    snprintf(header, sizeof header, "ls %s/*.h", emitted);
    char *names = output_of(header);
    names[strcspn(names, "\n")] = '\0';
    assert_int_equal(stat(names, &st), 0);
    assert_true(st.st_size > 100);
    free(names);

    write_text(in_folder("a-file"), "");
    assert_int_equal(aptune_emit(a, in_folder("a-file")), APTUNE_FAILED);
    assert_true(strlen(aptune_message(a)) > 0);
    aptune_free(a);
}

static void recordings_are_written_out_without_opening_the_space(void **state)
{
    (void)state;
    char emitted[256];
    snprintf(emitted, sizeof emitted, "%s", in_folder("of-recordings"));
    aptune *a = handle_on(TUTORIAL);
    set(a, "emit", "runtime");
    set(a, "emit-name", "turned");
    set(a, "emit-prefix", "my_");

    check(a, aptune_emit_recordings(a, emitted, NULL, 0));

    assert_non_null(strstr(aptune_emitted(a), "of-recordings/turned.cu"));
    assert_int_equal(aptune_count(a), 0); /* nothing is open */
    char command[300];
    snprintf(command, sizeof command, "grep -c my_launch %s/turned.h", emitted);
    char *uses = output_of(command);
    assert_true(atoi(uses) > 0);
    free(uses);

    const char *none = "/nonexistent/x.times";
    assert_int_equal(aptune_emit_recordings(a, emitted, &none, 1), APTUNE_WRONG);
    assert_non_null(strstr(aptune_message(a), none));
    const char *other = "/nonexistent/y.times";
    assert_int_equal(aptune_emit_recordings(a, emitted, &other, 1), APTUNE_WRONG);
    assert_null(strstr(aptune_message(a), none)); /* of the last call alone */
    assert_int_equal(aptune_set(a, "emit-prefix", "9-"), APTUNE_WRONG);
    aptune_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(code_of_a_configuration_can_be_fetched),
        cmocka_unit_test(what_is_asked_for_past_the_end_has_a_message),
        cmocka_unit_test(a_problem_that_is_not_there_is_refused),
        cmocka_unit_test(values_of_arguments_are_their_bytes),
        cmocka_unit_test(variables_of_the_device_are_described),
        cmocka_unit_test(structs_of_other_versions_are_filled_as_far_as_they_go),
        cmocka_unit_test(the_tuned_kernel_is_written_where_asked),
        cmocka_unit_test(recordings_are_written_out_without_opening_the_space),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
