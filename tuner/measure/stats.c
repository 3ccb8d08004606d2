#include "tuner/measure/stats.h"

#include "metrics/base/arena.h"

#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

double stats_median(const double *values, size_t count)
{
    if (count == 0)
        return NAN;
    double *sorted = memory_new(count * sizeof *sorted);
    memcpy(sorted, values, count * sizeof *sorted);
    gsl_sort(sorted, 1, count);
    double median = gsl_stats_median_from_sorted_data(sorted, 1, count);
    free(sorted);
    return median;
}
