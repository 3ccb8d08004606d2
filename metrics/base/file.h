/* Whole files in and out; folders and paths. */
#pragma once

#include "metrics/base/diag.h"

/* Opens a regular file for reading, never blocking, and gives its size in bytes.  -1 with a message if it is
 * not a regular file (a folder, a device, a FIFO) or cannot be opened. */
int file_open(const char *path, uint64_t *size, Diag *d);

/* Moves a descriptor above 0, 1 and 2: the caller's program may have closed those, and starting a program
 * redirects them.  -1, with errno, stays -1. */
int file_above_standard(int fd);

/* Reads a regular file of at most 1 GiB into `a`; a zero byte follows the content.  NULL with a message. */
const char *file_read(Arena *a, const char *path, size_t *size, Diag *d);

/* The same with another limit, in bytes. */
const char *file_read_most(Arena *a, const char *path, uint64_t most, size_t *size, Diag *d);

/* The same as a Source that messages can point into. */
const Source *source_read(Arena *a, const char *path, Diag *d);

/* Creates a file beside `path`, to be renamed to it later, and opens it for writing.  Its `name`, in `a`,
 * cannot be guessed, and an existing file or link is never written to: others may be able to write to the
 * folder, even from other hosts.  -1 with a message. */
int file_create_beside(Arena *a, const char *path, const char **name, Diag *d);

/* False with errno; `written` tells how much was written.  A regular file takes a partial write only when
 * there is no room for the rest; the next attempt then fails with the reason. */
bool file_write_all(int fd, const void *bytes, size_t size, size_t *written);

/* Writes a new file as file_create_beside does; its name, or NULL with a message. */
const char *file_write_beside(Arena *a, const char *path, const void *bytes, size_t size, Diag *d);

/* Writes a file atomically: a new file beside `path`, then renamed. */
bool file_write(const char *path, const void *bytes, size_t size, Diag *d);

bool file_exists(const char *path);

/* Creates a folder and its missing parents.  Refuses another user's link, which could lead to any folder. */
bool folder_create(const char *path, Diag *d);

/* The part of a path before the last slash, "." without one. */
const char *path_folder(Arena *a, const char *path);

/* The absolute path of an existing file or folder, without links; `otherwise` if there is none. */
const char *path_real(Arena *a, const char *path, const char *otherwise);

/* `path` relative to `folder`: unchanged if absolute. */
const char *path_join(Arena *a, const char *folder, const char *path);

/* A Windows path with '/' for '\'. */
const char *path_slashes(Arena *a, const char *path);

/* The regular file `name` below a folder, ignoring case as on Windows; NULL if there is none. */
const char *path_any_case(Arena *a, const char *folder, const char *name);

/* The path of an existing file or folder relative to a folder, "../lib/k.cu"; absolute if the folder does
 * not exist, `path` itself if that does not. */
const char *path_relative(Arena *a, const char *folder, const char *path);

/* The last component of a path, without `suffix` if it ends so. */
const char *path_stem(Arena *a, const char *path, const char *suffix);

/* Size and modification time of a file as one text; "none" if it does not exist. */
const char *file_stamp(Arena *a, const char *path);
