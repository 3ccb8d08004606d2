/* A recording as what a search can be played on. */
#ifndef APTUNE_STUDY_PLAYED_H
#define APTUNE_STUDY_PLAYED_H

#include "tuner/choose/replay.h"
#include "tuner/space/table.h"

/* All rows of a recording's table (table_read.h), their parameters that vary, and `guess` as what
 * predicts the time (NULL: nothing does).  `rows`, unless NULL, gets the table's row of each
 * place.  Equal code has one time, the least: which row of it a search meets first is chance. */
ReplayRows played_rows(Arena *a, const Table *t, const char *guess, size_t **rows);

#endif
