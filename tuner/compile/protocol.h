/* What the farm and aptune-compile agree on; the messages are in tuner/workers/compile/main.c. */
#ifndef APTUNE_COMPILE_PROTOCOL_H
#define APTUNE_COMPILE_PROTOCOL_H

/* Counted up when a message or what the helper adds to the options changes; part of every cache
 * key. */
enum { COMPILE_PROTOCOL = 1 };

/* The blobs of a request. */
enum { COMPILE_NAME, COMPILE_SOURCE, COMPILE_OPTIONS, COMPILE_NAMES, COMPILE_REQUEST_BLOBS };

/* The blobs of a reply. */
enum { COMPILE_LOG, COMPILE_PTX, COMPILE_CUBIN, COMPILE_REPLY_BLOBS };

#endif
