/* Options as tables: values find their fields, and what is no option is left alone.  What is said
 * of mistakes is tested with the program itself (cli/usage.bats). */
#include "metrics/base/process.h"
#include "tuner/command/command.h"
#include "tuner/library/settings.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct Shared {
    const char *space;
    int jobs;
} Shared;

typedef struct Own {
    Shared shared;
    bool json;
    double limit;
    char letter;
} Own;

static bool take_letter(const Option *o, const char *text, void *field, Diag *d)
{
    (void)o;
    (void)d;
    *(char *)field = text[0];
    return text[0] != '!';
}

static const Option shared_options[] = {
    {"space", "FILE", "the space", option_text, offsetof(Shared, space), 0, 0},
    {"jobs", "N…", "how many", option_count, offsetof(Shared, jobs), 1, 8},
};

static const Option own_options[] = {
    {"json", NULL, "as JSON", option_flag, offsetof(Own, json), 0, 0},
    {"limit", "S", "seconds", option_seconds, offsetof(Own, limit), 0, 10},
    {"d", "LETTER", "a letter", take_letter, offsetof(Own, letter), 0, 0},
};

static OptionTable table_of(Own *o)
{
    return (OptionTable){{OPTION_GROUP(shared_options, &o->shared), OPTION_GROUP(own_options, o)}};
}

enum { WORDS = 12 };

/* Words split at blanks, behind the name of a command; gives how many there are. */
static int split(char *line, char **words)
{
    static char name[] = "command";
    int count = 0;
    words[count++] = name;
    for (char *w = strtok(line, " "); w && count < WORDS; w = strtok(NULL, " "))
        words[count++] = w;
    return count;
}

static bool note_rest(Call *c)
{
    *(const char **)c->options = c->count > 0 ? c->words[0] : NULL;
    return true;
}

/* Parses a line; `rest` is the first word left, NULL for none. */
static bool parse(const char *line, Own *o, const char **rest)
{
    static char copy[256];
    static char *words[WORDS];
    snprintf(copy, sizeof copy, "%s", line);
    int count = split(copy, words);
    const CommandLine line_of = {.usage = "usage: command\n",
                                 .table = table_of(o),
                                 .most = WORDS,
                                 .work = note_rest,
                                 .options = rest};
    *rest = NULL;
    return command_run(&line_of, count, words) == EXIT_DONE;
}

static void values_go_to_the_fields_of_their_group(void **state)
{
    (void)state;
    Own o = {0};
    const char *rest;

    assert_true(parse("--jobs 3 --json --space=mm.spec --limit 2.5 -dX", &o, &rest));

    assert_null(rest);
    assert_string_equal(o.shared.space, "mm.spec");
    assert_int_equal(o.shared.jobs, 3);
    assert_true(o.json);
    assert_true(o.limit == 2.5);
    assert_int_equal(o.letter, 'X');
}

static void what_is_not_given_is_left_as_it_was(void **state)
{
    (void)state;
    Own o = {.shared.jobs = 7, .limit = 1};
    const char *rest;

    assert_true(parse("--space x", &o, &rest));

    assert_int_equal(o.shared.jobs, 7);
    assert_true(o.limit == 1);
    assert_false(o.json);
}

static void options_may_stand_behind_other_words_and_end_with_dashes(void **state)
{
    (void)state;
    Own o = {0};
    const char *rest;

    assert_true(parse("A=1 --json", &o, &rest));
    assert_true(o.json);
    assert_string_equal(rest, "A=1");

    o.json = false;
    assert_true(parse("-- --json", &o, &rest));
    assert_false(o.json);
    assert_string_equal(rest, "--json");
}

static void a_second_call_starts_anew(void **state)
{
    (void)state;
    Own o = {0};
    const char *rest;

    assert_true(parse("--jobs 2 one two three", &o, &rest));
    assert_true(parse("--jobs 3 four", &o, &rest));

    assert_int_equal(o.shared.jobs, 3);
    assert_string_equal(rest, "four");
}

static void limits_and_a_takers_own_refusal_hold(void **state)
{
    (void)state;
    static const char *const wrong[] = {"--jobs 0",        "--jobs 9",  "--jobs x",   "--jobs 2x",
                                        "--jobs=",         "--limit 0", "--limit 11", "--limit nan",
                                        "--limit 1 2 -d!", "--unknown", "--jobs",     "--json=yes"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        Own o = {0};
        const char *rest;
        assert_false(parse(wrong[i], &o, &rest));
    }
}

static void help_has_a_line_for_each_in_order_and_in_columns(void **state)
{
    (void)state;
    Own o = {0};
    const CommandLine line = {.usage = "usage: command\n", .table = table_of(&o)};
    Buf out = {0};

    command_print_help(&line, &out);

    assert_string_equal(buf_text(&out), "usage: command\n"
                                        "  --help               print this\n"
                                        "  --space FILE         the space\n"
                                        "  --jobs N…            how many\n"
                                        "  --json               as JSON\n"
                                        "  --limit S            seconds\n"
                                        "  -d LETTER            a letter\n");
    buf_free(&out);
}

/* Whether an option of a run takes a text, and puts it, if a number, where it belongs. */
static bool takes(Arena *a, const char *name, const char *text, size_t offset, double *value)
{
    static const struct {
        const Option *at;
        size_t count;
    } groups[] = {{run_options, RUN_OPTIONS},
                  {compile_options, COMPILE_OPTIONS},
                  {tune_options, TUNE_OPTIONS}};
    RunOptions o = {0};
    Diag d = diag_new(a);
    for (size_t g = 0; g < 3; g++)
        for (size_t i = 0; i < groups[g].count; i++) {
            const Option *x = &groups[g].at[i];
            if (strcmp(x->name, name) != 0)
                continue;
            const bool taken = x->take(x, text, (char *)&o + x->offset, &d);
            const char *field = (char *)&o + offset;
            *value = x->take == option_count ? *(const int *)field : *(const double *)field;
            return taken;
        }
    fail_msg("no option '%s'", name);
    return false;
}

/* The least and the largest value of each, and what lies just outside. */
static void numbers_of_a_run_have_their_limits(void **state)
{
    (void)state;
#define FIELD(name) offsetof(RunOptions, name)
    static const struct {
        const char *name;
        size_t offset;
        const char *below, *least, *most, *above;
    } all[] = {{"device", FIELD(ordinal), "-1", "0", "1024", "1025"},
               {"jobs", FIELD(jobs), "0", "1", "1024", "1025"},
               {"compile-limit", FIELD(compile_limit), "0", "0.001", "86400", "86400.1"},
               {"compile-memory", FIELD(compile_memory), "-1", "0", "16384", "16384.1"},
               {"cache-limit", FIELD(cache_limit), "-0.1", "0", "1048576", "1048577"},
               {"seconds", FIELD(seconds), "0", "0.001", "86400", "86400.1"},
               {"trials", FIELD(trials), "0", "1", "2147483647", "2147483648"},
               {"compiles", FIELD(compiles), "0", "1", "2147483647", "2147483648"},
               {"seed", FIELD(seed), "-1", "0", "2147483647", "2147483648"},
               {"samples", FIELD(samples), "0", "1", "100", "101"},
               {"final", FIELD(finalists), "0", "1", "1000", "1001"},
               {"time-limit", FIELD(trial_limit), "0", "0.001", "86400", "86400.1"},
               {"audit", FIELD(audit), "0", "1", "1000000", "1000001"},
               {"audit-seed", FIELD(audit_seed), "-1", "0", "2147483647", "2147483648"}};
#undef FIELD
    Arena *a = arena_new();
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        double v;
        if (takes(a, all[i].name, all[i].below, all[i].offset, &v) ||
            takes(a, all[i].name, all[i].above, all[i].offset, &v) ||
            takes(a, all[i].name, "1x", all[i].offset, &v) ||
            takes(a, all[i].name, "", all[i].offset, &v))
            fail_msg("--%s takes what lies outside", all[i].name);
        if (!takes(a, all[i].name, all[i].least, all[i].offset, &v) ||
            v != strtod(all[i].least, NULL) ||
            !takes(a, all[i].name, all[i].most, all[i].offset, &v) ||
            v != strtod(all[i].most, NULL))
            fail_msg("--%s does not take its ends", all[i].name);
    }
    arena_free(a);
}

static void what_is_not_asked_for_has_its_usual_value(void **state)
{
    (void)state;
    RunOptions o = {0};
    compile_defaults(&o);
    run_defaults(&o);
    tune_defaults(&o);
    assert_int_equal(o.jobs, process_processors());
    assert_true(o.compile_limit == 60 && o.cache_limit == 4);
    assert_int_equal(o.ordinal, -1);
    assert_int_equal(o.seed, 1);
    assert_int_equal(o.audit_seed, 1);
    assert_true(o.search && o.local_rank == 0);
}

/* 0 parts: it is none. */
static void parts_of_a_space_are_numbers_below_how_many_there_are(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int part, parts;
    } all[] = {
        {"0/1", 0, 1},       {"0/4", 0, 4}, {"3/4", 3, 4},  {"4/4", 0, 0},
        {"-1/4", 0, 0},      {"0/0", 0, 0}, {"0/-3", 0, 0}, {"/4", 0, 0},
        {"1/", 0, 0},        {"1", 0, 0},   {"1-4", 0, 0},  {"1/4x", 0, 0},
        {"1x/4", 0, 0},      {"", 0, 0},    {"None", 0, 0}, {"7/1000000", 7, 1000000},
        {"7/1000001", 0, 0},
    };
    Arena *a = arena_new();
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        Diag d = diag_new(a);
        RunOptions o = {.shard = 5, .shards = 9};
        assert_int_equal(shard_read(all[i].text, &o, &d), all[i].parts > 0);
        assert_int_equal(d.errors, all[i].parts == 0);
        assert_int_equal(o.shard, all[i].part);
        assert_int_equal(o.shards, all[i].parts);
        if (all[i].parts)
            assert_string_equal(o.shard_from, "--shard");
    }
    Diag d = diag_new(a);
    RunOptions o = {.shard = 5, .shards = 9};
    assert_true(shard_read("none", &o, &d));
    assert_int_equal(o.shards, 0);
    arena_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_go_to_the_fields_of_their_group),
        cmocka_unit_test(what_is_not_given_is_left_as_it_was),
        cmocka_unit_test(options_may_stand_behind_other_words_and_end_with_dashes),
        cmocka_unit_test(a_second_call_starts_anew),
        cmocka_unit_test(limits_and_a_takers_own_refusal_hold),
        cmocka_unit_test(numbers_of_a_run_have_their_limits),
        cmocka_unit_test(what_is_not_asked_for_has_its_usual_value),
        cmocka_unit_test(parts_of_a_space_are_numbers_below_how_many_there_are),
        cmocka_unit_test(help_has_a_line_for_each_in_order_and_in_columns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
