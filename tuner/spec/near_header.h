/* Where a header lies that a kernel includes and that no folder given has.
 *
 * Projects keep their own headers some folders away and name these to their build.  A name is
 * looked for below the source's folder, then below each of the few folders above it, no further
 * than a project's root, and in none above that is everybody's, as /tmp. */
#pragma once

#include "metrics/base/arena.h"

/* The folder to give as --include for what a compiler's log complains of: a header that it cannot
 * open, or one outside of the folders given, whose host code stays in it.  NULL: there is none. */
const char *near_header(Arena *a, const char *folder, const char *log);

/* The name of the header that a compiler's log misses; NULL: it misses none. */
const char *near_header_missing(Arena *a, const char *log);

/* The header that the first error of a log lies in; NULL: it lies elsewhere. */
const char *near_header_failing(Arena *a, const char *log);

/* The sources and headers in a file's folder. */
size_t near_sources(Arena *a, const char *path, const char **out, size_t room);

/* The files near a file that include it, those of CUDA first: what it uses may be declared there
 * before. */
size_t near_includers(Arena *a, const char *path, const char **out, size_t room);

/* The file that a project's build makes a missing header of: "config.h.in" of "config.h"; NULL: none
 * is near. */
const char *near_header_made_of(Arena *a, const char *folder, const char *log);

/* The .cu, .cuh or .inl file of the project that `folder` lies in which has the body of the function
 * that ptxas calls unresolved in a log; `*function` becomes its name.  NULL: none has, or the log
 * says nothing such. */
const char *near_body(Arena *a, const char *folder, const char *log, const char **function);
