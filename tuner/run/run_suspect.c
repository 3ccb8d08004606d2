/* Predictions that are too good to be true.
 *
 * A profile may be wrong and not know it: a loop of the machine code that was taken for another
 * one, work that was counted as none.  What cannot be is seen from outside: a configuration that
 * issues less than half of what those like it issue for the same PTX, and one that would be done
 * before the memory could give its bytes or the units make its operations.  Its predicted times are
 * raised to what the others, or the limit, say, so that it comes before none of those that are
 * known unless that, too, is less. */
#include "tuner/run/run_parts.h"

#include "metrics/base/stats.h"
#include "metrics/metric/device.h"

#include <math.h>
#include <stdlib.h>

/* The logarithm of 2, and rows below which nothing can be said of them all. */
static const double FAR = 0.693, TOUCH = 1.02;
enum { ROWS_LEAST = 8 };

/* Of machine instructions to those of the PTX, as a logarithm; NaN: not known. */
static double mix_of(const Profile *p)
{
    const double issued = p ? p->value[PROFILE_ISSUED] : NAN,
                 instr = p ? p->value[PROFILE_INSTR] : NAN;
    return issued > 0 && instr > 0 ? log(issued / instr) : NAN;
}

/* --- limits ----------------------------------------------------------------------------------- */

/* Floating-point operations a cycle of an SM in the fastest unit that the code uses. */
static double fastest_unit(const DeviceRates *k, const Profile *p)
{
    const double *v = p->value;
    double most = k->fp32;
    if (v[PROFILE_HALF_ISSUED] > 0)
        most = fmax(most, k->half);
    if (v[PROFILE_TENSOR_ISSUED] > 0)
        most = fmax(most, k->tensor);
    return 2 * most;
}

/* Cycles that the work takes at least; 0: nothing is said of it. */
static double least_cycles(const Run *r, size_t row)
{
    const Device *d = r->table->device;
    const DeviceRates *k = d ? device_rates(d) : NULL;
    const Profile *p = r->table->profile[row].whole;
    const double flop = run_work(r, row, r->spec->work_flop),
                 bytes = run_work(r, row, r->spec->work_bytes);
    double least = 0;
    if (!k || !p)
        return 0;
    if (flop > 0 && k->fp32 > 0)
        least = flop / (fastest_unit(k, p) * d->sms);
    if (bytes > (double)d->l2_bytes && d->dram_bytes_per_s > 0)
        least = fmax(least, bytes / d->dram_bytes_per_s * d->clock_hz);
    return least;
}

/* --- what follows ----------------------------------------------------------------------------- */

/* Times of a row, that its raise goes for. */
static const char *const RAISED[] = {"predicted_cycles", "predicted_ms", "bound_cycles",
                                     "latency_cycles"};

static void raise_times(Table *t, size_t row, double factor)
{
    for (size_t i = 0; i < sizeof RAISED / sizeof *RAISED; i++) {
        const int m = metricset_find(t->metrics, RAISED[i]);
        if (m >= 0)
            t->metric[m][row] *= factor;
    }
}

/* Judges a row by the mix that others have (NaN: not known); returns by how much its times are
 * raised. */
static double judge(Run *r, size_t row, double others)
{
    Table *t = r->table;
    const double mix = mix_of(t->profile[row].whole), least = least_cycles(r, row);
    r->suspects.judged++;
    const int m = metricset_find(t->metrics, "predicted_cycles");
    const double said = m >= 0 ? t->metric[m][row] * t->work[row] : NAN;
    double factor = 1;
    t->suspect[row] = NULL;
    if (others - mix > FAR) {
        factor = exp(others - mix);
        t->suspect[row] =
            arena_printf(r->arena, "%.2g of the instructions that others issue for the same PTX",
                         exp(mix - others));
    }
    r->suspects.fast += least > TOUCH * said;
    /* Of most of them it is the work that is said wrong. */
    if (least > TOUCH * factor * said && 2 * r->suspects.fast <= r->suspects.judged + ROWS_LEAST) {
        factor = least / said;
        t->suspect[row] = arena_printf(
            r->arena, "predicted to take %.2g of the time that its work needs at least",
            said / least);
    }
    if (factor > 1)
        raise_times(t, row, factor);
    return factor;
}

/* The median of the rows that have been profiled. */
static double median_mix(const Run *r)
{
    const Table *t = r->table;
    double *mix = memory_new((t->count + 1) * sizeof *mix);
    size_t count = 0;
    for (size_t i = 0; i < t->count; i++)
        if (!isnan(mix_of(t->profile[i].whole)))
            mix[count++] = mix_of(t->profile[i].whole);
    const double median = count >= ROWS_LEAST ? stats_median(mix, count) : NAN;
    free(mix);
    return median;
}

double run_suspect_row(Run *r, size_t row)
{
    RunSuspects *s = &r->suspects;
    if (s->judged >= s->next) { /* the median moves little between */
        s->mix = median_mix(r);
        s->next = s->judged + s->judged / 8 + 1;
    }
    return judge(r, row, s->mix);
}

/* --- neighbours ------------------------------------------------------------------------------- */

/* All values of a row but one. */
static uint64_t rest_of(const Table *t, size_t row, size_t without)
{
    uint64_t h = UINT64_C(0xcbf29ce484222325);
    for (size_t p = 0; p < t->parameter_count; p++) {
        const uint32_t v = p == without ? UINT32_MAX : t->values[row * t->parameter_count + p];
        h = (h ^ v) * UINT64_C(0x100000001b3);
        h ^= h >> 29;
    }
    return h;
}

/* Sums over the rows that differ from a row in one parameter alone; far-off ones count as FAR off.
 */
static void add_neighbours(const Table *t, double median, double *sum, double *count)
{
    Numbered *lines = memory_new((t->count + 1) * sizeof *lines); /* rows, by rest_of */
    for (size_t p = 0; p < t->parameter_count; p++) {
        size_t n = 0;
        for (size_t i = 0; i < t->count; i++)
            if (!isnan(mix_of(t->profile[i].whole)))
                lines[n++] = (Numbered){rest_of(t, i, p), i};
        stats_number(lines, n);
        for (size_t first = 0, end; first < n; first = end) {
            double all = 0;
            for (end = first; end < n && lines[end].key == lines[first].key; end++)
                all +=
                    fmin(fmax(mix_of(t->profile[lines[end].at].whole), median - FAR), median + FAR);
            for (size_t k = first; k < end; k++) {
                const double own =
                    fmin(fmax(mix_of(t->profile[lines[k].at].whole), median - FAR), median + FAR);
                sum[lines[k].at] += all - own;
                count[lines[k].at] += (double)(end - first - 1);
            }
        }
    }
    free(lines);
}

void run_suspects_find(Run *r)
{
    Table *t = r->table;
    double *sum = memory_zeroed(t->count + 1, sizeof *sum),
           *count = memory_zeroed(t->count + 1, sizeof *count);
    const double median = median_mix(r);
    if (!isnan(median))
        add_neighbours(t, median, sum, count);
    r->suspects = (RunSuspects){0};
    for (size_t i = 0; i < t->count; i++)
        if (t->profile[i].whole) {
            judge(r, i, count[i] > 1 ? sum[i] / count[i] : median);
            r->suspects.found += t->suspect[i] != NULL;
        }
    free(sum);
    free(count);
}
