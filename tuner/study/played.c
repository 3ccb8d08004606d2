#include "tuner/study/played.h"

#include <math.h>
#include <stdlib.h>

typedef struct Place {
    uint64_t rank;
    size_t row;
} Place;

static int place_compare(const void *pa, const void *pb)
{
    const Place *a = pa, *b = pb;
    return a->rank < b->rank ? -1 : a->rank > b->rank;
}

/* Parameters that vary, and the rank of every row in their product. */
static SearchSpace space_of(Arena *a, const Table *t, Place *places)
{
    size_t *values = ARENA_ARRAY(a, size_t, t->parameter_count), parameters = 0;
    for (size_t i = 0; i < t->count; i++)
        places[i] = (Place){0, i};
    for (size_t p = 0; p < t->parameter_count; p++) {
        size_t n = t->parameters[p].values.count;
        if (n < 2)
            continue;
        values[parameters++] = n;
        for (size_t i = 0; i < t->count; i++)
            places[i].rank = places[i].rank * n + t->values[i * t->parameter_count + p];
    }
    qsort(places, t->count, sizeof *places, place_compare);
    uint64_t *ranks = ARENA_ARRAY(a, uint64_t, t->count);
    for (size_t k = 0; k < t->count; k++)
        ranks[k] = places[k].rank;
    return (SearchSpace){.parameters = parameters,
                         .values = values,
                         .ranks = ranks,
                         .count = t->count,
                         .size = (double)t->count};
}

static double *column_of(Arena *a, const Table *t, const Place *places, const char *name)
{
    double *out = ARENA_ARRAY(a, double, t->count);
    for (size_t k = 0; k < t->count; k++)
        out[k] = table_named(t, places[k].row, name);
    return out;
}

ReplayRows played_rows(Arena *a, const Table *t, const char *guess, size_t **rows)
{
    size_t n = t->count;
    Place *places = ARENA_ARRAY(a, Place, n);
    ReplayRows r = {.space = space_of(a, t, places)};
    size_t *place = ARENA_ARRAY(a, size_t, n), *same = ARENA_ARRAY(a, size_t, n),
           *row = ARENA_ARRAY(a, size_t, n);
    double *ms = ARENA_ARRAY(a, double, n), *code = ARENA_ARRAY(a, double, n),
           *seconds = ARENA_ARRAY(a, double, n), *variance = ARENA_ARRAY(a, double, n);
    bool *broken = ARENA_ARRAY(a, bool, n);
    for (size_t k = 0; k < n; k++) {
        row[k] = places[k].row;
        place[row[k]] = k;
    }
    for (size_t k = 0; k < n; k++) {
        const Profile *p = table_profile(t, row[k]);
        size_t first = place[t->same_as[row[k]]];
        same[k] = first;
        ms[k] = t->ms[row[k]];
        TableCost cost = t->cost ? t->cost[row[k]] : (TableCost){0};
        seconds[k] = cost.compile_s > 0 ? cost.compile_s + cost.profile_s : NAN;
        broken[k] = table_failed_to_compile(t, row[k]);
        code[k] = p ? p->value[PROFILE_CODE_BYTES] : NAN;
        double doubt = p ? p->value[PROFILE_UNCERTAINTY] : 0;
        variance[k] = doubt > 0 ? doubt * doubt : 0;
    }
    for (size_t k = 0; k < n; k++)
        ms[same[k]] = fmin(ms[same[k]], ms[k]);
    for (size_t k = 0; k < n; k++)
        ms[k] = ms[same[k]];
    r.same_as = same;
    r.ms = ms;
    r.compile_s = seconds;
    r.code_bytes = code;
    r.variance = variance;
    r.broken = broken;
    r.predicted = column_of(a, t, places, guess);
    r.bound = column_of(a, t, places, "bound_cycles");
    r.latency = column_of(a, t, places, "latency_cycles");
    if (rows)
        *rows = row;
    return r;
}
