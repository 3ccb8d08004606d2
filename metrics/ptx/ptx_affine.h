/* How results change when sources change by constants.
 *
 * Let the sources at time t = 0, 1, 2 … be s + t·d, modulo the width of their type. The change of a result
 * is the e for which the result at time t is r + t·e. If that holds only for a while (until a comparison
 * flips, or a value to be extended wraps around), `limit` says for how many times. If no such e exists, or
 * this module cannot find it, the change is unknown.
 *
 * Changes are kept in Lanes, sign-extended from the width of the value. An unknown value may have a known
 * change: then it is unknown at all times. */
#pragma once

#include "metrics/ptx/ptx_eval.h"

static const uint64_t PTX_FOREVER = UINT64_MAX;

/* Changes of the results that ptx_eval_result gave for `sources`, in `lanes`. Lowers `limit` to the number
 * of times, from 0 on, for which they hold. */
void ptx_affine_result(const PtxForm *f, const Lanes *sources, const Lanes *changes, int count,
                       const Lanes results[2], uint32_t lanes, Lanes out[2], uint64_t *limit);

/* How many times, from 0 on, a comparison has the same outcome in all of these lanes whose sources and
 * changes are known, assuming unbounded integers; PTX_FOREVER if always. */
uint64_t ptx_affine_same(const PtxForm *f, const Lanes *sources, const Lanes *changes,
                         uint32_t lanes);

/* The change of a lane that keeps its old value or takes another, unknown which; false unless both agree. */
bool ptx_affine_join(const Lanes *old, const Lanes *old_change, const Lanes *value,
                     const Lanes *value_change, int lane, uint64_t *change);

/* By how much a register's lanes have changed, as signed numbers; false if unknown. */
bool ptx_affine_change(const Lanes *before, const Lanes *now, int bits, Lanes *change);
