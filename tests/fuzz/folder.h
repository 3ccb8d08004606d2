/* A folder for what a fuzz target writes. */
#pragma once

#include <stddef.h>

#define FUZZ_FOLDER "/dev/shm/fuzz-" // and six letters

/* Made at the first call, in memory, and removed with all in it at the end. */
const char *fuzz_folder(void);

/* Writes a file there, and its folder where it has one of its own; gives its path, good until the
 * next call. */
const char *fuzz_put(const char *name, const void *bytes, size_t size);
