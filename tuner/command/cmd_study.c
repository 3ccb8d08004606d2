/* aptune study: judges carvings, searches and metrics on recordings, without a GPU. */
#include "metrics/base/file.h"
#include "metrics/base/json.h"
#include "tuner/command/command.h"
#include "tuner/record/table_read.h"
#include "tuner/report/page.h"
#include "tuner/report/study_sheets.h"
#include "tuner/study/choices.h"

#include <limits.h>

/* A carving of the user's: statements, optionally after "NAME:", or a file of them. */
typedef struct OwnCarving {
    const char *text, *path; /* one of them; the other is NULL */
    size_t name;             /* length of the name in `text`; 0: none */
} OwnCarving;

enum { OWN_CARVINGS_MOST = 32 };

typedef struct OwnCarvings {
    OwnCarving at[OWN_CARVINGS_MOST];
    size_t count;
} OwnCarvings;

static bool take_carving(const Option *o, const char *text, void *field, Diag *d)
{
    OwnCarvings *all = field;
    const size_t name =
        strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-. ");
    if (all->count == OWN_CARVINGS_MOST)
        return diag_fail(d, "at most %d carvings of your own", OWN_CARVINGS_MOST);
    all->at[all->count++] = strcmp(o->name, "carve-file") == 0
                                ? (OwnCarving){.path = text}
                                : (OwnCarving){.text = text, .name = text[name] == ':' ? name : 0};
    return true;
}

typedef struct StudyCommand {
    const char *output, *fit;
    const char *guess; /* the metric that predicts the time */
    OptionTexts metrics;
    OwnCarvings carvings;
    int seeds, bootstraps;
    bool json;
} StudyCommand;

#define INTO(field)     OPTION_INTO(StudyCommand, field, 0, 100000)
#define BY(take, field) take, offsetof(StudyCommand, field), 0, 0

static const Option options[] = {
    {"output", "DIR", "where tables, pictures and report go (default aptune-study)", INTO(output)},
    {"metrics", "FILE", "metrics of your own, in addition to the shipped ones (may be repeated)",
     INTO(metrics)},
    {"carve", "TEXT",
     "judge a carving of your own, too: statements separated by ';', optionally after 'NAME:' "
     "(may be repeated)",
     BY(take_carving, carvings)},
    {"carve-file", "FILE", "the same from a file, one statement a line (may be repeated)",
     BY(take_carving, carvings)},
    {"guess", "METRIC", "the metric that predicts the time (default predicted_cycles)",
     INTO(guess)},
    {"fit", "A,B,…", "fit weights of these metrics, and judge them on each space left out",
     INTO(fit)},
    {"seeds", "N", "runs of each strategy, the default run's among them (default 5; 0: none)",
     INTO(seeds)},
    {"bootstrap", "N", "resamplings of the times for intervals (default 0: none)",
     INTO(bootstraps)},
    {"json", NULL, "print one JSON object instead of tables", INTO(json)},
};

typedef struct Session {
    Arena *arena;
    Diag *diag;
    StudyCommand command;
    MetricSet *metrics;
    const Source *own_metrics[OPTION_TEXTS_MOST]; /* one for each */
    const Source *carvings[OWN_CARVINGS_MOST];    /* one for each */
    Table *sets;                                  /* of each recording, by its name here */
    Study *studies;
    Story *stories;
    size_t count;
} Session;

static bool read_metrics(Session *y)
{
    const OptionTexts *own = &y->command.metrics;
    y->metrics = command_metrics(y->arena, y->diag);
    bool ok = y->metrics != NULL;
    for (size_t i = 0; i < own->count && y->metrics; i++) {
        y->own_metrics[i] = metricset_read_file(y->metrics, own->at[i], y->diag);
        ok = y->own_metrics[i] != NULL && ok;
    }
    return ok;
}

static bool unknown_metric(Session *y, const char *option, const char *name)
{
    const char *closest = NAME_LIKE(y->metrics->metrics.at, y->metrics->metrics.count, name, name);
    return diag_fail(y->diag, "--%s: unknown metric '%s'%s", option, name,
                     closest ? diag_meant(y->diag, closest)
                             : " (aptune profile --metrics lists them)");
}

static bool read_carvings(Session *y)
{
    for (size_t i = 0; i < y->command.carvings.count; i++) {
        const OwnCarving *own = &y->command.carvings.at[i];
        const char *given = own->text ? own->text + own->name + (own->name > 0) : "";
        y->carvings[i] = own->path ? source_read(y->arena, own->path, y->diag)
                                   : source_new(y->arena, "--carve", given, strlen(given));
        if (!y->carvings[i])
            return false;
    }
    return true;
}

/* Adds the user's carvings; texts without a name are "carve 1", "carve 2" …, files go by their path. */
static bool add_own(Session *y, Choices *choices)
{
    const OwnCarvings *own = &y->command.carvings;
    bool ok = true;
    for (size_t i = 0, texts = 0; i < own->count; i++) {
        const OwnCarving *one = &own->at[i];
        const char *name = one->path   ? one->path
                           : one->name ? arena_copy(y->arena, one->text, one->name)
                                       : arena_printf(y->arena, "carve %zu", ++texts);
        ok = choices_add(choices, name, y->carvings[i], y->diag) && ok;
    }
    return ok;
}

/* The guess predicts a time, so lower must be better. */
static bool check_guess(Session *y)
{
    const char *guess = y->command.guess;
    int m = metricset_find(y->metrics, guess);
    if (m < 0)
        return unknown_metric(y, "guess", guess);
    return !y->metrics->metrics.at[m].higher ||
           diag_fail(y->diag,
                     "--guess: of '%s' higher is better, so it cannot predict the time; a metric "
                     "of your own can: 1 / %s",
                     guess, guess);
}

static bool study_one(Session *y, size_t number)
{
    Table *s = &y->sets[number];
    for (size_t i = 0; i < y->command.metrics.count; i++)
        ranking_tell_gaps(s, y->own_metrics[i], y->diag);
    if (s->imported && *s->imported)
        diag_warn(y->diag, (Span){0}, "the times in '%s' were not measured by aptune: %s",
                  s->origin, s->imported);
    Choices choices = choices_new(y->arena, s, y->command.guess);
    if (!choices_add_shipped(&choices, y->diag) || !add_own(y, &choices))
        return false;
    StudyOptions o = {(size_t)y->command.seeds, (size_t)y->command.bootstraps, y->command.guess};
    /* The subject of the page: the user's first carving, else the default. */
    const size_t own = y->command.carvings.count;
    const StudyChoice *subject = &choices.at[own > 0 ? choices.count - own : 0];
    Study *study = &y->studies[number];
    *study = study_space(y->arena, s, choices.at, choices.count, &o);
    y->stories[number] = story_of_recording(y->arena, study, subject, y->command.guess);
    y->stories[number].own =
        story_own_metrics(y->arena, y->metrics, y->own_metrics, y->command.metrics.count);
    return true;
}

/* Turns "a,b" into indices of metrics. */
static bool name_metrics(Session *y, int **numbers, size_t *count)
{
    VEC(int) v = {0};
    char *list = arena_string(y->arena, y->command.fit), *rest = NULL;
    for (char *name = strtok_r(list, ", ", &rest); name; name = strtok_r(NULL, ", ", &rest)) {
        int m = metricset_find(y->metrics, name);
        if (m < 0)
            return unknown_metric(y, "fit", name);
        VEC_PUSH(y->arena, &v, m);
    }
    *numbers = v.at;
    *count = v.count;
    return v.count > 0 || diag_fail(y->diag, "--fit takes names of metrics, separated by commas");
}

static bool add_fits(Session *y, StudySheets *sheets)
{
    int *numbers = NULL;
    size_t metric_count = 0, count = 0;
    if (!y->command.fit)
        return true;
    if (!name_metrics(y, &numbers, &metric_count))
        return false;
    const Table **sets = ARENA_ARRAY(y->arena, const Table *, y->count);
    size_t *budgets = ARENA_ARRAY(y->arena, size_t, y->count);
    for (size_t k = 0; k < y->count; k++) {
        sets[k] = y->studies[k].points;
        budgets[k] = y->studies[k].budget;
    }
    const FitResult *fits = fit_metrics(y->arena, sets, y->count, numbers, metric_count, budgets,
                                        (size_t)y->command.bootstraps, &count, y->diag);
    if (fits)
        sheets->at[sheets->count++] =
            study_fit_sheet(y->arena, fits, count, y->metrics, numbers, metric_count);
    return fits != NULL;
}

static bool put_out(Session *y, const StudySheets *sheets)
{
    SCOPED_BUF json = {0};
    json_t *all = json_object();
    for (size_t k = 0; k < sheets->count; k++)
        json_object_set_new(all, sheets->at[k].name, sheet_json(&sheets->at[k]));
    json_print(all, 10, &json);
    const char *folder = y->command.output;
    SCOPED_BUF text = {0};
    bool ok = folder_create(folder, y->diag);
    for (size_t k = 0; k < sheets->count && ok; k++) {
        buf_clear(&text);
        sheet_print_csv(&sheets->at[k], &text);
        ok = file_write(arena_printf(y->arena, "%s/%s.csv", folder, sheets->at[k].name),
                        buf_text(&text), text.size, y->diag);
    }
    ok = ok &&
         file_write(arena_printf(y->arena, "%s/study.json", folder), buf_text(&json), json.size,
                    y->diag) &&
         page_save(folder, &(Page){"aptune study", sheets->at, sheets->count, y->stories, y->count},
                   y->diag);
    SCOPED_BUF out = {0};
    for (size_t k = 0; k < sheets->count && !y->command.json; k++) {
        buf_puts(&out, k ? "\n" : "");
        sheet_print(&sheets->at[k], &out);
    }
    buf_puts(&out, y->command.json ? buf_text(&json) : "");
    if (ok && !y->command.json)
        buf_printf(&out,
                   "\nwritten    %s/report.html, study.json, *.csv, pictures/*.svg and *.pdf\n",
                   folder);
    return command_print_text(buf_text(&out)) && ok;
}

/* Reads and studies everything, and finds all errors in the input; writes nothing. */
static bool study_all(Session *y, char *const *given, size_t n, StudySheets *sheets)
{
    y->sets = ARENA_ARRAY(y->arena, Table, n);
    y->studies = ARENA_ARRAY(y->arena, Study, n);
    y->stories = ARENA_ARRAY(y->arena, Story, n);
    bool ok = read_metrics(y) && check_guess(y) && read_carvings(y);
    for (; y->count < n && ok; y->count++) {
        const char *path = record_in(y->arena, given[y->count], y->diag);
        Table *s = path ? table_read(y->arena, path, y->metrics, y->diag) : NULL;
        if (!s)
            return false;
        ranking_set(s);
        if (s->best == SIZE_MAX)
            return diag_fail(y->diag, "'%s' has no times: there is nothing to study", path);
        y->sets[y->count] = *s;
    }
    /* In tables and pictures, recordings of the same space are "mm", "mm-2" … */
    for (size_t k = y->count; k-- > 1;) {
        size_t same = 1;
        for (size_t j = 0; j < k; j++)
            same += strcmp(y->sets[j].name, y->sets[k].name) == 0;
        if (same > 1)
            y->sets[k].name = arena_printf(y->arena, "%s-%zu", y->sets[k].name, same);
    }
    for (size_t i = 0; i < n && ok; i++)
        ok = study_one(y, i);
    if (!ok)
        return false;
    *sheets = study_sheets(y->arena, y->studies, y->count);
    return add_fits(y, sheets);
}

static bool study(Call *c)
{
    Session y = {.arena = c->arena, .diag = c->diag, .command = *(StudyCommand *)c->options};
    StudySheets sheets = {0};
    if (study_all(&y, c->words, (size_t)c->count, &sheets))
        return put_out(&y, &sheets);
    c->code = EXIT_USAGE;
    return false;
}

static StudyCommand asked = {.output = "aptune-study", .guess = "predicted_cycles", .seeds = 5};

const CommandLine cmd_study = {
    .usage = "usage: aptune study RECORDING... [options]\n"
             "  RECORDING: NAME.times or NAME.times.zst, or a run's output folder, with the "
             "whole space timed (aptune --exhaustive)\n",
    .table = {{OPTION_GROUP(options, &asked)}},
    .least = 1,
    .most = INT_MAX,
    .wanted = "which recordings? Try aptune study NAME.times.zst",
    .work = study,
    .options = &asked};
