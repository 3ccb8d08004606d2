#include "tuner/report/page.h"

#include "tuner/base/file.h"
#include "tuner/report/page_parts.h"
#include "tuner/report/pdf.h"
#include "tuner/report/pictures.h"
#include "tuner/report/svg.h"

#include <ctype.h>
#include <string.h>

/* Paper gets the light colours whatever the screen has. */
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

/* A page on its way out. */
typedef struct Writer {
    Arena *arena;       /* of one story */
    const char *folder; /* whose pictures/ gets a file for each picture */
    Buf page, svg, file;
    Diag *diag;
    bool ok;
} Writer;

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
                        "Metrics come from the compiled code before anything runs. These are the "
                        "ones that carving goes by, those of the thesis, the user's own, and "
                        "others that agree well with the time; the best agreement comes first. "
                        "The rank correlation is 1 where better always means faster, and -1 "
                        "where it always means slower.",
                        false},
    [PICTURE_PARAMETER] = {"By parameter",
                           "For each value of a parameter: the fastest time that is known with it, "
                           "the median, and the most promising value of the metric that stands for "
                           "the time, each as a percentage of the best of all: with a value whose "
                           "bar stays below 100 % the best was not found.",
                           false},
    [PICTURE_COST] = {"Where the time went", NULL, true},
    [PICTURE_OVERALL] = {"All spaces", NULL, true},
};

/* A name as it may stand in file names and links: those of other tuners' spaces and parameters may
 * hold anything. */
static const char *safe_name(Arena *a, const char *name)
{
    char *safe = arena_string(a, name);
    for (char *c = safe; *c; c++)
        if (!isalnum((unsigned char)*c) && !strchr("-_.", *c))
            *c = '_';
    return safe;
}

static void save_file(Writer *w, const char *name, const char *kind)
{
    const char *path = arena_printf(w->arena, "%s/pictures/%s.%s", w->folder, name, kind);
    w->ok = w->ok && file_write(path, buf_text(&w->file), w->file.size, w->diag);
    buf_clear(&w->file);
}

static void save_picture(Writer *w, const char *name, const char *title)
{
    plot_write_alone(buf_text(&w->svg), &w->file);
    save_file(w, name, "svg");
    pdf_write(buf_text(&w->svg), title, &w->file);
    save_file(w, name, "pdf");
}

static void write_picture(Writer *w, const char *prefix, const Picture *p)
{
    const char *name = arena_printf(w->arena, "%s-%s", prefix, safe_name(w->arena, p->name));
    buf_clear(&w->svg);
    plot_write(&p->plot, &w->svg);
    buf_printf(&w->page, "<figure id=\"%s\">", name);
    buf_add(&w->page, buf_text(&w->svg), w->svg.size);
    buf_puts(&w->page, "<figcaption><b>");
    svg_text(&w->page, p->plot.title);
    buf_puts(&w->page, "</b>. ");
    svg_text(&w->page, p->caption);
    buf_puts(&w->page, "</figcaption></figure>\n");
    save_picture(w, name, p->plot.title);
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
    for (size_t k = 0; k < all->count; k++)
        if (all->at[k].group == group)
            write_picture(w, prefix, &all->at[k]);
    buf_puts(&w->page, "</div>\n");
}

/* --- a story ---------------------------------------------------------------------------------- */

static void write_heading(Writer *w, const Story *story, PictureGroup group)
{
    bool no_winner = group == PICTURE_WINNER && story->winner == SIZE_MAX;
    buf_printf(&w->page, "<h3>%s</h3>\n", no_winner ? "By unit" : groups[group].title);
    if (groups[group].text)
        buf_printf(&w->page, "<p>%s</p>\n", groups[group].text);
}

static void write_origin(Writer *w, const Story *story)
{
    buf_puts(&w->page, story->measured ? "<p class=\"origin\">" : "<p class=\"origin loud\">");
    svg_text(&w->page, story->origin);
    buf_puts(&w->page, "</p>\n");
}

static void write_words(Writer *w, const char *words)
{
    if (!words)
        return;
    buf_puts(&w->page, "<div class=\"words\"><pre>");
    svg_text(&w->page, words);
    buf_puts(&w->page, "</pre></div>\n");
}

static void write_story(Writer *w, const char *prefix, const Story *story)
{
    Pictures all = pictures_draw(w->arena, story);
    write_origin(w, story);
    if (story->selected)
        buf_puts(&w->page, "<h3>What would be timed</h3>\n");
    write_words(w, story->selected);
    page_write_facts(w->arena, story, &w->page);
    for (int k = 0; k < PICTURE_GROUPS; k++) {
        PictureGroup group = (PictureGroup)k;
        bool has_table = (group == PICTURE_WINNER && story->winner != SIZE_MAX) ||
                         (group == PICTURE_COST && story->words);
        if (count_group(&all, group) == 0 && !has_table)
            continue;
        write_heading(w, story, group);
        if (group == PICTURE_WINNER)
            page_write_neighbours(w->arena, story, &w->page);
        write_group(w, prefix, &all, group);
        if (group == PICTURE_COST)
            write_words(w, story->words);
    }
}

/* --- the page --------------------------------------------------------------------------------- */

/* Each story's name, different from all before it: the same space may have been recorded on several
 * devices. */
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

static void write_head(Writer *w, const char *title)
{
    buf_puts(&w->page, "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
                       "<meta name=\"viewport\" content=\"width=device-width\"><title>");
    svg_text(&w->page, title);
    buf_puts(&w->page, "</title><style>");
    buf_puts(&w->page, page_style);
    svg_style(&w->page);
    buf_puts(&w->page, "</style></head><body>\n<h1>");
    svg_text(&w->page, title);
    buf_puts(&w->page, "</h1>\n");
}

static void write_links(Writer *w, const Page *p, const char *const *names)
{
    buf_puts(&w->page, "<nav>");
    for (size_t k = 0; k < p->story_count; k++)
        buf_printf(&w->page, "<a href=\"#%s\">%s</a>", names[k], names[k]);
    buf_puts(&w->page, "</nav>\n");
}

static void write_foot(Writer *w)
{
    buf_printf(
        &w->page,
        "<h3>How to read the pictures</h3>\n<p class=\"note\">Pointing at a mark shows its "
        "configuration and time. Where marks would cover each other only the fastest is "
        "drawn, and says how many more there are: one in a square of 3 pixels, or of as many "
        "more as it takes to draw no more than %d marks of a kind.</p>\n"
        "<p class=\"note\">Written by aptune " APTUNE_VERSION ".</p>\n</body></html>\n",
        PLOT_MARKS_MOST);
}

static void write_overall(Writer *w, const Page *p)
{
    Pictures all = pictures_draw_overall(w->arena, p->stories, p->story_count);
    if (all.count > 0)
        buf_printf(&w->page, "<h3>%s</h3>\n", groups[PICTURE_OVERALL].title);
    write_group(w, "all", &all, PICTURE_OVERALL);
    arena_reset(w->arena);
}

static void write_page(Writer *w, const Page *p, const char *const *names)
{
    bool titled = p->sheet_count > 0 || p->story_count > 1;
    write_head(w, p->title);
    if (titled)
        write_links(w, p, names);
    for (size_t k = 0; k < p->sheet_count; k++)
        sheet_print_html(&p->sheets[k], &w->page);
    if (p->story_count > 1)
        write_overall(w, p);
    for (size_t k = 0; k < p->story_count; k++) {
        if (titled)
            buf_printf(&w->page, "<h2 id=\"%s\">%s</h2>\n", names[k], names[k]);
        write_story(w, names[k], &p->stories[k]);
        arena_reset(w->arena);
    }
    write_foot(w);
}

bool page_save(const char *folder, const Page *p, Diag *d)
{
    Arena *a = arena_new();
    Writer w = {.arena = arena_new(), .folder = folder, .diag = d};
    w.ok = folder_create(arena_printf(a, "%s/pictures", folder), d);
    if (w.ok)
        write_page(&w, p, name_stories(a, p));
    const char *path = arena_printf(a, "%s/report.html", folder);
    bool ok = w.ok && file_write(path, buf_text(&w.page), w.page.size, d);
    buf_free(&w.page);
    buf_free(&w.svg);
    buf_free(&w.file);
    arena_free(w.arena);
    arena_free(a);
    return ok;
}
