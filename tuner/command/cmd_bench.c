/* aptune bench: times a recording's winner or an emitted kernel against the vendors' libraries. */
#include "metrics/base/file.h"
#include "tuner/command/bench.h"
#include "tuner/command/command.h"
#include "tuner/library/where.h"
#include "tuner/output/report.h"

typedef struct CommandOptions {
    RunOptions run;
    BenchOptions bench;
    bool json;
} CommandOptions;

/* Entries timed in turn share one state of the L2: `both` is not possible. */
static bool take_cache(const Option *o, const char *text, void *field, Diag *d)
{
    (void)o;
    TaskCache c;
    *(const char **)field = text;
    return (task_cache_find(text, &c) && c != TASK_BOTH) ||
           diag_fail(d, "--cache takes warm or cold, not '%s'", text);
}

enum { ROUNDS_MOST = 10000, SECONDS_MOST = 86400 };

/* 0 on the command line skips it; 0 in the field is the default. */
static bool take_sustain(const Option *o, const char *text, void *field, Diag *d)
{
    if (strcmp(text, "0") != 0)
        return option_seconds(o, text, field, d);
    *(double *)field = -1;
    return true;
}

#define INTO(field) OPTION_INTO(CommandOptions, field, 0, 0)

static const Option own_options[] = {
    {"config", "\"A=1 …\"", "the configuration to run (default: the recording's winner)",
     INTO(bench.config)},
    {"emitted", "FILE", "the manifest of emitted code, which is run unchanged",
     INTO(bench.emitted)},
    {"variants", NULL, "compare emitted code with its other variants, not the rivals",
     INTO(bench.variants)},
    {"against", "NAME", "one of the spec's rivals, or a plugin file (default: all rivals)",
     INTO(bench.against)},
    {"rounds", "N", "how often each is timed, at least 6 (default: 31 to 201, for 5 s in all)",
     option_count, offsetof(CommandOptions, bench.rounds), STATS_INTERVAL_LEAST, ROUNDS_MOST},
    {"sustain", "S", "seconds that each then runs back to back (default 2; 0: skip)", take_sustain,
     offsetof(CommandOptions, bench.sustain_s), 0, SECONDS_MOST},
    {"cache", "STATE", "L2 while timing: warm or cold (default: cold if the data exceeds it)",
     take_cache, offsetof(CommandOptions, run.l2), 0, 0},
    {"time-limit", "S", "seconds that verifying one of them may take (default 120)", option_seconds,
     offsetof(CommandOptions, run.trial_limit), 0, SECONDS_MOST},
    {"json", NULL, "print one JSON object", INTO(json)},
};

/* Folders of plugins: those of APTUNE_RIVALS, then the one of the program's own helpers. */
static void find_plugins(Arena *a, BenchOptions *o)
{
    const char *list = getenv("APTUNE_RIVALS");
    while (list && *list) {
        size_t n = strcspn(list, ":");
        if (n > 0)
            VEC_PUSH(a, &o->plugin_folders, arena_copy(a, list, n));
        list += n + (list[n] == ':');
    }
    const char *helper = where_helper(a, NULL, "aptune-gpu");
    VEC_PUSH(a, &o->plugin_folders, path_folder(a, helper));
}

static int bench_here(Call *c, Run *r, CommandOptions *o)
{
    Bench b;
    SCOPED_BUF heading = {0}, out = {0};
    if (!bench_take_problem(r, &o->bench))
        return EXIT_USAGE;
    if (!run_open(r)) /* without a GPU any failure to open is a failed task, not wrong usage */
        return r->spec && r->why_not_measured ? EXIT_FAILED : EXIT_USAGE;
    if (!o->json && r->source == RUN_MEASURED)
        report_heading(r, &heading);
    if (!command_print_text(buf_text(&heading)))
        return EXIT_FAILED;
    if (!bench_choose(r, &o->bench, &b))
        return EXIT_USAGE;
    command_flush_messages(r->diag);
    Interrupt interrupt = interrupt_catch();
    r->stop_fd = interrupt.fd;
    bool ran = bench_run(r, &o->bench, &b);
    progress_end(&c->bar);
    if (!ran) {
        int number = r->stopped ? interrupt_take(&interrupt) : 0;
        return number ? EXIT_SIGNAL + number : EXIT_FAILED;
    }
    if (o->json)
        bench_print_json(r, &b, &out);
    else
        bench_print(r, &b, &out);
    return command_print_text(buf_text(&out)) && bench_is_sound(&b) ? EXIT_DONE : EXIT_FAILED;
}

static bool bench(Call *c)
{
    CommandOptions *o = c->options;
    if (!options_run_check(c, &o->run))
        return false;
    o->bench.recording = c->count > 0 ? c->words[0] : NULL;
    const BenchOptions *b = &o->bench;
    if (b->recording && (b->config || b->emitted))
        return command_refuse(c,
                              "a recording, --config and --emitted each say what is run: give one");
    if (b->variants && (!b->emitted || b->against))
        return command_refuse(c, "--variants compares the variants of --emitted FILE with each "
                                 "other: it needs --emitted and excludes --against");
    o->run.some = true;
    find_plugins(c->arena, &o->bench);
    Run r = start_run(c->arena, &o->run, &c->bar, c->diag);
    c->code = bench_here(c, &r, o);
    run_close(&r);
    return c->code == EXIT_DONE;
}

static CommandOptions asked;

const CommandLine cmd_bench = {
    .usage = "usage: aptune bench FILE.spec [options] [RECORDING]\n"
             "Runs a recording's winner, a configuration or emitted code on this machine, in "
             "turn with the\nlibraries that the spec names as rivals, and compares their times.\n",
    .table = {{OPTIONS_RUN(&asked.run), OPTIONS_COMPILE(&asked.run),
               OPTION_GROUP(own_options, &asked)}},
    .most = 1,
    .work = bench,
    .options = &asked};
