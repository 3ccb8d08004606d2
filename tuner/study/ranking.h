/* A table as a study sees it: which rows stand for themselves, their times in order, the best.
 *
 * What looks at a table (judging, sampling, searching, drawing) does not ask whether a recording or
 * a run has filled it; neither spec nor kernel is needed. */
#ifndef APTUNE_STUDY_RANKING_H
#define APTUNE_STUDY_RANKING_H

#include "tuner/space/table.h"

/* Counts, the best, the sorted times and the gaps of metrics, by the column TABLE_MS and `same_as`:
 * last of all, when the rows are known. */
void ranking_set(Table *t);

/* Warns of each metric of this source that some rows with a profile have no value of: of how many,
 * and where in its formula. */
void ranking_tell_gaps(const Table *t, const Source *source, Diag *d);

#endif
