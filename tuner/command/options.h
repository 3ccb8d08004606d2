/* Options of a subcommand on the command line.
 *
 * A command lists groups of options (tuner/run/option.h): those that it shares with others
 * (start.h) and those of its own.  getopt_long does the reading, so options may be
 * abbreviated and may stand behind other arguments.  Messages go to standard error. */
#ifndef APTUNE_COMMAND_OPTIONS_H
#define APTUNE_COMMAND_OPTIONS_H

#include "metrics/base/buf.h"
#include "tuner/run/option.h"

/* Takes all options.  Arguments that are none stand from argv[*rest] on afterwards.  False after a
 * message. */
bool options_parse(const OptionTable *t, int argc, char **argv, int *rest);

/* What becomes of an option that was read: `field` is where the table would have its value go.
 * False after a message. */
typedef bool (*OptionSink)(void *context, const Option *o, const char *text, void *field, Diag *d);

/* options_parse for values that go elsewhere than to the fields that the table names. */
bool options_read(const OptionTable *t, int argc, char **argv, OptionSink sink, void *context,
                  int *rest);

/* A line for each option. */
void options_print_help(const OptionTable *t, Buf *out);

/* Refuses argument argv[rest], if there is one: for commands whose arguments are all options. */
bool options_end(int argc, char **argv, int rest);

#endif
