/* From recordings to the table of an emitted unit, and its files.
 *
 * The recordings are synthetic: hashes and times are made up here.  Nothing is compiled: there is
 * "no compiler", so that what needs one is tested by tests/cli/emit.bats. */
#include "metrics/base/file.h"
#include "tuner/emit/unit.h"
#include "tuner/emit/unit_make.h"
#include "tuner/run/run_parts.h"

#include <jansson.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#include <cmocka.h>

static const char *const metric_files[] = {SOURCE_DIR "/metrics/thesis.metrics",
                                           SOURCE_DIR "/metrics/cycles.metrics"};

/* A spec of two sizes and four configurations. */
static const char spec_text[] = "kernel \"k.cu\" first\n"
                                "block 32 * A\n"
                                "grid N\n"
                                "problem N = 64\n"
                                "problem N = 256\n"
                                "param A in 1, 2, 3, 4\n"
                                "inout Y : float[N * 128]\n";

static const char template_text[] = "#include \"part.h\"\n"
                                    "extern \"C\" __global__ void first(float *y)\n"
                                    "{\n"
                                    "    y[threadIdx.x] = VALUE(A);\n"
                                    "}\n"
                                    "extern \"C\" __global__ void second(float *y) {}\n";

typedef struct Fixture {
    Arena *arena;
    Diag diag;
    char folder[64];
    const char *spec;
    UnitMaker *maker;
} Fixture;

static void put(Fixture *f, const char *name, const char *text)
{
    const char *path = arena_printf(f->arena, "%s/%s", f->folder, name);
    assert_true(file_write(path, text, strlen(text), &f->diag));
}

static int set_up(void **state)
{
    Fixture *f = calloc(1, sizeof *f);
    f->arena = arena_new();
    f->diag = diag_new(f->arena);
    snprintf(f->folder, sizeof f->folder, "unit-XXXXXX");
    *state = f;
    if (!mkdtemp(f->folder))
        return 1;
    f->spec = arena_printf(f->arena, "%s/k.spec", f->folder);
    put(f, "k.spec", spec_text);
    put(f, "k.cu", template_text);
    put(f, "part.h", "#pragma once\n#define VALUE(a) (a * 1.5f)\n");
    return 0;
}

static int tear_down(void **state)
{
    Fixture *f = *state;
    char command[128];
    unit_end(f->maker);
    snprintf(command, sizeof command, "rm -rf './%s'", f->folder);
    int result = system(command);
    arena_free(f->arena);
    free(f);
    return result;
}

static Run run_of(Fixture *f)
{
    return (Run){.arena = f->arena,
                 .diag = &f->diag,
                 .options = {.space = f->spec, .no_gpu = true, .jobs = 1, .cache = "/dev/null/no"},
                 .home.compile_helper = "/nonexistent/aptune-compile",
                 .home.metric_files = metric_files,
                 .home.metric_file_count = 2};
}

typedef struct Recorded {
    const char *file, *arch, *device, *date;
    size_t problem;
    size_t fastest; /* configuration */
} Recorded;

/* Configurations take 1 ms and more, the fastest 0.5 ms. */
static void make_up(Run *r, size_t i, size_t fastest)
{
    Table *t = r->table;
    double *times = ARENA_ARRAY(r->arena, double, 2);
    Buf code = {0};
    times[0] = times[1] = i == fastest ? 0.5 : 1 + 0.25 * (double)i;
    t->outcome[i] = OUTCOME_OK;
    t->times[i].ms = times;
    t->times[i].count = 2;
    for (size_t l = 0; l < r->spec->launch_count; l++)
        buf_printf(&code, "%s%032zx", l ? "+" : "", 16 * i + l);
    run_set_code(r, i, arena_string(r->arena, buf_text(&code)));
    buf_free(&code);
}

static const char *record(Fixture *f, Recorded w)
{
    Run r = run_of(f);
    Diag d = diag_new(f->arena);
    r.diag = &d;
    r.options.arch = w.arch;
    r.options.problem = w.problem;
    r.options.output = f->folder;
    assert_true(run_open(&r) && run_open_sources(&r));
    Device device = *r.device;
    device.name = w.device;
    r.device = &device;
    r.code.compiler = "synthetic";
    RecordHeader h = run_record_header(&r);
    h.date = w.date;
    TimesRecording *existing;
    const char *path = arena_printf(f->arena, "%s/%s.times", f->folder, w.file);
    TimesWriter *t = times_open_append(r.arena, path, &h, &existing, r.diag);
    for (size_t i = 0; i < r.table->count; i++) {
        make_up(&r, i, w.fastest);
        assert_true(run_append_row(&r, t, &h, i));
    }
    assert_true(times_close(t, r.diag));
    run_close(&r);
    return path;
}

static const Recorded large_on_b = {"large-b", "sm_90", "GPU B", "2001-01-01T00:00:00Z", 1, 2};
static const Recorded small_on_b = {"small-b", "sm_90", "GPU B", "2001-01-02T00:00:00Z", 0, 2};
static const Recorded large_on_a = {"large-a", "sm_80", "GPU A", "2001-01-03T00:00:00Z", 1, 2};

/* The maker with these recordings. */
static UnitMaker *maker_of(Fixture *f, EmitOptions o, const Recorded *list, size_t count)
{
    f->maker = unit_begin(f->arena, &o, &f->diag);
    Run like = run_of(f);
    for (size_t i = 0; i < count; i++)
        assert_true(unit_add_recording(f->maker, &like, record(f, list[i])));
    return f->maker;
}

/* --- the table -------------------------------------------------------------------------------- */

static void sizes_with_one_winner_share_a_variant_and_architectures_do_not(void **state)
{
    Fixture *f = *state;
    const Recorded all[] = {large_on_b, small_on_b, large_on_a};

    const EmitUnit *u = unit_outline(maker_of(f, (EmitOptions){0}, all, 3));

    assert_non_null(u);
    assert_int_equal(u->entry_count, 3);
    assert_int_equal(u->variant_count, 2);
    assert_int_equal(u->entries[0].variant, 0);
    assert_int_equal(u->entries[1].variant, 0);
    assert_int_equal(u->entries[2].variant, 1);
    assert_int_equal(u->variants[1].arch, 80);
    assert_false(u->variants[0].fixed[0]);
    assert_string_equal(u->variants[0].name, "A=3");
    assert_string_equal(u->entries[1].device, "GPU B");
    assert_int_equal(u->entries[1].problem[0].integer, 64);
    assert_true(fabs(u->entries[0].time_ms - 0.5) < 1e-9);
    assert_true(fabs(u->entries[0].regret) < 1e-9);
    assert_true(u->entries[0].is_default && !u->entries[1].is_default);
    assert_string_equal(u->prefix, "k_");
    assert_int_equal(f->diag.messages.count, 0);
}

static void other_winners_are_other_variants(void **state)
{
    Fixture *f = *state;
    Recorded other = small_on_b;
    other.fastest = 1;
    const Recorded all[] = {large_on_b, other};

    const EmitUnit *u = unit_outline(maker_of(f, (EmitOptions){.default_entry = 2}, all, 2));

    assert_non_null(u);
    assert_int_equal(u->variant_count, 2);
    assert_string_equal(u->variants[1].name, "A=2");
    assert_true(u->entries[1].is_default && !u->entries[0].is_default);
}

/* Adds a line to the spec and says whether two sizes of one winner have a variant each. */
static bool is_fixed(Fixture *f, const char *line)
{
    const Recorded all[] = {large_on_b, small_on_b};
    put(f, "k.spec", arena_printf(f->arena, "%s%s", spec_text, line));
    unlink(arena_printf(f->arena, "%s/large-b.times", f->folder));
    unlink(arena_printf(f->arena, "%s/small-b.times", f->folder));
    const EmitUnit *u = unit_outline(maker_of(f, (EmitOptions){0}, all, 2));
    assert_non_null(u);
    assert_int_equal(u->variant_count, u->variants[0].fixed[0] ? 2 : 1);
    bool fixed = u->variants[0].fixed[0];
    unit_end(f->maker);
    f->maker = NULL;
    return fixed;
}

static void code_that_hangs_on_the_problem_is_fixed(void **state)
{
    Fixture *f = *state;

    assert_true(is_fixed(f, "option \"-DSIZE={N}\"\n"));
    assert_true(is_fixed(f, "option \"-lineinfo\" if N > 100\n"));
    assert_true(is_fixed(f, "let TWICE = 2 * N\nlet SUM = TWICE + A\noption \"-DSUM={SUM}\"\n"));
    assert_true(is_fixed(f, "kernel \"k.cu\" \"second<{N}>\"\nblock 1\ngrid 1\n"));
    assert_false(is_fixed(f, "option \"-DTWICE={2 * A}\"\n"));
    assert_false(is_fixed(f, "let TWICE = 2 * N\nlet SUM = 2 * A\noption \"-DSUM={SUM}\"\n"));
    assert_false(is_fixed(f, "option \"-lineinfo\"\nrequire N > A\n"));
}

/* The winner's code has the size in it; the fastest of the others serves all sizes. */
static void a_winner_for_its_own_size_alone_has_a_general_one_beside_it(void **state)
{
    Fixture *f = *state;
    put(f, "k.spec", arena_printf(f->arena, "%soption \"-DSIZE={N}\" if A == 3\n", spec_text));
    const Recorded all[] = {large_on_b, small_on_b};

    const EmitUnit *u = unit_outline(maker_of(f, (EmitOptions){0}, all, 2));

    assert_non_null(u);
    assert_int_equal(u->entry_count, 4);
    assert_int_equal(u->variant_count, 3);
    assert_string_equal(u->variants[u->entries[0].variant].name, "A=3");
    assert_string_equal(u->variants[u->entries[1].variant].name, "A=1");
    assert_true(unit_variant_is_fixed(u, &u->variants[u->entries[0].variant]));
    assert_false(unit_variant_is_fixed(u, &u->variants[u->entries[1].variant]));
    assert_true(fabs(u->entries[1].time_ms - 1) < 1e-9);
    assert_int_equal(u->entries[3].variant, u->entries[1].variant);
}

static void of_two_recordings_of_one_device_and_size_the_newer_counts(void **state)
{
    Fixture *f = *state;
    Recorded newer = large_on_b, older = large_on_b;
    newer.file = "newer";
    newer.date = "2002-01-01T00:00:00Z";
    newer.fastest = 1;
    older.file = "older";
    older.date = "2000-06-01T00:00:00Z";
    older.fastest = 0;
    const Recorded all[] = {large_on_b, newer, older};

    const EmitUnit *u = unit_outline(maker_of(f, (EmitOptions){0}, all, 3));

    assert_non_null(u);
    assert_int_equal(u->entry_count, 1);
    assert_int_equal(u->variant_count, 1);
    assert_string_equal(u->entries[0].recording, "newer.times");
    assert_string_equal(u->variants[0].name, "A=2");
    assert_int_equal(f->diag.warnings, 2);
    assert_int_equal(f->diag.errors, 0);
}

static void launches_of_one_file_share_code_and_files(void **state)
{
    Fixture *f = *state;
    put(f, "k.spec",
        arena_printf(f->arena,
                     "kernel \"k.cu\" second\nblock 1\ngrid 1\n"
                     "kernel \"other.cu\" third\nblock 1\ngrid 1\n%s",
                     spec_text));
    put(f, "other.cu", "extern \"C\" __global__ void third(float *y) {}\n");

    const EmitUnit *u = unit_outline(maker_of(f, (EmitOptions){.name = "mine"}, &large_on_b, 1));

    assert_non_null(u);
    const EmitCode *c = u->variants[0].codes;
    assert_int_equal(c[0].shares, 0);
    assert_int_equal(c[1].shares, 1);
    assert_int_equal(c[2].shares, 0);
    assert_string_equal(unit_file_name(f->arena, u, 0, 2, ".cu"), "mine_1.cu");
    assert_string_equal(unit_file_name(f->arena, u, 0, 1, "_sm90.cubin"), "mine_1_2_sm90.cubin");
}

/* --- what is refused -------------------------------------------------------------------------- */

static void refuses(Fixture *f, const char *path, const char *why)
{
    EmitOptions o = {0};
    Run like = run_of(f);
    f->maker = unit_begin(f->arena, &o, &f->diag);
    assert_false(unit_add_recording(f->maker, &like, path));
    assert_int_equal(f->diag.errors, 1);
    if (!strstr(f->diag.messages.at[0].text, why))
        assert_string_equal(f->diag.messages.at[0].text, why);
}

static void a_recording_of_a_size_that_the_spec_lacks_has_an_entry(void **state)
{
    Fixture *f = *state;
    const char *path = record(f, small_on_b);
    char *text = arena_string(f->arena, spec_text);
    memcpy(strstr(text, "N = 64"), "N = 65", 6);
    put(f, "k.spec", text);

    EmitOptions o = {0};
    Run like = run_of(f);
    f->maker = unit_begin(f->arena, &o, &f->diag);
    assert_true(unit_add_recording(f->maker, &like, path));
    const EmitUnit *u = unit_outline(f->maker);
    assert_non_null(u);
    assert_int_equal(u->entries[0].problem[0].integer, 64);
}

static void a_recording_of_another_space_is_refused(void **state)
{
    Fixture *f = *state;
    const char *path = record(f, small_on_b);
    put(f, "other.spec", spec_text);
    f->spec = arena_printf(f->arena, "%s/other.spec", f->folder);

    refuses(f, path, "is a recording of the space 'k', not of 'other'");
}

static void a_recording_of_other_parameters_is_refused(void **state)
{
    Fixture *f = *state;
    const char *path = record(f, small_on_b);
    put(f, "k.spec", arena_printf(f->arena, "param B in 1, 2\n%s", spec_text));

    refuses(f, path, "is not a recording of this: the space has other parameters");
}

static void a_recording_of_other_launches_has_no_winner(void **state)
{
    Fixture *f = *state;
    const char *path = record(f, small_on_b);
    char *text = arena_string(f->arena, spec_text);
    memcpy(strstr(text, "32 * A"), "64 * A", 6);
    put(f, "k.spec", text);

    refuses(f, path, "it was measured with other launches than the spec's");
}

static void a_default_that_is_no_entry_is_refused(void **state)
{
    Fixture *f = *state;

    assert_null(unit_outline(maker_of(f, (EmitOptions){.default_entry = 2}, &large_on_b, 1)));

    assert_int_equal(f->diag.errors, 1);
}

static void a_run_without_a_winner_is_refused(void **state)
{
    Fixture *f = *state;
    EmitOptions o = {0};
    Run r = {.best = SIZE_MAX};
    f->maker = unit_begin(f->arena, &o, &f->diag);

    assert_false(unit_add_run(f->maker, &r));
    assert_null(unit_outline(f->maker));
}

/* --- sources and files ------------------------------------------------------------------------ */

static void a_unit_of_sources_needs_no_compiler(void **state)
{
    Fixture *f = *state;
    const EmitUnit *u =
        unit_finish(maker_of(f, (EmitOptions){.flavour = EMIT_RUNTIME}, &large_on_b, 1));

    assert_non_null(u);
    assert_non_null(f->maker->uncompiled);
    const EmitCode *c = &u->variants[0].codes[0];
    assert_null(c->cubin);
    assert_non_null(strstr(c->source, "\n#define A 3\n"));
    assert_non_null(strstr(c->source, "#define VALUE(a) (a * 1.5f)\n"));
    assert_null(strstr(c->source, "#include"));
    assert_null(strstr(c->source, f->folder));
    assert_string_equal(c->macros.at[0], "A");
    assert_int_equal(c->macros.count, 3);
}

static void compiled_flavours_fail_without_a_compiler_or_fall_back(void **state)
{
    Fixture *f = *state;
    assert_null(unit_finish(maker_of(f, (EmitOptions){0}, &large_on_b, 1)));
    assert_int_equal(f->diag.errors, 1);
    unit_end(f->maker);

    const EmitUnit *u = unit_finish(maker_of(f, (EmitOptions){.fall_back = true}, &small_on_b, 1));

    assert_non_null(u);
    assert_int_equal(u->flavour, EMIT_RUNTIME);
}

static void without_a_compiler_changed_sources_make_a_recording_stale(void **state)
{
    Fixture *f = *state;
    EmitOptions o = {.flavour = EMIT_RUNTIME};
    UnitMaker *m = maker_of(f, o, &large_on_b, 1);
    put(f, "part.h", "#define VALUE(a) (a * 2.5f)\n");
    assert_null(unit_finish(m));
    const DiagMessage *last = &f->diag.messages.at[f->diag.messages.count - 1];
    if (!strstr(last->text, "large-b.times' is stale: "))
        assert_string_equal(last->text, "");
    unit_end(m);

    o.accept_stale = true;
    Run like = run_of(f);
    f->maker = unit_begin(f->arena, &o, &f->diag);
    assert_true(
        unit_add_recording(f->maker, &like, arena_printf(f->arena, "%s/large-b.times", f->folder)));
    const EmitUnit *u = unit_finish(f->maker);

    assert_non_null(u);
    assert_true(u->entries[0].stale);
    assert_non_null(strstr(u->entries[0].how, "STALE"));
}

static void inputs_are_all_that_was_read(void **state)
{
    static const char *const names[] = {"k.spec", "k.cu", "part.h", "large-b.times"};
    Fixture *f = *state;
    const EmitUnit *u =
        unit_finish(maker_of(f, (EmitOptions){.flavour = EMIT_RUNTIME}, &large_on_b, 1));
    assert_non_null(u);

    const Texts inputs = unit_inputs(f->arena, f->maker);

    assert_int_equal(inputs.count, 4);
    for (size_t i = 0; i < inputs.count; i++)
        assert_string_equal(path_stem(f->arena, inputs.at[i], ""), names[i]);
}

static void a_rule_of_make_has_its_characters_escaped(void **state)
{
    EmitUnit u = {.name = "k", .flavour = EMIT_RUNTIME};
    Fixture *f = *state;
    Buf out = {0};

    assert_true(files_print_depend(&u, "my out", &TEXTS("a b.spec", "$c#.cu"), &out, &f->diag));

    assert_string_equal(buf_text(&out), "my\\ out/k.h my\\ out/k.cu: \\\n  a\\ b.spec \\\n"
                                        "  $$c\\#.cu\n");
    assert_false(files_print_depend(&u, "out", &TEXTS("a\nall:\n\trm -r .\n#.spec"), &out,
                                    &f->diag));
    assert_non_null(strstr(f->diag.messages.at[0].text, "a rule of Make cannot name 'a\n"));
    buf_free(&out);
}

static void files_of_an_earlier_unit_go_and_nothing_else_does(void **state)
{
    Fixture *f = *state;
    const EmitUnit *u =
        unit_finish(maker_of(f, (EmitOptions){.flavour = EMIT_RUNTIME}, &large_on_b, 1));
    const char *folder = arena_printf(f->arena, "%s/out", f->folder);
    assert_non_null(u);
    assert_true(folder_create(folder, &f->diag));
    put(f, "out/k_2.cu", "old");
    put(f, "out/k_3.cu", "somebody's own");
    put(f, "out/k.json",
        "{\"aptune\": \"unit\", \"files\": [\"k_1.cu\", \"k_2.cu\", \"../k.spec\", "
        "\"k/../k_3.cu\"]}");

    assert_true(files_write(u, folder, &f->diag));

    assert_false(file_exists(arena_printf(f->arena, "%s/k_2.cu", folder)));
    assert_true(file_exists(arena_printf(f->arena, "%s/k_3.cu", folder)));
    assert_true(file_exists(f->spec));
    const Texts names = files_list(f->arena, u);
    for (size_t i = 0; i < names.count; i++)
        assert_true(file_exists(arena_printf(f->arena, "%s/%s", folder, names.at[i])));
    json_t *o = json_load_file(arena_printf(f->arena, "%s/k.json", folder), 0, NULL);
    assert_int_equal(json_array_size(json_object_get(o, "files")), names.count);
    json_decref(o);
}

static void nothing_is_written_when_one_file_cannot_be(void **state)
{
    Fixture *f = *state;
    const EmitUnit *u =
        unit_finish(maker_of(f, (EmitOptions){.flavour = EMIT_RUNTIME}, &large_on_b, 1));
    const char *folder = arena_printf(f->arena, "%s/out", f->folder);
    assert_non_null(u);
    struct rlimit old, small;
    getrlimit(RLIMIT_FSIZE, &old);
    small = old;
    small.rlim_cur = 1000; /* bytes: of the files some are larger */
    signal(SIGXFSZ, SIG_IGN);

    setrlimit(RLIMIT_FSIZE, &small);
    bool written = files_write(u, folder, &f->diag);
    setrlimit(RLIMIT_FSIZE, &old);

    assert_false(written);
    const Texts names = files_list(f->arena, u);
    for (size_t i = 0; i < names.count; i++)
        assert_false(file_exists(arena_printf(f->arena, "%s/%s", folder, names.at[i])));
    assert_int_equal(rmdir(folder), 0); /* nothing that waited is left */
}

/* --- names ------------------------------------------------------------------------------------ */

static void names_of_spaces_become_identifiers(void **state)
{
    Arena *a = arena_new();
    (void)state;

    assert_string_equal(unit_default_name(a, "mm-thesis"), "mm_thesis");
    assert_string_equal(unit_default_name(a, "3d stencil"), "k_3d_stencil");
    assert_true(unit_is_identifier("_a9") && unit_is_identifier("Mm_"));
    assert_false(unit_is_identifier("") || unit_is_identifier("9a") || unit_is_identifier("a-b"));
    arena_free(a);
}

#define IN_A_FOLDER(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_A_FOLDER(sizes_with_one_winner_share_a_variant_and_architectures_do_not),
        IN_A_FOLDER(other_winners_are_other_variants),
        IN_A_FOLDER(code_that_hangs_on_the_problem_is_fixed),
        IN_A_FOLDER(a_winner_for_its_own_size_alone_has_a_general_one_beside_it),
        IN_A_FOLDER(of_two_recordings_of_one_device_and_size_the_newer_counts),
        IN_A_FOLDER(launches_of_one_file_share_code_and_files),
        IN_A_FOLDER(a_recording_of_a_size_that_the_spec_lacks_has_an_entry),
        IN_A_FOLDER(a_recording_of_another_space_is_refused),
        IN_A_FOLDER(a_recording_of_other_parameters_is_refused),
        IN_A_FOLDER(a_recording_of_other_launches_has_no_winner),
        IN_A_FOLDER(a_default_that_is_no_entry_is_refused),
        IN_A_FOLDER(a_run_without_a_winner_is_refused),
        IN_A_FOLDER(a_unit_of_sources_needs_no_compiler),
        IN_A_FOLDER(compiled_flavours_fail_without_a_compiler_or_fall_back),
        IN_A_FOLDER(without_a_compiler_changed_sources_make_a_recording_stale),
        IN_A_FOLDER(inputs_are_all_that_was_read),
        IN_A_FOLDER(files_of_an_earlier_unit_go_and_nothing_else_does),
        IN_A_FOLDER(nothing_is_written_when_one_file_cannot_be),
        IN_A_FOLDER(a_rule_of_make_has_its_characters_escaped),
        cmocka_unit_test(names_of_spaces_become_identifiers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
