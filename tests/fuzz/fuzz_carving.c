/* Carve statements alone, then opened and applied to a few points, some with values missing. */
#include "tests/fuzz/told.h"
#include "tests/support/made_table.h"
#include "tuner/choose/carve.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { POINTS = 6 };

static MetricSet *make_metrics(Arena *a, Diag *d)
{
    static const char text[] = "metric predicted_cycles lower \"cycles\" \"Made up.\" = instr\n"
                               "metric ratio higher \"1\" \"Made up.\" = instr / spill_bytes\n";
    static const Source source = {"fuzz.metrics", text, sizeof text - 1};
    MetricSet *set = metricset_new(a);
    if (!metricset_read(set, &source, d))
        abort();
    return set;
}

static Table *make_rows(Arena *a, Diag *d)
{
    Table *t = made_table(a, 1, POINTS);
    for (uint32_t i = 0; i < POINTS; i++)
        made_row(t, i, (uint32_t[]){i / 2});
    table_set_metrics(t, make_metrics(a, d));
    for (size_t i = 0; i < POINTS; i++) {
        Profile *p = ARENA_NEW(a, Profile);
        *p = profile_new();
        p->value[PROFILE_SPILL_BYTES] = (double)(i % 3);
        t->profile[i].whole = p;
        for (size_t m = 0; m < 2; m++)
            t->metric[m][i] = i == 3 ? NAN : (double)(m + i);
    }
    return t;
}

static void apply(Arena *a, const SpecCarving *said, Diag *d)
{
    CarvePlan plan;
    CarveRequest request = {said->stages, said->count, (size_t)said->polish, "predicted_cycles", 1};
    if (!carve_open(a, &request, make_rows(a, d), &plan, d))
        return;
    const bool alive[POINTS] = {true, true, false, true, true, true};
    Carving c = carve_apply(&plan, alive, d);
    Buf out = {0};
    for (size_t i = 0; i < POINTS; i++)
        carving_why(&c, i, &out);
    carving_print(&c, &out);
    told(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Arena *a = arena_new();
    Diag d = diag_new(a);
    Source source = {"fuzz.carving", arena_copy(a, (const char *)data, size), size};
    SpecCarving said;
    Buf out = {0};
    bool ok = spec_parse_carving(a, &source, &said, &d);
    if (ok != (d.errors == 0))
        abort(); /* refused without a word, or taken with an error */
    if (ok)
        apply(a, &said, &d);
    diag_print(&d, &out);
    told(&out);
    arena_free(a);
    return 0;
}
