/* Translates Python expressions, as in T1 files, to the language of specs.
 *
 * They are parsed and rewritten, never executed. Supported: numbers, strings, names, lists and tuples,
 * comprehensions over a range or list, range and list(range(…)), + - * / // % **, chained comparisons, in
 * and not in, and or not, `a if c else b`, and min, max, abs, int, float, pow, and math's ceil, floor,
 * sqrt, log and log2. Python's / divides exactly; for integers that is written with a real number. */
#pragma once

#include "metrics/base/diag.h"

/* Translates one expression. False with a message, which begins with `what`: not supported. */
bool python_expression(Arena *a, const char *text, const char *what, Buf *out, Diag *d);

/* Translates a list of values, without its brackets: "1, 2, 4" or "range(1, 11)". */
bool python_values(Arena *a, const char *text, const char *what, Buf *out, Diag *d);
