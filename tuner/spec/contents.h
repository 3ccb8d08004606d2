/* What stands in the buffers before a run.
 *
 * Every element is computed from the seed and its own index alone, so a buffer can be
 * filled in any order and in any pieces, a restarted helper gets the very same data,
 * and what runs without a GPU can make them too.  The bits come from the output
 * function of SplitMix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number
 * Generators, OOPSLA 2014) at position `index` of the stream of `seed`. */
#pragma once

#include "metrics/base/expr.h"
#include "tuner/spec/task.h"

/* 64 random bits of position `index`. */
uint64_t contents_bits(uint64_t seed, uint64_t index);

/* Writes scalars first … first + count − 1 of a buffer into `out`, which has the scalar's
 * alignment.  Elements of a vector count as `lanes` scalars.  TASK_UNDEFINED gives bytes 0xFF.
 * Values an integer type cannot hold become its nearest one. */
void contents_fill(TaskContents c, TaskScalar s, uint64_t first, size_t count, void *out);

/* One scalar as a double, and back to the nearest value of its type, ties to even.  What is beyond
 * the largest half, bfloat16 or float becomes infinity, beyond the largest number of 8 bits that
 * number. */
double contents_value(TaskScalar s, const void *bytes);
void contents_store(TaskScalar s, double value, void *bytes);

/* The least and the most of an integer type, as far as 64 bits with a sign hold them. */
void contents_limits(TaskScalar type, int64_t *low, int64_t *high);

/* A value as a type's bytes; false when it is none of the type's values. */
bool contents_store_value(TaskScalar type, Value v, void *bytes);

/* Puts scalars in ascending order. */
void contents_sort(TaskScalar s, void *at, size_t count);
