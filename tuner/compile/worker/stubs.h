/* Headers of the host that device code includes by habit, as far as the device can use them.
 *
 * NVRTC has no headers but those of the toolkit.  It gets these by name, before it looks into
 * folders: what they declare is the device's own or does nothing, and of the host's libraries
 * nothing is left but the name.  Together they let a file be compiled that is written for nvcc; the
 * code is the same. */
#ifndef APTUNE_COMPILE_WORKER_STUBS_H
#define APTUNE_COMPILE_WORKER_STUBS_H

#include <stddef.h>

typedef struct StubHeader {
    const char *names; /* of headers, with blanks between them */
    const char *text;
} StubHeader;

/* All of them; static. */
const StubHeader *stub_headers(size_t *count);

/* What nvcc includes in every source. */
#define STUB_NVCC "aptune/nvcc.h"

#endif
