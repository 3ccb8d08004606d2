#include "tuner/spec/health.h"

#include "metrics/base/arena.h"

#include <math.h>

static const struct {
    ThrottleReason bit;
    const char *words;
} REASONS[] = {
    {THROTTLE_POWER, "power cap"},
    {THROTTLE_HEAT, "heat"},
    {THROTTLE_HARDWARE, "slowed by the board"},
    {THROTTLE_SETTING, "a clock that someone set"},
};

/* Clocks normally vary by up to this fraction. */
static const double clock_steady = 0.02;

void health_note(HealthLog *log, const GpuHealth *h)
{
    if (!h->known)
        return;
    bool first = log->samples++ == 0;
    log->clock_high_mhz = first ? h->clock_mhz : fmax(log->clock_high_mhz, h->clock_mhz);
    log->clock_low_mhz = first ? h->clock_mhz : fmin(log->clock_low_mhz, h->clock_mhz);
    log->power_high_w = fmax(log->power_high_w, h->power_w);
    log->power_limit_w = h->power_limit_w;
    log->temperature_high_c = fmax(log->temperature_high_c, h->temperature_c);
    log->throttle |= h->throttle;
    for (size_t i = 0; i < COUNT_OF(REASONS); i++)
        log->throttled[i] += (h->throttle & (unsigned)REASONS[i].bit) != 0;
    log->shared_samples += h->others > 0;
    if (h->others > log->others)
        log->others = h->others;
}

void health_print_throttle(unsigned throttle, Buf *out)
{
    const char *between = "";
    for (size_t i = 0; i < COUNT_OF(REASONS); i++) {
        if (!(throttle & (unsigned)REASONS[i].bit))
            continue;
        buf_printf(out, "%s%s", between, REASONS[i].words);
        between = ", ";
    }
}

static bool clock_moved(const HealthLog *log)
{
    return log->clock_high_mhz - log->clock_low_mhz > clock_steady * log->clock_high_mhz;
}

bool health_is_steady(const HealthLog *log)
{
    return !clock_moved(log) && (log->throttle & ~(unsigned)THROTTLE_SETTING) == 0 &&
           log->others == 0;
}

void health_print(const HealthLog *log, Buf *out)
{
    if (log->samples == 0)
        return;
    buf_printf(out, "clock %.0f", log->clock_high_mhz);
    if (clock_moved(log))
        buf_printf(out, " → %.0f", log->clock_low_mhz);
    buf_puts(out, " MHz");
    for (size_t i = 0; i < COUNT_OF(REASONS); i++) {
        if (log->throttled[i] > 0)
            buf_printf(out, ", %s in %zu of %zu samples", REASONS[i].words, log->throttled[i],
                       log->samples);
    }
    if (log->power_high_w > 0)
        buf_printf(out, "; at most %.0f of %.0f W, %.0f °C", log->power_high_w, log->power_limit_w,
                   log->temperature_high_c);
    if (log->others > 0)
        buf_printf(out, "; SHARED with %d other process%s in %zu of %zu samples", log->others,
                   log->others == 1 ? "" : "es", log->shared_samples, log->samples);
}
