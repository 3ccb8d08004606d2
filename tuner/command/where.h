/* Where the program's own files are: helper programs, metric files, the comparison kernel. */
#ifndef APTUNE_COMMAND_WHERE_H
#define APTUNE_COMMAND_WHERE_H

#include "metrics/base/arena.h"

/* A helper program beside this one, or in ../libexec/aptune; else its bare name. */
const char *where_helper(Arena *a, const char *name);

/* A data file, given as it lies in the source tree ("metrics/thesis.metrics"). */
const char *where_data(Arena *a, const char *name);

/* The shipped metric files, in the order they are to be read. */
const char *const *where_metrics(Arena *a, size_t *count);

#endif
