/* NVRTC, NVIDIA's run-time compiler, behind our own types.
 *
 * Only nvrtc.c knows it. The library is opened at run time, so that aptune builds and studies recordings
 * without it. One compile for a real architecture (sm_90) gives PTX and cubin. */
#pragma once

#include "tuner/compile/result.h"

typedef struct Nvrtc Nvrtc;

typedef struct NvrtcSearch {
    Texts missing;       /* files that were missing, before the one that opened */
    const char *library; /* the file that opened; NULL: none */
} NvrtcSearch;

/* Opens the first library found in: $APTUNE_NVRTC (a file or a folder; then nothing else is tried),
 * `cuda_folder` (may be NULL), $CUDA_HOME, $CUDA_PATH, /usr/local/cuda, and the loader's own path; version
 * 13 before 12. NULL with a message that lists the places. */
Nvrtc *nvrtc_open(Arena *a, const char *cuda_folder, NvrtcSearch *search, Diag *d);

/* "13.0" */
const char *nvrtc_version(const Nvrtc *n);

/* Compiles; adds -no-cache if the library knows it, since a compile served from the driver's cache tells
 * nothing about compiling. `out` points into `a`; its seconds are left to the caller. False: compiling
 * again may give something else, as after a lack of memory. */
bool nvrtc_compile(Arena *a, Nvrtc *n, const CompileRequest *request, CompileResult *out);
