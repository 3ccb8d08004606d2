/* aptune tune: the main job. */
#include "metrics/base/file.h"
#include "tuner/command/command.h"
#include "tuner/command/dump.h"
#include "tuner/command/options.h"
#include "tuner/command/start.h"
#include "tuner/output/emit.h"
#include "tuner/output/report.h"
#include "tuner/run/run.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char usage_text[] =
    "usage: aptune [tune] --space FILE [options]\n"
    "  --space FILE         the spec: kernel, parameters, constraints, launch, data\n"
    "  --output DIR         where results go (default aptune-out/NAME)\n"
    "  --exhaustive         time every configuration, not only what carving leaves\n"
    "  --dry-run            count the space and stop before compiling\n"
    "  --compile            compile here even where a recording has the profiles\n"
    "  --arch NAME          carve for another device: sm_90, h200 … (see aptune devices)\n"
    "  --why \"A=1 B=2 …\"    say what became of one configuration, and why\n"
    "  --json               print one JSON object instead of the report\n"
    "  --jobs N             compile workers (default: one per core)\n"
    "  --compile-limit S    seconds one compile may take (default 60)\n"
    "  --cache DIR          compiled code (default $APTUNE_CACHE, else ~/.cache/aptune)\n"
    "  --recordings DIR     shipped recordings (default: recordings beside the spec)\n"
    "  --device N           which GPU (default 0)\n"
    "  --no-gpu             do as if there were no GPU\n"
    "  -d LETTERS           dump what stages leave to standard error:\n";

static bool print_usage(void)
{
    Buf text = {0};
    buf_puts(&text, usage_text);
    dump_letters(&text);
    return command_finish(&text);
}

typedef struct TuneOptions {
    RunOptions run;
    bool json, help;
    const char *why;   /* a configuration; NULL: none asked for */
    const char *dumps; /* letters of -d */
} TuneOptions;

enum {
    OPT_SPACE = OPTIONS_LONG,
    OPT_OUTPUT,
    OPT_EXHAUSTIVE,
    OPT_DRY_RUN,
    OPT_COMPILE,
    OPT_ARCH,
    OPT_WHY,
    OPT_JSON,
    OPT_JOBS,
    OPT_COMPILE_LIMIT,
    OPT_CACHE,
    OPT_RECORDINGS,
    OPT_DEVICE,
    OPT_NO_GPU,
    OPT_HELP
};

static const struct option long_options[] = {
    {"space", required_argument, NULL, OPT_SPACE},
    {"output", required_argument, NULL, OPT_OUTPUT},
    {"exhaustive", no_argument, NULL, OPT_EXHAUSTIVE},
    {"dry-run", no_argument, NULL, OPT_DRY_RUN},
    {"compile", no_argument, NULL, OPT_COMPILE},
    {"arch", required_argument, NULL, OPT_ARCH},
    {"why", required_argument, NULL, OPT_WHY},
    {"json", no_argument, NULL, OPT_JSON},
    {"jobs", required_argument, NULL, OPT_JOBS},
    {"compile-limit", required_argument, NULL, OPT_COMPILE_LIMIT},
    {"cache", required_argument, NULL, OPT_CACHE},
    {"recordings", required_argument, NULL, OPT_RECORDINGS},
    {"device", required_argument, NULL, OPT_DEVICE},
    {"no-gpu", no_argument, NULL, OPT_NO_GPU},
    {"help", no_argument, NULL, OPT_HELP},
    {NULL, 0, NULL, 0},
};

enum { SECONDS_MOST = 86400, DEVICES_MOST = 1024, JOBS_MOST = 1024 };

static bool take_seconds(const char *option, const char *text, double *out)
{
    char *end;
    *out = strtod(text, &end);
    if (!*end && end != text && *out > 0 && *out <= SECONDS_MOST)
        return true;
    fprintf(stderr, "aptune: %s takes a number of seconds above zero, at most %d, not '%s'\n",
            option, SECONDS_MOST, text);
    return false;
}

static bool take_dumps(const char *letters, const char **out)
{
    char unknown = dump_unknown(letters);
    *out = letters;
    if (unknown)
        fprintf(stderr, "aptune: -d knows no letter '%c'; `aptune tune --help` lists them\n",
                unknown);
    return !unknown;
}

static bool take_option(TuneOptions *o, int option)
{
    switch (option) {
    case OPT_SPACE:
        o->run.space = optarg;
        return true;
    case OPT_OUTPUT:
        o->run.output = optarg;
        return true;
    case OPT_EXHAUSTIVE:
        o->run.exhaustive = true;
        return true;
    case OPT_DRY_RUN:
        o->run.dry_run = true;
        return true;
    case OPT_COMPILE:
        o->run.compile = true;
        return true;
    case OPT_ARCH:
        o->run.arch = optarg;
        return true;
    case OPT_WHY:
        o->why = optarg;
        return true;
    case OPT_JSON:
        o->json = true;
        return true;
    case OPT_JOBS:
        return options_take_count("--jobs", optarg, 1, JOBS_MOST, &o->run.jobs);
    case OPT_COMPILE_LIMIT:
        return take_seconds("--compile-limit", optarg, &o->run.compile_limit);
    case OPT_CACHE:
        o->run.cache = optarg;
        return true;
    case OPT_RECORDINGS:
        o->run.recordings = optarg;
        return true;
    case OPT_DEVICE:
        return options_take_count("--device", optarg, 0, DEVICES_MOST, &o->run.ordinal);
    case OPT_NO_GPU:
        o->run.no_gpu = true;
        return true;
    case 'd':
        return take_dumps(optarg, &o->dumps);
    case OPT_HELP:
        o->help = true;
        return true;
    default:
        return false;
    }
}

static bool parse_options(int argc, char **argv, TuneOptions *o)
{
    *o = (TuneOptions){.run = {.jobs = start_core_count(), .compile_limit = 60}, .dumps = ""};
    optind = 1;
    opterr = 0; /* its messages would name the command where ours name the program */
    for (int option; (option = getopt_long(argc, argv, ":d:", long_options, NULL)) != -1;) {
        if (option == '?' || option == ':')
            return options_refuse(long_options, option, argv[optind - 1]);
        if (!take_option(o, option))
            return false;
    }
    if (o->help)
        return true;
    if (optind < argc) {
        fprintf(stderr, "aptune: unexpected argument '%s'\n", argv[optind]);
        return false;
    }
    if (!o->run.space)
        fputs("aptune: which space? Say --space FILE\n", stderr);
    return o->run.space != NULL;
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

/* The way of the configurations, stage by stage. */
static int tune(Run *r, const TuneOptions *o, ProgressBar *bar)
{
    if (!run_open(r))
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
    if (!run_compile(r))
        return EXIT_FAILED;
    dump(r, o, DUMP_COMPILED);
    run_carve(r);
    dump(r, o, DUMP_CARVED);
    if (!run_time(r))
        return EXIT_FAILED;
    progress_end(bar);
    dump(r, o, DUMP_TIMED);
    run_judge(r);
    if (!print_result(r, o, why))
        return EXIT_FAILED;
    return r->best == SIZE_MAX && r->source != RUN_STATIC ? EXIT_FAILED : EXIT_DONE;
}

int cmd_tune(int argc, char **argv)
{
    TuneOptions o;
    if (!parse_options(argc, argv, &o)) {
        fputs("`aptune tune --help` lists the options\n", stderr);
        return EXIT_USAGE;
    }
    if (o.help)
        return print_usage() ? EXIT_DONE : EXIT_FAILED;
    Arena *a = arena_new();
    Diag d = diag_new(a);
    ProgressBar bar = progress_new();
    Run r = start_run(a, &o.run, &bar, &d);
    int code = tune(&r, &o, &bar);
    progress_end(&bar);
    command_flush_messages(&d);
    run_close(&r);
    arena_free(a);
    return code;
}
