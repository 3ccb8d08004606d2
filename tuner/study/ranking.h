/* A table as a study sees it: which rows stand for themselves, their times in order, the best.
 *
 * What looks at a table (judging, sampling, searching, drawing) does not ask whether a recording or
 * a run has filled it; neither spec nor kernel is needed. */
#ifndef APTUNE_STUDY_RANKING_H
#define APTUNE_STUDY_RANKING_H

#include "metrics/base/arena.h"
#include "tuner/space/table.h"

#include <stdbool.h>
#include <stdint.h>

/* Counts, the best, the sorted times and the gaps of metrics, by the column TABLE_MS and `same_as`:
 * last of all, when the rows are known. */
void ranking_set(Table *t);

/* Warns of each metric of this source that some rows with a profile have no value of: of how many,
 * and where in its formula. */
void ranking_tell_gaps(const Table *t, const Source *source, Diag *d);

/* --- rows in the order of a value ------------------------------------------------------------- */

/* Sorts `points`, which name places in `values` and stand in ascending order: by value, descending
 * where `down`; equal ones by number.  No value may be NaN. */
void order_by(Arena *scratch, const double *values, bool down, uint32_t *points, size_t count);

/* Ranks of `values` from 1, equal ones sharing the mean of theirs (as Spearman's correlation wants
 * them); `ranks` may be `values`. */
void order_ranks(Arena *scratch, const double *values, size_t count, double *ranks);

#endif
