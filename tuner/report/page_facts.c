#include "tuner/report/page_parts.h"

#include "tuner/base/vec.h"
#include "tuner/report/svg.h"

#include <math.h>
#include <stdlib.h>

/* --- facts ------------------------------------------------------------------------------------ */

static void write_row(Buf *out, const char *name, const char *value)
{
    buf_puts(out, "<tr><th>");
    svg_text(out, name);
    buf_puts(out, "</th><td><pre>");
    svg_text(out, value);
    buf_puts(out, "</pre></td></tr>\n");
}

/* What the choice is worth where everything has a time. */
static void write_judgement(Arena *a, const Story *story, Buf *out)
{
    Judgement j = judge(story->points, story->chosen);
    if (!story->complete && story->points->timed > 0)
        write_row(out, "regret",
                  story->audited
                      ? "only what was chosen and audited was timed: see the audit at the end"
                      : "not known: only what was chosen was timed (--audit estimates it, "
                        "--exhaustive tells it)");
    if (!story->complete || j.best == SIZE_MAX)
        return;
    const char *found = j.found ? "the best of all is among what carving chose"
                                : arena_printf(a,
                                               "the best that carving chose is %.2f %% slower than "
                                               "the best of all (place %zu)",
                                               100 * j.regret, j.rank);
    write_row(out, "regret",
              arena_printf(a, "%s\na random sample of as many: %.2f %% slower, on average", found,
                           100 * j.random_regret));
}

static void write_winner(Arena *a, const Story *story, Buf *out)
{
    const Table *s = story->points;
    size_t w = story->winner;
    if (w != SIZE_MAX)
        write_row(out, "winner", arena_printf(a, "%s\n%.5g ms", table_name(a, s, w), s->ms[w]));
    else
        write_row(out, "winner", s->timed > 0 ? "none" : "none: no time is known");
    const char *predicted = w != SIZE_MAX ? table_predicted_text(a, s, w) : NULL;
    if (predicted)
        write_row(out, "predicted for it", predicted);
}

void page_write_facts(Arena *a, const Story *story, Buf *out)
{
    const Table *s = story->points;
    buf_puts(out, "<div class=\"wide\"><table class=\"facts\">\n");
    if (*s->problem)
        write_row(out, "problem", s->problem);
    write_row(out, "device", s->gpu);
    write_row(out, "space",
              arena_printf(a,
                           "%zu configurations, %zu with a time, %zu of these with code of their "
                           "own",
                           s->count, s->timed, s->distinct));
    write_row(out, "carving", story->carving);
    write_row(out, story->chosen_name,
              arena_printf(a, "%zu configurations", story_chosen_count(story)));
    write_winner(a, story, out);
    write_judgement(a, story, out);
    buf_puts(out, "</table></div>\n");
}

/* --- neighbours ------------------------------------------------------------------------------- */

/* A configuration that differs from the winner in one parameter. */
typedef struct Neighbour {
    size_t point, parameter;
    double ms;
} Neighbour;

typedef VEC(Neighbour) Neighbours;

/* The only parameter in which two points differ; SIZE_MAX: none or several. */
static size_t difference(const Table *s, size_t i, size_t k)
{
    size_t found = SIZE_MAX;
    for (size_t p = 0; p < s->parameter_count; p++) {
        if (s->values[i * s->parameter_count + p] == s->values[k * s->parameter_count + p])
            continue;
        if (found != SIZE_MAX)
            return SIZE_MAX;
        found = p;
    }
    return found;
}

/* Those with a time first, the fastest of them first. */
static int compare_neighbours(const void *pa, const void *pb)
{
    const Neighbour *a = pa, *b = pb;
    if (isnan(a->ms) != isnan(b->ms))
        return isnan(a->ms) - isnan(b->ms);
    int c = (a->ms > b->ms) - (a->ms < b->ms);
    return c != 0 ? c : (a->point > b->point) - (a->point < b->point);
}

static Neighbours find_neighbours(Arena *a, const Table *s, size_t winner)
{
    Neighbours list = {0};
    for (size_t i = 0; i < s->count; i++) {
        size_t p = difference(s, i, winner);
        if (p != SIZE_MAX)
            VEC_PUSH(a, &list, ((Neighbour){i, p, s->ms[i]}));
    }
    if (list.count > 1)
        qsort(list.at, list.count, sizeof *list.at, compare_neighbours);
    return list;
}

static void write_number(Buf *out, double number, int decimals)
{
    if (isfinite(number))
        buf_printf(out, "<td class=\"n\">%.*f</td>", decimals, number);
    else
        buf_puts(out, "<td class=\"n\">-</td>");
}

/* Decimals that show five digits of a number. */
static int decimals_of(double number)
{
    double digits = 4 - floor(log10(number));
    return isfinite(digits) ? (int)fmax(0, fmin(digits, 12)) : 4;
}

/* Time and metric of a point, and both over the winner's. */
static void write_numbers(const Story *story, const StoryColumn *guess, size_t i, Buf *out)
{
    const Table *s = story->points;
    size_t w = story->winner;
    write_number(out, s->ms[i], decimals_of(s->ms[w]));
    write_number(out, s->ms[i] / s->ms[w], 3);
    if (guess)
        write_number(out, guess->values[i] / guess->values[w], 3);
    buf_puts(out, "<td>");
    if (isnan(s->ms[i]))
        buf_puts(out, story_failure(s->outcome[i]));
    else if (story->complete)
        buf_puts(out, story->chosen[i] ? "chosen" : "");
    buf_puts(out, "</td></tr>\n");
}

static void write_neighbour(Arena *a, const Story *story, const StoryColumn *guess,
                            const Neighbour *n, Buf *out)
{
    const Table *s = story->points;
    size_t p = n->parameter;
    buf_puts(out, "<tr><td>");
    svg_text(out, s->parameters[p].name);
    buf_puts(out, "</td><td class=\"way\">");
    svg_text(out, table_value_text(a, table_value(s, story->winner, p)));
    buf_puts(out, " \342\206\222 <b>"); /* an arrow */
    svg_text(out, table_value_text(a, table_value(s, n->point, p)));
    buf_puts(out, "</b></td>");
    write_numbers(story, guess, n->point, out);
}

static void write_head(const StoryColumn *guess, Buf *out)
{
    buf_puts(out, "<div class=\"wide\"><table><tr><th>changed</th><th></th><th class=\"n\">ms</th>"
                  "<th class=\"n\">time \303\267 winner's</th>");
    if (guess) {
        buf_puts(out, "<th class=\"n\">");
        svg_text(out, guess->name);
        buf_puts(out, " \303\267 winner's</th>");
    }
    buf_puts(out, "<th></th></tr>\n");
}

void page_write_neighbours(Arena *a, const Story *story, Buf *out)
{
    enum { SHOWN = 24 };
    if (story->winner == SIZE_MAX)
        return;
    const StoryColumn *guess = story_column(a, story, story->time_metric);
    Neighbours list = find_neighbours(a, story->points, story->winner);
    buf_puts(out, "<p>The configurations that differ from the winner in one parameter, fastest "
                  "first: what each of its choices is worth.</p>\n");
    write_head(guess, out);
    buf_puts(out, "<tr class=\"best\"><td colspan=\"2\">the winner</td>");
    write_numbers(story, guess, story->winner, out);
    for (size_t k = 0; k < list.count && k < SHOWN; k++)
        write_neighbour(a, story, guess, &list.at[k], out);
    buf_puts(out, "</table></div>\n");
    if (list.count > SHOWN)
        buf_printf(out, "<p>And %zu more.</p>\n", list.count - SHOWN);
}
