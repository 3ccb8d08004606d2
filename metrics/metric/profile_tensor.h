/* The work of matrix operations, from the shapes in their names (PTX ISA 9.7.14 to 9.7.16). */
#ifndef APTUNE_METRIC_PROFILE_TENSOR_H
#define APTUNE_METRIC_PROFILE_TENSOR_H

#include "metrics/ptx/walk.h"

/* Multiply-adds that one warp executes with one instruction, in units of dense half-precision ones;
 * 0 where the name tells no shape. */
double profile_tensor_shape(const PtxForm *f);

/* Of a whole walk. */
double profile_tensor_work(const Walk *w);

#endif
