#include "metrics/metric/shares.h"

#include <string.h>

/* Is it bad in any launch, whatever the others do? */
static bool is_worst_of_all(ProfileField f)
{
    switch (f) {
    case PROFILE_REGISTERS:
    case PROFILE_SHARED_BYTES:
    case PROFILE_LOCAL_BYTES:
    case PROFILE_SPILL_BYTES:
    case PROFILE_CODE_BYTES:
    case PROFILE_BARRIERS:
    case PROFILE_BRANCHES_UNKNOWN:
    case PROFILE_LOOPS_UNKNOWN:
    case PROFILE_CODE_UNMATCHED:
    case PROFILE_ACCESSES_SAMPLED:
        return true;
    default:
        return false;
    }
}

static double work_of(const ProfileShare *s)
{
    return s->profile->value[PROFILE_INSTR] * s->profile->value[PROFILE_THREADS] * s->times;
}

size_t shares_heaviest(const ProfileShare *shares, size_t count)
{
    size_t most = 0;
    for (size_t i = 1; i < count; i++)
        if (work_of(&shares[i]) > work_of(&shares[most]))
            most = i;
    return most;
}

Profile shares_join(const ProfileShare *shares, size_t count)
{
    Profile joined = *shares[shares_heaviest(shares, count)].profile;
    for (int f = 0; f < PROFILE_FIELDS; f++) {
        if (!is_worst_of_all((ProfileField)f))
            continue;
        for (size_t i = 0; i < count; i++)
            if (shares[i].profile->value[f] > joined.value[f])
                joined.value[f] = shares[i].profile->value[f];
    }
    return joined;
}

const char *const *metric_adding_units(size_t *count)
{
    static const char *const units[] = {"cycles",     "seconds",  "ms",       "us",
                                        "ns",         "bytes",    "sectors",  "flop",
                                        "wavefronts", "accesses", "launches", "joules"};
    *count = sizeof units / sizeof units[0];
    return units;
}

bool metric_adds(const Metric *m)
{
    size_t count;
    const char *const *units = metric_adding_units(&count);
    for (size_t i = 0; i < count; i++)
        if (strcmp(m->unit, units[i]) == 0)
            return true;
    return false;
}

void metricset_evaluate_shares(Arena *a, const MetricSet *set, const ProfileShare *shares,
                               size_t count, const Device *device, MetricValue *values)
{
    size_t n = set->metrics.count, heaviest = shares_heaviest(shares, count);
    metricset_evaluate(a, set, shares[heaviest].profile, device, values);
    if (count == 1 && shares[0].times == 1)
        return;
    MetricValue *one = ARENA_ARRAY(a, MetricValue, n);
    for (size_t k = 0; k < count; k++) {
        metricset_evaluate(a, set, shares[k].profile, device, one);
        for (size_t m = 0; m < n; m++) {
            if (!metric_adds(&set->metrics.at[m]))
                continue;
            double before = k == 0 ? 0 : values[m].value;
            if (one[m].reason)
                values[m] = one[m];
            values[m].value = before + one[m].value * shares[k].times;
        }
    }
}
