/* Ways of choosing what to time, that a study compares. */
#ifndef APTUNE_STUDY_CHOICES_H
#define APTUNE_STUDY_CHOICES_H

#include "tuner/study/study.h"

/* What a run times where its spec says nothing, polish included, with this metric for a guess at
 * the time: per point, in `a`. */
const bool *choice_default(Arena *a, const PointSet *s, const char *metric);

/* The first `count` by a metric. */
const bool *choice_best(Arena *a, const PointSet *s, const char *metric, size_t count);

/* The default, as many of the best by the metric without spreading and polish, and the thesis's own
 * front of efficiency and utilization.  They live in `a`. */
const StudyChoice *choices_shipped(Arena *a, const PointSet *s, const char *metric, size_t *count);

#endif
