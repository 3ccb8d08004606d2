/* The Pareto front of two or more criteria, and the layers behind it.
 *
 * Tradeoff carving (thesis 5.2.2) keeps the configurations that no other one dominates.  Columns of doubles
 * come in, one number per point goes out: its layer.  Layer 0 is the front, layer 1 the front of what is left
 * without layer 0, and so on.  A point without a value of some criterion (NaN) takes no part.
 *
 * There are two tie rules.  FRONT_KEEP: a point is dominated only by one that is strictly better in every
 * criterion (the thesis's words: "inferior in every dimension").  FRONT_DROP: it is dominated by one that is
 * nowhere worse and somewhere better, which is necessary where a metric saturates.  Points equal in every
 * criterion dominate each other under neither rule and share their layer. */
#pragma once

#include "metrics/base/stats.h"

typedef enum FrontTies { FRONT_DROP, FRONT_KEEP } FrontTies;

typedef struct FrontInput {
    const Criterion *criteria; /* a point that lacks a value of one is not eligible */
    size_t criteria_count;     /* one is allowed: the front is then the best value */
    size_t points;
    const bool *alive; /* points that take part; NULL: all */
    FrontTies ties;
} FrontInput;

enum { LAYER_NONE = -1 };

/* No such point. */
#define POINT_NONE SIZE_MAX

typedef struct Front {
    int32_t *layer;    /* per point: 0 on the front; LAYER_NONE: not alive or not eligible */
    size_t *dominator; /* per point: one of layer 0 that dominates it; POINT_NONE: none does */
    size_t count;      /* points of layer 0 */
    size_t layers;     /* that were told apart */
} Front;

/* Sorts the points into layers.  Only the first `layers_max` (at least 1) are told apart; deeper points get
 * the number `layers_max`.  Takes n log n steps with one or two criteria, with more n times the size of the
 * layers searched. */
Front front_build(Arena *a, const FrontInput *in, size_t layers_max);

/* The band of `percent` around layer 0: per point, whether no front point still dominates it when made worse
 * by that much in every criterion.  The front itself is always in; 0 % is the front.  Takes as long as
 * front_build for one layer. */
bool *front_band(Arena *a, const FrontInput *in, const Front *front, double percent);

/* Threshold carving (thesis 5.2.1): the worst value within `percent` of `best`.  100 and 20 % give 120
 * where smaller is better, 80 where larger is.  NaN stays NaN. */
double threshold_limit(double best, bool up, double percent);
