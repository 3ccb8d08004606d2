#include "tuner/report/page.h"

#include "metrics/base/file.h"
#include "tuner/report/pictures.h"
#include "tuner/study/judge.h"
#include "tuner/study/search.h"

#include <gsl/gsl_sort.h>
#include <math.h>
#include <string.h>

static const char page_style[] =
    ":root{color-scheme:light dark}"
    "body{font:15px/1.45 system-ui,sans-serif;margin:2rem auto;max-width:86rem;padding:0 1rem;"
    "background:#fff;color:#222}"
    "h1{font-size:1.5rem}h2{font-size:1.2rem;margin-top:2.5rem;border-bottom:1px solid #8886}"
    "table{border-collapse:collapse;margin:1rem 0;font-variant-numeric:tabular-nums}"
    "caption{text-align:left;font-weight:600;padding:.3rem 0}"
    "td,th{padding:.2rem .8rem .2rem 0;text-align:left;vertical-align:top}"
    "td.n,th.n{text-align:right}tr.best{font-weight:600}"
    ".pictures{display:flex;flex-wrap:wrap;gap:1.5rem}"
    "figure{margin:0;break-inside:avoid}figcaption{max-width:40rem;color:#666;font-size:.9em}"
    "svg{max-width:100%;height:auto}pre{white-space:pre-wrap;margin:0}"
    "@media screen and (prefers-color-scheme:dark){body{background:#16181b;color:#ddd}"
    "figcaption{color:#aaa}}"
    "@media print{body{margin:0;max-width:none}h2{break-before:page}}";

static void write_row(Buf *out, const char *name, const char *value)
{
    buf_puts(out, "<tr><th>");
    plot_text(out, name);
    buf_puts(out, "</th><td><pre>");
    plot_text(out, value);
    buf_puts(out, "</pre></td></tr>\n");
}

/* --- facts
 * ----------------------------------------------------------------------------------------
 */

static size_t count_true(const bool *flags, const PointSet *s)
{
    size_t n = 0;
    for (size_t i = 0; i < s->count; i++)
        n += flags[i] && s->same_as[i] == i;
    return n;
}

static void write_verdict(Arena *a, const Story *story, Buf *out)
{
    const PointSet *s = story->points;
    if (story->winner == SIZE_MAX) {
        write_row(out, "winner", "none: nothing ran right");
        return;
    }
    write_row(out, "winner",
              arena_printf(a, "%s\n%.5g ms", s->names[story->winner], s->ms[story->winner]));
    if (!story->complete)
        return;
    Judgement j = judge(s, story->timed);
    write_row(out, "regret",
              arena_printf(a,
                           "%.2f %% slower than the best of all (place %zu); a random sample of "
                           "%zu: %.2f %% expected",
                           100 * j.regret, j.rank, j.chosen, 100 * j.random_regret));
}

static void write_facts(Arena *a, const Story *story, Buf *out)
{
    const PointSet *s = story->points;
    buf_puts(out, "<table>\n");
    write_row(out, "problem", s->problem);
    write_row(out, "device", s->gpu);
    write_row(out, "times", arena_printf(a, "%s; %s", story->source, s->date));
    write_row(out, "recording", s->origin);
    write_row(out, "space",
              arena_printf(a,
                           "%zu configurations, %zu with a time, %zu of distinct "
                           "code among these",
                           s->count, s->timed, s->distinct));
    write_row(out, "carving", story->carving);
    write_row(out, "timed", arena_printf(a, "%zu", count_true(story->timed, s)));
    write_verdict(a, story, out);
    buf_puts(out, "</table>\n");
}

/* --- the winner's neighbours
 * ----------------------------------------------------------------------
 */

static void write_neighbour(Arena *a, const PointSet *s, size_t winner, size_t i, Buf *out)
{
    buf_printf(out, "<tr%s>", i == winner ? " class=\"best\"" : "");
    for (size_t p = 0; p < s->parameter_count; p++) {
        const char *value = points_value(a, &s->values[i][p]);
        bool same = record_value_equal(&s->values[i][p], &s->values[winner][p]);
        buf_puts(out, same && i != winner ? "<td>" : "<td><b>");
        plot_text(out, same && i != winner ? "\302\267" : value);
        buf_puts(out, same && i != winner ? "</td>" : "</b></td>");
    }
    buf_printf(out, "<td class=\"n\">%.5g</td><td class=\"n\">%+.1f %%</td></tr>\n", s->ms[i],
               100 * (s->ms[i] / s->ms[winner] - 1));
}

/* Those one parameter away, fastest first. */
static void write_neighbours(Arena *a, const Story *story, Buf *out)
{
    enum { SHOWN = 20 };
    const PointSet *s = story->points;
    if (story->winner == SIZE_MAX)
        return;
    Neighbourhood near = neighbourhood_build(a, s);
    size_t n = neighbourhood_size(&near, story->winner), known = 0;
    size_t *list = ARENA_ARRAY(a, size_t, n), *order = ARENA_ARRAY(a, size_t, n);
    double *ms = ARENA_ARRAY(a, double, n);
    for (size_t k = 0; k < n; k++) {
        size_t i = neighbourhood_at(&near, story->winner, k);
        bool timed = !isnan(s->ms[i]) && (story->complete || story->timed[i]);
        if (timed)
            list[known] = i, ms[known++] = s->ms[i];
    }
    gsl_sort_index(order, ms, 1, known);
    buf_puts(out, "<h3>The winner and its neighbours</h3>\n<table><tr>");
    for (size_t p = 0; p < s->parameter_count; p++) {
        buf_puts(out, "<th>");
        plot_text(out, s->parameters[p].name);
        buf_puts(out, "</th>");
    }
    buf_puts(out, "<th class=\"n\">ms</th><th class=\"n\">slower by</th></tr>\n");
    write_neighbour(a, s, story->winner, story->winner, out);
    for (size_t k = 0; k < known && k < SHOWN; k++)
        write_neighbour(a, s, story->winner, list[order[k]], out);
    buf_puts(out, "</table>\n");
    if (known == 0)
        buf_puts(out, "<p>None of its neighbours was timed.</p>\n");
}

/* --- the page
 * -------------------------------------------------------------------------------------
 */

static void write_story(Arena *a, const Story *story, Buf *out)
{
    buf_puts(out, "<h2>");
    plot_text(out, story->points->name);
    buf_puts(out, "</h2>\n");
    write_facts(a, story, out);
    write_neighbours(a, story, out);
    buf_puts(out, "<div class=\"pictures\">\n");
    Pictures all = pictures_draw(a, story);
    for (size_t k = 0; k < all.count; k++) {
        buf_puts(out, "<figure>");
        plot_write(&all.at[k].plot, false, out);
        buf_puts(out, "<figcaption>");
        plot_text(out, all.at[k].caption);
        buf_puts(out, "</figcaption></figure>\n");
    }
    buf_puts(out, "</div>\n");
}

void page_write(Arena *a, const Page *p, Buf *out)
{
    buf_puts(out, "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
                  "<meta name=\"viewport\" content=\"width=device-width\"><title>");
    plot_text(out, p->title);
    buf_puts(out, "</title><style>");
    buf_puts(out, page_style);
    plot_style(out);
    buf_puts(out, "</style></head><body>\n<h1>");
    plot_text(out, p->title);
    buf_puts(out, "</h1>\n");
    for (size_t k = 0; k < p->sheet_count; k++)
        sheet_print_html(&p->sheets[k], out);
    for (size_t k = 0; k < p->story_count; k++)
        write_story(a, &p->stories[k], out);
    buf_puts(out, "<p>Written by aptune " APTUNE_VERSION ".</p>\n</body></html>\n");
}

static bool save_pictures(Arena *a, const char *folder, const Story *story, Diag *d)
{
    Pictures all = pictures_draw(a, story);
    Buf text = {0};
    bool ok = true;
    for (size_t k = 0; k < all.count && ok; k++) {
        buf_clear(&text);
        plot_write(&all.at[k].plot, true, &text);
        const char *path =
            arena_printf(a, "%s/pictures/%s-%s.svg", folder, story->points->name, all.at[k].name);
        ok = file_write(path, buf_text(&text), text.size, d);
    }
    buf_free(&text);
    return ok;
}

bool page_save(const char *folder, const Page *p, Diag *d)
{
    Arena *a = arena_new();
    Buf text = {0};
    page_write(a, p, &text);
    bool ok = folder_create(arena_printf(a, "%s/pictures", folder), d) &&
              file_write(arena_printf(a, "%s/report.html", folder), buf_text(&text), text.size, d);
    for (size_t k = 0; k < p->story_count && ok; k++)
        ok = save_pictures(a, folder, &p->stories[k], d);
    buf_free(&text);
    arena_free(a);
    return ok;
}
