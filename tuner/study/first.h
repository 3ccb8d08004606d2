/* The first n points by a value, and what they are worth.
 *
 * Many points may have the value at which the n end: a metric that counts a unit nobody uses is
 * zero for all.  Any order among equals would be a choice that the value did not make, and that of
 * a recording is none by chance: what was timed first was believed to be fast.  So the equals are
 * drawn by lot, and the regret is what is to be expected of it; a value that says nothing is then
 * worth as much as a random sample. */
#ifndef APTUNE_STUDY_FIRST_H
#define APTUNE_STUDY_FIRST_H

#include "tuner/study/ranking.h"

typedef struct FirstBy {
    bool *sure; /* per point: among the first, whatever the lot says */
    bool *tied; /* per point: one of the equals of which only `drawn` are */
    size_t tied_count, drawn;
} FirstBy;

/* The first `most` of the distinct points by `values` (NaN: not among them; less is first, or more
 * where `higher`).  Lives in `a`. */
FirstBy first_by(Arena *a, const Table *s, const double *values, bool higher, size_t most);

/* Expected time of the fastest; `ms` per point, `sure_ms` the fastest of the sure ones (infinite:
 * there is none).  NaN when there is no time. */
double first_best(Arena *scratch, const FirstBy *f, const double *ms, double sure_ms);

/* Expected regret against the best of all: 0.02 is 2 %; NaN when there is no time. */
double first_regret(const Table *s, const FirstBy *f);

#endif
