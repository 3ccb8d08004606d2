/* The state of a GPU while it is timed: clock, power, throttling, other users.
 *
 * A time means something only if the machine did not change, so every result carries what the driver's
 * management library reported. A HealthLog summarizes many samples for a line of the report. Plain data;
 * owns nothing. */
#pragma once

#include "metrics/base/buf.h"

/* Why the clock is lower than the device allows. */
typedef enum ThrottleReason {
    THROTTLE_POWER = 1,    /* the power limit */
    THROTTLE_HEAT = 2,     /* temperature */
    THROTTLE_HARDWARE = 4, /* slowed by the board: power supply, emergency */
    THROTTLE_SETTING = 8   /* someone set the clock */
} ThrottleReason;

/* One sample. All zero: unknown. */
typedef struct GpuHealth {
    bool known;
    double clock_mhz; /* of the SMs */
    double power_w;
    double power_limit_w;
    double temperature_c;
    unsigned throttle; /* ThrottleReason bits */
    int others;        /* other compute processes on the device */
} GpuHealth;

/* Summary of all samples of a run. */
typedef struct HealthLog {
    size_t samples;
    double clock_high_mhz, clock_low_mhz; /* seen */
    double power_high_w;
    double power_limit_w;
    double temperature_high_c;
    unsigned throttle;     /* all bits that were seen */
    size_t throttled[4];   /* samples with each reason, in their order */
    size_t shared_samples; /* samples with another process */
    int others;            /* most of them at once */
} HealthLog;

/* Adds a sample; an unknown one changes nothing. */
void health_note(HealthLog *log, const GpuHealth *h);

/* "power cap, heat": the names of the bits. */
void health_print_throttle(unsigned throttle, Buf *out);

/* True if the device ran steadily and alone. */
bool health_is_steady(const HealthLog *log);

/* "clock 1980 → 1755 MHz, power cap in 12 of 200 samples; at most 701 of 700 W, 64 °C"; without samples
 * "". */
void health_print(const HealthLog *log, Buf *out);
