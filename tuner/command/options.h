/* Options of a subcommand: what getopt_long did not take, and numbers.
 *
 * getopt's own messages are off (opterr = 0, a short list that starts with ':'), since they would
 * name the command where ours name the program.  Messages go to standard error. */
#ifndef APTUNE_COMMAND_OPTIONS_H
#define APTUNE_COMMAND_OPTIONS_H

#include <getopt.h>
#include <stdbool.h>

/* Long options have values from here on, above every letter. */
enum { OPTIONS_LONG = 256 };

/* Says what is wrong with the option that getopt did not take: `found` is '?' or ':', `given` the
 * word it stands in, `table` ends with zeros.  Always false. */
bool options_refuse(const struct option *table, int found, const char *given);

/* A whole number within limits; false after a message. */
bool options_take_count(const char *option, const char *text, int least, int most, int *out);

#endif
