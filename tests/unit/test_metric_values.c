/* What the shipped metrics make of profiles that somebody made up, against a golden text: a term, a
 * clamp or a device's number that changes is a line that changes.  What a value should be is tested
 * by hand in test_cycles.c and test_findings_theses.c.
 *
 * APTUNE_UPDATE_GOLDEN=1 writes the text anew; the difference is the review. */
#include "metrics/base/file.h"
#include "metrics/metric/device.h"
#include "metrics/metric/metricset.h"
#include "tests/support/golden.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { PROFILES = 10 };

/* In [0, 1), by a name and a number: a new field changes no other. */
static double share_of(const char *name, int number)
{
    char text[80];
    const int size = snprintf(text, sizeof text, "%d %s", number, name);
    uint64_t h = UINT64_C(14695981039346656037); /* FNV-1a */
    for (int i = 0; i < size; i++)
        h = (h ^ (unsigned char)text[i]) * UINT64_C(1099511628211);
    return (double)(h >> 11) / 9007199254740992.0;
}

/* Most fields count something, between 1 and 1000, bytes up to 10^9; an eighth are 0, and now and then one is not
 * known.  Those of the launch are as a launch may be. */
static double value_of(const char *name, const char *unit, int number)
{
    static const struct {
        const char *name;
        double most;
    } launch[] = {{"blocks", 5000},     {"threads", 500000},  {"threads_per_block", 1024},
                  {"blocks_per_sm", 8}, {"warps_per_sm", 64}, {"warps_per_block", 32},
                  {"waves", 40}};
    const double share = share_of(name, number);
    for (size_t i = 0; i < sizeof launch / sizeof *launch; i++)
        if (strcmp(name, launch[i].name) == 0)
            return ceil(launch[i].most * share);
    if (share < 1.0 / 100)
        return NAN;
    if (share < 1.0 / 8)
        return 0;
    if (strcmp(unit, "1") == 0)
        return share;
    return pow(strcmp(unit, "bytes") == 0 ? 1e9 : 1e3, share);
}

/* Of a walk that met three regions. */
static const ProfileRegion *regions(Arena *a, const char *name, int number)
{
    enum { REGIONS = 3 };
    ProfileRegion *all = ARENA_ARRAY(a, ProfileRegion, REGIONS);
    for (int r = 0; r < REGIONS; r++)
        for (int c = 0; c < REGION_COLUMNS; c++)
            all[r].value[c] =
                value_of(arena_printf(a, "%s %d %s", name, r, profile_columns[c].name), "", number);
    return all;
}

static void print_values(Arena *a, MetricSet *set, const Device *d, int number, Buf *out)
{
    Profile p = profile_new();
    for (int f = 0; f < PROFILE_FIELDS; f++) {
        const ProfileInfo *i = &profile_fields[f];
        p.value[f] = value_of(i->name, i->unit, number);
    }
    p.regions = regions(a, "stall", number);
    p.syncs = regions(a, "sync", number);
    p.region_count = p.sync_count = 3;
    MetricValue *values = ARENA_ARRAY(a, MetricValue, set->metrics.count);
    metricset_evaluate(a, set, &(LaunchProfile){&p, 1}, 1, d, values);
    for (size_t m = 0; m < set->metrics.count; m++)
        buf_printf(out, "%d %s %s %.6g\n", number, d->name, set->metrics.at[m].name,
                   values[m].value);
}

static void metrics_have_the_golden_values(void **state)
{
    (void)state;
    Arena *a = arena_new();
    Diag d = diag_new(a);
    MetricSet *set = metricset_new(a);
    static const char *const files[] = {SOURCE_DIR "/metrics/thesis.metrics",
                                        SOURCE_DIR "/metrics/cycles.metrics"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        assert_true(metricset_read(set, source_read(a, files[i], &d), &d));
    Buf got = {0};
    for (int number = 0; number < PROFILES; number++)
        print_values(a, set, device_find(number % 2 ? "sm_80" : "sm_90"), number, &got);
    golden_compare("metrics", &got);
    buf_free(&got);
    arena_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(metrics_have_the_golden_values)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
