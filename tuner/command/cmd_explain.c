/* aptune explain: says why a configuration takes as long as it does. */
#include "tuner/command/command.h"
#include "tuner/output/explain.h"
#include "tuner/output/report.h"

#include <limits.h>

enum { SUBJECTS = 2 };

typedef struct ExplainOptions {
    RunOptions run;
    bool no_lines, json;
    const char *texts[SUBJECTS]; /* "A=1 B=2 " */
    int count;
} ExplainOptions;

#define INTO(field) OPTION_INTO(ExplainOptions, field, 0, 0)

static const Option own_options[] = {
    {"no-lines", NULL, "skip the extra compile for source lines", INTO(no_lines)},
    {"json", NULL, "print one JSON object", INTO(json)},
};

/* True if a configuration's text already has a value for the parameter that the word begins with. */
static bool gives(const char *at, const char *word, size_t name_length)
{
    while (*at && (strncmp(at, word, name_length) != 0 || at[name_length] != '=')) {
        at += strcspn(at, " ");
        at += strspn(at, " ");
    }
    return *at != '\0';
}

/* Reads the configurations, each in quotes or word by word: a repeated parameter begins the next one. */
static bool take_texts(Call *c, ExplainOptions *o)
{
    if (c->count < 1)
        return command_refuse(c, "which configuration? Give \"A=1 B=2 …\"");
    for (int i = 0; i < c->count; i++) {
        const char *word = c->words[i];
        size_t name = strcspn(word, "= ");
        if (o->count == 0 || word[name] != '=' || gives(o->texts[o->count - 1], word, name)) {
            if (o->count == SUBJECTS)
                return command_refuse(c, "unexpected argument '%s': one configuration or two",
                                      word);
            o->texts[o->count++] = "";
        }
        const char **text = &o->texts[o->count - 1];
        *text = arena_printf(c->arena, "%s%s ", *text, word);
    }
    return true;
}

static bool print_explanation(Run *r, const ExplainOptions *o, const size_t *configs)
{
    Subject s[SUBJECTS];
    SCOPED_BUF out = {0};
    if (!o->json)
        report_heading(r, &out);
    bool known = true;
    for (int i = 0; i < o->count; i++) { /* what became of each configuration without a profile */
        const bool profiled = r->table->profile[configs[i]].whole != NULL;
        if (!profiled)
            report_why(r, configs[i], &out);
        known = known && profiled;
    }
    for (int i = 0; i < o->count && known; i++) {
        run_take_outcome(r, configs[i]);
        RunLines lines = {.why_not = "--no-lines was given"};
        if (!o->no_lines)
            lines = run_follow_lines(r, configs[i]);
        s[i] = explain_subject(r, configs[i], lines, r->recorded.profiles);
    }
    if (known && o->json)
        explain_print_json(s, o->count, &out);
    else if (known)
        explain_print(s, o->count, &out);
    return command_print_text(buf_text(&out)) && known;
}

static bool explain(Call *c)
{
    ExplainOptions *o = c->options;
    if (!options_run_check(c, &o->run) || !take_texts(c, o))
        return false;
    o->run.some = o->run.any_device = true;
    Run r = start_run(c->arena, &o->run, &c->bar, c->diag);
    bool ok = run_open(&r);
    size_t configs[SUBJECTS];
    for (int i = 0; i < o->count && ok; i++) {
        configs[i] = run_name_config(&r, o->texts[i], r.diag);
        ok = configs[i] != SIZE_MAX;
    }
    c->code = ok ? EXIT_FAILED : EXIT_USAGE;
    ok = ok && run_compile_these(&r, configs, (size_t)o->count);
    if (ok) {
        run_carve(&r);
        progress_end(&c->bar);
        ok = print_explanation(&r, o, configs);
    }
    run_close(&r);
    return ok;
}

static ExplainOptions asked;

const CommandLine cmd_explain = {
    .usage = "usage: aptune explain FILE.spec \"A=1 B=2 …\" [\"A=1 B=4 …\"]\n"
             "Says what bounds a configuration, where its cycles go, and what would help. With "
             "two,\ncompares them.\n",
    .table = {{OPTIONS_RUN(&asked.run), OPTIONS_COMPILE(&asked.run),
               OPTION_GROUP(own_options, &asked)}},
    .most = INT_MAX,
    .work = explain,
    .options = &asked};
