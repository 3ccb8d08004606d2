/* aptune tune: the main job. */
#include "metrics/base/file.h"
#include "tuner/command/command.h"
#include "tuner/command/dump.h"
#include "tuner/command/interrupt.h"
#include "tuner/command/options_run.h"
#include "tuner/library/shard.h"
#include "tuner/command/start.h"
#include "tuner/output/emit.h"
#include "tuner/output/report.h"
#include "tuner/run/run.h"
#include "tuner/run/run_sanitize.h"

#include <stdio.h>

typedef struct TuneOptions {
    RunOptions run;
    bool json, help;
    const char *why;   /* a configuration; NULL: none asked for */
    const char *dumps; /* letters of -d */
} TuneOptions;

static bool take_dumps(const Option *o, const char *letters, void *field, Diag *d)
{
    (void)o;
    char unknown = dump_unknown(letters);
    *(const char **)field = letters;
    return !unknown ||
           diag_fail(d, "-d knows no letter '%c'; `aptune tune --help` lists them", unknown);
}

static const Option own_options[] = {
    {"why", "\"A=1 B=2 …\"", "say what became of one configuration, and why", option_text,
     offsetof(TuneOptions, why), 0, 0},
    {"json", NULL, "print one JSON object instead of the report", option_flag,
     offsetof(TuneOptions, json), 0, 0},
    {"help", NULL, "print this", option_flag, offsetof(TuneOptions, help), 0, 0},
    /* The last one: the letters follow it in the help. */
    {"d", "LETTERS", "dump what stages leave to standard error:", take_dumps,
     offsetof(TuneOptions, dumps), 0, 0},
};

static OptionTable table_of(TuneOptions *o)
{
    enum { OWN = sizeof own_options / sizeof own_options[0] };
    return (OptionTable){{options_run(&o->run), options_tune(&o->run), {own_options, OWN, o}}, 3};
}

/* Do the options go together? */
static bool check_options(const RunOptions *o)
{
    Arena *a = arena_new();
    Diag d = diag_new(a);
    bool ok = options_agree(o, &d);
    if (!ok)
        fprintf(stderr, "aptune: %s\n", d.messages.at[0].text);
    arena_free(a);
    return ok;
}

static bool parse_options(const OptionTable *t, int argc, char **argv, TuneOptions *o)
{
    int rest;
    shard_ask(&o->run);
    if (!options_parse(t, argc, argv, &rest))
        return false;
    return o->help || (options_end(argc, argv, rest) && check_options(&o->run));
}

static bool print_usage(const OptionTable *t)
{
    Buf text = {0};
    buf_puts(&text, "usage: aptune [tune] --space FILE [options]\n");
    options_print_help(t, &text);
    dump_letters(&text);
    return command_finish(&text);
}

static void dump(const Run *r, const TuneOptions *o, DumpPoint point)
{
    Buf out = {0};
    dump_stage(r, point, o->dumps, &out);
    fputs(buf_text(&out), stderr);
    buf_free(&out);
}

/* Tells what is about to happen before it happens. */
static bool print_heading(const Run *r, const TuneOptions *o)
{
    if (o->json)
        return true;
    Buf out = {0};
    report_heading(r, &out);
    return command_finish(&out);
}

static bool print_counts(const Run *r, const TuneOptions *o)
{
    Buf out = {0};
    if (o->json)
        report_dry_run_json(r, &out);
    else
        report_dry_run(r, &out);
    return command_finish(&out);
}

static bool write_table(Run *r, Buf *said)
{
    Buf csv = {0};
    report_csv(r, &csv);
    const char *path = arena_printf(r->arena, "%s/configurations.csv", r->options.output);
    bool ok = file_write(path, buf_text(&csv), csv.size, r->diag);
    buf_free(&csv);
    if (ok)
        buf_puts(said, path);
    return ok;
}

/* Writes what a run leaves, and says where. */
static bool write_files(Run *r, Buf *said)
{
    if (!folder_create(r->options.output, r->diag))
        return false;
    Buf winner = {0}, table = {0};
    bool ok = write_table(r, &table);
    if (r->best != SIZE_MAX)
        ok = emit_winner(r, r->options.output, &winner, r->diag) && ok;
    if (winner.size > 0)
        buf_printf(said, "%-10s %s\n", "written", buf_text(&winner));
    if (table.size > 0)
        buf_printf(said, "%-10s %s\n", winner.size > 0 ? "" : "written", buf_text(&table));
    buf_free(&winner);
    buf_free(&table);
    return ok;
}

/* `why` is the number of the configuration asked for; SIZE_MAX: none. */
static bool print_result(Run *r, const TuneOptions *o, size_t why)
{
    Buf out = {0}, files = {0};
    bool ok = write_files(r, &files);
    if (o->json) {
        report_json(r, why, &out);
    } else {
        report_result(r, &out);
        buf_puts(&out, buf_text(&files));
        if (why != SIZE_MAX)
            report_why(r, why, &out);
    }
    buf_free(&files);
    return command_finish(&out) && ok;
}

/* Says what a stopped run leaves and how to go on; nothing when it was not stopped. */
static int finish_early(Run *r, Interrupt *interrupt)
{
    int number = r->stopped ? interrupt_take(interrupt) : 0;
    if (number == 0)
        return EXIT_FAILED;
    Buf out = {0};
    report_stopped(r, number, &out);
    command_flush_messages(r->diag);
    fputs(buf_text(&out), stderr);
    buf_free(&out);
    return EXIT_SIGNAL + number;
}

/* Said before hours of compiling, not after. */
static bool can_sanitize(Run *r)
{
    if (r->source != RUN_MEASURED)
        return diag_fail(r->diag, "--sanitize needs a GPU: %s", r->why_not_measured);
    return run_sanitizer(r) != NULL;
}

/* A part of a space has done its work when its outcomes are recorded: mpirun ends all of a job when
 * one process fails. */
static bool has_result(const Run *r)
{
    return r->best != SIZE_MAX || r->source == RUN_STATIC || r->options.shards > 1;
}

/* The way of the configurations, stage by stage. */
static int tune(Run *r, const TuneOptions *o, ProgressBar *bar)
{
    if (!run_open(r))
        return EXIT_USAGE;
    if (o->run.sanitize && !can_sanitize(r))
        return EXIT_USAGE;
    size_t why = o->why ? run_find_config(r, o->why, r->diag) : SIZE_MAX;
    if (o->why && why == SIZE_MAX)
        return EXIT_USAGE;
    dump(r, o, DUMP_OPENED);
    if (!print_heading(r, o))
        return EXIT_FAILED;
    if (o->run.dry_run)
        return print_counts(r, o) ? EXIT_DONE : EXIT_FAILED;
    command_flush_messages(r->diag); /* warnings of the spec are of use before the work */
    if (!run_claim(r))
        return EXIT_FAILED;
    Interrupt interrupt = interrupt_catch();
    r->stop_fd = interrupt.fd;
    if (!run_compile(r)) {
        progress_end(bar);
        return finish_early(r, &interrupt);
    }
    dump(r, o, DUMP_COMPILED);
    run_carve(r);
    dump(r, o, DUMP_CARVED);
    bool timed = run_time(r);
    progress_end(bar);
    if (!timed)
        return finish_early(r, &interrupt);
    dump(r, o, DUMP_TIMED);
    run_judge(r);
    if (!print_result(r, o, why))
        return EXIT_FAILED;
    return has_result(r) ? EXIT_DONE : EXIT_FAILED;
}

/* Tunes one problem; *count becomes how many there are to tune. */
static int tune_problem(const TuneOptions *o, size_t *count)
{
    Arena *a = arena_new();
    Diag d = diag_new(a);
    ProgressBar bar = progress_new();
    Run r = start_run(a, &o->run, &bar, &d);
    int code = tune(&r, o, &bar);
    if (r.spec && !o->run.problem_text)
        *count = r.spec->problem_count;
    progress_end(&bar);
    command_flush_messages(&d);
    run_close(&r);
    arena_free(a);
    return code;
}

int cmd_tune(int argc, char **argv)
{
    TuneOptions o = {.dumps = ""};
    OptionTable table = table_of(&o);
    if (!parse_options(&table, argc, argv, &o)) {
        fputs("`aptune tune --help` lists the options\n", stderr);
        return EXIT_USAGE;
    }
    if (o.help)
        return print_usage(&table) ? EXIT_DONE : EXIT_FAILED;
    size_t problems = 1;
    int code = EXIT_DONE;
    for (; o.run.problem < problems && code == EXIT_DONE; o.run.problem++)
        code = tune_problem(&o, &problems);
    return code;
}
