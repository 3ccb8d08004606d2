#include "metrics/base/clock.h"

#include <math.h>
#include <time.h>

static double seconds_of(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double clock_seconds(void)
{
    return seconds_of(CLOCK_MONOTONIC);
}

double clock_cpu_seconds(void)
{
    return seconds_of(CLOCK_PROCESS_CPUTIME_ID);
}

void clock_lower_timeout(int *timeout_ms, double seconds)
{
    static const double day_s = 86400;
    if (seconds < 0)
        return;
    int ms = (int)ceil(fmin(seconds, day_s) * 1e3);
    if (*timeout_ms < 0 || ms < *timeout_ms)
        *timeout_ms = ms;
}
