#include "tuner/report/page.h"

#include "metrics/base/file.h"
#include "tuner/report/pictures.h"

#include <ctype.h>

/* Prints use the light colours, whatever the screen has. */
static const char page_style[] =
    ":root{color-scheme:light dark}"
    "body{font:15px/1.45 system-ui,sans-serif;margin:2rem auto;max-width:88rem;padding:0 1rem;"
    "background:#fff;color:#222}"
    "h1{font-size:1.5rem}h2{font-size:1.25rem;margin-top:3rem;border-bottom:1px solid #8886}"
    "h3{font-size:1.05rem;margin:2rem 0 .4rem}p{max-width:60rem;margin:.4rem 0}"
    "a{color:inherit}nav{display:flex;flex-wrap:wrap;gap:.2rem 1rem}"
    ".origin{border-left:4px solid #888;padding:.3rem .8rem}"
    ".origin.loud{border-color:#d55e00;background:#d55e0018}"
    ".wide{overflow-x:auto;margin:.6rem 0}"
    "@media screen{.long{max-height:40rem;overflow-y:auto;border:1px solid #8886;padding:0 .6rem}"
    ".long th{position:sticky;top:0;background:#fff}}"
    "table{border-collapse:collapse;font-variant-numeric:tabular-nums}"
    "td,th{padding:.15rem 1rem .15rem 0;text-align:left;vertical-align:top}"
    "td.way,td.n{white-space:nowrap}td.n,th.n{text-align:right}th{font-weight:600}tr.best{font-"
    "weight:"
    "600}"
    "tr+tr:hover{background:#8882}"
    ".facts th{font-weight:400;color:#666}pre{white-space:pre-wrap;margin:0;font-size:.9em}"
    ".words{overflow-x:auto}.words pre{white-space:pre}"
    ".pictures{display:grid;gap:1.5rem;"
    "grid-template-columns:repeat(auto-fill,minmax(min(100%,26rem),1fr))}"
    ".pictures.large{max-width:78rem;"
    "grid-template-columns:repeat(auto-fill,minmax(min(100%,34rem),1fr))}"
    "figure{margin:0;min-width:0;break-inside:avoid}svg{display:block;width:100%;height:auto}"
    "figcaption,.note{color:#666;font-size:.9em}"
    "@media screen and (prefers-color-scheme:dark){body,.long th{background:#16181b;color:#ddd}"
    "figcaption,.note,.facts th{color:#aaa}}"
    "@media print{:root{color-scheme:light}body{font-size:9pt;margin:0;max-width:none}"
    "h2{break-before:page}h3,h3+p{break-after:avoid}.words pre{white-space:pre-wrap}"
    ".pictures,.pictures.large{grid-template-columns:1fr 1fr;gap:.8rem}}";

typedef struct Writer {
    Arena *arena;       /* for one story */
    const char *folder; /* its subfolder pictures/ gets the pictures */
    Buf page, svg;
    Diag *diag;
    bool ok;
} Writer;

/* --- facts ------------------------------------------------------------------------------------ */

static void write_row(Buf *out, const char *name, const char *value)
{
    svg_say(out, "<tr><th>%t</th><td><pre>%t</pre></td></tr>\n", name, value);
}

/* How good the choice is, if every configuration has a time. */
static void write_judgement(Arena *a, const Story *story, Buf *out)
{
    Judgement j = judge(story->points, story->chosen);
    if (!story->complete && story->points->timed > 0)
        write_row(
            out, "regret",
            story->audited
                ? "only chosen and audited configurations were timed: see the audit at the end"
                : "not known: only the chosen configurations were timed (--audit estimates "
                  "it, --exhaustive measures it)");
    if (!story->complete || j.best == SIZE_MAX)
        return;
    const char *found = j.found ? "carving kept the best of all"
                                : arena_printf(a,
                                               "the best that carving kept is %.2f %% slower than "
                                               "the best of all (place %zu)",
                                               100 * j.regret, j.rank);
    write_row(out, "regret",
              arena_printf(a, "%s\na random sample of this size: %.2f %% slower, on average", found,
                           100 * j.random_regret));
}

static void write_facts(Arena *a, const Story *story, Buf *out)
{
    const Table *s = story->points;
    buf_puts(out, "<div class=\"wide\"><table class=\"facts\">\n");
    if (*s->problem)
        write_row(out, "problem", s->problem);
    write_row(out, "device", s->gpu);
    write_row(out, "space",
              arena_printf(a,
                           "%zu configurations, %zu with a time, %zu of these with distinct code",
                           s->count, s->timed, s->distinct));
    write_row(out, "carving", story->carving);
    write_row(out, story->chosen_name,
              arena_printf(a, "%zu configurations", story_chosen_count(story)));
    const size_t w = story->winner;
    const char *predicted = w != SIZE_MAX ? table_predicted_text(a, s, w) : NULL;
    write_row(out, "winner",
              w != SIZE_MAX  ? arena_printf(a, "%s\n%.5g ms", table_name(a, s, w), s->ms[w])
              : s->timed > 0 ? "none"
                             : "none: no time is known");
    if (predicted)
        write_row(out, "its prediction", predicted);
    write_judgement(a, story, out);
    buf_puts(out, "</table></div>\n");
}

/* --- neighbours ------------------------------------------------------------------------------- */

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

static void write_number(Buf *out, double number, int decimals)
{
    if (isfinite(number))
        buf_printf(out, "<td class=\"n\">%.*f</td>", decimals, number);
    else
        buf_puts(out, "<td class=\"n\">-</td>");
}

/* The decimals that show five significant digits. */
static int decimals_of(double number)
{
    double digits = 4 - floor(log10(number));
    return isfinite(digits) ? (int)fmax(0, fmin(digits, 12)) : 4;
}

/* A point's time, time and metric relative to the winner's, prediction, and remark. */
static void write_numbers(Arena *a, const Story *story, const StoryColumn *guess, size_t i,
                          Buf *out)
{
    const char *predicted = table_predicted_text(a, story->points, i);
    const Table *s = story->points;
    size_t w = story->winner;
    write_number(out, s->ms[i], decimals_of(s->ms[w]));
    write_number(out, s->ms[i] / s->ms[w], 3);
    if (guess)
        write_number(out, guess->values[i] / guess->values[w], 3);
    svg_say(out, "<td>%t</td><td>%s</td></tr>\n", predicted ? predicted : "-",
            isnan(s->ms[i])                       ? story_failure(s->outcome[i])
            : story->complete && story->chosen[i] ? "chosen"
                                                  : "");
}

static void write_neighbours(Arena *a, const Story *story, Buf *out)
{
    enum { SHOWN = 24 };
    const Table *s = story->points;
    const size_t w = story->winner;
    if (w == SIZE_MAX)
        return;
    const StoryColumn *guess = story_column(a, story, story->time_metric);
    size_t *list = ARENA_ARRAY(a, size_t, s->count), count = 0;
    for (size_t i = 0; i < s->count; i++)
        if (difference(s, i, w) != SIZE_MAX)
            list[count++] = i;
    stats_order(list, count, &(Criterion){s->ms, false}, 1);
    buf_puts(out, "<p>The configurations that differ from the winner in one parameter, fastest "
                  "first: they show what each parameter value contributes.</p>\n"
                  "<div class=\"wide\"><table><tr><th>changed</th><th></th><th class=\"n\">ms</th>"
                  "<th class=\"n\">time \303\267 winner's</th>");
    if (guess)
        svg_say(out, "<th class=\"n\">%t \303\267 winner's</th>", guess->name);
    buf_puts(out, "<th>predicted</th><th></th></tr>\n"
                  "<tr class=\"best\"><td colspan=\"2\">the winner</td>");
    write_numbers(a, story, guess, w, out);
    for (size_t k = 0; k < count && k < SHOWN; k++) {
        const size_t p = difference(s, list[k], w);
        svg_say(out,
                "<tr><td>%t</td><td class=\"way\">%t \342\206\222 <b>%t</b></td>", /* an arrow */
                s->parameters[p].name, value_text(a, table_value(s, w, p)),
                value_text(a, table_value(s, list[k], p)));
        write_numbers(a, story, guess, list[k], out);
    }
    buf_puts(out, "</table></div>\n");
    if (count > SHOWN)
        buf_printf(out, "<p>And %zu more.</p>\n", count - SHOWN);
}

/* --- pictures --------------------------------------------------------------------------------- */

typedef struct GroupText {
    const char *title, *text;
    bool large;
} GroupText;

static const GroupText groups[PICTURE_GROUPS] = {
    [PICTURE_CHOICE] = {"What carving chose", NULL, true},
    [PICTURE_CHANCE] = {"Against chance", NULL, true},
    [PICTURE_WINNER] = {"The winner and its neighbours", NULL, true},
    [PICTURE_METRIC] = {"Time against metrics",
                        "Metrics are computed from the compiled code before anything runs. Shown "
                        "are the metrics that carving uses, those of the thesis, the user's own, "
                        "and others that correlate well with the time; the best correlation comes "
                        "first. The rank correlation is 1 if a better value always means faster, "
                        "and -1 if it always means slower.",
                        false},
    [PICTURE_PARAMETER] = {"By parameter",
                           "For each value of a parameter: the fastest known time, the median "
                           "time, and the best predicted time, each as a percentage of the best of "
                           "all. A bar below 100 % means that no configuration with this value "
                           "reaches the best.",
                           false},
    [PICTURE_COST] = {"Where the time went", NULL, true},
    [PICTURE_OVERALL] = {"All spaces", NULL, true},
};

/* A name that is safe in file names and links; names from other tuners may hold anything. */
static const char *safe_name(Arena *a, const char *name)
{
    char *safe = arena_string(a, name);
    for (char *c = safe; *c; c++)
        if (!isalnum((unsigned char)*c) && !strchr("-_.", *c))
            *c = '_';
    return safe;
}

static size_t count_group(const Pictures *all, PictureGroup group)
{
    size_t n = 0;
    for (size_t k = 0; k < all->count; k++)
        n += all->at[k].group == group;
    return n;
}

static void write_group(Writer *w, const char *prefix, const Pictures *all, PictureGroup group)
{
    if (count_group(all, group) == 0)
        return;
    buf_printf(&w->page, "<div class=\"pictures%s\">\n", groups[group].large ? " large" : "");
    VEC_EACH (const Picture, p, *all) {
        if (p->group != group)
            continue;
        const char *name = arena_printf(w->arena, "%s-%s", prefix, safe_name(w->arena, p->name));
        buf_clear(&w->svg);
        plot_write(&p->plot, &w->svg);
        svg_say(&w->page, "<figure id=\"%s\">%s<figcaption><b>%t</b>. %t</figcaption></figure>\n",
                name, buf_text(&w->svg), p->plot.title, p->caption);
        const char *path = arena_printf(w->arena, "%s/pictures/%s", w->folder, name);
        w->ok = w->ok && picture_save(buf_text(&w->svg), p->plot.title, path, w->diag);
    }
    buf_puts(&w->page, "</div>\n");
}

/* --- a story ---------------------------------------------------------------------------------- */

static void write_words(Writer *w, const char *words)
{
    if (words)
        svg_say(&w->page, "<div class=\"words\"><pre>%t</pre></div>\n", words);
}

static void write_story(Writer *w, const char *prefix, const Story *story)
{
    Pictures all = pictures_draw(w->arena, story);
    svg_say(&w->page, "<p class=\"origin%s\">%t</p>\n", story->measured ? "" : " loud",
            story->origin);
    if (story->selected)
        buf_puts(&w->page, "<h3>What would be timed</h3>\n");
    write_words(w, story->selected);
    write_facts(w->arena, story, &w->page);
    for (int k = 0; k < PICTURE_GROUPS; k++) {
        PictureGroup group = (PictureGroup)k;
        bool has_table = (group == PICTURE_WINNER && story->winner != SIZE_MAX) ||
                         (group == PICTURE_COST && story->words);
        if (count_group(&all, group) == 0 && !has_table)
            continue;
        const bool by_unit = group == PICTURE_WINNER && !has_table;
        buf_printf(&w->page, "<h3>%s</h3>\n", by_unit ? "By unit" : groups[group].title);
        if (groups[group].text)
            buf_printf(&w->page, "<p>%s</p>\n", groups[group].text);
        if (group == PICTURE_WINNER)
            write_neighbours(w->arena, story, &w->page);
        write_group(w, prefix, &all, group);
        if (group == PICTURE_COST)
            write_words(w, story->words);
    }
}

/* --- the page --------------------------------------------------------------------------------- */

/* A unique name for each story: the same space may be recorded on several devices. */
static const char *const *name_stories(Arena *a, const Page *p)
{
    const char **names = ARENA_ARRAY(a, const char *, p->story_count);
    for (size_t k = 0; k < p->story_count; k++) {
        const char *name = safe_name(a, p->stories[k].points->name);
        size_t same = 0;
        for (size_t j = 0; j < k; j++)
            same += strcmp(p->stories[j].points->name, p->stories[k].points->name) == 0;
        names[k] = same > 0 ? arena_printf(a, "%s-%zu", name, same + 1) : name;
    }
    return names;
}

static void write_page(Writer *w, const Page *p, const char *const *names)
{
    const bool titled = p->sheet_count > 0 || p->story_count > 1;
    svg_say(&w->page,
            "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
            "<meta name=\"viewport\" content=\"width=device-width\"><title>%t</title><style>%s",
            p->title, page_style);
    svg_style(&w->page);
    svg_say(&w->page, "</style></head><body>\n<h1>%t</h1>\n", p->title);
    buf_puts(&w->page, titled ? "<nav>" : "");
    for (size_t k = 0; k < p->story_count && titled; k++)
        buf_printf(&w->page, "<a href=\"#%s\">%s</a>", names[k], names[k]);
    buf_puts(&w->page, titled ? "</nav>\n" : "");
    for (size_t k = 0; k < p->sheet_count; k++)
        sheet_print_html(&p->sheets[k], &w->page);
    if (p->story_count > 1) {
        Pictures all = pictures_draw_overall(w->arena, p->stories, p->story_count);
        if (all.count > 0)
            buf_printf(&w->page, "<h3>%s</h3>\n", groups[PICTURE_OVERALL].title);
        write_group(w, "all", &all, PICTURE_OVERALL);
        arena_reset(w->arena);
    }
    for (size_t k = 0; k < p->story_count; k++) {
        if (titled)
            buf_printf(&w->page, "<h2 id=\"%s\">%s</h2>\n", names[k], names[k]);
        write_story(w, names[k], &p->stories[k]);
        arena_reset(w->arena);
    }
    buf_printf(
        &w->page,
        "<h3>How to read the pictures</h3>\n<p class=\"note\">Point at a mark to see its "
        "configuration and time. Of marks that would overlap only the fastest is drawn, and its "
        "tooltip says how many it hides: one mark per square of 3 pixels, or of a larger square "
        "if there would be more than %d marks of a kind.</p>\n"
        "<p class=\"note\">Written by aptune " APTUNE_VERSION ".</p>\n</body></html>\n",
        PLOT_MARKS_MOST);
}

bool page_save(const char *folder, const Page *p, Diag *d)
{
    SCOPED_ARENA *a = arena_new();
    Writer w = {.arena = arena_new(), .folder = folder, .diag = d};
    w.ok = folder_create(arena_printf(a, "%s/pictures", folder), d);
    if (w.ok)
        write_page(&w, p, name_stories(a, p));
    const char *path = arena_printf(a, "%s/report.html", folder);
    bool ok = w.ok && file_write(path, buf_text(&w.page), w.page.size, d);
    buf_free(&w.page);
    buf_free(&w.svg);
    arena_free(w.arena);
    return ok;
}
