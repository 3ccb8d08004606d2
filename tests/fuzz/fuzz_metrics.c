/* Any bytes as a file of metrics; those that are accepted can be computed. */
#include "metrics/metric/device.h"
#include "metrics/metric/metricset.h"
#include "tests/fuzz/told.h"

#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Arena *a = arena_new();
    Diag d = diag_new(a);
    const Source source = {"fuzz.metrics", arena_copy(a, (const char *)data, size), size};
    MetricSet *set = metricset_new(a);
    if (metricset_read(set, &source, &d) != (d.errors == 0))
        __builtin_trap(); /* refused without a word, or accepted with one */
    Profile p = {0};
    for (int f = 0; f < PROFILE_FIELDS; f++)
        p.value[f] = f;
    MetricValue *values = ARENA_ARRAY(a, MetricValue, set->metrics.count);
    metricset_evaluate(a, set, &(LaunchProfile){&p, 1}, 1, device_at(0), values);
    Buf out = {0};
    for (size_t i = 0; i < set->metrics.count; i++)
        buf_printf(&out, "%.9g %s\n", values[i].value, values[i].reason ? values[i].reason : "");
    diag_print(&d, &out);
    told(&out);
    arena_free(a);
    return 0;
}
