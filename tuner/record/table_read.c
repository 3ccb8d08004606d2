/* A recording may hold a hundred thousand rows. What only reading needs lives in separate arenas,
 * freed as soon as possible: a row keeps its metrics and one row of fields. */
#include "tuner/record/table_read.h"

#include "metrics/base/file.h"
#include "metrics/base/stats.h"
#include "metrics/metric/profile_build.h"
#include "tuner/record/profile.h"

#include <stdlib.h>

typedef struct Reading {
    Arena *arena; /* of the table */
    Arena *codes; /* of keys and what is looked up by them */
    Table *table;
    const char **key;     /* per row: code and launch, "hash grid/block/shared"; NULL: not known */
    const size_t *leader; /* per row: the first with the same key */
    bool by_energy;       /* rows compare by energy */
    bool weighed;         /* rows compare by the time for equal work */
} Reading;

/* --- the header ------------------------------------------------------------------------------- */

static const char *copy_text(Arena *a, const char *text)
{
    return text ? arena_string(a, text) : NULL;
}

static Value copy_value(Arena *a, Value v)
{
    return v.kind == VALUE_STRING ? value_string(arena_string(a, v.string)) : v;
}

static void take_header(Table *t, const TimesRecording *times)
{
    Arena *a = t->arena;
    const RecordHeader *h = &times->header;
    t->name = copy_text(a, h->space);
    t->origin = arena_string(a, times->path);
    t->problem = record_problem_text(a, h);
    TableSize *sizes = ARENA_ARRAY(a, TableSize, h->problem_count);
    for (size_t k = 0; k < h->problem_count; k++)
        sizes[k] =
            (TableSize){arena_string(a, h->problem[k].name), copy_value(a, h->problem[k].value)};
    t->sizes = sizes;
    t->size_count = h->problem_count;
    t->gpu = copy_text(a, h->device);
    t->date = copy_text(a, h->date);
    t->imported = copy_text(a, h->imported);
    t->objective = copy_text(a, h->objective);
    Device *device = ARENA_COPY(a, Device, *record_device(a, h));
    device->name = arena_string(a, device->name);
    t->device = device;
    t->gap = ',';
    t->parameter_count = h->parameter_count;
    t->parameters = ARENA_ARRAY(a, TableParameter, h->parameter_count);
    for (size_t p = 0; p < h->parameter_count; p++)
        t->parameters[p] =
            (TableParameter){.name = arena_string(a, h->parameters[p].name),
                             .kind = h->parameters[p].is_text ? VALUE_STRING : VALUE_INT};
}

/* --- parameter values by number --------------------------------------------------------------- */

/* Collects the values of a parameter in rising order, as specs list them, and numbers those of each
 * row. */
static void number_values(Arena *scratch, Table *t, const TimesRecording *times, size_t p)
{
    Value *met = ARENA_ARRAY(scratch, Value, t->count);
    for (size_t k = 0; k < t->count; k++)
        met[k] = times->rows.at[t->number[k]].values[p];
    const size_t count = values_sort(met, t->count);
    ValueList *list = &t->parameters[p].values;
    *list = (ValueList){count, ARENA_ARRAY(t->arena, Value, count)};
    for (size_t k = 0; k < count; k++)
        list->at[k] = copy_value(t->arena, met[k]);
    for (size_t k = 0; k < t->count; k++) {
        const Value *own = &times->rows.at[t->number[k]].values[p],
                    *found = bsearch(own, met, count, sizeof *met, value_compare);
        t->values[k * t->parameter_count + p] = (uint32_t)(found - met);
    }
}

/* --- times ------------------------------------------------------------------------------------ */

static void take_row(Reading *r, size_t i, const RecordRow *row)
{
    Table *t = r->table;
    t->outcome[i] = row->status;
    TableTimes *times = &t->times[i];
    times->ms = arena_keep(r->arena, row->times_ms, row->time_count * sizeof *row->times_ms);
    times->count = row->time_count;
    if (row->status == OUTCOME_OK)
        times->median = stats_median(row->times_ms, row->time_count);
    t->ms[i] = times->median <= 0 ? NAN : r->by_energy ? 1e3 * row->joules : times->median;
    if (r->weighed)
        t->work[i] = row->work;
    t->cost[i] = (TableCost){row->compile_s, row->profile_s};
    t->trial[i].seconds = row->seconds;
    r->key[i] = row->code ? profiles_key(r->codes, row->code, row->launch) : NULL;
}

/* Scales times to the least work of all rows. */
static void weigh_rows(Table *t)
{
    double least = INFINITY;
    for (size_t i = 0; i < t->count; i++)
        if (t->work[i] > 0)
            least = fmin(least, t->work[i]);
    for (size_t i = 0; i < t->count; i++) {
        t->work[i] = t->work[i] > 0 ? t->work[i] / least : NAN;
        t->ms[i] /= t->work[i];
    }
}

static void take_times(Reading *r, const TimesRecording *times)
{
    Table *t = r->table;
    SCOPED_ARENA *scratch = arena_new();
    take_header(t, times);
    r->by_energy = record_is_by_energy(&times->header);
    r->weighed = record_is_weighed(&times->header);
    table_reserve(t, times->rows.count);
    r->key = ARENA_ARRAY(r->codes, const char *, times->rows.count);
    for (size_t k = 0; k < times->rows.count; k++) {
        const RecordRow *row = &times->rows.at[k];
        if (times_find(times, row->key) == row) /* skip rows that were timed again later */
            take_row(r, table_add(t, k), row);
    }
    for (size_t p = 0; p < t->parameter_count; p++) {
        number_values(scratch, t, times, p);
        arena_reset(scratch);
    }
    if (r->weighed)
        weigh_rows(t);
}

/* --- profiles --------------------------------------------------------------------------------- */

typedef VEC(LaunchProfile) Shares;

/* Adds the shares of a kernel's launches, "grid/block/shared*3;…". If only some have a profile,
 * they represent the whole kernel; false if none has.  A kernel that is not launched has no launches. */
static bool add_kernel(Arena *a, const ProfileRecording *from, const char *code,
                       const char *launches, Shares *out)
{
    const size_t first = out->count;
    double all = 0, found = 0;
    for (const char *at = launches, *end = ";"; *end == ';'; at = end + 1) {
        const size_t size = strcspn(at, ";*");
        const double times = at[size] == '*' ? strtod(at + size + 1, NULL) : 1;
        const Profile *p = profiles_get(a, from, code, arena_copy(a, at, size));
        all += times;
        found += p ? times : 0;
        if (p)
            VEC_PUSH(a, out, ((LaunchProfile){p, times}));
        end = at + strcspn(at, ";");
    }
    for (size_t i = first; i < out->count; i++)
        out->at[i].times *= all / found;
    return out->count > first || !*launches;
}

/* The shares of all launches of a configuration, by its key "hash+hash launches+launches"; none if
 * a kernel has none. */
static Shares shares_of(Arena *a, const ProfileRecording *from, const char *key)
{
    Shares shares = {0};
    const char *code = key, *launches = strchr(key, ' ') + 1;
    for (bool more = true; more;) {
        const size_t n = strcspn(code, "+ "), m = strcspn(launches, "+");
        if (!add_kernel(a, from, arena_copy(a, code, n), arena_copy(a, launches, m), &shares))
            return (Shares){0};
        more = code[n] == '+' && launches[m] == '+';
        code += n + 1;
        launches += m + 1;
    }
    return shares;
}

static void take_profile(Reading *r, Arena *scratch, size_t i, const ProfileRecording *from)
{
    const Shares shares = shares_of(scratch, from, r->key[i]);
    if (shares.count == 0)
        return;
    Profile *whole = ARENA_NEW(r->arena, Profile);
    *whole = profile_of_launches(shares.at, shares.count);
    whole->regions = whole->syncs = NULL; /* large and not needed */
    whole->note = copy_text(r->arena, whole->note);
    r->table->profile[i].whole = whole;
    table_evaluate(scratch, r->table, i, shares.at, shares.count);
}

/* Copies the profile and metrics of a code to all rows that have it, scaled to their work. */
static void copy_to_same(const Reading *r)
{
    Table *t = r->table;
    for (size_t i = 0; i < t->count; i++) {
        size_t first = r->leader[i];
        t->profile[i] = t->profile[first];
        for (size_t m = 0; m < t->metrics->metrics.count; m++) {
            bool per_work = t->metrics->metrics.at[m].additive;
            double ratio = per_work ? t->work[first] / t->work[i] : 1;
            t->metric[m][i] = t->metric[m][first] * ratio;
        }
    }
}

static bool read_profiles(Reading *r, const char *path, Diag *d)
{
    const Table *t = r->table;
    SCOPED_ARENA *kept = arena_new(), *scratch = arena_new();
    const ProfileRecording *from = profiles_read(kept, path, d);
    if (!from)
        return false;
    /* Another profiler version has other fields, or other meanings of the same fields. */
    if (from->rows.count > 0 && atoi(from->header.profiler) != PROFILER_VERSION)
        diag_warn(d, (Span){0},
                  "'%s' was made by profiler %s, this is profiler %d: metrics may differ from "
                  "today's",
                  path, from->header.profiler, PROFILER_VERSION);
    for (size_t i = 0; i < t->count; i++) {
        if (r->key[i] && r->leader[i] == i)
            take_profile(r, scratch, i, from);
        arena_reset(scratch);
    }
    copy_to_same(r);
    return true;
}

/* --- the whole table -------------------------------------------------------------------------- */

/* Rows are the same if they have the same code, launch and work. */
static void find_same(Reading *r)
{
    Table *t = r->table;
    const char **keys = r->key;
    r->leader = table_group(r->codes, r->key, NULL, t->count);
    if (r->weighed)
        keys = ARENA_ARRAY(r->codes, const char *, t->count);
    for (size_t i = 0; i < t->count; i++)
        if (r->weighed && r->key[i])
            keys[i] = arena_printf(r->codes, "%s %.17g", r->key[i], t->work[i]);
    const size_t *same = r->weighed ? table_group(r->codes, keys, NULL, t->count) : r->leader;
    for (size_t i = 0; i < t->count; i++)
        t->same_as[i] = same[i];
}

static bool find_profiles(Reading *r, Diag *d)
{
    const Table *t = r->table;
    const char *path = record_profile_path(t->arena, t->origin);
    if (path && file_exists(path))
        return read_profiles(r, path, d);
    diag_warn(d, (Span){0}, "there is no '%s': the space has no static metrics%s",
              path ? path : t->origin, t->imported[0] ? " (aptune import --spec makes it)" : "");
    return true;
}

Table *table_of_times(Arena *a, const TimesRecording *times, MetricSet *metrics, Diag *d)
{
    Reading r = {.arena = a, .codes = arena_new(), .table = table_new(a)};
    take_times(&r, times);
    find_same(&r);
    if (metrics)
        table_set_metrics(r.table, metrics);
    const bool ok = !metrics || find_profiles(&r, d);
    arena_free(r.codes);
    return ok ? r.table : NULL;
}

static void warn_of_missing(const Table *t, Diag *d)
{
    SCOPED_ARENA *scratch = arena_new();
    const char *path = record_profile_path(scratch, t->origin);
    size_t missing = 0;
    for (size_t i = 0; i < t->count; i++)
        missing += !isnan(t->ms[i]) && !t->profile[i].whole;
    if (missing > 0 && path && file_exists(path))
        diag_warn(d, (Span){0},
                  "%zu configurations of '%s' have a time but no profile in '%s': carving never "
                  "selects them",
                  missing, t->origin, path);
}

static void warn_of_times(const Table *t, Diag *d)
{
    size_t none = 0;
    for (size_t i = 0; i < t->count; i++)
        none += table_is_right(t, i) && isnan(t->ms[i]);
    if (none > 0)
        diag_warn(d, (Span){0},
                  "%zu configurations in '%s' have times that are not above 0: they "
                  "count as not timed",
                  none, t->origin);
}

Table *table_read(Arena *a, const char *path, MetricSet *metrics, Diag *d)
{
    SCOPED_ARENA *scratch = arena_new();
    const TimesRecording *times = times_read(scratch, path, d);
    Table *t = times ? table_of_times(a, times, metrics, d) : NULL;
    if (t)
        warn_of_times(t, d);
    if (t && metrics)
        warn_of_missing(t, d);
    return t;
}
