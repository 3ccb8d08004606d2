#include "tuner/choose/learned.h"

#include "tuner/choose/samples.h"
#include "tuner/choose/search_parts.h"

#include <stdlib.h>

/* One table; rows with equal shared values are one. */
typedef struct Prior {
    size_t shared;    /* parameters */
    size_t *place;    /* of each shared parameter: its place among the searched ones, … */
    uint16_t **codes; /* … and for each of its values here, the place among the values of both */
    uint16_t *points; /* of the table, as such places; ascending by memcmp */
    double *y;
    size_t count;
    Process *process;
} Prior;

struct Learned {
    Arena *arena;
    const TableParameter *parameters;
    const size_t *searched;
    size_t count; /* of searched */
    VEC(Prior) priors;
    VEC(const uint16_t *) starters;
};

Learned *learned_new(Arena *a, const TableParameter *parameters, const size_t *searched,
                     size_t count)
{
    Learned *l = ARENA_NEW(a, Learned);
    *l = (Learned){.arena = a, .parameters = parameters, .searched = searched, .count = count};
    return l;
}

/* --- matching values -------------------------------------------------------------------------- */

/* Recordings store numbers that are not integers as text. */
static Value as_number(Value v)
{
    char *end = NULL;
    double x = v.kind == VALUE_STRING ? strtod(v.string, &end) : 0;
    return end && end != v.string && *end == '\0' ? value_real(x) : v;
}

/* The union of two lists, ascending. */
static ValueList join(Arena *a, const ValueList *x, const ValueList *y)
{
    ValueList both = {0, ARENA_ARRAY(a, Value, x->count + y->count)};
    for (size_t i = 0; i < x->count; i++)
        both.at[both.count++] = as_number(x->at[i]);
    for (size_t i = 0; i < y->count; i++)
        both.at[both.count++] = as_number(y->at[i]);
    both.count = values_sort(both.at, both.count);
    return both;
}

static uint16_t *places(Arena *a, const ValueList *values, const ValueList *among)
{
    uint16_t *out = ARENA_ARRAY(a, uint16_t, values->count);
    for (size_t i = 0; i < values->count; i++) {
        Value v = as_number(values->at[i]);
        const Value *found = bsearch(&v, among->at, among->count, sizeof v, value_compare);
        out[i] = (uint16_t)(found - among->at);
    }
    return out;
}

/* --- a table's rows --------------------------------------------------------------------------- */

typedef struct Taken {
    const uint16_t *point;
    size_t size; /* bytes of it */
    double y;
} Taken;

static int taken_compare(const void *pa, const void *pb)
{
    const Taken *a = pa, *b = pb;
    int c = memcmp(a->point, b->point, a->size);
    return c != 0 ? c : (a->y > b->y) - (a->y < b->y);
}

/* Finds the shared parameters and the places of their values; `theirs`: those of the table's values. */
static void share(Learned *l, const Table *t, Prior *k, size_t *parameter, uint16_t **theirs)
{
    Arena *a = l->arena;
    k->place = ARENA_ARRAY(a, size_t, l->count);
    k->codes = ARENA_ARRAY(a, uint16_t *, l->count);
    for (size_t s = 0; s < l->count && k->shared < PROCESS_PARAMETERS; s++) {
        const TableParameter *own = &l->parameters[l->searched[s]];
        const TableParameter *other = NAME_FIND(t->parameters, t->parameter_count, name, own->name);
        if (!other)
            continue;
        ValueList both = join(a, &own->values, &other->values);
        if (both.count > UINT16_MAX)
            continue;
        parameter[k->shared] = (size_t)(other - t->parameters);
        theirs[k->shared] = places(a, &other->values, &both);
        k->codes[k->shared] = places(a, &own->values, &both);
        k->place[k->shared++] = s;
    }
}

/* Of rows that agree in all shared parameters the fastest is kept. */
static void take_rows(Learned *l, const Table *t, Prior *k, const size_t *parameter,
                      uint16_t *const *theirs)
{
    Arena *a = l->arena;
    Taken *all = ARENA_ARRAY(a, Taken, t->count);
    size_t count = 0, n = k->shared;
    double least = INFINITY;
    for (size_t i = 0; i < t->count; i++) {
        if (!(t->ms[i] > 0) || !isfinite(t->ms[i]))
            continue;
        uint16_t *point = ARENA_ARRAY(a, uint16_t, n);
        for (size_t s = 0; s < n; s++)
            point[s] = theirs[s][t->values[i * t->parameter_count + parameter[s]]];
        all[count++] = (Taken){point, n * sizeof *point, log(t->ms[i])};
        least = fmin(least, all[count - 1].y);
    }
    if (count > 1)
        qsort(all, count, sizeof *all, taken_compare);
    k->points = ARENA_ARRAY(a, uint16_t, count * n);
    k->y = ARENA_ARRAY(a, double, count);
    for (size_t i = 0; i < count; i++) {
        if (i > 0 && memcmp(all[i].point, all[i - 1].point, all[i].size) == 0)
            continue;
        memcpy(k->points + k->count * n, all[i].point, all[i].size);
        k->y[k->count++] = all[i].y - least;
    }
}

/* --- starters --------------------------------------------------------------------------------- */

/* A table's point as a point of the search; NULL if it is none. */
static const uint16_t *own_point(const Learned *l, const Prior *k, size_t row)
{
    if (k->shared < l->count)
        return NULL;
    uint16_t *point = ARENA_ARRAY(l->arena, uint16_t, l->count);
    for (size_t s = 0; s < k->shared; s++) {
        size_t values = l->parameters[l->searched[s]].values.count;
        while (point[s] < values && k->codes[s][point[s]] != k->points[row * k->shared + s])
            point[s]++;
        if (point[s] == values)
            return NULL;
    }
    return point;
}

static bool is_apart(const Learned *l, const uint16_t *point, size_t from)
{
    for (size_t k = from; k < l->starters.count; k++)
        if (differing(point, l->starters.at[k], l->count) < 2)
            return false;
    return true;
}

/* `fastest`: at least the first LOOKED_AT rows, in order. */
static void add_starters(Learned *l, const Prior *k, const Sample *fastest)
{
    enum { LOOKED_AT = 100 };
    size_t from = l->starters.count, most = k->count < LOOKED_AT ? k->count : LOOKED_AT;
    for (size_t i = 0; i < most && l->starters.count < from + LEARNED_STARTERS; i++) {
        const uint16_t *point = own_point(l, k, fastest[i].row);
        if (point && is_apart(l, point, from))
            VEC_PUSH(l->arena, &l->starters, point);
    }
}

const uint16_t *learned_starters(const Learned *l, size_t *count)
{
    uint16_t *all = ARENA_ARRAY(l->arena, uint16_t, l->starters.count * l->count);
    for (size_t k = 0; k < l->starters.count; k++)
        memcpy(all + k * l->count, l->starters.at[k], l->count * sizeof *all);
    *count = l->starters.count;
    return all;
}

/* --- the process ------------------------------------------------------------------------------ */

static Process *fit(Learned *l, const Prior *k, const Sample *all, size_t count)
{
    Arena *a = l->arena;
    uint16_t *points = ARENA_ARRAY(a, uint16_t, count * k->shared);
    double *y = ARENA_ARRAY(a, double, count), *variance = ARENA_ARRAY(a, double, count);
    for (size_t i = 0; i < count; i++) {
        memcpy(points + i * k->shared, k->points + all[i].row * k->shared,
               k->shared * sizeof *points);
        y[i] = all[i].y;
        variance[i] = sample_variance(&all[i], all[0].y, space_blur);
    }
    ProcessData data = {
        .count = count, .parameters = k->shared, .points = points, .y = y, .variance = variance};
    ProcessShape shapes[SPACE_SHAPES];
    return process_fit(a, &data, shapes, samples_shapes(shapes, 0));
}

size_t learned_add(Learned *l, const Table *t, size_t *shared)
{
    Prior k = {0};
    size_t *parameter = ARENA_ARRAY(l->arena, size_t, l->count);
    uint16_t **theirs = ARENA_ARRAY(l->arena, uint16_t *, l->count);
    share(l, t, &k, parameter, theirs);
    *shared = k.shared;
    if (k.shared > 0)
        take_rows(l, t, &k, parameter, theirs);
    if (k.count == 0)
        return 0;
    Sample *all = ARENA_ARRAY(l->arena, Sample, k.count);
    for (size_t i = 0; i < k.count; i++)
        all[i] = (Sample){i, k.y[i], 0};
    size_t count = samples_thin(all, k.count, SPACE_BEST, SPACE_SPREAD);
    add_starters(l, &k, all);
    k.process = fit(l, &k, all, count);
    if (!k.process)
        return 0;
    VEC_PUSH(l->arena, &l->priors, k);
    return k.count;
}

/* --- means ------------------------------------------------------------------------------------ */

static int row_compare(const void *wanted, const void *row)
{
    const Taken *t = wanted;
    return memcmp(t->point, row, t->size);
}

static void add_means(const Learned *l, const Prior *k, const uint16_t *points, size_t count,
                      double *means)
{
    SCOPED_ARENA *a = arena_new();
    uint16_t *open = ARENA_ARRAY(a, uint16_t, count * k->shared);
    size_t *of = ARENA_ARRAY(a, size_t, count), opened = 0;
    double share = 1 / (double)l->priors.count, *believed = ARENA_ARRAY(a, double, count);
    for (size_t i = 0; i < count; i++) {
        uint16_t *point = open + opened * k->shared;
        for (size_t s = 0; s < k->shared; s++)
            point[s] = k->codes[s][points[i * l->count + k->place[s]]];
        const Taken wanted = {.point = point, .size = k->shared * sizeof *point};
        const uint16_t *row = bsearch(&wanted, k->points, k->count, wanted.size, row_compare);
        if (row)
            means[i] += share * k->y[(size_t)(row - k->points) / k->shared];
        else
            of[opened++] = i;
    }
    process_means(k->process, open, NULL, opened, believed);
    for (size_t i = 0; i < opened; i++)
        means[of[i]] += share * fmax(0, believed[i]);
}

void learned_means(const Learned *l, const uint16_t *points, size_t count, double *means)
{
    for (size_t i = 0; i < count; i++)
        means[i] = 0;
    for (size_t k = 0; k < l->priors.count; k++)
        add_means(l, &l->priors.at[k], points, count, means);
}
