/* The line on a terminal while a run goes on.  Started at a made-up time. */
#include "tuner/command/command.h"

#include "metrics/base/clock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

static const char stage[] = "time";

static char line[512];

typedef void Drawing(ProgressBar *bar);

/* `line` becomes what `draw` writes to standard error. */
static void see(ProgressBar *bar, Drawing *draw)
{
    int ends[2], before = dup(STDERR_FILENO);
    assert_int_equal(pipe(ends), 0);
    fflush(stderr);
    dup2(ends[1], STDERR_FILENO);
    draw(bar);
    fflush(stderr);
    dup2(before, STDERR_FILENO);
    close(before);
    close(ends[1]);
    ssize_t size = read(ends[0], line, sizeof line - 1);
    close(ends[0]);
    line[size > 0 ? size : 0] = '\0';
}

/* A bar whose stage began so many seconds ago and was drawn so many ago. */
static ProgressBar begun(double started, double drawn)
{
    const double now = clock_seconds();
    return (ProgressBar){
        .shown = true, .stage = stage, .started = now - started, .drawn = now - drawn};
}

static void quarter(ProgressBar *bar)
{
    progress_step(bar, stage, 50, 200, "best 1.5 ms");
}

static void all_done(ProgressBar *bar)
{
    progress_step(bar, stage, 200, 200, NULL);
}

static void more_than_all(ProgressBar *bar)
{
    progress_step(bar, stage, 210, 200, NULL);
}

static void none_done(ProgressBar *bar)
{
    progress_step(bar, "compile", 0, 200, NULL);
}

static void long_note(ProgressBar *bar)
{
    char note[81];
    memset(note, 'x', 80);
    note[80] = '\0';
    progress_step(bar, stage, 200, 200, note);
}

static void of_nothing(ProgressBar *bar)
{
    progress_step(bar, stage, 0, 0, "");
}

static void before_the_first_is_done_it_says_how_long_it_has_taken(void **state)
{
    (void)state;
    ProgressBar bar = begun(75.2, 1);
    bar.stage = "compile";
    setenv("COLUMNS", "0", 1);
    see(&bar, none_done);
    assert_non_null(strstr(line, " 0/200  1:15 so far  "));
}

/* 50 of 200 in 210.2 s leave 630.6 s; 7 of 30 columns are filled. */
static void a_line_says_what_is_done_and_how_long_the_rest_takes(void **state)
{
    (void)state;
    ProgressBar bar = begun(210.2, 1);
    setenv("COLUMNS", "0", 1);

    see(&bar, quarter);
    assert_string_equal(
        line, "\r\033[Ktime     [#######.......................] 50/200  10:30 left  best 1.5 ms");
    assert_true(clock_seconds() - bar.drawn < 0.5);
    see(&bar, all_done);
    assert_string_equal(line,
                        "\r\033[Ktime     [##############################] 200/200  0:00 left  ");
    see(&bar, more_than_all);
    assert_non_null(strstr(line, "[##############################] 210/200  "));
}

static void it_is_drawn_ten_times_a_second_and_at_the_end(void **state)
{
    (void)state;
    ProgressBar bar = begun(1, -0.5); /* the next tenth begins in half a second */

    see(&bar, quarter);
    assert_string_equal(line, "");
    see(&bar, all_done);
    assert_int_not_equal(line[0], '\0');
    bar = begun(1, 0.1);
    see(&bar, quarter);
    assert_int_not_equal(line[0], '\0');
    bar.shown = false;
    see(&bar, all_done);
    assert_string_equal(line, "");
    bar.shown = true;
    see(&bar, of_nothing);
    assert_string_equal(line, "");
}

static void another_stage_begins_anew(void **state)
{
    (void)state;
    ProgressBar bar = begun(1000, 0);
    const double now = clock_seconds();
    setenv("COLUMNS", "0", 1);

    see(&bar, none_done);

    assert_string_equal(line,
                        "\r\033[Kcompile  [..............................] 0/200  0:00 so far  ");
    assert_true(bar.started >= now);
}

/* A line that is wrapped could not be overwritten. */
static void a_line_is_shorter_than_the_terminal(void **state)
{
    (void)state;
    ProgressBar bar = begun(1, 1);

    setenv("COLUMNS", "68", 1); /* as many as it would take */
    see(&bar, quarter);
    assert_int_equal(strlen(line), 4 + 67);
    setenv("COLUMNS", "0", 1);
    see(&bar, long_note);
    const size_t size = strlen(line);
    assert_string_equal(line + size - 62,
                        "  xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx");
}

static void at_the_end_the_line_is_cleared_once(void **state)
{
    (void)state;
    ProgressBar bar = begun(1, 1);

    see(&bar, progress_end);
    assert_string_equal(line, "\r\033[K");
    see(&bar, progress_end);
    assert_string_equal(line, "");
    assert_null(bar.stage);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_says_what_is_done_and_how_long_the_rest_takes),
        cmocka_unit_test(before_the_first_is_done_it_says_how_long_it_has_taken),
        cmocka_unit_test(it_is_drawn_ten_times_a_second_and_at_the_end),
        cmocka_unit_test(another_stage_begins_anew),
        cmocka_unit_test(a_line_is_shorter_than_the_terminal),
        cmocka_unit_test(at_the_end_the_line_is_cleared_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
