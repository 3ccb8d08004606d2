/* The subcommands.  A new one is a file cmd_NAME.c, a line here and a line in the table of main.c.
 *
 * A command gets its own arguments, argv[0] being its name, prints, and returns the program's exit
 * code: 0 done, 1 the task failed, 2 wrong usage or input. */
#pragma once

#include "metrics/base/buf.h"
#include "metrics/base/diag.h"
#include "metrics/metric/metricset.h"

#include <stdbool.h>
#include <stddef.h>

enum { EXIT_DONE = 0, EXIT_FAILED = 1, EXIT_USAGE = 2, EXIT_SIGNAL = 128 /* + its number */ };

int cmd_tune(int argc, char **argv);
int cmd_check(int argc, char **argv);
int cmd_init(int argc, char **argv);
int cmd_convert(int argc, char **argv);
int cmd_explain(int argc, char **argv);
int cmd_emit(int argc, char **argv);
int cmd_inspect(int argc, char **argv);
int cmd_study(int argc, char **argv);
int cmd_bench(int argc, char **argv);
int cmd_profile(int argc, char **argv);
int cmd_merge(int argc, char **argv);
int cmd_pack(int argc, char **argv);
int cmd_import(int argc, char **argv);
int cmd_export(int argc, char **argv);
int cmd_cache(int argc, char **argv);
int cmd_devices(int argc, char **argv);
int cmd_platform(int argc, char **argv);

/* Writes a text to standard error. */
void command_tell(const char *text);

/* Prints the messages that have come since the last time to standard error. */
void command_flush_messages(Diag *d);

/* Write a text to standard output and make sure that it got there: a full disk must not look like
 * success.  False after a message.  Long lines are broken and words coloured, but in
 * JSON and what command_print_data is given.  command_finish frees the text. */
bool command_print_text(const char *text);
bool command_print_data(const char *text);
bool command_finish(Buf *text);

/* The shipped metrics, in `a`; NULL after messages. */
MetricSet *command_metrics(Arena *a, Diag *d);

/* Columns that a text written to the descriptor may have: those of COLUMNS, of the terminal, or 80.
 * SIZE_MAX: as many as it likes (COLUMNS=0). */
size_t terminal_width(int descriptor);
