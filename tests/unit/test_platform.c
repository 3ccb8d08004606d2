/* Fits of a platform's models: what comes out of points whose law is known, and whether a law that
 * is not theirs is told from one that is. */
#include "tests/support/golden.h"
#include "tuner/study/leastsq.h"
#include "tuner/study/models.h"

#include <setjmp.h>
#include <stdint.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <math.h>
#include <string.h>

/* --- least squares ---------------------------------------------------------------------------- */

enum { POINTS = 24 };

/* Synthetic points: bandwidth by bytes in flight, peak 4.4e12 bytes/s, latency 4e-7 s, power 2.5. */
typedef struct Synthetic {
    double x[POINTS], y[POINTS], error[POINTS];
} Synthetic;

static double bend(double x, double peak, double delay, double power)
{
    return pow(pow(peak, -power) + pow(x / delay, -power), -1 / power);
}

static double bend_model(void *context, const double *p, size_t i)
{
    const Synthetic *s = context;
    return bend(s->x[i], p[0], p[1], p[2]);
}

static double line_model(void *context, const double *p, size_t i)
{
    const Synthetic *s = context;
    return p[0] + p[1] * s->x[i];
}

/* Off by up to `noise`, alternating and of several sizes. */
static void fill(Synthetic *s, double noise)
{
    for (int i = 0; i < POINTS; i++) {
        s->x[i] = 1e5 * pow(1.35, i);
        const double off = noise * (i % 2 ? 1 : -1) * (1 + i % 3) / 3;
        s->y[i] = bend(s->x[i], 4.4e12, 4e-7, 2.5) * (1 + off);
        s->error[i] = 0;
    }
}

static const double bend_start[] = {3e12, 1e-6, 4}, line_start[] = {1e11, 1e5};

static LeastsqProblem problem_of(Synthetic *s, bool robust)
{
    return (LeastsqProblem){.points = POINTS,
                            .parameters = 3,
                            .measured = s->y,
                            .standard_error = s->error,
                            .start = bend_start,
                            .within = 0.02,
                            .robust = robust,
                            .model = bend_model,
                            .context = s};
}

static void a_law_that_is_not_linear_is_found(void **state)
{
    (void)state;
    Synthetic s;
    fill(&s, 0);
    const LeastsqProblem p = problem_of(&s, false);
    LeastsqFit f;
    const char *why;
    assert_true(leastsq(&p, &f, &why));
    assert_true(fabs(f.value[0] / 4.4e12 - 1) < 1e-6);
    assert_true(fabs(f.value[1] / 4e-7 - 1) < 1e-6);
    assert_true(fabs(f.value[2] / 2.5 - 1) < 1e-6);
    assert_true(f.rms < 1e-6 && f.probability > 0.99);
}

static void errors_grow_with_what_is_left_over(void **state)
{
    (void)state;
    Synthetic s;
    LeastsqFit little, much;
    const char *why;
    const LeastsqProblem p = problem_of(&s, false);
    fill(&s, 0.002);
    assert_true(leastsq(&p, &little, &why));
    fill(&s, 0.02);
    assert_true(leastsq(&p, &much, &why));
    const double ratio = sqrt(much.covariance[0][0] / little.covariance[0][0]);
    assert_true(ratio > 8 && ratio < 12);
    assert_true(fabs(much.value[0] / 4.4e12 - 1) < 4 * sqrt(much.covariance[0][0]) / 4.4e12);
}

static double constant_model(void *context, const double *parameters, size_t point)
{
    (void)context;
    (void)point;
    return parameters[0];
}

/* Weights are 1/y², so that the constant that fits 0.9, 1 and 1.1 is sum(1/y) / sum(1/y²). */
static void what_is_left_over_is_a_mean_of_relative_errors(void **state)
{
    (void)state;
    static const double measured[] = {0.9, 1, 1.1}, errors[3] = {0}, start[] = {2};
    const LeastsqProblem p = {.points = 3,
                              .parameters = 1,
                              .measured = measured,
                              .standard_error = errors,
                              .start = start,
                              .within = 0.02,
                              .model = constant_model};
    LeastsqFit f;
    const char *why;
    assert_true(leastsq(&p, &f, &why));

    double one = 0, two = 0, squares = 0;
    for (int i = 0; i < 3; i++) {
        one += 1 / measured[i];
        two += 1 / (measured[i] * measured[i]);
    }
    for (int i = 0; i < 3; i++)
        squares += pow(measured[i] / (one / two) - 1, 2);
    assert_true(fabs(f.value[0] - one / two) < 1e-9);
    assert_true(fabs(f.rms - sqrt(squares / 3)) < 1e-9);
    assert_true(fabs(f.largest - (1.1 / (one / two) - 1)) < 1e-9);
    assert_int_equal(f.worst, 2);
    assert_int_equal(f.freedom, 2);
}

/* With the weights 1, 1 and 1/4 the mean of 2, 4 and 6 is 7.5 / 2.25; the squares left over come to 4. */
static void measurements_count_by_their_errors(void **state)
{
    (void)state;
    static const double measured[] = {2, 4, 6}, errors[3] = {1, 1, 2}, start[] = {5};
    const LeastsqProblem p = {.points = 3,
                              .parameters = 1,
                              .measured = measured,
                              .standard_error = errors,
                              .start = start,
                              .model = constant_model};
    LeastsqFit f;
    const char *why;
    assert_true(leastsq(&p, &f, &why));
    assert_true(fabs(f.value[0] - 10.0 / 3) < 1e-9);
    assert_true(fabs(f.covariance[0][0] - 8.0 / 9) < 1e-7);
    assert_true(fabs(f.probability - exp(-2)) < 1e-9);
    assert_true(fabs(f.largest - 0.8) < 1e-9 && f.worst == 2);
    assert_true(fabs(f.rms - sqrt(0.28)) < 1e-9);
    assert_false(f.idle[0]);
}

/* What a loop in Python over the definition comes to: twelve times the mean weighted by bisquares of the
 * distance over 4.685 scales, and by no less than 1e-6; a scale is the median distance / 0.6745. */
static void robust_weights_are_bisquares(void **state)
{
    (void)state;
    static const double measured[] = {9, 9.5, 10, 10.2, 11, 14, 5000}, start[] = {9};
    static const double errors[] = {1, 2, 1, 2, 1, 1, 1};
    const LeastsqProblem p = {.points = 7,
                              .parameters = 1,
                              .measured = measured,
                              .standard_error = errors,
                              .start = start,
                              .robust = true,
                              .model = constant_model};
    LeastsqFit f;
    const char *why;
    assert_true(leastsq(&p, &f, &why));
    assert_true(fabs(f.value[0] - 10.2086390371) < 1e-6);
}

static void a_law_that_is_not_theirs_is_told(void **state)
{
    (void)state;
    Synthetic s;
    fill(&s, 0.002);
    LeastsqProblem p = problem_of(&s, false);
    p.model = line_model;
    p.parameters = 2;
    p.start = line_start;
    LeastsqFit f;
    const char *why;
    assert_true(leastsq(&p, &f, &why));
    assert_true(f.probability < 1e-6);
}

static double floored_model(void *context, const double *p, size_t i)
{
    return fmax(line_model(context, p, i), p[2]);
}

static void a_parameter_that_no_point_depends_on_is_idle(void **state)
{
    (void)state;
    Synthetic s;
    fill(&s, 0);
    const double start[] = {1e11, 1e5, 1e-3};
    LeastsqProblem p = problem_of(&s, false);
    p.model = floored_model;
    p.start = start;
    LeastsqFit f;
    const char *why;
    assert_true(leastsq(&p, &f, &why));
    assert_true(!f.idle[0] && !f.idle[1] && f.idle[2]);
    assert_true(fabs(f.value[2] / start[2] - 1) < 1e-12);
}

static void outliers_count_less_where_it_is_robust(void **state)
{
    (void)state;
    Synthetic s;
    LeastsqFit plain, robust;
    const char *why;
    fill(&s, 0.002);
    s.y[POINTS - 1] *= 0.6; /* the clock fell */
    LeastsqProblem p = problem_of(&s, false);
    assert_true(leastsq(&p, &plain, &why));
    p.robust = true;
    assert_true(leastsq(&p, &robust, &why));
    assert_true(fabs(plain.value[0] / 4.4e12 - 1) > 0.01);
    assert_true(fabs(robust.value[0] / 4.4e12 - 1) < 0.003);
}

static void what_cannot_be_fitted_is_said(void **state)
{
    (void)state;
    Synthetic s;
    fill(&s, 0);
    LeastsqProblem p = problem_of(&s, false);
    LeastsqFit f;
    const char *why;
    p.points = 2;
    assert_false(leastsq(&p, &f, &why));
    assert_string_equal(why, "there are fewer points than parameters");
}

/* Without parameters there is nothing to search for: how well it describes is all. */
static double known_model(void *context, const double *p, size_t i)
{
    const Synthetic *s = context;
    (void)p;
    return bend(s->x[i], 4.4e12, 4e-7, 2.5);
}

static void a_prediction_is_only_judged(void **state)
{
    (void)state;
    Synthetic s;
    fill(&s, 0.002);
    LeastsqProblem p = problem_of(&s, false);
    p.model = known_model;
    p.parameters = 0;
    LeastsqFit f;
    const char *why;
    assert_true(leastsq(&p, &f, &why));
    assert_true(f.freedom == POINTS && f.probability > 0.99 && fabs(f.largest) < 0.003);
    s.y[5] *= 2;
    assert_true(leastsq(&p, &f, &why));
    assert_true(f.worst == 5 && f.probability < 1e-6);
}

/* --- the language ----------------------------------------------------------------------------- */

static bool read_text(Arena *a, const char *text, Models *out, char said[1024])
{
    Diag d = diag_new(a);
    Source *s = ARENA_NEW(a, Source);
    *s = (Source){"test.models", text, strlen(text)};
    *out = (Models){.arena = a};
    const bool ok = models_read(out, s, &d);
    Buf b = {0};
    diag_print(&d, &b);
    strncpy(said, buf_text(&b), 1023);
    said[1023] = '\0';
    buf_free(&b);
    return ok;
}

static void a_model_is_read(void **state)
{
    (void)state;
    Arena *a = arena_new();
    char said[1024];
    Models m;
    assert_true(read_text(a,
                          "fit b of \"platform/barriers\" \"Barriers.\"\n"
                          "where KIND == 1\n"
                          "model time * clock is start + each * WARPS\n"
                          "from start = 5, each = -2.5\n"
                          "within 3 %\nrobust\n"
                          "gives latency_barrier = start, latency_barrier_warp = 2 * each\n",
                          &m, said));
    assert_int_equal(m.models.count, 1);
    const Model *b = &m.models.at[0];
    assert_string_equal(b->space, "platform/barriers");
    assert_true(b->where && b->robust && b->within == 0.03);
    assert_true(b->parameter_count == 2 && b->parameters[1].start == -2.5);
    assert_true(b->output_count == 2 &&
                b->outputs[1].number == sheet_number_named("latency_barrier_warp"));
    arena_free(a);
}

/* Each text is printed with all that is said of it. */
static void mistakes_are_told_with_their_place(void **state)
{
    (void)state;
    static const char *const wrong[] = {
        "model time is 1\n",
        "fit a of \"b\" \"c\"\n",
        "fit a of \"b\" \"c\"\nmodel time = 1\n",
        "fit a of \"b\" \"c\"\nmodel time is x\nfrom x = 0\n",
        "fit a of \"b\" \"c\"\nmodel time is x\nfrom x = 1, x = 2\n",
        "fit a of \"../b\" \"c\"\n",
        "fit a of \"b\" \"c\"\nmodel time is 1\ngives nothing = 1\n",
        "fit a of \"b\" \"c\"\nmodel time is 1\nwithin 0 %\n",
        "fit a of \"b\" \"c\"\nfrom a = 1, b = 1, c = 1, d = 1, e = 1, f = 1, g = 1, h = 1, i = "
        "1\n",
        "fit a of \"b\" \"c\"\ngives rate_fp32 = 1, rate_half = 1, rate_fp64 = 1, rate_sfu = 1, "
        "rate_logic = 1, rate_shuffle = 1, rate_convert = 1, rate_tensor = 1, rate_issue = 1\n",
    };
    Buf all = {0};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        Arena *a = arena_new();
        char said[1024];
        Models m;
        assert_false(read_text(a, wrong[i], &m, said));
        buf_printf(&all, "%s---\n%s\n", wrong[i], said);
        arena_free(a);
    }
    golden_compare("model_mistakes", &all);
    buf_free(&all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_law_that_is_not_linear_is_found),
        cmocka_unit_test(errors_grow_with_what_is_left_over),
        cmocka_unit_test(what_is_left_over_is_a_mean_of_relative_errors),
        cmocka_unit_test(measurements_count_by_their_errors),
        cmocka_unit_test(robust_weights_are_bisquares),
        cmocka_unit_test(a_law_that_is_not_theirs_is_told),
        cmocka_unit_test(a_parameter_that_no_point_depends_on_is_idle),
        cmocka_unit_test(outliers_count_less_where_it_is_robust),
        cmocka_unit_test(what_cannot_be_fitted_is_said),
        cmocka_unit_test(a_prediction_is_only_judged),
        cmocka_unit_test(a_model_is_read),
        cmocka_unit_test(mistakes_are_told_with_their_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
