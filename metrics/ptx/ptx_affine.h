/* How the results of an instruction change when its sources change steadily.
 *
 * Let the sources at time t be s + t·d for t = 0, 1, 2 …, modulo the width of their type.  A change
 * says the same of a result: that at time t it is r + t·e.  Where that only holds for so long
 * (until a comparison turns out differently, or a value that is about to be extended wraps around),
 * `limit` says how many times.  Where no such e exists or this module does not see it, the change
 * is unknown.
 *
 * Changes are kept in Lanes, sign-extended from the width of the value.  A value that is not known
 * may have a known change: then it is known at no time. */
#pragma once

#include "metrics/ptx/ptx_eval.h"

static const uint64_t PTX_FOREVER = UINT64_MAX;

/* Changes of the results that ptx_eval_result gave for `sources`, in `lanes`.  Lowers `limit` to
 * the number of times, from 0 on, for which they hold. */
void ptx_affine_result(const PtxForm *f, const Lanes *sources, const Lanes *changes, int count,
                       const Lanes results[2], uint32_t lanes, Lanes out[2], uint64_t *limit);

/* How many times, from 0 on, a comparison comes out the same in all of these lanes for which sources and changes are
 * known, were numbers without end; PTX_FOREVER where it always does. */
uint64_t ptx_affine_same(const PtxForm *f, const Lanes *sources, const Lanes *changes,
                         uint32_t lanes);

/* In one lane the old value or another is kept, one does not know which: known where both agree.  Gives the
 * change of what is kept; false when it is not known. */
bool ptx_affine_join(const Lanes *old, const Lanes *old_change, const Lanes *value,
                     const Lanes *value_change, int lane, uint64_t *change);

/* By how much a register's lanes have changed, as numbers with sign; false when one cannot say. */
bool ptx_affine_change(const Lanes *before, const Lanes *now, int bits, Lanes *change);

/* The same in the lowest `bits` of all lanes, which are known in `a`. */
bool ptx_affine_equal(const Lanes *a, const Lanes *b, int bits);
