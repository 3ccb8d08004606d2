/* How a GPU fares while it is being timed: clock, power, what holds it back, who else uses it.
 *
 * A time is only worth something if the machine was the same from the first to the last, so every
 * result carries what the driver's management library said at that moment.  A HealthLog is the sum
 * of many such looks, short enough for a line of the report.  Plain data; owns nothing. */
#ifndef APTUNE_SPEC_HEALTH_H
#define APTUNE_SPEC_HEALTH_H

#include "tuner/base/buf.h"

#include <stdbool.h>
#include <stddef.h>

/* Why the clock is lower than the device could run. */
typedef enum GpuBrake {
    GPU_BRAKE_POWER = 1,    /* the power limit */
    GPU_BRAKE_HEAT = 2,     /* temperature */
    GPU_BRAKE_HARDWARE = 4, /* slowed by the board: power supply, emergency */
    GPU_BRAKE_SETTING = 8   /* someone set the clock */
} GpuBrake;

/* One look.  All zero: nothing is known. */
typedef struct GpuHealth {
    bool known;
    double clock_mhz;      /* of the multiprocessors */
    double clock_most_mhz; /* the highest they can run at */
    double power_w;
    double power_limit_w;
    double temperature_c;
    unsigned brakes; /* GpuBrake, or-ed */
    int others;      /* other processes that compute on the device */
} GpuHealth;

/* All looks of a run. */
typedef struct HealthLog {
    size_t looks;
    double clock_high_mhz, clock_low_mhz; /* seen */
    double power_high_w;
    double power_limit_w;
    double temperature_high_c;
    unsigned brakes;     /* all that were seen */
    size_t braked[4];    /* looks with each of them, in their order */
    size_t shared_looks; /* looks with another process */
    int others;          /* most of them at once */
} HealthLog;

/* Adds a look; an unknown one changes nothing. */
void health_note(HealthLog *log, const GpuHealth *h);

/* "power cap, heat": what the bits of `brakes` mean. */
void health_print_brakes(unsigned brakes, Buf *out);

/* Did the device run steadily and alone? */
bool health_is_steady(const HealthLog *log);

/* "clock 1980 → 1755 MHz, power cap in 12 of 200 looks; at most 701 of 700 W, 64 °C"; nothing
 * without a look. */
void health_print(const HealthLog *log, Buf *out);

#endif
