/* Converts T1 files (benchmark_hub's input format, 1.0.0, and tuners' variants of it) to specs.
 *
 * Parameters and conditions are converted completely; of the rest what is there, with a comment where
 * somebody has to decide. Python-style expressions are parsed, never executed. */
#pragma once

#include "metrics/base/diag.h"

/* Writes the spec of a T1 file. `folder`: the file's folder relative to the spec, for the paths in it.
 * Names are checked and texts quoted: nothing in the file becomes a statement. False after messages. */
bool convert_t1(Arena *a, const char *name, const char *folder, const char *json, size_t size,
                Buf *out, Diag *d);
