/* Remembers between runs which compiler the helper program would open.
 *
 * Cache keys hold the compiler's version, and only a worker can open the library and ask. So a worker's
 * answer is kept in the cache under everything that its search depends on, with the library's size and date
 * and the places where none was: while these are unchanged, a run knows its compiler without starting a
 * worker. */
#pragma once

#include "tuner/compile/cache.h"

typedef struct Compiler {
    const char *version;  /* "13.0" */
    const char *identity; /* for cache keys: the version and what tells builds apart */
} Compiler;

/* Reads a worker's hello, into `a`; false with a message: no hello, another protocol, or no compiler. */
bool compiler_read(Arena *a, const json_t *hello, Compiler *out, Diag *d);

/* Stores a hello that compiler_read accepted. */
bool compiler_note(const Cache *c, const char *helper, const char *cuda_folder, const json_t *hello,
                   Diag *d);

/* What an earlier run stored, in `a`; false: nothing, or it no longer holds. */
bool compiler_recall(Arena *a, const Cache *c, const char *helper, const char *cuda_folder,
                     Compiler *out);

/* "NVRTC 13.0, /usr/local/cuda/lib64/libnvrtc.so.13", or why there is none; in `a`. */
const char *compiler_describe(Arena *a, const json_t *hello);
