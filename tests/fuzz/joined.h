/* Machine code joined to the walk of one small kernel: graph, visits and time. */
#pragma once

#include "metrics/base/arena.h"
#include "metrics/cubin/cubin.h"

void joined_tell(Arena *a, int arch, const CubinKernel *k);
