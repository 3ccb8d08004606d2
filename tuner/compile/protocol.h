/* What the farm and aptune-compile agree on; the messages are in tuner/workers/compile/main.c. */
#ifndef APTUNE_COMPILE_PROTOCOL_H
#define APTUNE_COMPILE_PROTOCOL_H

/* Counted up when a message changes.  (What the helper adds to the options is part of the cache's
 * keys: KEY_VERSION in result.c.) */
enum { COMPILE_PROTOCOL = 1 };

/* The blobs of a request. */
enum { COMPILE_NAME, COMPILE_SOURCE, COMPILE_OPTIONS, COMPILE_NAMES, COMPILE_REQUEST_BLOBS };

/* The blobs of a reply. */
enum { COMPILE_LOG, COMPILE_PTX, COMPILE_CUBIN, COMPILE_REPLY_BLOBS };

#endif
