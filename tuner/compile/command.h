/* What a command prints: the source of a kernel that a program generates. */
#ifndef APTUNE_COMPILE_COMMAND_H
#define APTUNE_COMPILE_COMMAND_H

#include "metrics/base/diag.h"

/* The words of a command, split at blanks; the list ends with NULL. */
char **command_words(Arena *a, const char *command);

/* Runs a command in a folder, without a shell, and gives what it printed to standard output, in
 * `a`. NULL with a message when it cannot be started, fails, prints nothing or more than a source
 * can be. */
const char *command_output(Arena *a, const char *folder, const char *command, size_t *size,
                           Diag *d);

#endif
