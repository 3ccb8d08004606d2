/* Options of a subcommand on the command line.
 *
 * A command lists groups of options (tuner/run/option.h): shared ones (tuner/library/settings.h) and its own.
 * getopt_long reads them, so options may be abbreviated and may follow other arguments.  Messages go to
 * standard error. */
#pragma once

#include "metrics/base/buf.h"
#include "metrics/metric/device.h"
#include "tuner/command/progress.h"
#include "tuner/run/option.h"

/* What a command's work is given. */
typedef struct Call {
    Arena *arena;  /* ends with the command */
    Diag *diag;    /* printed at the end */
    void *options; /* those of its CommandLine */
    int count;     /* arguments that are no options */
    char **words;
    int code; /* exit code if it fails */
    ProgressBar bar;
} Call;

/* The command line of a subcommand; --help need not be listed. */
typedef struct CommandLine {
    const char *usage; /* the beginning of its help */
    OptionTable table;
    int least, most; /* arguments that are no options */
    const char
        *wanted; /* the message when there are fewer: "which file? Try aptune init FILE.cu" */
    bool (*work)(Call *call); /* false: it failed */
    void *options;
    int failed; /* exit code in that case; 0: EXIT_FAILED */

    /* Called with `options` before and after; NULL: nothing.  `begin` is false after a message. */
    bool (*begin)(void *options);
    void (*end)(void *options);

    /* Takes an option's value in place of the option's own `take`; NULL: unused.  False after a message. */
    bool (*take)(void *options, const Option *o, const char *text, void *field, Diag *d);
    void (*print_more)(Buf *out); /* appended to the help; NULL: nothing */
} CommandLine;

/* Reads the options and does the work, or prints the help or what is wrong with the line.  Returns the exit
 * code. */
int command_run(const CommandLine *c, int argc, char **argv);

/* Prints the usage and a line for each option, --help included. */
void command_print_help(const CommandLine *c, Buf *out);

/* A device named as `find` knows it, or read from a device file; NULL after a message, with call->code
 * set. */
const Device *command_device(Call *call, const char *name, const Device *(*find)(const char *));

/* Takes a first word FILE.spec as the space if --space gave none; false after a message if there is still
 * none. */
bool options_run_check(Call *call, RunOptions *o);

/* For work that finds its options wrong: prints "aptune: why", sets the code of wrong usage and returns
 * false. */
bool command_refuse(Call *call, const char *format, ...) __attribute__((format(printf, 2, 3)));
