/* Where a header lies that a kernel includes and that no folder given has.
 *
 * Projects keep their own headers some folders away and name these to their build.  A name is
 * looked for below the source's folder, then below each of the few folders above it, no further
 * than a project's root. */
#ifndef APTUNE_SPEC_NEAR_HEADER_H
#define APTUNE_SPEC_NEAR_HEADER_H

#include "metrics/base/arena.h"

/* The folder to give as --include for what a compiler's log complains of: a header that it cannot
 * open, or one outside of the folders given, whose host code stays in it.  NULL: there is none. */
const char *near_header(Arena *a, const char *folder, const char *log);

#endif
