/* Finds headers that a kernel includes and that no given folder has.
 *
 * Projects keep their headers some folders away and pass these to their build. A name is looked for below
 * the source's folder, then below each of the few folders above it, up to the project's root, but not in
 * shared folders such as /tmp. */
#pragma once

#include "metrics/base/arena.h"

/* The folder to pass as --include for a header that a compiler's log misses, or that lies outside the given
 * folders so that its host code stays in. NULL: none. */
const char *near_header(Arena *a, const char *folder, const char *log);

/* The folder of a file, if it belongs to the project of the source in `folder`; NULL: it does not. */
const char *near_folder(Arena *a, const char *folder, const char *file);

/* The name of the header that a compiler's log misses; NULL: none. */
const char *near_header_missing(Arena *a, const char *log);

/* The header in which the first error of a log occurs; NULL: it occurs elsewhere. */
const char *near_header_failing(Arena *a, const char *log);

/* Lists the sources and headers in a file's folder. */
size_t near_sources(Arena *a, const char *path, const char **out, size_t room);

/* Lists files near a file that include it, CUDA files first: they may declare what it uses. */
size_t near_includers(Arena *a, const char *path, const char **out, size_t room);

/* The template of a missing header that a project's build makes, "config.h.in" of "config.h"; NULL: none. */
const char *near_header_made_of(Arena *a, const char *folder, const char *log);

/* The project's .cu, .cuh or .inl file that defines the function which a ptxas log calls unresolved;
 * `*function`: its name. NULL: none, or the log has no such error. */
const char *near_body(Arena *a, const char *folder, const char *log, const char **function);
