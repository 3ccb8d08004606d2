/* The subcommands.  A new one is a file cmd_NAME.c, a line here and a line in the table of main.c.
 *
 * Exit codes: 0 done, 1 the task failed, 2 wrong usage or input.  A process runs one command, so each file
 * keeps its options in a static variable. */
#pragma once

#include "metrics/base/buf.h"
#include "metrics/base/diag.h"
#include "metrics/metric/metricset.h"
#include "tuner/command/options.h"

enum { EXIT_DONE = 0, EXIT_FAILED = 1, EXIT_USAGE = 2, EXIT_SIGNAL = 128 /* + its number */ };

extern const CommandLine cmd_tune;
extern const CommandLine cmd_check;
extern const CommandLine cmd_init;
extern const CommandLine cmd_convert;
extern const CommandLine cmd_explain;
extern const CommandLine cmd_emit;
extern const CommandLine cmd_inspect;
extern const CommandLine cmd_study;
extern const CommandLine cmd_bench;
extern const CommandLine cmd_profile;
extern const CommandLine cmd_merge;
extern const CommandLine cmd_pack;
extern const CommandLine cmd_import;
extern const CommandLine cmd_export;
extern const CommandLine cmd_cache;
extern const CommandLine cmd_devices;
extern const CommandLine cmd_platform;

/* Writes a text to standard error. */
void command_tell(const char *text);

/* Prints the messages collected since the last call to standard error. */
void command_flush_messages(Diag *d);

/* Write a text to standard output and flush it: a full disk must not look like success.  False after a
 * message. command_print_text wraps long lines and colours labels, unless the text is JSON;
 * command_print_data does not. */
bool command_print_text(const char *text);
bool command_print_data(const char *text);

/* The shipped metrics, in `a`; NULL after messages. */
MetricSet *command_metrics(Arena *a, Diag *d);

/* Columns available on the descriptor: COLUMNS, else the terminal's, else 80.  SIZE_MAX: no limit
 * (COLUMNS=0). */
size_t terminal_width(int descriptor);
