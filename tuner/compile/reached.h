/* What some kernels of a file reach, by name.
 *
 * Headers of large projects declare much that no compiler of device code alone takes, and that no
 * kernel needs: classes of the host with libraries that are not there, traits, specialisations for
 * types of elsewhere.  A declaration at the scope of a file or namespace is reached when a kernel,
 * or a declaration or macro that is reached, has its name in its text.  Names are words: more is
 * kept than needed, never less that is named. */
#ifndef APTUNE_COMPILE_REACHED_H
#define APTUNE_COMPILE_REACHED_H

#include "metrics/base/arena.h"

/* Puts blanks for what is not reached into copies of the texts, which replace them; lines and
 * columns stay.  `roots`: names with something between them. */
void reached_cut(Arena *a, const char **texts, size_t count, const char *roots);

#endif
