/* Locates our own files: helper programs, metric files, the comparison kernel.
 *
 * They are searched for
 *   1. below the environment variable APTUNE_HOME, a PREFIX or a build folder, if it is set;
 *   2. beside the file that holds this code, the program or libaptune.so (a build folder);
 *   3. as installed below one of the two folders above it (PREFIX/libexec/aptune, PREFIX/share/aptune), so
 *      that a PREFIX can be moved as a whole, unless others may write to that folder;
 *   4. where they were to be installed.
 * Never along PATH. */
#pragma once

#include "metrics/base/arena.h"

/* The path of a helper program ("aptune-gpu"); if it is not found, where it should have been installed.
 * `prefix` replaces APTUNE_HOME; NULL: it does not. */
const char *where_helper(Arena *a, const char *prefix, const char *name);

/* The path of a data file, named as in the source tree ("metrics/thesis.metrics"). */
const char *where_data(Arena *a, const char *prefix, const char *name);

/* The shipped metric files, in the order in which they must be read. */
const char *const *where_metrics(Arena *a, const char *prefix, size_t *count);
