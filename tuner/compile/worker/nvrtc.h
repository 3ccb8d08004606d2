/* NVRTC, NVIDIA's run-time compiler, behind types of our own.
 *
 * nvrtc.c is the only file that knows it.  The library is opened when the program runs, so that
 * aptune builds and studies recordings where there is none.  One compile for a real
 * architecture (sm_90) gives PTX and cubin. */
#pragma once

#include "tuner/compile/result.h"

typedef struct Nvrtc Nvrtc;

/* Where a library may be. */
typedef struct NvrtcSearch {
    const char **missing; /* files that were looked for in vain, before the one that opened */
    size_t missing_count;
    const char *library; /* the file that opened; NULL when none did */
} NvrtcSearch;

/* Opens the first library that is there of: $APTUNE_NVRTC (a file or a folder; then nothing else
 * is tried), `cuda_folder` (may be NULL), $CUDA_HOME, $CUDA_PATH, /usr/local/cuda, and what the
 * loader finds; version 13 before 12.  NULL with a message that says where it looked. */
Nvrtc *nvrtc_open(Arena *a, const char *cuda_folder, NvrtcSearch *search, Diag *d);

/* "13.0" */
const char *nvrtc_version(const Nvrtc *n);

/* Compiles; -no-cache is added where the library has it, because a compile served from the
 * driver's cache tells nothing about compiling.  What `out` points to lives in `a`; its seconds are
 * left to the caller.  False: compiling again may give something else, as after a lack of memory. */
bool nvrtc_compile(Arena *a, Nvrtc *n, const CompileRequest *request, CompileResult *out);
