/* A run's configurations as points to be looked at: those that passed tier 0 and are of the run's
 * part of the space. */
#ifndef APTUNE_REPORT_RUN_POINTS_H
#define APTUNE_REPORT_RUN_POINTS_H

#include "tuner/run/run.h"
#include "tuner/study/points.h"

typedef struct RunPoints {
    PointSet *set;
    size_t *point;  /* per configuration: its point; SIZE_MAX: none */
    size_t *config; /* per point: its configuration */
} RunPoints;

/* Times are for equal work.  Everything lives in the run's arena. */
RunPoints run_points(Run *r);

#endif
