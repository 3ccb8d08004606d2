/* How a GPU fares while it is being timed: clock, power, what holds it back, who else uses it.
 *
 * A time is only worth something if the machine was the same from the first to the last, so every
 * result carries what the driver's management library said at that moment.  A HealthLog is the sum
 * of many such samples, short enough for a line of the report.  Plain data; owns nothing. */
#pragma once

#include "metrics/base/buf.h"

#include <stdbool.h>
#include <stddef.h>

/* Why the clock is lower than the device could run. */
typedef enum ThrottleReason {
    THROTTLE_POWER = 1,    /* the power limit */
    THROTTLE_HEAT = 2,     /* temperature */
    THROTTLE_HARDWARE = 4, /* slowed by the board: power supply, emergency */
    THROTTLE_SETTING = 8   /* someone set the clock */
} ThrottleReason;

/* One sample.  All zero: nothing is known. */
typedef struct GpuHealth {
    bool known;
    double clock_mhz;      /* of the multiprocessors */
    double clock_most_mhz; /* the highest they can run at */
    double power_w;
    double power_limit_w;
    double temperature_c;
    unsigned throttle; /* ThrottleReason, or-ed */
    int others;        /* other processes that compute on the device */
} GpuHealth;

/* All samples of a run. */
typedef struct HealthLog {
    size_t samples;
    double clock_high_mhz, clock_low_mhz; /* seen */
    double power_high_w;
    double power_limit_w;
    double temperature_high_c;
    unsigned throttle;     /* all that were seen */
    size_t throttled[4];   /* samples with each of them, in their order */
    size_t shared_samples; /* samples with another process */
    int others;            /* most of them at once */
} HealthLog;

/* Adds a sample; an unknown one changes nothing. */
void health_note(HealthLog *log, const GpuHealth *h);

/* "power cap, heat": what the bits of `throttle` mean. */
void health_print_throttle(unsigned throttle, Buf *out);

/* Did the device run steadily and alone? */
bool health_is_steady(const HealthLog *log);

/* "clock 1980 → 1755 MHz, power cap in 12 of 200 samples; at most 701 of 700 W, 64 °C"; nothing
 * without a sample. */
void health_print(const HealthLog *log, Buf *out);
