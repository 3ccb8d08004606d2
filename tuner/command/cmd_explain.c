/* aptune explain: why one configuration takes as long as it does. */
#include "tuner/command/command.h"
#include "tuner/command/options.h"
#include "tuner/command/start.h"
#include "tuner/output/explain.h"
#include "tuner/output/report.h"

#include <stdio.h>
#include <string.h>

static const char usage_text[] =
    "usage: aptune explain --space FILE \"A=1 B=2 …\" [\"A=1 B=4 …\"]\n"
    "What bounds a configuration, where its cycles go, and what would help; two side by side.\n"
    "  --space FILE         the spec\n"
    "  --no-lines           do not compile once more for the lines of the source\n"
    "  --compile            compile here even where a recording has the profiles\n"
    "  --arch NAME          for another device: sm_90, h200 … (see aptune devices)\n"
    "  --cache DIR          compiled code (default $APTUNE_CACHE, else ~/.cache/aptune)\n"
    "  --recordings DIR     shipped recordings (default: recordings beside the spec)\n"
    "  --device N           which GPU (default 0)\n"
    "  --no-gpu             do as if there were no GPU\n";

enum { SUBJECTS = 2, DEVICES_MOST = 1024 };

typedef struct ExplainOptions {
    RunOptions run;
    bool no_lines, help;
    const char *texts[SUBJECTS];
    int count;
} ExplainOptions;

enum {
    OPT_SPACE = OPTIONS_LONG,
    OPT_NO_LINES,
    OPT_COMPILE,
    OPT_ARCH,
    OPT_CACHE,
    OPT_RECORDINGS,
    OPT_DEVICE,
    OPT_NO_GPU,
    OPT_HELP
};

static const struct option long_options[] = {
    {"space", required_argument, NULL, OPT_SPACE},
    {"no-lines", no_argument, NULL, OPT_NO_LINES},
    {"compile", no_argument, NULL, OPT_COMPILE},
    {"arch", required_argument, NULL, OPT_ARCH},
    {"cache", required_argument, NULL, OPT_CACHE},
    {"recordings", required_argument, NULL, OPT_RECORDINGS},
    {"device", required_argument, NULL, OPT_DEVICE},
    {"no-gpu", no_argument, NULL, OPT_NO_GPU},
    {"help", no_argument, NULL, OPT_HELP},
    {NULL, 0, NULL, 0},
};

static bool take_option(ExplainOptions *o, int option)
{
    switch (option) {
    case OPT_SPACE:
        o->run.space = optarg;
        return true;
    case OPT_NO_LINES:
        o->no_lines = true;
        return true;
    case OPT_COMPILE:
        o->run.compile = true;
        return true;
    case OPT_ARCH:
        o->run.arch = optarg;
        return true;
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
    case OPT_HELP:
        o->help = true;
        return true;
    default:
        return false;
    }
}

/* The configurations asked for stand behind the options. */
static bool take_texts(ExplainOptions *o, int count, char **texts)
{
    if (!o->run.space)
        return fputs("aptune: which space? Say --space FILE\n", stderr), false;
    if (count < 1)
        return fputs("aptune: which configuration? Say \"A=1 B=2 …\"\n", stderr), false;
    if (count > SUBJECTS) {
        fprintf(stderr,
                "aptune: unexpected argument '%s': one configuration or two, each in quotes\n",
                texts[SUBJECTS]);
        return false;
    }
    for (int i = 0; i < count; i++)
        o->texts[i] = texts[i];
    o->count = count;
    return true;
}

static bool parse_options(int argc, char **argv, ExplainOptions *o)
{
    *o = (ExplainOptions){.run = {.jobs = start_core_count(), .compile_limit = 60}};
    optind = 1;
    opterr = 0;
    for (int option; (option = getopt_long(argc, argv, ":", long_options, NULL)) != -1;) {
        if (option == '?' || option == ':')
            return options_refuse(long_options, option, argv[optind - 1]);
        if (!take_option(o, option))
            return false;
    }
    return o->help || take_texts(o, argc - optind, argv + optind);
}

/* False when a configuration has no profile, after what became of it. */
static bool print_explanation(Run *r, const ExplainOptions *o, const size_t *configs, bool carved)
{
    Buf out = {0};
    Subject s[SUBJECTS];
    bool known = true;
    report_heading(r, &out);
    for (int i = 0; i < o->count; i++) {
        if (!r->configs[configs[i]].profile) {
            report_why(r, configs[i], &out);
            known = false;
            continue;
        }
        run_take_outcome(r, configs[i]);
        RunLines lines = {.why_not = "--no-lines was given"};
        if (!o->no_lines)
            lines = run_follow_lines(r, configs[i]);
        s[i] = explain_subject(r, configs[i], lines, carved);
    }
    if (known)
        explain_print(s, o->count, &out);
    return command_finish(&out) && known;
}

static int explain(Run *r, const ExplainOptions *o, ProgressBar *bar)
{
    if (!run_open(r))
        return EXIT_USAGE;
    size_t configs[SUBJECTS];
    for (int i = 0; i < o->count; i++) {
        configs[i] = run_find_config(r, o->texts[i], r->diag);
        if (configs[i] == SIZE_MAX)
            return EXIT_USAGE;
    }
    r->only = configs;
    r->only_count = (size_t)o->count;
    bool compiled = run_compile(r);
    r->only = NULL; /* it ends with this function */
    if (!compiled)
        return EXIT_FAILED;
    run_carve(r);
    progress_end(bar);
    return print_explanation(r, o, configs, r->profiles_recorded) ? EXIT_DONE : EXIT_FAILED;
}

int cmd_explain(int argc, char **argv)
{
    ExplainOptions o;
    if (!parse_options(argc, argv, &o)) {
        fputs("`aptune explain --help` lists the options\n", stderr);
        return EXIT_USAGE;
    }
    if (o.help)
        return command_print_text(usage_text) ? EXIT_DONE : EXIT_FAILED;
    Arena *a = arena_new();
    Diag d = diag_new(a);
    ProgressBar bar = progress_new();
    Run r = start_run(a, &o.run, &bar, &d);
    int code = explain(&r, &o, &bar);
    progress_end(&bar);
    command_flush_messages(&d);
    run_close(&r);
    arena_free(a);
    return code;
}
