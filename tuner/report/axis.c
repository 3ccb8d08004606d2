#include "tuner/report/axis.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

Scale scale_new(double least, double most, bool logarithmic, bool from_zero)
{
    if (!(least <= most))
        least = logarithmic ? 1 : 0, most = logarithmic ? 10 : 1;
    if (from_zero && !logarithmic && least > 0)
        least = 0;
    if (logarithmic)
        least = log10(least), most = log10(most);
    double room = most > least ? 0.03 * (most - least) : most == 0 ? 1 : 0.1 * fabs(most);
    bool at_zero = from_zero && !logarithmic && least == 0;
    return (Scale){
        .low = at_zero ? 0 : least - room, .high = most + room, .logarithmic = logarithmic};
}

bool scale_has(const Scale *s, double value)
{
    return isfinite(value) && (!s->logarithmic || value > 0);
}

double scale_pixel(const Scale *s, double value)
{
    double at = s->logarithmic ? log10(value) : value;
    return s->begin + (at - s->low) / (s->high - s->low) * (s->end - s->begin);
}

/* 1, 2 or 5 times a power of ten, at least `step`. */
static double round_step(double step)
{
    double power = pow(10, floor(log10(step)));
    double lead = step / power;
    return (lead <= 1 ? 1 : lead <= 2 ? 2 : lead <= 5 ? 5 : 10) * power;
}

static size_t linear_ticks(const Scale *s, size_t most, double *ticks)
{
    double step = round_step((s->high - s->low) / (double)most);
    size_t n = 0;
    for (double k = ceil(s->low / step); k * step <= s->high && n < TICKS_MOST; k++)
        ticks[n++] = k * step + 0.0; /* no -0 */
    return n;
}

/* Over less than a decade linear ticks are the better ones; over many, not every power. */
static size_t logarithmic_ticks(const Scale *s, size_t most, double *ticks)
{
    static const double leads[] = {1, 2, 5};
    double decades = s->high - s->low;
    if (decades < 0.7) {
        Scale linear = {.low = pow(10, s->low), .high = pow(10, s->high)};
        return linear_ticks(&linear, most, ticks);
    }
    int every = (int)ceil(decades / (double)most), fine = decades * 3 <= (double)most ? 3 : 1;
    size_t n = 0;
    for (int power = (int)floor(s->low); power <= (int)ceil(s->high); power++)
        for (int k = 0; k < fine && power % every == 0; k++) {
            double tick = leads[k] * pow(10, power);
            if (log10(tick) >= s->low && log10(tick) <= s->high && n < TICKS_MOST)
                ticks[n++] = tick;
        }
    return n;
}

size_t scale_ticks(const Scale *s, size_t most, double ticks[TICKS_MOST])
{
    return s->logarithmic ? logarithmic_ticks(s, most, ticks) : linear_ticks(s, most, ticks);
}

/* "2e-09" says no more than "2e-9", and "1e+18" no more than "1e18". */
static void shorten_exponent(char *text)
{
    char *at = strchr(text, 'e');
    if (!at)
        return;
    char *digits = at + 2, *to = at + 1 + (at[1] == '-');
    digits += strspn(digits, "0");
    memmove(to, digits, strlen(digits) + 1);
}

const char *tick_text(double tick, char text[TICK_TEXT])
{
    static const struct {
        double unit;
        const char *letter;
    } units[] = {{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}};
    double size = fabs(tick);
    for (size_t k = 0; size >= 1e4 && size < 1e15 && k < sizeof units / sizeof units[0]; k++) {
        if (size < units[k].unit)
            continue;
        snprintf(text, TICK_TEXT, "%.4g%s", tick / units[k].unit, units[k].letter);
        return text;
    }
    snprintf(text, TICK_TEXT, "%.4g", tick);
    shorten_exponent(text);
    return text;
}
