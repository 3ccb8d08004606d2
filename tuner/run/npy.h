/* NumPy's file format, versions 1 to 3 (NEP 1, "A Simple File Format for NumPy Arrays"): a magic
 * word, a header that is a Python dictionary, and the numbers. The header is searched for its three
 * standard entries, not evaluated. */
#pragma once

#include "metrics/base/diag.h"
#include "tuner/spec/task.h"

/* Finds the numbers of a C-order array of type `want` inside `file`. False with the reason. */
bool npy_data(Arena *a, const char *file, size_t size, TaskScalar want, const char **data,
              size_t *data_size, Diag *d);
