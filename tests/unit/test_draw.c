/* Scales, ticks, pictures and tables. */
#include "tuner/report/plot.h"
#include "tuner/report/sheet.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <zlib.h>

/* --- scales ----------------------------------------------------------------------------------- */

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

/* Steps of 1, 2 or 5 times a power of ten: the smallest that gives no more ticks than asked for. */
static void ticks_stand_as_close_as_they_may(void **state)
{
    (void)state;
    static const struct {
        double low, high;
        size_t most;
        double first, step;
        size_t count;
    } table[] = {
        {0, 1, 8, 0, 0.2, 6}, {0, 10, 4, 0, 5, 3}, {0, 1, 12, 0, 0.1, 11}, {-3, 7, 8, -2, 2, 5}};
    for (size_t k = 0; k < sizeof table / sizeof *table; k++) {
        Scale s = scale_new(table[k].low, table[k].high, false, false);
        s.low = table[k].low, s.high = table[k].high; /* without room at its ends */
        double ticks[TICKS_MOST];
        assert_int_equal(scale_ticks(&s, table[k].most, ticks), table[k].count);
        for (size_t t = 0; t < table[k].count; t++)
            assert_true(fabs(ticks[t] - (table[k].first + (double)t * table[k].step)) < 1e-9);
    }
}

/* 3 % of room at each end; a tenth of a single value. */
static void scales_leave_room_at_their_ends(void **state)
{
    (void)state;
    static const struct {
        double least, most;
        bool logarithmic, from_zero;
        double low, high;
    } table[] = {{0, 1, false, false, -0.03, 1.03},   {0, 1, false, true, 0, 1.03},
                 {2, 4, false, true, 0, 4.12},        {2, 4, false, false, 1.94, 4.06},
                 {-4, -2, false, true, -4.06, -1.94}, {3, 3, false, false, 2.7, 3.3},
                 {0, 0, false, false, -1, 1},         {100, 1e4, true, false, 1.94, 4.06},
                 {100, 100, true, true, 1.8, 2.2},    {5, 4, false, false, -0.03, 1.03},
                 {5, 4, true, false, -0.03, 1.03}};
    for (size_t k = 0; k < sizeof table / sizeof *table; k++) {
        const Scale s =
            scale_new(table[k].least, table[k].most, table[k].logarithmic, table[k].from_zero);
        assert_true(fabs(s.low - table[k].low) < 1e-12 && fabs(s.high - table[k].high) < 1e-12);
    }
}

/* Powers of ten, each or some of them; 1, 2 and 5 of each where that many are asked for; linear within a
 * decade. */
static void logarithmic_ticks_are_powers_of_ten_or_parts_of_them(void **state)
{
    (void)state;
    static const struct {
        double low, high;
        size_t most, count;
        double ticks[9];
    } table[] = {{0, 2, 6, 7, {1, 2, 5, 10, 20, 50, 100}},
                 {0, 2, 5, 3, {1, 10, 100}},
                 {0, 12, 4, 5, {1, 1e3, 1e6, 1e9, 1e12}},
                 {0, 12, 5, 5, {1, 1e3, 1e6, 1e9, 1e12}},
                 {0, 12, 6, 7, {1, 1e2, 1e4, 1e6, 1e8, 1e10, 1e12}},
                 {0, 0.699, 9, 9, {1, 1.5, 2, 2.5, 3, 3.5, 4, 4.5, 5}},
                 {0, 0.7, 8, 3, {1, 2, 5}},
                 {-2, -0.5, 8, 5, {0.01, 0.02, 0.05, 0.1, 0.2}}};
    for (size_t k = 0; k < sizeof table / sizeof *table; k++) {
        const Scale s = {.low = table[k].low, .high = table[k].high, .logarithmic = true};
        double ticks[TICKS_MOST];
        assert_int_equal(scale_ticks(&s, table[k].most, ticks), table[k].count);
        for (size_t t = 0; t < table[k].count; t++)
            assert_true(fabs(ticks[t] / table[k].ticks[t] - 1) < 1e-9);
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

/* --- pictures --------------------------------------------------------------------------------- */

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
    Series series = {"some <series>", kind, TONE_CHOSEN, x, y, NULL, 4, tips, y, y};
    Plot p = {.title = "a & b",
              .x = {.label = "x"},
              .y = {.label = "y", .logarithmic = logarithmic},
              .series = &series,
              .series_count = 1};
    plot_write(&p, out);
    return buf_text(out);
}

static void a_picture_is_well_formed_whatever_its_texts(void **state)
{
    (void)state;
    for (int kind = 0; kind < SERIES_KINDS; kind++) {
        Buf out = {0}, alone = {0};
        const char *svg = draw(&out, (SeriesKind)kind, true);
        assert_well_formed(svg);
        assert_null(strstr(svg, "some <series>"));
        assert_null(strstr(svg, "nan"));
        plot_write_alone(svg, &alone);
        assert_well_formed(buf_text(&alone));
        assert_non_null(strstr(buf_text(&alone), "<style>"));
        buf_free(&out);
        buf_free(&alone);
    }
}

static void a_point_says_what_it_is_when_pointed_at(void **state)
{
    (void)state;
    Buf out = {0};
    const char *svg = draw(&out, SERIES_DOTS, false);
    assert_int_equal(count(svg, "<title>"), 3); /* the one that is not known is not drawn */
    assert_non_null(strstr(svg, "<title>it's &quot;B&quot; &amp; more</title>"));
    assert_null(strstr(svg, "never"));
    buf_free(&out);
}

/* A point at each place of a square. */
static Plot cloud_of(Series *series, double *px, double *py, size_t side, const char *const *names)
{
    for (size_t i = 0; i < side * side; i++) {
        px[i] = (double)(i % side);
        py[i] = (double)(i / side);
    }
    *series = (Series){"s", SERIES_DOTS, TONE_ALL, px, py, NULL, side * side, names, NULL, NULL};
    return (Plot){.title = "t",
                  .x = {.label = "x"},
                  .y = {.label = "y"},
                  .series = series,
                  .series_count = 1};
}

static void points_on_top_of_each_other_are_drawn_once_and_counted(void **state)
{
    (void)state;
    enum { N = 1000 };
    double *same = malloc(N * sizeof *same);
    const char **names = malloc(N * sizeof *names);
    size_t *order = malloc(N * sizeof *order);
    for (size_t i = 0; i < N; i++)
        same[i] = 7, names[i] = i == 500 ? "foremost" : "P", order[i] = (i + 500) % N;
    Series series = {"s", SERIES_DOTS, TONE_ALL, same, same, order, N, names, NULL, NULL};
    Plot p = {.title = "t",
              .x = {.label = "x"},
              .y = {.label = "y"},
              .series = &series,
              .series_count = 1};
    Buf out = {0};
    plot_write(&p, &out);
    assert_int_equal(count(buf_text(&out), "<title>"), 1);
    assert_non_null(strstr(buf_text(&out), "<title>foremost and 999 more here</title>"));
    buf_free(&out);
    free(order);
    free(names);
    free(same);
}

/* Every tooltip stands for one point and those it says are under it. */
static size_t points_told(const char *svg)
{
    size_t n = 0;
    for (const char *at = strstr(svg, "<title>"); at; at = strstr(at + 1, "<title>")) {
        const char *end = strstr(at, "</title>"), *and = strstr(at, " and ");
        n += 1 + (and&&and < end ? strtoul(and+5, NULL, 10) : 0);
    }
    return n;
}

static void however_many_points_there_are_all_are_told_of_and_few_are_drawn(void **state)
{
    (void)state;
    static const size_t sides[] = {10, 60, 300};
    double *cx = malloc(90000 * sizeof *cx), *cy = malloc(90000 * sizeof *cy);
    const char **names = malloc(90000 * sizeof *names);
    for (size_t i = 0; i < 90000; i++)
        names[i] = "P";
    for (size_t k = 0; k < sizeof sides / sizeof sides[0]; k++) {
        Series series;
        Plot p = cloud_of(&series, cx, cy, sides[k], names);
        Buf out = {0};
        plot_write(&p, &out);
        assert_int_equal(points_told(buf_text(&out)), sides[k] * sides[k]);
        size_t drawn = count(buf_text(&out), "<title>");
        assert_in_range(drawn, sides[k] == 10 ? 100 : PLOT_MARKS_MOST / 4, PLOT_MARKS_MOST);
        assert_in_range(out.size, 1, 128 * 1024);
        buf_free(&out);
    }
    free(names);
    free(cy);
    free(cx);
}

static void coordinates_are_short(void **state)
{
    (void)state;
    static const struct {
        double value;
        const char *text;
    } list[] = {{0, "0"},       {12, "12"},      {12.34, "12.3"}, {12.96, "13"}, {-0.04, "0"},
                {-0.5, "-0.5"}, {-12.04, "-12"}, {479.95, "480"}, {0.1, "0.1"}};
    for (size_t k = 0; k < sizeof list / sizeof list[0]; k++) {
        Buf out = {0};
        svg_say(&out, "%n", list[k].value);
        assert_string_equal(buf_text(&out), list[k].text);
        buf_free(&out);
    }
}

static void ticks_are_written_as_short_as_they_can_be_said(void **state)
{
    (void)state;
    static const struct {
        double value;
        const char *text;
    } list[] = {{0, "0"},          {0.5, "0.5"},         {5000, "5000"},  {20000, "20k"},
                {1500000, "1.5M"}, {2e-9, "2e-9"},       {-3e5, "-300k"}, {1e10, "10G"},
                {1e18, "1e18"},    {2.5e-11, "2.5e-11"}, {9999, "9999"},  {1e4, "10k"},
                {1e6, "1M"},       {1e9, "1G"},          {1e12, "1T"},    {9.99e14, "999T"},
                {1e15, "1e15"}};
    for (size_t k = 0; k < sizeof list / sizeof list[0]; k++) {
        char text[TICK_TEXT];
        assert_string_equal(tick_text(list[k].value, text), list[k].text);
    }
}

static void bars_of_several_series_stand_beside_each_other(void **state)
{
    (void)state;
    static const double at[] = {0, 1}, heights[] = {3, 4};
    static const char *const names[] = {"a", "b"};
    Series series[] = {{"one", SERIES_BARS, TONE_ALL, at, heights, NULL, 2, NULL, NULL, NULL},
                       {"two", SERIES_BARS, TONE_BEST, at, heights, NULL, 2, NULL, NULL, NULL}};
    Plot p = {.title = "t",
              .x = {.label = "", .names = names, .name_count = 2},
              .y = {.label = "y", .from_zero = true},
              .series = series,
              .series_count = 2};
    Buf out = {0};
    plot_write(&p, &out);
    double right = -1;
    size_t bars = 0;
    const char *all = strstr(buf_text(&out), "<g class=\"bars all\">");
    const char *best = strstr(buf_text(&out), "<g class=\"bars best\">");
    assert_true(all && best && all < best);
    /* First the left bar of each series, then the right ones: left edges only grow. */
    for (int name = 0; name < 2; name++)
        for (int s = 0; s < 2; s++) {
            const char *bar = strstr(s == 0 ? all : best, "<rect x=\"");
            bar = name == 0 ? bar : strstr(bar + 1, "<rect x=\"");
            double left = strtod(bar + strlen("<rect x=\""), NULL);
            double width = strtod(strstr(bar, "width=\"") + strlen("width=\""), NULL);
            assert_true(left > right && width > 10);
            right = left + width;
            bars++;
        }
    assert_int_equal(bars, 4);
    buf_free(&out);
}

static const char *draw_lines(Buf *out, SeriesKind kind)
{
    static const double at[] = {1, 10, 1000}, low[] = {1, 2, NAN}, high[] = {3, 4, 5};
    Series series = {"s", kind, TONE_BEST, at, high, NULL, 3, NULL, low, high};
    Plot p = {.title = "not drawn",
              .x = {.label = "x", .logarithmic = true},
              .y = {.label = "y"},
              .series = &series,
              .series_count = 1};
    plot_write(&p, out);
    return buf_text(out);
}

static void an_axis_names_its_scale_and_no_title_is_drawn(void **state)
{
    (void)state;
    Buf out = {0};
    const char *svg = draw_lines(&out, SERIES_LINE);
    assert_non_null(strstr(svg, ">x, log scale</text>"));
    assert_non_null(strstr(svg, ">y</text>"));
    assert_null(strstr(svg, ">not drawn<"));
    assert_non_null(strstr(svg, "aria-label=\"not drawn\""));
    buf_free(&out);
}

static void an_interval_is_a_band_along_a_line_and_a_whisker_at_a_mark(void **state)
{
    (void)state;
    Buf line = {0}, dots = {0};
    const char *band = strstr(draw_lines(&line, SERIES_LINE), "<path class=\"band best\" d=\"");
    assert_non_null(band);
    size_t length = strcspn(band, ">");
    assert_int_equal(band[length - 3], 'z');
    band = strchr(band, 'M');
    char *shape = strndup(band, strcspn(band, "\""));
    assert_int_equal(count(shape, "L"), 3); /* two points have one: two edges of two */
    free(shape);
    const char *whiskers =
        strstr(draw_lines(&dots, SERIES_DOTS), "<path class=\"whiskers best\" d=\"");
    assert_non_null(whiskers);
    shape = strndup(whiskers, strcspn(whiskers, ">"));
    assert_int_equal(count(shape, "M"), 2);
    free(shape);
    buf_free(&line);
    buf_free(&dots);
}

/* The operators of the page. */
static char *unpack(const Buf *pdf)
{
    static char page[1 << 16];
    const char *at = memmem(pdf->text, pdf->size, "/Length ", 8);
    assert_non_null(at);
    size_t packed = strtoul(at + 8, NULL, 10);
    const char *stream = memmem(at, pdf->size - (size_t)(at - pdf->text), "stream\n", 7);
    uLongf size = sizeof page - 1;
    assert_int_equal(uncompress((Bytef *)page, &size, (const Bytef *)stream + 7, packed), Z_OK);
    page[size] = '\0';
    return page;
}

static void a_pdf_has_what_the_picture_has_as_vectors_and_text(void **state)
{
    (void)state;
    for (int kind = 0; kind < SERIES_KINDS; kind++) {
        Buf svg = {0}, pdf = {0};
        pdf_write(draw(&svg, (SeriesKind)kind, true), "a (b) \xc2\xb5", &pdf);
        const char *page = unpack(&pdf);
        assert_non_null(strstr(page, "(y, log scale) Tj"));
        assert_non_null(strstr(page, "(some <series>) Tj"));
        assert_int_equal(count(page, "q "), count(page, "Q\n"));
        assert_non_null(strstr(page, "0.000 0.447 0.698 ")); /* the class's colour of svg_style */
        assert_non_null(strstr(page, "0.533 0.533 0.533 ")); /* #888, that of the grid */
        assert_null(strstr(page, "nan"));
        assert_non_null(memmem(pdf.text, pdf.size, "/Title(a \\(b\\) \xb5)", 17));
        buf_free(&svg);
        buf_free(&pdf);
    }
}

#define LOOK "q 0.133 0.133 0.133 rg\n1 w 0 J [] 0 d /Full gs\n" /* .plot, filled with #222 */

/* The whole page of a picture with these elements; the matrix puts its origin at the top. */
static const char *page_of(Buf *pdf, const char *elements)
{
    Buf svg = {0};
    buf_printf(&svg, "<svg>%s</svg>", elements);
    buf_clear(pdf);
    pdf_write(buf_text(&svg), "t", pdf);
    buf_free(&svg);
    const char *page = unpack(pdf), *behind = strstr(page, " cm\n");
    assert_non_null(behind);
    behind += 4 + strlen(LOOK "Q\n"); /* the <svg> itself */
    return behind;
}

/* Paths absolute and relative, a rectangle, texts at their begin, end and middle, squeezed and turned. */
static void elements_become_their_operators(void **state)
{
    (void)state;
    static const struct {
        const char *element, *page;
    } CASES[] = {
        {"<path d=\"M10 20 30 40h5v-5zm1 1 2 2\"/>",
         LOOK "10.00 20.00 m\n30.00 40.00 l\n35.00 40.00 l\n35.00 35.00 l\nh\n11.00 21.00 m\n13.00 "
              "23.00 l\nf\nQ\n"},
        {"<path d=\"M0 0c1 2 3 4 5 6M7 8H9V3L1 2\"/>",
         LOOK "0.00 0.00 m\n1.00 2.00 3.00 4.00 5.00 6.00 c\n7.00 8.00 m\n9.00 8.00 l\n9.00 3.00 "
              "l\n1.00 2.00 l\nf\nQ\n"},
        {"<path d=\" M 1,2 3 , 4 z m 1 1 l 2,2 Z L 7 8 z \"/>",
         LOOK "1.00 2.00 m\n3.00 4.00 l\nh\n2.00 3.00 m\n4.00 5.00 l\nh\n7.00 8.00 l\nh\nf\nQ\n"},
        {"<path d=\"M1 2z3 4\"/>", LOOK "1.00 2.00 m\nh\nQ\n"},
        {"<path d=\"M1\"/>", LOOK "Q\n"},
        {"<rect x=\"1\" y=\"2\" width=\"30\" height=\"4\"/>",
         LOOK "1.00 2.00 30.00 4.00 re f\nQ\n"},
        {"<text x=\"5\" y=\"6\">A&lt;b</text>",
         LOOK "BT /F 12 Tf 1.0000 0.0000 0.0000 -1.0000 5.00 6.00 Tm (A<b) Tj ET\nQ\n"},
        {"<text x=\"100\" y=\"60\" text-anchor=\"end\">A</text>",
         LOOK "BT /F 12 Tf 1.0000 0.0000 0.0000 -1.0000 92.00 60.00 Tm (A) Tj ET\nQ\n"},
        {"<text x=\"9\" y=\"9\" text-anchor=\"middle\" textLength=\"4\">A</text>",
         LOOK "BT /F 12 Tf 0.4998 0.0000 0.0000 -1.0000 7.00 9.00 Tm (A) Tj ET\nQ\n"},
        {"<text transform=\"translate(20 30) rotate(-90)\" text-anchor=\"end\">A</text>",
         LOOK "BT /F 12 Tf 0.0000 -1.0000 -1.0000 -0.0000 20.00 38.00 Tm (A) Tj ET\nQ\n"},
        {"<text x=\"0\" y=\"0\">&amp;(&gt;)\\ \303\251\342\202\254~!</text>", LOOK
         "BT /F 12 Tf 1.0000 0.0000 0.0000 -1.0000 0.00 0.00 Tm (&\\(>\\)\\\\ \351?~!) Tj ET\nQ\n"},
        {"<g class=\"axis\"><path d=\"M0 0H1\"/><path class=\"grid\" d=\"M0 0H2\"/></g>",
         LOOK "0.00 0.00 m\n1.00 0.00 l\nf\nq 0.533 0.533 0.533 RG\n1 w 0 J [] 0 d /Pale gs\n0.00 "
              "0.00 m\n2.00 0.00 l\nS\nQ\nQ\n"},
        {"<g class=\"grid\"><title>not drawn</title></g><path d=\"M0 0H3\"/>",
         "q 0.533 0.533 0.533 RG\n1 w 0 J [] 0 d /Pale gs\nQ\n" LOOK
         "0.00 0.00 m\n3.00 0.00 l\nf\nQ\n"},
        {"<g class=\"dots\"><path d=\"M1 1h0\"/></g><g class=\"band\"><path d=\"M1 1h1\"/></g>",
         "q 4.4 w 1 J [] 0 d /Full gs\n1.00 1.00 m\n1.00 1.00 l\nn\nQ\nq 1 w 0 J [] 0 d /Band "
         "gs\n1.00 1.00 m\n2.00 1.00 l\nn\nQ\n"},
    };
    Buf pdf = {0};
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++)
        assert_string_equal(page_of(&pdf, CASES[i].element), CASES[i].page);
    buf_free(&pdf);
}

static void a_pdf_says_where_its_objects_are(void **state)
{
    (void)state;
    Buf svg = {0}, pdf = {0};
    pdf_write(draw(&svg, SERIES_DOTS, false), "t", &pdf);
    assert_memory_equal(pdf.text, "%PDF-1.4\n", 9);
    const char *start = memmem(pdf.text, pdf.size, "startxref\n", 10);
    const char *table = pdf.text + strtoul(start + 10, NULL, 10);
    assert_memory_equal(table, "xref\n0 6\n", 9);
    for (int k = 1; k <= 5; k++) {
        char object[16];
        snprintf(object, sizeof object, "%d 0 obj ", k);
        size_t at = strtoul(table + 9 + 20 * k, NULL, 10);
        assert_memory_equal(pdf.text + at, object, strlen(object));
    }
    buf_free(&svg);
    buf_free(&pdf);
}

/* --- tables ----------------------------------------------------------------------------------- */

static const SheetColumn columns[] = {
    {"name", "name", CELL_TEXT}, {"share", "share", CELL_PERCENT}, {"n", "n", CELL_COUNT}};

static Sheet make_sheet(Arena *a)
{
    Sheet s = {.name = "t", .title = "A table", .columns = columns, .column_count = 3};
    sheet_add(a, &s, (Cell[]){{.text = "one, \"two\""}, {.number = 0.0125}, {.number = 12}});
    sheet_add(a, &s, (Cell[]){{.text = "\303\251"}, {.number = NAN}, {.number = 3}});
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

static void a_line_of_a_table_does_not_end_in_blanks(void **state)
{
    (void)state;
    static const SheetColumn two[] = {{"n", "n", CELL_COUNT}, {"name", "its name", CELL_TEXT}};
    Arena *a = arena_new();
    Sheet s = {.name = "t", .title = "A table", .columns = two, .column_count = 2};
    Buf out = {0};
    sheet_add(a, &s, (Cell[]){{.number = 12}, {.text = "a"}});
    sheet_print(&s, &out);
    assert_string_equal(buf_text(&out), "A table\n n  its name\n12  a\n");
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
        cmocka_unit_test(ticks_stand_as_close_as_they_may),
        cmocka_unit_test(scales_leave_room_at_their_ends),
        cmocka_unit_test(logarithmic_ticks_are_powers_of_ten_or_parts_of_them),
        cmocka_unit_test(a_single_value_and_none_still_give_a_scale),
        cmocka_unit_test(a_logarithmic_scale_has_no_place_for_zero),
        cmocka_unit_test(a_picture_is_well_formed_whatever_its_texts),
        cmocka_unit_test(a_point_says_what_it_is_when_pointed_at),
        cmocka_unit_test(points_on_top_of_each_other_are_drawn_once_and_counted),
        cmocka_unit_test(however_many_points_there_are_all_are_told_of_and_few_are_drawn),
        cmocka_unit_test(coordinates_are_short),
        cmocka_unit_test(ticks_are_written_as_short_as_they_can_be_said),
        cmocka_unit_test(bars_of_several_series_stand_beside_each_other),
        cmocka_unit_test(an_axis_names_its_scale_and_no_title_is_drawn),
        cmocka_unit_test(an_interval_is_a_band_along_a_line_and_a_whisker_at_a_mark),
        cmocka_unit_test(a_pdf_has_what_the_picture_has_as_vectors_and_text),
        cmocka_unit_test(elements_become_their_operators),
        cmocka_unit_test(a_pdf_says_where_its_objects_are),
        cmocka_unit_test(the_eye_sees_percent_and_dashes),
        cmocka_unit_test(a_line_of_a_table_does_not_end_in_blanks),
        cmocka_unit_test(csv_quotes_and_leaves_the_unknown_empty),
        cmocka_unit_test(json_has_numbers_and_null),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
