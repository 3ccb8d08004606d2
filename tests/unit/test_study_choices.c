/* A study carves a recording as a run carves the space: the same statements choose the same
 * configurations, polish included, on shipped recordings. */
#include "metrics/base/file.h"
#include "metrics/base/vec.h"
#include "tuner/record/table_read.h"
#include "tuner/run/run.h"
#include "tuner/study/choices.h"

#include <stdlib.h>
#include <string.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static const char *const metric_files[] = {SOURCE_DIR "/metrics/thesis.metrics",
                                           SOURCE_DIR "/metrics/cycles.metrics"};

/* A replay of the whole run; the caller closes it and frees its arena. */
static Run *replay(const char *space)
{
    Arena *a = arena_new();
    Run *r = ARENA_NEW(a, Run);
    *r = (Run){.arena = a,
               .diag = ARENA_NEW(a, Diag),
               .options = {.space = arena_printf(a, SOURCE_DIR "/spaces/%s.spec", space),
                           .no_gpu = true,
                           .output = "none",
                           .jobs = 1},
               .home.compile_helper = "none",
               .home.gpu_helper = "none",
               .home.cuda_folder = SOURCE_DIR "/.cuda",
               .home.compare_source = SOURCE_DIR "/tuner/gpu/compare.cu",
               .home.metric_files = metric_files,
               .home.metric_file_count = 2};
    *r->diag = diag_new(a);
    assert_true(run_open(r) && r->recorded.times && run_compile(r) && r->recorded.profiles);
    run_carve(r);
    assert_true(run_time(r));
    return r;
}

static MetricSet *shipped_metrics(Arena *a, Diag *d)
{
    MetricSet *set = metricset_new(a);
    for (size_t i = 0; i < 2; i++)
        assert_true(metricset_read(set, source_read(a, metric_files[i], d), d));
    return set;
}

/* The carve and polish lines of a spec; NULL when it has none. */
static const Source *statements_of(Arena *a, const Source *spec)
{
    Buf all = {0};
    for (const char *line = spec->text; *line; line += strcspn(line, "\n") + 1)
        if (strncmp(line, "carve ", 6) == 0 || strncmp(line, "polish ", 7) == 0)
            buf_printf(&all, "%.*s\n", (int)strcspn(line, "\n"), line);
    Source *s = ARENA_NEW(a, Source);
    *s = (Source){spec->name, arena_string(a, buf_text(&all)), all.size};
    buf_free(&all);
    return s->size > 0 ? s : NULL;
}

/* "BM=64 BN=32" as recordings have it. */
static const char *key_of(Arena *a, const Run *r, size_t i)
{
    Buf b = {0};
    table_print_name(r->table, i, &b);
    char *text = arena_string(a, buf_text(&b));
    for (char *blank = text; (blank = strchr(blank, ' '));)
        *blank = ',';
    buf_free(&b);
    return text;
}

static size_t find_point(const Table *s, const char *key)
{
    for (size_t i = 0; i < s->count; i++)
        if (strcmp(table_name(s->arena, s, i), key) == 0)
            return i;
    fail_msg("%s is not in the recording", key);
    return 0;
}

static void check_same(const char *space)
{
    Run *r = replay(space);
    Arena *a = r->arena;
    MetricSet *metrics = shipped_metrics(a, r->diag);
    Table *s = table_read(a, r->recorded.path, metrics, r->diag);
    assert_non_null(s);
    Choices c = choices_new(a, s, "predicted_cycles");
    assert_true(choices_add(&c, "own", statements_of(a, r->spec->source), r->diag));

    size_t chosen = 0, survives = 0, selected = 0;
    for (size_t i = 0; i < s->count; i++) {
        chosen += c.at[0].chosen[i];
        survives += c.at[0].survives[i];
    }
    for (size_t i = 0; i < r->table->count; i++) {
        if (!r->table->selected[i])
            continue;
        size_t point = s->same_as[find_point(s, key_of(a, r, i))];
        assert_true(c.at[0].chosen[point]);
        selected++;
    }
    assert_int_equal(chosen, selected);
    assert_int_equal(survives, r->carving.survivor_count);
    assert_int_equal(c.at[0].polished, r->counts.polished);
    assert_true(r->counts.polished > 0);
    run_close(r);
    arena_free(a);
}

static void a_study_of_mm_with_the_specs_statements_chooses_what_the_run_selects(void **state)
{
    (void)state;
    check_same("mm-core");
}

static void a_study_of_the_default_chooses_what_runs_select(void **state)
{
    (void)state;
    check_same("transpose");
    check_same("reduce-2008");
    check_same("scan-two-pass");
}

static void a_carving_that_is_refused_adds_no_choice(void **state)
{
    (void)state;
    Arena *a = arena_new();
    Diag d = diag_new(a);
    MetricSet *metrics = shipped_metrics(a, &d);
    Table *s =
        table_read(a, SOURCE_DIR "/spaces/recordings/scan-two-pass-h200.times.zst", metrics, &d);
    Choices c = choices_new(a, s, "predicted_cycles");
    static const char wrong[] = "best 3 by nothing_of_the_kind";
    Source text = {"text", wrong, sizeof wrong - 1};
    assert_false(choices_add(&c, "wrong", &text, &d));
    assert_int_equal(c.count, 0);
    assert_true(choices_add_shipped(&c, &d));
    assert_int_equal(c.count, 3);
    assert_int_equal(d.errors, 1);
    arena_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_study_of_mm_with_the_specs_statements_chooses_what_the_run_selects),
        cmocka_unit_test(a_study_of_the_default_chooses_what_runs_select),
        cmocka_unit_test(a_carving_that_is_refused_adds_no_choice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
