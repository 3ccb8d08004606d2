/* Elapsed time. */
#pragma once

/* Seconds of the monotonic clock, from an unspecified start: for limits and durations. */
double clock_seconds(void);

/* CPU seconds of all threads of this process. */
double clock_cpu_seconds(void);
