/* Several launches as one: what their profiles come to together.
 *
 * A run of several launches takes the sum of their cycles; what is counted, moved or waited for
 * adds up, too.  A ratio, or what a block takes, cannot be added: there the launch that executes
 * most stands for all, except for registers, spills and whatever else is bad in a single launch
 * already.
 */
#ifndef APTUNE_METRIC_SHARES_H
#define APTUNE_METRIC_SHARES_H

#include "metrics/metric/metricset.h"

/* Launches that are all alike to a profile. */
typedef struct ProfileShare {
    const Profile *profile;
    double times; /* that it is launched */
} ProfileShare;

/* The share that executes most instructions. */
size_t shares_heaviest(const ProfileShare *shares, size_t count);

/* One profile for all: that of the heaviest, with the most that any takes of what is scarce. */
Profile shares_join(const ProfileShare *shares, size_t count);

/* Do values of a metric add up over launches?  Its unit says so. */
bool metric_adds(const Metric *m);

/* As metricset_evaluate, for one or more launches together. */
void metricset_evaluate_shares(Arena *a, const MetricSet *set, const ProfileShare *shares,
                               size_t count, const Device *device, MetricValue *values);

#endif
