/* Ways of choosing what to time, that a study compares. */
#ifndef APTUNE_STUDY_CHOICES_H
#define APTUNE_STUDY_CHOICES_H

#include "tuner/study/study.h"

/* The shipped carving of a space for which no carving is written down, and the thesis's own: its
 * front of efficiency and utilization.  They live in `a`. */
const StudyChoice *choices_shipped(Arena *a, const PointSet *s, size_t *count);

#endif
