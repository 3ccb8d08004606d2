/* The contents of buffers before a run.
 *
 * Every element is computed from the seed and its index alone, so a buffer can be filled in any order and
 * in pieces, a restarted helper gets the same data, and it can be made without a GPU. The bits come from
 * the output function of SplitMix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators,
 * OOPSLA 2014) at position `index` of the stream of `seed`. */
#pragma once

#include "metrics/base/expr.h"
#include "tuner/spec/task.h"

/* 64 random bits of position `index`. */
uint64_t contents_bits(uint64_t seed, uint64_t index);

/* Writes scalars first … first + count − 1 of a buffer into `out`, which is aligned for the scalar. A
 * vector element counts as `lanes` scalars. TASK_UNDEFINED gives bytes 0xFF. Values beyond an integer
 * type's range are clamped. */
void contents_fill(TaskContents c, TaskScalar s, uint64_t first, size_t count, void *out);

/* A scalar as a double, and back to the nearest value of its type, ties to even. Values beyond the largest
 * half, bfloat16 or float become infinity, beyond the largest 8-bit number that number. */
double contents_value(TaskScalar s, const void *bytes);
void contents_store(TaskScalar s, double value, void *bytes);

/* The range of an integer type, limited to that of int64_t. */
void contents_limits(TaskScalar type, int64_t *low, int64_t *high);

/* Stores a value as a type's bytes; false: the type does not have it. */
bool contents_store_value(TaskScalar type, Value v, void *bytes);

/* Sorts scalars in ascending order. */
void contents_sort(TaskScalar s, void *at, size_t count);
