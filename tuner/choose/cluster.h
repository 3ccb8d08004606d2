/* Groups of points that need timing only once.
 *
 * Configurations whose metrics cannot be told apart run alike more often than not
 * (thesis 6.2), and configurations that compile to identical code run alike for
 * certain (table_group).  Each group is represented by one of its members: the answer is, per
 * point, the number of its representative, which is the point itself when it
 * stands for its group or is alone, and POINT_NONE for points not alive. */
#ifndef APTUNE_CHOOSE_CLUSTER_H
#define APTUNE_CHOOSE_CLUSTER_H

#include "tuner/choose/front.h"

/* Groups by criteria.  Points are visited best first (first criterion, then the next …, then by
 * number); each joins the nearest representative it is alike in every criterion, |p - q| <=
 * epsilon * max(|p|, |q|), or becomes one.  So a member is within epsilon of its representative,
 * not of every other member.  A point without a value somewhere is alone.  Ties of `in` are not
 * looked at.  Epsilon 0: equal values, O(n log n). */
size_t *cluster_alike(Arena *a, const FrontInput *in, double epsilon);

#endif
