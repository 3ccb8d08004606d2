/* Options of a subcommand on the command line.
 *
 * A command lists groups of options (tuner/run/option.h): those that it shares with others
 * (tuner/library/settings.h) and those of its own.  getopt_long does the reading, so options may be
 * abbreviated and may stand behind other arguments.  Messages go to standard error. */
#ifndef APTUNE_COMMAND_OPTIONS_H
#define APTUNE_COMMAND_OPTIONS_H

#include "metrics/base/buf.h"
#include "tuner/run/option.h"

/* What may stand on the command line of a subcommand; --help need not be listed. */
typedef struct CommandLine {
    const char *usage; /* its help begins with this */
    OptionTable table;
    int least, most;    /* arguments that are no options */
    const char *wanted; /* said where there are fewer: "which file? Say aptune init FILE.cu" */
} CommandLine;

enum { COMMAND_GOES_ON = -1 };

/* Takes all options.  Arguments that are none stand from argv[*rest] on afterwards.
 * COMMAND_GOES_ON, or the exit code once the help is printed or a message says what is wrong. */
int command_line_read(const CommandLine *c, int argc, char **argv, int *rest);

/* What becomes of an option that was read: `field` is where the table would have its value go.
 * False after a message. */
typedef bool (*OptionSink)(void *context, const Option *o, const char *text, void *field, Diag *d);

typedef enum OptionsRead { OPTIONS_WRONG, OPTIONS_TAKEN, OPTIONS_HELP } OptionsRead;

/* Takes options whose values go elsewhere than to the fields that the table names.  OPTIONS_HELP:
 * the help is asked for; OPTIONS_WRONG after a message. */
OptionsRead options_read(const OptionTable *t, int argc, char **argv, OptionSink sink,
                         void *context, int *rest);

/* A line for each option, --help among them. */
void options_print_help(const OptionTable *t, Buf *out);

/* Refuses argument argv[rest], if there is one: for commands whose arguments are all options. */
bool options_end(int argc, char **argv, int rest);

#endif
