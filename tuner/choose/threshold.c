#include "tuner/choose/threshold.h"

#include <math.h>

double threshold_best(const Criterion *c, const bool *alive, size_t points)
{
    double best = NAN;
    for (size_t i = 0; i < points; i++) {
        double v = c->values[i];
        if ((alive && !alive[i]) || isnan(v))
            continue;
        if (isnan(best) || (c->up ? v > best : v < best))
            best = v;
    }
    return best;
}

double threshold_limit(double best, bool up, double percent)
{
    return percent > 0 ? criterion_worsen(best, up, percent) : best;
}

bool threshold_holds(double value, bool up, double limit)
{
    return up ? value >= limit : value <= limit;
}
