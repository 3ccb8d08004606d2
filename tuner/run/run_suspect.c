/* Implausibly fast predictions.
 *
 * A profile can be wrong without knowing it: a loop of the machine code was mistaken for another,
 * or work was counted as none. Comparison detects that: a configuration that issues less than half
 * of what similar ones issue for the same PTX, or that would finish before the memory could deliver
 * its bytes or the units do its operations. Its predicted times are raised to what the others, or
 * the limit, imply, so that it ranks before known configurations only if it still is faster. */
#include "tuner/run/run_parts.h"

/* The logarithm of 2, a tolerance for limits, and the fewest rows that allow a judgement. */
static const double MAX_DEVIATION = 0.693, TOLERANCE = 1.02;
enum { MIN_ROWS = 8 };

/* Logarithm of the ratio of machine to PTX instructions; NaN: not known. */
static double mix_of(const Profile *p)
{
    const double issued = p ? p->value[PROFILE_ISSUED] : NAN,
                 instr = p ? p->value[PROFILE_INSTR] : NAN;
    return issued > 0 && instr > 0 ? log(issued / instr) : NAN;
}

/* FLOP per cycle and SM of the fastest unit that the code uses. */
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

/* Lower bound of the cycles of a row's work; 0: unknown. */
static double least_cycles(const Run *r, size_t row)
{
    const Device *d = r->table->device;
    const DeviceRates *k = d ? device_rates(d) : NULL;
    const Profile *p = r->table->profile[row].whole;
    const double flop = run_work(r, row, r->spec->work[OBJECTIVE_FLOP]),
                 bytes = run_work(r, row, r->spec->work[OBJECTIVE_BYTES]);
    double least = 0;
    if (!k || !p)
        return 0;
    if (flop > 0 && k->fp32 > 0)
        least = flop / (fastest_unit(k, p) * d->sms);
    if (bytes > (double)d->l2_bytes && d->dram_bytes_per_s > 0)
        least = fmax(least, bytes / d->dram_bytes_per_s * d->clock_hz);
    return least;
}

/* Metrics that are raised. */
static const char *const RAISED[] = {"predicted_cycles", "predicted_ms", "bound_cycles",
                                     "latency_cycles"};

static void raise_times(Table *t, size_t row, double factor)
{
    for (size_t i = 0; i < COUNT_OF(RAISED); i++) {
        const int m = metricset_find(t->metrics, RAISED[i]);
        if (m >= 0)
            t->metric[m][row] *= factor;
    }
}

/* Judges a row by the mix of others (NaN: not known). Returns the factor by which its times are
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
    if (others - mix > MAX_DEVIATION) {
        factor = exp(others - mix);
        t->suspect[row] = arena_printf(
            r->arena, "issues %.2g of the instructions that others issue for the same PTX",
            exp(mix - others));
    }
    r->suspects.fast += least > TOLERANCE * said;
    /* If most rows exceed their limit, the spec's amount of work is wrong. */
    if (least > TOLERANCE * factor * said &&
        2 * r->suspects.fast <= r->suspects.judged + MIN_ROWS) {
        factor = least / said;
        t->suspect[row] = arena_printf(
            r->arena, "predicted to take %.2g of the minimum time for its work", said / least);
    }
    if (factor > 1)
        raise_times(t, row, factor);
    return factor;
}

static double median_mix(const Run *r)
{
    const Table *t = r->table;
    SCOPED_ARENA *scratch = arena_new();
    double *mix = ARENA_ARRAY(scratch, double, t->count);
    size_t count = 0;
    for (size_t i = 0; i < t->count; i++)
        if (!isnan(mix_of(t->profile[i].whole)))
            mix[count++] = mix_of(t->profile[i].whole);
    return count >= MIN_ROWS ? stats_median(mix, count) : NAN;
}

double run_suspect_row(Run *r, size_t row)
{
    RunSuspects *s = &r->suspects;
    if (s->judged >= s->next) { /* the median changes little in between */
        s->mix = median_mix(r);
        s->next = s->judged + s->judged / 8 + 1;
    }
    return judge(r, row, s->mix);
}

/* --- neighbours ------------------------------------------------------------------------------- */

/* Hash of all values of a row but one. */
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

/* The mix of a row, limited in its deviation from the median. */
static double limited_mix(const Table *t, size_t row, double median)
{
    return fmin(fmax(mix_of(t->profile[row].whole), median - MAX_DEVIATION),
                median + MAX_DEVIATION);
}

/* Sums and counts the limited mixes of the rows that differ from each row in one parameter. */
static void add_neighbours(const Table *t, double median, double *sum, double *count)
{
    SCOPED_ARENA *scratch = arena_new();
    Numbered *lines = ARENA_ARRAY(scratch, Numbered, t->count); /* rows, by rest_of */
    for (size_t p = 0; p < t->parameter_count; p++) {
        size_t n = 0;
        for (size_t i = 0; i < t->count; i++)
            if (!isnan(mix_of(t->profile[i].whole)))
                lines[n++] = (Numbered){rest_of(t, i, p), i};
        stats_number(lines, n);
        for (size_t first = 0, end; first < n; first = end) {
            double all = 0;
            for (end = first; end < n && lines[end].key == lines[first].key; end++)
                all += limited_mix(t, lines[end].at, median);
            for (size_t k = first; k < end; k++) {
                sum[lines[k].at] += all - limited_mix(t, lines[k].at, median);
                count[lines[k].at] += (double)(end - first - 1);
            }
        }
    }
}

void run_suspects_find(Run *r)
{
    Table *t = r->table;
    SCOPED_ARENA *scratch = arena_new();
    double *sum = ARENA_ARRAY(scratch, double, t->count);
    double *count = ARENA_ARRAY(scratch, double, t->count);
    const double median = median_mix(r);
    if (!isnan(median))
        add_neighbours(t, median, sum, count);
    r->suspects = (RunSuspects){0};
    for (size_t i = 0; i < t->count; i++)
        if (t->profile[i].whole) {
            judge(r, i, count[i] > 1 ? sum[i] / count[i] : median);
            r->suspects.found += t->suspect[i] != NULL;
        }
}
