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

/* Translates an expression of Python to one of specs.  Supported: numbers, strings, names, lists and tuples,
 * comprehensions over a range or list, range and list(range(…)), + - * / // % **, chained comparisons, in
 * and not in, and or not, `a if c else b`, and min, max, abs, int, float, pow, and math's ceil, floor,
 * sqrt, log and log2. Python's / divides exactly; for integers that is written with a real number. False
 * with a message, which begins with `what`: not supported. */
bool python_expression(Arena *a, const char *text, const char *what, Buf *out, Diag *d);

/* The same for a list of values, without its brackets: "1, 2, 4" or "range(1, 11)". */
bool python_values(Arena *a, const char *text, const char *what, Buf *out, Diag *d);
