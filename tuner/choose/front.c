#include "tuner/choose/front.h"

#include "metrics/base/vec.h"

#include <math.h>

/* A point as the algorithms see it: smaller is better in every key. */
typedef struct Row {
    const double *key;
    size_t point;
} Row;

typedef struct Rows {
    Row *at;
    size_t count;
    size_t keys;
} Rows;

/* The eligible points, sorted by the criteria, so that a point comes behind all that dominate it. */
static Rows rows_sorted(Arena *a, const FrontInput *in)
{
    Rows r = {.keys = in->criteria_count};
    size_t *order = ARENA_ARRAY(a, size_t, in->points);
    r.at = ARENA_ARRAY(a, Row, in->points);
    double *keys = arena_array(a, in->points, r.keys * sizeof *keys);
    for (size_t i = 0; i < in->points; i++)
        order[i] = i;
    stats_order(order, in->points, in->criteria, in->criteria_count);
    for (size_t n = 0; n < in->points; n++) {
        const size_t i = order[n];
        bool eligible = !in->alive || in->alive[i];
        double *key = keys + i * r.keys;
        for (size_t k = 0; k < r.keys; k++) {
            key[k] = in->criteria[k].up ? -in->criteria[k].values[i] : in->criteria[k].values[i];
            eligible = eligible && !isnan(key[k]);
        }
        if (eligible)
            r.at[r.count++] = (Row){key, i};
    }
    return r;
}

static bool key_dominates(const double *p, const double *q, size_t keys, FrontTies ties)
{
    size_t better = 0, worse = 0;
    for (size_t k = 0; k < keys; k++) {
        better += p[k] < q[k];
        worse += p[k] > q[k];
    }
    return ties == FRONT_KEEP ? better == keys && keys > 0 : better > 0 && worse == 0;
}

/* True if `p` is better than `q` in some key. */
static bool key_better(const double *p, const double *q, size_t keys)
{
    for (size_t k = 0; k < keys; k++)
        if (p[k] < q[k])
            return true;
    return false;
}

/* --- layers ----------------------------------------------------------------------------------- */

/* Rows of a layer, in the order of their first key. */
typedef VEC(const Row *) Members;

/* Leaves out a row that is nowhere better than the member before it, since it dominates nothing that the
 * other does not.  So with two keys the second one falls from member to member. */
static void members_add(Arena *a, Members *m, const Row *row, size_t keys)
{
    if (m->count == 0 || key_better(row->key, m->at[m->count - 1]->key, keys))
        VEC_PUSH(a, m, row);
}

/* A member that dominates `row`, whose first key is no better than theirs.  The latest are tried first, as
 * they are the most similar.  With two keys, the second one ends the search early. */
static const Row *dominating(const Members *m, const Row *row, size_t keys, FrontTies ties)
{
    for (size_t i = m->count; i-- > 0;) {
        const double *key = m->at[i]->key;
        if (key_dominates(key, row->key, keys, ties))
            return m->at[i];
        if (keys == 2 && key[1] >= row->key[1])
            return NULL;
    }
    return NULL;
}

/* What a layer dominates, every layer before it dominates too, so binary search works. */
static size_t members_layer(const Members *layers, size_t count, const Rows *r, const Row *row,
                            FrontTies ties)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (dominating(&layers[middle], row, r->keys, ties))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static size_t find_layers(Arena *a, Front *f, const Rows *r, FrontTies ties, size_t layers_max)
{
    VEC(Members) layers = {0};
    VEC_EACH (const Row, row, *r) {
        size_t layer = members_layer(layers.at, layers.count, r, row, ties);
        const Row *by = layer > 0 ? dominating(&layers.at[0], row, r->keys, ties) : NULL;
        f->layer[row->point] = (int32_t)layer;
        f->dominator[row->point] = by ? by->point : POINT_NONE;
        if (layer >= layers_max)
            continue;
        if (layer == layers.count)
            VEC_PUSH(a, &layers, (Members){0});
        members_add(a, &layers.at[layer], row, r->keys);
    }
    return layers.count;
}

Front front_build(Arena *a, const FrontInput *in, size_t layers_max)
{
    Front f = {.layer = ARENA_ARRAY(a, int32_t, in->points),
               .dominator = ARENA_ARRAY(a, size_t, in->points)};
    for (size_t i = 0; i < in->points; i++) {
        f.layer[i] = LAYER_NONE;
        f.dominator[i] = POINT_NONE;
    }
    Rows r = rows_sorted(a, in);
    size_t most = layers_max < INT32_MAX ? layers_max : INT32_MAX - 1;
    f.layers = find_layers(a, &f, &r, in->ties, most);
    for (size_t i = 0; i < in->points; i++)
        f.count += f.layer[i] == 0;
    return f;
}

/* --- the band --------------------------------------------------------------------------------- */

/* A key made worse, that is larger, by `percent` of its size; a negative one does not exceed 0. */
static double key_worsen(double key, double percent)
{
    double x = percent / 100.0;
    if (key >= 0)
        return key * (1.0 + x);
    return x < 1.0 ? key * (1.0 - x) : 0.0;
}

/* The front, sorted and made worse. */
static Rows band_front(Arena *a, const Rows *all, const Front *front, double percent)
{
    Rows r = {.at = ARENA_ARRAY(a, Row, front->count), .keys = all->keys};
    for (size_t i = 0; i < all->count; i++) {
        if (front->layer[all->at[i].point] != 0)
            continue;
        double *key = ARENA_ARRAY(a, double, r.keys);
        for (size_t k = 0; k < r.keys; k++)
            key[k] = percent > 0 ? key_worsen(all->at[i].key[k], percent) : all->at[i].key[k];
        r.at[r.count++] = (Row){key, all->at[i].point};
    }
    return r;
}

bool *front_band(Arena *a, const FrontInput *in, const Front *front, double percent)
{
    bool *inside = ARENA_ARRAY(a, bool, in->points);
    Rows all = rows_sorted(a, in);
    Rows worse = band_front(a, &all, front, percent);
    Members before = {0}; /* of the front, up to the first key of the row */
    size_t next = 0;
    VEC_EACH (const Row, row, all) {
        while (next < worse.count && worse.at[next].key[0] <= row->key[0])
            members_add(a, &before, &worse.at[next++], all.keys);
        inside[row->point] = !dominating(&before, row, all.keys, in->ties);
    }
    return inside;
}

/* --- threshold carving ------------------------------------------------------------------------ */

double threshold_limit(double best, bool up, double percent)
{
    if (!(percent > 0))
        return best;
    return up ? -key_worsen(-best, percent) : key_worsen(best, percent);
}
