/* Files of gzip, which other tuners' results are published as. */
#ifndef APTUNE_OUTPUT_GUNZIP_H
#define APTUNE_OUTPUT_GUNZIP_H

#include "metrics/base/buf.h"
#include "metrics/base/diag.h"

/* Do the bytes begin as a file of gzip does (RFC 1952)? */
bool gunzip_is_packed(const char *bytes, size_t size);

/* Adds what is packed in `bytes` to `out`, all members one after the other; `path` is for messages.
 * Bytes after a whole member that are not a member themselves are left out, as gzip does.  False
 * after a message when it is damaged, ends early, or unpacks to more than `most` bytes. */
bool gunzip(const char *bytes, size_t size, size_t most, const char *path, Buf *out, Diag *d);

#endif
