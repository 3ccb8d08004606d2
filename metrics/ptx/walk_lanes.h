/* What has become of a value of a warp's 32 lanes.  Internal to metrics/ptx. */
#ifndef APTUNE_PTX_WALK_LANES_H
#define APTUNE_PTX_WALK_LANES_H

#include "metrics/ptx/ptx_eval.h"

/* By how much a register's lanes have changed, as numbers with sign; false when one cannot say. */
bool walk_lanes_change(const Lanes *before, const Lanes *now, int bits, Lanes *change);

/* The same in the lowest `bits` of all lanes, which are known in `a`. */
bool walk_lanes_same(const Lanes *a, const Lanes *b, int bits);

#endif
