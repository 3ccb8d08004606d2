/* NumPy's file format, version 1 to 3: a magic word, a header that is a Python dictionary, and the
 * numbers.  (NEP 1, "A Simple File Format for NumPy Arrays".)
 *
 * The header is searched for the three entries the format prescribes, not evaluated. */
#pragma once

#include "metrics/base/diag.h"
#include "tuner/spec/task.h"

/* The numbers of an array in C order whose type is `want`; they stay where they are.  False with
 * the reason. */
bool npy_data(Arena *a, const char *file, size_t size, TaskScalar want, const char **data,
              size_t *data_size, Diag *d);
