/* Expressions of Python, as T1 files hold them, in the language of specs.
 *
 * They are parsed and written anew, never executed.  What is understood: numbers, strings, names,
 * lists and tuples, comprehensions over a range or list, range and list(range(…)), + - * / // % **,
 * comparisons that chain, in and not in, and or not, `a if c else b`, and min, max, abs, int,
 * float, pow, and math's ceil, floor, sqrt, log and log2.  Python's / divides exactly; of integers that
 * is written with a real number. */
#pragma once

#include "metrics/base/diag.h"

/* One expression.  False with a message, which begins with `what`, when it is not understood. */
bool python_expression(Arena *a, const char *text, const char *what, Buf *out, Diag *d);

/* A list of values, without its brackets: "1, 2, 4" or "range(1, 11)". */
bool python_values(Arena *a, const char *text, const char *what, Buf *out, Diag *d);
