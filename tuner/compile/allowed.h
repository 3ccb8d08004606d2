/* Which of the compiler's options a spec may give.
 *
 * A spec may come from a stranger, and some options of NVRTC write files (--time, --create-pch,
 * --fdevice-time-trace, ptxas's --output-file).  So what is not known to be harmless is refused. */
#ifndef APTUNE_COMPILE_ALLOWED_H
#define APTUNE_COMPILE_ALLOWED_H

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"

/* Why an option must not reach the compiler, in `a`, to be put behind its text; NULL: it may. */
const char *option_refusal(Arena *a, const char *option);

/* All options that may be given, one a line, with the form of their values: for the README. */
void option_print_allowed(Buf *out);

#endif
