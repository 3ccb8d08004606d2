/* Options of a subcommand on the command line.
 *
 * A command lists groups of options (tuner/run/option.h): those that it shares with others
 * (tuner/library/settings.h) and those of its own.  getopt_long does the reading, so options may be
 * abbreviated and may stand behind other arguments.  Messages go to standard error. */
#pragma once

#include "metrics/base/buf.h"
#include "metrics/metric/device.h"
#include "tuner/run/option.h"

/* What a command works with. */
typedef struct Call {
    Arena *arena;  /* ends with the command */
    Diag *diag;    /* printed at the end */
    void *options; /* those of its CommandLine */
    int count;     /* arguments that are no options */
    char **words;
    int code; /* the program's should it fail */
} Call;

/* What may stand on the command line of a subcommand; --help need not be listed. */
typedef struct CommandLine {
    const char *usage; /* its help begins with this */
    OptionTable table;
    int least, most;    /* arguments that are no options */
    const char *wanted; /* said where there are fewer: "which file? Say aptune init FILE.cu" */
    bool (*work)(Call *call); /* false: it failed */
    void *options;
    int failed; /* the exit code that says so; 0: EXIT_FAILED */

    /* Around all of that, with `options`; NULL: nothing.  `begin` is false after a message. */
    bool (*begin)(void *options);
    void (*end)(void *options);

    /* What becomes of an option's value instead of going to `field`, which its table names; NULL:
     * it goes there.  False after a message. */
    bool (*take)(void *options, const Option *o, const char *text, void *field, Diag *d);
    void (*print_more)(Buf *out); /* behind the help; NULL: nothing */
} CommandLine;

/* Reads the options and does the work.  The exit code: also once the help is printed, or a message
 * says what is wrong with the line. */
int command_run(const CommandLine *c, int argc, char **argv);

/* The usage, and a line for each option, --help among them. */
void command_print_help(const CommandLine *c, Buf *out);

/* A device by name, which `find` knows, or in a file; NULL after a message, with the code of wrong
 * usage. */
const Device *command_device(Call *call, const char *name, const Device *(*find)(const char *));

/* For work that finds its options wrong: says it, "aptune: why", and is false. */
bool command_refuse(Call *call, const char *format, ...) __attribute__((format(printf, 2, 3)));
