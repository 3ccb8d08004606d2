/* Scales, ticks, pictures and tables. */
#include "tuner/draw/axis.h"
#include "tuner/draw/plot.h"
#include "tuner/draw/sheet.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

/* --- scales
 * ---------------------------------------------------------------------------------------
 */

static void ticks_are_round_few_and_within(void **state)
{
    (void)state;
    static const double ends[][2] = {{0, 1}, {-3, 7}, {1e-9, 3e-9}, {12345, 12399}, {2, 5e8}};
    for (size_t k = 0; k < sizeof ends / sizeof ends[0]; k++)
        for (int logarithmic = 0; logarithmic < 2; logarithmic++) {
            if (logarithmic && ends[k][0] <= 0)
                continue;
            Scale s = scale_new(ends[k][0], ends[k][1], logarithmic, false);
            double ticks[TICKS_MOST];
            size_t n = scale_ticks(&s, 8, ticks);
            assert_in_range(n, 2, TICKS_MOST);
            s.begin = 0, s.end = 100;
            for (size_t t = 0; t < n; t++) {
                double at = scale_pixel(&s, ticks[t]);
                assert_true(at >= -1e-6 && at <= 100 + 1e-6);
                assert_true(t == 0 || ticks[t] > ticks[t - 1]);
            }
        }
}

static void a_single_value_and_none_still_give_a_scale(void **state)
{
    (void)state;
    static const double ends[][2] = {{5, 5}, {0, 0}, {INFINITY, -INFINITY}};
    for (size_t k = 0; k < 3; k++) {
        Scale s = scale_new(ends[k][0], ends[k][1], false, false);
        assert_true(isfinite(s.low) && s.low < s.high);
    }
}

static void a_logarithmic_scale_has_no_place_for_zero(void **state)
{
    (void)state;
    Scale s = scale_new(1, 100, true, false);
    assert_false(scale_has(&s, 0));
    assert_false(scale_has(&s, NAN));
    assert_true(scale_has(&s, 1));
}

/* --- pictures
 * -------------------------------------------------------------------------------------
 */

/* Are all elements closed in order, attributes quoted, and nothing left over? */
static void assert_well_formed(const char *xml)
{
    const char *open[64];
    size_t lengths[64], depth = 0;
    for (const char *at = strchr(xml, '<'); at; at = strchr(at, '<')) {
        const char *end = strchr(at, '>');
        assert_non_null(end);
        size_t length = strcspn(at + 1, " />");
        if (at[1] == '/') {
            assert_true(depth > 0);
            depth--;
            assert_int_equal(strcspn(at + 2, ">"), lengths[depth]);
            assert_memory_equal(at + 2, open[depth], lengths[depth]);
        } else if (at[1] != '?' && end[-1] != '/') {
            assert_true(depth < 64);
            open[depth] = at + 1;
            lengths[depth++] = length;
        }
        at = end;
    }
    assert_int_equal(depth, 0);
}

static size_t count(const char *text, const char *part)
{
    size_t n = 0;
    for (const char *at = strstr(text, part); at; at = strstr(at + 1, part))
        n++;
    return n;
}

static const double x[] = {1, 2, NAN, 3}, y[] = {10, 20, 30, 1000};
static const char *const tips[] = {"A<1>", "it's \"B\" & more", "never", "C"};

static const char *draw(Buf *out, SeriesKind kind, bool logarithmic)
{
    Series series = {"some <series>", kind, TONE_SELECTED, x, y, 4, tips};
    Plot p = {.title = "a & b",
              .x = {.label = "x"},
              .y = {.label = "y", .logarithmic = logarithmic},
              .series = &series,
              .series_count = 1};
    plot_write(&p, true, out);
    return buf_text(out);
}

static void a_picture_is_well_formed_whatever_its_texts(void **state)
{
    (void)state;
    for (int kind = SERIES_POINTS; kind <= SERIES_BARS; kind++) {
        Buf out = {0};
        const char *svg = draw(&out, (SeriesKind)kind, true);
        assert_well_formed(svg);
        assert_null(strstr(svg, "some <series>"));
        assert_null(strstr(svg, "nan"));
        buf_free(&out);
    }
}

static void a_point_says_what_it_is_when_pointed_at(void **state)
{
    (void)state;
    Buf out = {0};
    const char *svg = draw(&out, SERIES_POINTS, false);
    assert_int_equal(count(svg, "<title>"), 3); /* the one that is not known is not drawn */
    assert_non_null(strstr(svg, "<title>it's &quot;B&quot; &amp; more</title>"));
    assert_null(strstr(svg, "never"));
    buf_free(&out);
}

static void points_on_top_of_each_other_are_drawn_once_and_counted(void **state)
{
    (void)state;
    enum { N = 1000 };
    double *same = malloc(N * sizeof *same);
    const char **names = malloc(N * sizeof *names);
    for (int i = 0; i < N; i++)
        same[i] = 7, names[i] = "P";
    Series series = {"s", SERIES_POINTS, TONE_ALL, same, same, N, names};
    Plot p = {.title = "t",
              .x = {.label = "x"},
              .y = {.label = "y"},
              .series = &series,
              .series_count = 1};
    Buf out = {0};
    plot_write(&p, false, &out);
    assert_int_equal(count(buf_text(&out), "<title>"), 1);
    assert_non_null(strstr(buf_text(&out), "P and 999 more here"));
    buf_free(&out);
    free(names);
    free(same);
}

/* --- tables
 * ---------------------------------------------------------------------------------------
 */

static const SheetColumn columns[] = {
    {"name", "name", CELL_TEXT}, {"share", "share", CELL_PERCENT}, {"n", "n", CELL_COUNT}};

static Sheet make_sheet(Arena *a)
{
    Sheet s = {.name = "t", .title = "A table", .columns = columns, .column_count = 3};
    Cell *r = sheet_row(a, &s);
    r[0].text = "one, \"two\"";
    r[1].number = 0.0125;
    r[2].number = 12;
    r = sheet_row(a, &s);
    r[0].text = "\303\251";
    r[1].number = NAN;
    r[2].number = 3;
    return s;
}

static void the_eye_sees_percent_and_dashes(void **state)
{
    (void)state;
    Arena *a = arena_new();
    Sheet s = make_sheet(a);
    Buf out = {0};
    sheet_print(&s, &out);
    assert_string_equal(buf_text(&out), "A table\n"
                                        "name        share   n\n"
                                        "one, \"two\"  1.2 %  12\n"
                                        "\303\251               -   3\n");
    buf_free(&out);
    arena_free(a);
}

static void csv_quotes_and_leaves_the_unknown_empty(void **state)
{
    (void)state;
    Arena *a = arena_new();
    Sheet s = make_sheet(a);
    Buf out = {0};
    sheet_print_csv(&s, &out);
    assert_string_equal(buf_text(&out), "name,share,n\n"
                                        "\"one, \"\"two\"\"\",0.012500000000000001,12\n"
                                        "\303\251,,3\n");
    buf_free(&out);
    arena_free(a);
}

static void json_has_numbers_and_null(void **state)
{
    (void)state;
    Arena *a = arena_new();
    Sheet s = make_sheet(a);
    json_t *list = sheet_json(&s);
    char *text = json_dumps(list, JSON_COMPACT | JSON_PRESERVE_ORDER);
    assert_string_equal(text, "[{\"name\":\"one, \\\"two\\\"\",\"share\":0.012500000000000001,"
                              "\"n\":12},{\"name\":\"\303\251\",\"share\":null,\"n\":3}]");
    free(text);
    json_decref(list);
    arena_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ticks_are_round_few_and_within),
        cmocka_unit_test(a_single_value_and_none_still_give_a_scale),
        cmocka_unit_test(a_logarithmic_scale_has_no_place_for_zero),
        cmocka_unit_test(a_picture_is_well_formed_whatever_its_texts),
        cmocka_unit_test(a_point_says_what_it_is_when_pointed_at),
        cmocka_unit_test(points_on_top_of_each_other_are_drawn_once_and_counted),
        cmocka_unit_test(the_eye_sees_percent_and_dashes),
        cmocka_unit_test(csv_quotes_and_leaves_the_unknown_empty),
        cmocka_unit_test(json_has_numbers_and_null),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
