/* Where our own files are: helper programs, metric files, the comparison kernel.
 *
 * They are looked for around the file that holds this code, be it the program or libaptune.so:
 * beside it (a build folder), then as installed below one of the two folders above it
 * (PREFIX/libexec/aptune, PREFIX/share/aptune), so that a PREFIX may be moved as a whole; not above
 * a folder that others may write into.  Before all that in the folder of the environment variable
 * APTUNE_HOME, a PREFIX or a build folder, where it is set; after it where it was to be installed.
 * Never along PATH. */
#pragma once

#include "metrics/base/arena.h"

/* A helper program ("aptune-gpu"); where it should have been installed when it is nowhere.
 * `prefix` is looked below first; NULL: that of APTUNE_HOME. */
const char *where_helper(Arena *a, const char *prefix, const char *name);

/* A data file, given as it lies in the source tree ("metrics/thesis.metrics"). */
const char *where_data(Arena *a, const char *prefix, const char *name);

/* The shipped metric files, in the order they are to be read. */
const char *const *where_metrics(Arena *a, const char *prefix, size_t *count);
