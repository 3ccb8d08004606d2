/* Headers that NVRTC gets by name, before it searches folders.
 *
 * It has only the toolkit's headers. Device code includes those of the host by habit: the files of
 * tuner/compile/worker/headers stand in for them, embedded in the program. They declare what the device has
 * or what does nothing; of host libraries only names remain. They let a file written for nvcc compile; the
 * code is the same. */
#pragma once

#include "tuner/compile/result.h"

typedef struct Headers {
    Texts names, texts;
} Headers;

/* The request's headers, then those that stand in for others. */
Headers headers_for(Arena *a, const CompileRequest *request);

/* The files, embedded by the build. Each is also found as aptune/NAME, by which they include each other. */
extern const Source header_files[];
extern const size_t header_file_count;
