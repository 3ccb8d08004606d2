/* Pictures and page of a story, on synthetic spaces: what is drawn, against a look at all points.
 */
#include "metrics/base/file.h"
#include "metrics/base/vec.h"
#include "tests/support/golden.h"
#include "tests/support/made_table.h"
#include "tuner/report/page.h"
#include "tuner/report/pictures.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static int make_arena(void **state)
{
    *state = arena_new();
    return 0;
}

static int drop_arena(void **state)
{
    arena_free(*state);
    return 0;
}

/* --- texts ------------------------------------------------------------------------------------- */

static void a_carving_says_what_each_of_its_stages_left(void **state)
{
    static const StudyStage stages[] = {
        {.text = "require a < 2", .report = {.before = 9, .after = 7}},
        {.text = "best 3 by a", .report = {.before = 7, .after = 3}},
        {.text = "best 1 by b", .report = {.before = 3, .after = 1}}};

    assert_string_equal(story_carving_text(*state, stages, 2, 4),
                        "require a < 2: 7 of 9 left\nbest 3 by a: 3 of 7 left\n"
                        "polish: 4 more, chosen by measured times");
    assert_string_equal(story_carving_text(*state, stages + 1, 1, 0), "best 3 by a: 3 of 7 left");
}

/* --- a synthetic space ------------------------------------------------------------------------ */

enum { SIDE = 12, POINTS = SIDE * SIDE, METRICS = 12 };

/* The same numbers in every run. */
static double next_random(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 33) / 2147483648.0;
}

static MetricSet *synthetic_metrics(Arena *a)
{
    MetricSet *set = metricset_new(a);
    for (int m = 0; m < METRICS; m++)
        VEC_PUSH(a, &set->metrics,
                 ((Metric){.name = arena_printf(a, "metric_%d", m),
                           .higher = m % 2 == 1,
                           .unit = "cycles",
                           .meaning = "Made up."}));
    return set;
}

/* A grid of points with random times and metrics; metric m agrees with the time the less the larger
 * m is. */
static Table *synthetic_points(Arena *a, uint64_t seed)
{
    Table *s = made_table(a, 2, SIDE);
    s->name = "syn/<thetic>";
    s->origin = "a <file>";
    s->problem = "N=1";
    s->gpu = "synthetic device & co";
    s->date = "";
    s->gap = ',';
    s->parameters[1].name = "a/b <c>";
    s->parameters[1].kind = VALUE_STRING;
    for (int k = 0; k < SIDE; k++)
        s->parameters[1].values.at[k] = value_string(arena_printf(a, "<%d>", k));
    for (uint32_t i = 0; i < POINTS; i++) {
        made_row(s, i, (uint32_t[]){i / SIDE, i % SIDE});
        s->ms[i] = 1 + next_random(&seed);
    }
    ranking_set(s);
    table_set_metrics(s, synthetic_metrics(a));
    for (int m = 0; m < METRICS; m++) {
        for (int i = 0; i < POINTS; i++)
            s->metric[m][i] = 10 + (m % 2 ? -1 : 1) * s->ms[i] + 0.4 * m * next_random(&seed);
    }
    return s;
}

static Story story_of(Arena *a, const Table *s)
{
    bool *chosen = ARENA_ARRAY(a, bool, POINTS), *dropped = ARENA_ARRAY(a, bool, POINTS);
    for (size_t i = 0; i < POINTS; i++) {
        chosen[i] = i % 7 == 3;
        dropped[i] = i % 5 == 0 && !chosen[i];
    }
    Story story = {.points = s,
                   .origin = "Synthetic: made up.",
                   .carving = "carve X < 3",
                   .dropped = dropped,
                   .chosen = chosen,
                   .chosen_name = "chosen",
                   .rest_name = "not chosen",
                   .complete = true,
                   .x_metric = "metric_4",
                   .y_metric = "metric_5",
                   .time_metric = "metric_0"};
    story.winner = story_best_chosen(&story);
    return story;
}

static Story synthetic_story(Arena *a, uint64_t seed)
{
    return story_of(a, synthetic_points(a, seed));
}

static const Picture *find_picture(const Pictures *all, const char *name)
{
    for (size_t k = 0; k < all->count; k++)
        if (strcmp(all->at[k].name, name) == 0)
            return &all->at[k];
    return NULL;
}

static const Series *find_series(const Picture *p, const char *name)
{
    for (size_t k = 0; p && k < p->plot.series_count; k++)
        if (strcmp(p->plot.series[k].name, name) == 0)
            return &p->plot.series[k];
    return NULL;
}

/* --- clouds ----------------------------------------------------------------------------------- */

static void every_point_is_in_one_layer_and_the_winner_is_circled(void **state)
{
    Story story = synthetic_story(*state, 1);
    Pictures all = pictures_draw(*state, &story);
    const Picture *p = find_picture(&all, "tradeoff");
    static const char *const layers[] = {"not chosen", "dropped by a threshold", "chosen"};
    int seen[POINTS] = {0};
    for (int k = 0; k < 3; k++) {
        const Series *s = find_series(p, layers[k]);
        assert_non_null(s);
        for (size_t i = 0; i < s->count; i++) {
            seen[s->at[i]]++;
            assert_int_equal(story.chosen[s->at[i]], k == 2);
            assert_int_equal(story.dropped[s->at[i]], k == 1);
            assert_true(i == 0 || story.points->ms[s->at[i - 1]] <= story.points->ms[s->at[i]]);
        }
    }
    for (int i = 0; i < POINTS; i++)
        assert_int_equal(seen[i], 1);
    const Series *ring = find_series(p, "winner");
    assert_true(ring && ring->kind == SERIES_RINGS && ring->count == 1);
    assert_int_equal(ring->at[0], story.winner);
}

/* Is point i beaten by one that no threshold dropped?  metric_4 is better low, metric_5 high. */
static bool is_beaten(const Story *s, size_t i)
{
    const double *x = s->points->metric[4], *y = s->points->metric[5];
    for (size_t k = 0; k < POINTS; k++)
        if (!s->dropped[k] && x[k] <= x[i] && y[k] >= y[i] && (x[k] < x[i] || y[k] > y[i]))
            return true;
    return false;
}

static void the_front_is_what_nothing_beats(void **state)
{
    for (uint64_t seed = 1; seed < 20; seed++) {
        Story story = synthetic_story(*state, seed);
        Pictures all = pictures_draw(*state, &story);
        const Series *front = find_series(find_picture(&all, "tradeoff"), "front");
        assert_non_null(front);
        bool on[POINTS] = {false};
        for (size_t k = 0; k < front->count; k++)
            on[front->at[k]] = true;
        for (size_t i = 0; i < POINTS; i++)
            assert_int_equal(on[i], !story.dropped[i] && !is_beaten(&story, i));
    }
}

static size_t count_group(const Pictures *all, PictureGroup group)
{
    size_t n = 0;
    for (size_t k = 0; k < all->count; k++)
        n += all->at[k].group == group;
    return n;
}

static void time_is_drawn_against_the_metrics_that_say_most_and_ones_own(void **state)
{
    Story story = synthetic_story(*state, 3);
    Pictures all = pictures_draw(*state, &story);
    assert_int_equal(count_group(&all, PICTURE_METRIC), PICTURE_METRICS_MOST);
    assert_non_null(find_picture(&all, "time-metric_0"));
    assert_non_null(find_picture(&all, "time-metric_1"));
    assert_null(find_picture(&all, "time-metric_11"));
    bool own[METRICS] = {[11] = true};
    story.own = own;
    all = pictures_draw(*state, &story);
    assert_int_equal(count_group(&all, PICTURE_METRIC), PICTURE_METRICS_MOST);
    assert_non_null(find_picture(&all, "time-metric_11"));
}

static void metrics_that_order_alike_are_drawn_once(void **state)
{
    Story story = synthetic_story(*state, 3);
    for (size_t m = 6; m < METRICS; m++) /* those up to 5 are asked for or agree better */
        for (size_t i = 0; i < POINTS; i++)
            story.points->metric[m][i] = (m % 2 ? -2 : 2) * story.points->metric[0][i];
    Pictures all = pictures_draw(*state, &story);
    assert_int_equal(count_group(&all, PICTURE_METRIC), 6);
}

static void a_metric_without_values_and_a_space_without_times_have_no_pictures(void **state)
{
    Story story = synthetic_story(*state, 4);
    for (size_t i = 0; i < POINTS; i++)
        story.points->metric[0][i] = NAN;
    Pictures all = pictures_draw(*state, &story);
    assert_null(find_picture(&all, "time-metric_0"));
    Table *s = (Table *)(uintptr_t)story.points;
    for (size_t i = 0; i < POINTS; i++)
        s->ms[i] = NAN;
    s->best = SIZE_MAX;
    s->timed = s->distinct = 0;
    story.winner = SIZE_MAX;
    story.complete = false;
    all = pictures_draw(*state, &story);
    assert_non_null(find_picture(&all, "tradeoff"));
    assert_int_equal(count_group(&all, PICTURE_METRIC), 0);
    assert_int_equal(count_group(&all, PICTURE_CHANCE), 0);
    assert_null(find_picture(&all, "sorted"));
}

/* --- against chance --------------------------------------------------------------------------- */

static void samples_begin_at_the_mean_and_end_at_the_best(void **state)
{
    Story story = synthetic_story(*state, 5);
    const Table *s = story.points;
    Pictures all = pictures_draw(*state, &story);
    const Series *random = find_series(find_picture(&all, "samples"), "random sample, expected");
    double mean = 0;
    for (size_t i = 0; i < POINTS; i++)
        mean += s->ms[i] / POINTS;
    assert_true(fabs(random->y[0] - 100 * s->ms[s->best] / mean) < 1e-6);
    assert_true(fabs(random->y[random->count - 1] - 100) < 1e-6);
    assert_true(random->x[0] == 1 && random->x[random->count - 1] == POINTS);
    for (size_t k = 1; k < random->count; k++)
        assert_true(random->x[k] > random->x[k - 1] && random->y[k] >= random->y[k - 1] - 1e-9);
    const Series *carving = find_series(find_picture(&all, "samples"), "carving");
    assert_true(carving->x[0] == (double)story_chosen_count(&story));
    assert_true(carving->y[0] == 100 * s->ms[s->best] / s->ms[story.winner]);
    const Series *subset =
        find_series(find_picture(&all, "subset"), "sample of what carving chose");
    assert_true(fabs(subset->y[subset->count - 1] - carving->y[0]) < 1e-6);
}

static void without_all_outcomes_nothing_is_said_about_chance(void **state)
{
    Story story = synthetic_story(*state, 5);
    story.complete = false;
    Pictures all = pictures_draw(*state, &story);
    assert_int_equal(count_group(&all, PICTURE_CHANCE), 0);
}

/* --- all spaces ------------------------------------------------------------------------------- */

/* Two spaces, one of which has been timed as a whole with one configuration. */
static void all_spaces_are_lines_and_their_mean(void **state)
{
    const StudyBudget more[] = {{1, 1, 3, 0, 0}, {10, 0.25, 1, 0, 0}}, one[] = {{1, 0, 0, 0, 0}};
    const Story stories[] = {{.budgets = more, .budget_count = 2},
                             {.budgets = one, .budget_count = 1}};
    static const double expected[6][2] = {/* of one configuration, of ten */
                                          {25, 50}, {100, 100}, {62.5, 75},
                                          {50, 80}, {100, 100}, {75, 90}};
    Pictures all = pictures_draw_overall(*state, stories, 2);
    assert_int_equal(all.count, 1); /* nothing was raced */
    assert_string_equal(all.at[0].name, "timings");
    const Plot *p = &all.at[0].plot;
    assert_int_equal(p->series_count, 6);
    for (size_t k = 0; k < 6; k++) {
        assert_true(p->series[k].x[0] == 1 && p->series[k].x[3] == 10);
        assert_true(p->series[k].y[0] == expected[k][0] && p->series[k].y[2] == expected[k][0]);
        assert_true(p->series[k].y[3] == expected[k][1] && p->series[k].y[9] == expected[k][1]);
    }
    assert_string_equal(p->series[2].name, "random sample");
    assert_string_equal(p->series[5].name, "by prediction");
}

/* --- by parameter ----------------------------------------------------------------------------- */

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void a_parameters_values_show_their_fastest_and_median_time(void **state)
{
    Story story = synthetic_story(*state, 6);
    const Table *s = story.points;
    Pictures all = pictures_draw(*state, &story);
    const Picture *p = find_picture(&all, "by-X");
    const Series *fastest = find_series(p, "fastest"), *median = find_series(p, "median");
    const Series *promise = find_series(p, "best metric_0");
    assert_int_equal(fastest->count, SIDE);
    for (int x = 0; x < SIDE; x++) {
        double times[SIDE], least = INFINITY, least_of_all = INFINITY;
        assert_int_equal(atoi(p->plot.x.names[x]), x);
        for (int k = 0; k < SIDE; k++) {
            times[k] = s->ms[x * SIDE + k];
            least = fmin(least, s->metric[0][x * SIDE + k]);
        }
        for (int k = 0; k < POINTS; k++)
            least_of_all = fmin(least_of_all, s->metric[0][k]);
        qsort(times, SIDE, sizeof *times, compare_doubles);
        assert_true(fabs(fastest->y[x] - 100 * s->ms[s->best] / times[0]) < 1e-9);
        assert_true(fabs(median->y[x] - 100 * s->ms[s->best] / times[(SIDE - 1) / 2]) < 1e-9);
        assert_true(fabs(promise->y[x] - 100 * least_of_all / least) < 1e-9);
    }
}

static void a_parameter_of_many_values_is_a_cloud(void **state)
{
    Story story = synthetic_story(*state, 6);
    const Table *s = story.points;
    ValueList *list = &s->parameters[0].values;
    *list = (ValueList){POINTS, ARENA_ARRAY(*state, Value, POINTS)};
    for (uint32_t i = 0; i < POINTS; i++) {
        list->at[i] = value_int(i);
        s->values[2 * i] = i;
    }
    Pictures all = pictures_draw(*state, &story);
    const Picture *p = find_picture(&all, "by-X");
    assert_non_null(p);
    assert_null(p->plot.x.names);
    const Series *chosen = find_series(p, "chosen");
    assert_true(chosen && chosen->kind == SERIES_DOTS &&
                chosen->x[chosen->at[0]] == (double)chosen->at[0]);
}

/* --- the page --------------------------------------------------------------------------------- */

static size_t count(const char *text, const char *part)
{
    size_t n = 0;
    for (const char *at = strstr(text, part); at; at = strstr(at + 1, part))
        n++;
    return n;
}

static void remove_tree(const char *folder)
{
    char command[256];
    snprintf(command, sizeof command, "rm -r '%s'", folder);
    assert_int_equal(system(command), 0);
}

static void whatever_names_hold_files_and_page_are_sound(void **state)
{
    char folder[] = "/tmp/aptune-test-XXXXXX";
    assert_non_null(mkdtemp(folder));
    Diag d = diag_new(*state);
    Story stories[] = {synthetic_story(*state, 7), synthetic_story(*state, 8)};
    assert_true(page_save(folder, &(Page){"<title> & more", NULL, 0, stories, 2}, &d));
    size_t size;
    const char *path = arena_printf(*state, "%s/report.html", folder);
    const char *html = file_read(*state, path, &size, &d);
    assert_non_null(html);
    assert_null(strstr(html, "<title> & more"));
    assert_null(strstr(html, "<c>"));
    assert_null(strstr(html, "<thetic>"));
    assert_null(strstr(html, "<file>"));
    assert_int_equal(count(html, "id=\"syn__thetic_-tradeoff\""), 1);
    assert_int_equal(count(html, "id=\"syn__thetic_-2-tradeoff\""), 1);
    static const char *const files[] = {"syn__thetic_-by-a_b__c_.svg",
                                        "syn__thetic_-2-by-a_b__c_.svg"};
    for (int k = 0; k < 2; k++)
        assert_true(file_exists(arena_printf(*state, "%s/pictures/%s", folder, files[k])));
    assert_int_equal(count(html, "<svg"), count(html, "</svg>"));
    remove_tree(folder);
}

/* Pages and pictures to the byte, so that no part of them is lost unnoticed. */
static void pages_are_the_golden_ones(void **state)
{
    char folder[] = "/tmp/aptune-test-XXXXXX";
    assert_non_null(mkdtemp(folder));
    Diag d = diag_new(*state);
    Table *t = synthetic_points(*state, 10), *texts = synthetic_points(*state, 11);
    t->name = "ordered";
    t->parameters[1].name = "W";
    t->parameters[1].kind = VALUE_INT;
    for (int k = 0; k < SIDE; k++)
        t->parameters[1].values.at[k] = value_int(k * 7 % SIDE);
    for (size_t i = 0; i < POINTS; i++)
        t->times[i] =
            (TableTimes){.median = t->ms[i], .low = t->ms[i] * 0.9, .high = t->ms[i] * 1.2};
    texts->name = "texts";
    Story stories[] = {story_of(*state, t), story_of(*state, texts)};
    stories[1].complete = false;

    assert_true(page_save(folder, &(Page){"Two spaces", NULL, 0, stories, 2}, &d));

    golden_compare_folder("report", folder);
    remove_tree(folder);
}

static void a_page_that_cannot_be_written_is_an_error(void **state)
{
    Diag d = diag_new(*state);
    Story story = synthetic_story(*state, 9);
    assert_false(page_save("/dev/null/folder", &(Page){"t", NULL, 0, &story, 1}, &d));
    assert_true(d.errors > 0);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, make_arena, drop_arena)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_carving_says_what_each_of_its_stages_left),
        TEST(every_point_is_in_one_layer_and_the_winner_is_circled),
        TEST(the_front_is_what_nothing_beats),
        TEST(time_is_drawn_against_the_metrics_that_say_most_and_ones_own),
        TEST(metrics_that_order_alike_are_drawn_once),
        TEST(a_metric_without_values_and_a_space_without_times_have_no_pictures),
        TEST(samples_begin_at_the_mean_and_end_at_the_best),
        TEST(without_all_outcomes_nothing_is_said_about_chance),
        TEST(all_spaces_are_lines_and_their_mean),
        TEST(a_parameters_values_show_their_fastest_and_median_time),
        TEST(a_parameter_of_many_values_is_a_cloud),
        TEST(whatever_names_hold_files_and_page_are_sound),
        TEST(pages_are_the_golden_ones),
        TEST(a_page_that_cannot_be_written_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
