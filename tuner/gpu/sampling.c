#include "tuner/gpu/sampling.h"

#include <math.h>

StatsInterval sampling_interval(const double *ms, size_t count)
{
    return stats_interval(ms, count, SAMPLING_FEW);
}

int sampling_batch(double sample_ms, double run_ms)
{
    if (!(run_ms > 0))
        return 1;
    double runs = ceil(sample_ms / run_ms);
    return runs < 1 ? 1 : runs > SAMPLING_BATCH_MOST ? SAMPLING_BATCH_MOST : (int)runs;
}

static double total(const double *ms, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += ms[i];
    return sum;
}

double sampling_idle(const double *ms, size_t count)
{
    const double usual = count ? stats_median(ms, count) : 0, most = 1.5;
    double idle = 0;
    for (size_t i = 0; i < count; i++)
        idle += ms[i] > most * usual ? ms[i] - usual : 0;
    return idle > 0 ? idle / total(ms, count) : 0;
}

/* Half as many again as there are, limited by the budget; then the rule is applied again. */
static size_t next_step(const TaskSampling *s, const double *ms, size_t count, int batch)
{
    double each = total(ms, count) / (double)count * batch;
    double left = s->budget_ms - total(ms, count) * batch;
    size_t step = (count + 1) / 2;
    if (count + step > (size_t)s->most)
        step = (size_t)s->most > count ? (size_t)s->most - count : 0;
    if (left < each * (double)step)
        step = left > 0 && each > 0 ? (size_t)(left / each) : 0;
    return step;
}

size_t sampling_more(const TaskSampling *s, const double *ms, size_t count, int batch)
{
    if (count < (size_t)s->least)
        return (size_t)s->least - count;
    if (count == 0)
        return 0;
    StatsInterval i = sampling_interval(ms, count);
    if (s->best_ms > 0 && i.low > s->best_ms)
        return 0;
    if (count < (size_t)s->enough)
        return (size_t)s->enough - count;
    return i.high - i.low <= s->width * i.low ? 0 : next_step(s, ms, count, batch);
}
