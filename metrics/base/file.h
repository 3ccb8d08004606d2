/* Whole files in and out. */
#ifndef APTUNE_BASE_FILE_H
#define APTUNE_BASE_FILE_H

#include "metrics/base/diag.h"

/* Reads a regular file into `a`; a zero byte follows the content.  NULL with a message
 * when it cannot be read. */
const char *file_read(Arena *a, const char *path, size_t *size, Diag *d);

/* The same as a Source that messages can point into. */
const Source *source_read(Arena *a, const char *path, Diag *d);

/* Writes all or nothing: a temporary file beside `path`, flushed, then renamed. */
bool file_write(const char *path, const void *bytes, size_t size, Diag *d);

bool file_exists(const char *path);

/* Creates a folder and the missing ones above it. */
bool folder_create(const char *path, Diag *d);

/* The part of a path before the last slash, "." when there is none. */
const char *path_folder(Arena *a, const char *path);

/* `path` as seen from `folder`: unchanged when absolute. */
const char *path_join(Arena *a, const char *folder, const char *path);

/* The last part of a path, without `suffix` when it ends so. */
const char *path_stem(Arena *a, const char *path, const char *suffix);

#endif
