/* Which compiler the helper program would open, remembered between runs.
 *
 * Cache keys hold the compiler's version, and only a worker can open the library and ask.  So
 * what a worker said is kept in the cache under everything its search depends on, with the size
 * and date of the library, and the places where there was none: as long as all that holds, a run
 * knows its compiler without starting anything. */
#pragma once

#include "tuner/compile/cache.h"

typedef struct Compiler {
    const char *version;  /* "13.0" */
    const char *identity; /* for cache keys: the version and what else tells builds apart */
} Compiler;

/* What a worker's hello says, in `a`; false with a message when it is no hello, speaks another
 * protocol, or has no compiler. */
bool compiler_read(Arena *a, const json_t *hello, Compiler *out, Diag *d);

/* Notes a hello that compiler_read took. */
bool compiler_note(const Cache *c, const char *helper, const char *cuda_folder, const json_t *hello,
                   Diag *d);

/* What an earlier run noted, in `a`; false when it noted nothing or things have changed. */
bool compiler_recall(Arena *a, const Cache *c, const char *helper, const char *cuda_folder,
                     Compiler *out);

/* "NVRTC 13.0, /usr/local/cuda/lib64/libnvrtc.so.13", or why there is none; in `a`. */
const char *compiler_describe(Arena *a, const json_t *hello);
