/* The subcommands.  A new one is a file cmd_NAME.c, a line here and a line in the table of main.c.
 *
 * Exit codes: 0 done, 1 the task failed, 2 wrong usage or input.  A process runs one command, so each file
 * keeps its options in a static variable.
 *
 * A command lists groups of options (tuner/run/option.h): shared ones (tuner/library/settings.h) and its own.
 * getopt_long reads them, so options may be abbreviated and may follow other arguments.  Messages go to
 * standard error. */
#pragma once

#include "tuner/library/settings.h"

#include <signal.h>

enum { EXIT_DONE = 0, EXIT_FAILED = 1, EXIT_USAGE = 2, EXIT_SIGNAL = 128 /* + its number */ };

/* A progress bar: one line on a terminal with the stage, what is done and the time left. */
typedef struct ProgressBar {
    bool shown;        /* standard error is a terminal */
    const char *stage; /* the one shown; NULL: none */
    double started;    /* clock at the start of the stage, seconds */
    double drawn;      /* clock of the last drawing */
} ProgressBar;

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

/* Shows nothing unless standard error is a terminal. */
ProgressBar progress_new(void);

/* Shows `done` of `all` steps of a stage and the time left, or, before the first is done, the time so far; at
 * most ten times a second.  A RunProgress.step; `bar` is a ProgressBar. */
void progress_step(void *bar, const char *stage, size_t done, size_t all, const char *note);

/* Clears the line. */
void progress_end(ProgressBar *bar);

/* run_begin with a progress bar, which must outlive the run. */
Run start_run(Arena *a, const RunOptions *options, ProgressBar *bar, Diag *d);

/* SIGINT, SIGTERM and SIGHUP as a descriptor that a run can wait on.
 *
 * The first signal makes the descriptor readable instead of ending the program; interrupt_take restores the
 * default action, so that a second one ends the program at once.  What is recorded is kept either way.
 * Signals ignored at the start (nohup) stay ignored. */
typedef struct Interrupt {
    int fd;          /* readable once a signal arrived; 0: none can be caught */
    sigset_t caught; /* the signals */
} Interrupt;

Interrupt interrupt_catch(void);

/* The signal that arrived; 0: none.  The next one ends the program. */
int interrupt_take(Interrupt *i);
