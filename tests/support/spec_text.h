/* Specs from text, for tests.
 *
 * A fragment becomes a whole spec: what every spec needs (a kernel with block and grid, a
 * parameter) is put behind it where it is missing, so that line numbers stay those of the
 * fragment.  Kernel files are looked for in tests/data/spec. */
#pragma once

#include "tuner/spec/spec.h"

/* The text as a source called x.spec that lies in tests/data/spec. */
const Source *spec_source(Arena *a, const char *text);

/* The fragment with a kernel, its block and grid, and a parameter behind it, each only when no line
 * begins with that word. */
const char *spec_completed(Arena *a, const char *fragment);

/* Messages as a user sees them, without the folder of tests/data/spec. */
void spec_messages(const Diag *d, Buf *out);
