/* Time that passes. */
#pragma once

/* Seconds of a clock that nobody sets and that only goes forward, from some moment before the
 * program started: for limits and for how long something took. */
double clock_seconds(void);

/* Seconds that processors have worked for this process, all its threads together. */
double clock_cpu_seconds(void);
