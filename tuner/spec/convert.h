/* T1 files (benchmark_hub's input format, 1.0.0, and what tuners make of it) as specs.
 *
 * Parameters and conditions are converted whole; of the rest what is there, and a comment where
 * somebody has to decide.  Python-style expressions are parsed, never executed. */
#pragma once

#include "metrics/base/diag.h"

/* Writes the spec that a T1 file's text means.  `folder`: that of the file as seen from the spec's,
 * for the paths in it.  Names are checked and texts are quoted: nothing in the file becomes a
 * statement of its own.  False after messages. */
bool convert_t1(Arena *a, const char *name, const char *folder, const char *json, size_t size,
                Buf *out, Diag *d);
