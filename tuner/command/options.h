/* Options of a subcommand, as tables: what they are called, where their values go, what --help
 * says.
 *
 * A command lists groups of options: those that it shares with others (options_run.h) and those of
 * its own.  A group names the struct that its values are written to; a value is checked as soon as
 * it is read.  getopt_long does the reading, so options may be abbreviated and may stand behind
 * other arguments.  Messages go to standard error. */
#ifndef APTUNE_COMMAND_OPTIONS_H
#define APTUNE_COMMAND_OPTIONS_H

#include "metrics/base/buf.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct Option Option;

/* Puts a value where it belongs; false after a message. */
typedef bool (*OptionTake)(const Option *o, const char *text, void *field);

struct Option {
    const char *name;   /* "jobs"; a single letter is a short option */
    const char *value;  /* what stands for its value in the help, "N"; NULL: it has none */
    const char *help;   /* one line */
    OptionTake take;    /* for the field's type, below, or one of the command's own */
    size_t offset;      /* of the field in the group's target */
    double least, most; /* limits of a number */
};

typedef struct OptionGroup {
    const Option *options;
    size_t count;
    void *target; /* the struct whose fields they are */
} OptionGroup;

enum { OPTIONS_MOST = 64, OPTION_GROUPS_MOST = 8 };

/* All options of a command. */
typedef struct OptionTable {
    OptionGroup groups[OPTION_GROUPS_MOST];
    size_t group_count;
} OptionTable;

/* Takes all options.  Arguments that are none stand from argv[*rest] on afterwards.  False after a
 * message. */
bool options_parse(const OptionTable *t, int argc, char **argv, int *rest);

/* A line for each option. */
void options_print_help(const OptionTable *t, Buf *out);

/* Refuses argument argv[rest], if there is one: for commands whose arguments are all options. */
bool options_end(int argc, char **argv, int rest);

/* --- values ----------------------------------------------------------------------------------- */

/* A bool: true when the option is given. */
bool option_flag(const Option *o, const char *text, void *field);

/* A const char *: the argument itself. */
bool option_text(const Option *o, const char *text, void *field);

/* An int within least and most. */
bool option_count(const Option *o, const char *text, void *field);

/* A double above zero and at most `most`. */
bool option_seconds(const Option *o, const char *text, void *field);

#endif
