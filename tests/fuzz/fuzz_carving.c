/* Carve statements alone, then opened and applied to a few points, some with values missing. */
#include "tuner/carve/carve.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { POINTS = 6 };

typedef struct Points {
    Profile profiles[POINTS];
    uint16_t values[POINTS];
} Points;

static const Profile *profile(void *context, size_t i)
{
    return &((const Points *)context)->profiles[i];
}

static double metric(void *context, size_t m, size_t i)
{
    (void)context;
    return i == 3 ? NAN : (double)(m + i);
}

static Points *make_points(Arena *a)
{
    Points *p = ARENA_NEW(a, Points);
    for (size_t i = 0; i < POINTS; i++) {
        p->profiles[i] = profile_new();
        p->profiles[i].value[PROFILE_SPILL_BYTES] = (double)(i % 3);
        p->values[i] = (uint16_t)(i / 2);
    }
    return p;
}

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

static void apply(Arena *a, const SpecCarving *said, Diag *d)
{
    CarvePlan plan;
    CarveNames names = {.metrics = make_metrics(a, d)};
    CarveRequest request = {said->stages, said->count, (size_t)said->polish, "predicted_cycles", 1};
    if (!carve_open(a, &request, &names, &plan, d))
        return;
    Points *p = make_points(a);
    CarvePoints points = {.context = p,
                          .count = POINTS,
                          .profile = profile,
                          .metric = metric,
                          .values = p->values,
                          .parameters = 1};
    const bool alive[POINTS] = {true, true, false, true, true, true};
    Carving c = carve_apply(&plan, &points, alive, d);
    Buf out = {0};
    for (size_t i = 0; i < POINTS; i++)
        carving_why(&c, i, &out);
    carving_print(&c, &out);
    buf_free(&out);
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
    buf_free(&out);
    arena_free(a);
    return 0;
}
