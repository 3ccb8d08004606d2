/* A first spec for a kernel that was not written for this program.
 *
 * What a kernel takes is in its PTX entry; what its parameters are called and whether they are
 * written to is in the source, whose declaration is searched for and not parsed as C++.  Macros
 * with a default under #ifndef become parameters.  Whatever is a guess says so in a comment. */
#ifndef APTUNE_FIRST_SPEC_H
#define APTUNE_FIRST_SPEC_H

#include "metrics/base/diag.h"

/* Writes the spec of a kernel (NULL: the first of the file) to `out`.  False with a message when
 * there is none. */
bool first_spec(Arena *a, const Source *source, const char *ptx, size_t ptx_size,
                const char *kernel, Buf *out, Diag *d);

#endif
