/* What the farm and aptune-compile agree on; the messages are in tuner/compile/worker/main.c. */
#ifndef APTUNE_COMPILE_PROTOCOL_H
#define APTUNE_COMPILE_PROTOCOL_H

/* Counted up when a message changes.  (What the helper adds to the options is part of the cache's
 * keys: KEY_VERSION in result.c.) */
enum { COMPILE_PROTOCOL = 4 };

/* The blobs of a request; with a cubin, nothing is compiled. */
enum {
    COMPILE_NAME,
    COMPILE_SOURCE,
    COMPILE_OPTIONS,
    COMPILE_NAMES,
    COMPILE_HEADERS, /* of each name and text in turn */
    COMPILE_PARAMETERS,
    COMPILE_HAVE_PTX,
    COMPILE_HAVE_CUBIN,
    COMPILE_REQUEST_BLOBS
};

/* The blobs of a reply. */
enum { COMPILE_LOG, COMPILE_PTX, COMPILE_CUBIN, COMPILE_REPLY_BLOBS };

/* The blob of a profile. */
enum { COMPILE_NUMBERS, COMPILE_PROFILE_BLOBS };

#endif
