/* Whole files in and out. */
#pragma once

#include "metrics/base/diag.h"

/* Opens a regular file for reading, without waiting for anything; `size` is its size in bytes.  -1
 * with a message when it is none (a folder, a device, a FIFO) or cannot be opened. */
int file_open(const char *path, uint64_t *size, Diag *d);

/* Reads a regular file of at most 1 GiB into `a`; a zero byte follows the content.  NULL with a
 * message when it cannot be read. */
const char *file_read(Arena *a, const char *path, size_t *size, Diag *d);

/* The same with another limit, in bytes. */
const char *file_read_most(Arena *a, const char *path, uint64_t most, size_t *size, Diag *d);

/* The same as a Source that messages can point into. */
const Source *source_read(Arena *a, const char *path, Diag *d);

/* Creates a file beside `path` to be renamed to it, and opens it for writing.  Its `name`, in `a`,
 * can't be guessed, and what lies there already, a link among others, is never written to: `path`
 * may lie in a folder that others write into, from other hosts too.  -1 with a message. */
int file_create_beside(Arena *a, const char *path, const char **name, Diag *d);

/* Reads up to `*size` bytes, fewer where the file ends before.  False with errno. */
bool file_read_all(int fd, char *bytes, size_t *size);

/* False with errno; `written` says how much was.  A regular file takes part of a write only when
 * there is no room for the rest; asking for that again tells why. */
bool file_write_all(int fd, const void *bytes, size_t size, size_t *written);

/* Writes such a file; its name, or NULL with a message. */
const char *file_write_beside(Arena *a, const char *path, const void *bytes, size_t size, Diag *d);

/* Writes all or nothing: a file beside `path`, then renamed. */
bool file_write(const char *path, const void *bytes, size_t size, Diag *d);

bool file_exists(const char *path);

/* Creates a folder and the missing ones above it.  Refused when it is a link that another user
 * made: in a shared folder it may lead to any of ours. */
bool folder_create(const char *path, Diag *d);

/* The part of a path before the last slash, "." when there is none. */
const char *path_folder(Arena *a, const char *path);

/* `path` as seen from `folder`: unchanged when absolute. */
const char *path_join(Arena *a, const char *folder, const char *path);

/* A path as Windows writes it, with '/' for '\'. */
const char *path_slashes(Arena *a, const char *path);

/* The path of a regular file that `name` means below a folder where a letter's case does not count,
 * as on Windows; NULL: there is none. */
const char *path_any_case(Arena *a, const char *folder, const char *name);

/* An existing file or folder as seen from a folder: "../lib/k.cu"; the absolute path where one of
 * the two is not there. */
const char *path_relative(Arena *a, const char *folder, const char *path);

/* The last part of a path, without `suffix` when it ends so. */
const char *path_stem(Arena *a, const char *path, const char *suffix);

/* Size and date of a file as one text; "none" when it is not there. */
const char *file_stamp(Arena *a, const char *path);
