/* A recording may hold a hundred thousand rows. Data that only reading needs lives in separate
 * arenas, freed as soon as possible, and profiles are read one at a time: a row keeps its metrics
 * and one row of fields. */
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
    size_t no_time;       /* rows that ran right, but whose time is not above 0 */
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

static int value_compare(const Value *a, const Value *b)
{
    if (a->kind == VALUE_STRING)
        return strcmp(a->string, b->string);
    return (a->integer > b->integer) - (a->integer < b->integer);
}

typedef VEC(const Value *) Values;

/* The position of a value in a rising list, or where to insert it. */
static size_t find_value(const Values *v, const Value *x)
{
    size_t low = 0, high = v->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (value_compare(v->at[middle], x) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void note_value(Arena *a, Values *v, const Value *x)
{
    size_t at = find_value(v, x);
    if (at < v->count && value_compare(v->at[at], x) == 0)
        return;
    VEC_PUSH(a, v, x);
    memmove(v->at + at + 1, v->at + at, (v->count - 1 - at) * sizeof(*v->at));
    v->at[at] = x;
}

/* Collects the values of a parameter in rising order, as specs list them, and numbers those of each
 * row. */
static void number_values(Arena *scratch, Table *t, const TimesRecording *times, size_t p)
{
    Values met = {0};
    for (size_t k = 0; k < t->count; k++)
        note_value(scratch, &met, &times->rows.at[t->number[k]].values[p]);
    ValueList *list = &t->parameters[p].values;
    *list = (ValueList){met.count, ARENA_ARRAY(t->arena, Value, met.count)};
    for (size_t k = 0; k < met.count; k++)
        list->at[k] = copy_value(t->arena, *met.at[k]);
    for (size_t k = 0; k < t->count; k++)
        t->values[k * t->parameter_count + p] =
            (uint32_t)find_value(&met, &times->rows.at[t->number[k]].values[p]);
}

/* --- times ------------------------------------------------------------------------------------ */

static void take_row(Reading *r, size_t i, const RecordRow *row)
{
    Table *t = r->table;
    t->outcome[i] = row->status;
    if (t->times) {
        TableTimes *times = &t->times[i];
        double *ms = ARENA_ARRAY(r->arena, double, row->time_count);
        for (size_t k = 0; k < row->time_count; k++)
            ms[k] = row->times_ms[k];
        times->ms = ms;
        times->count = row->time_count;
        if (row->status == OUTCOME_OK)
            times->median = stats_median(row->times_ms, row->time_count);
        bool none = times->median <= 0;
        r->no_time += none;
        t->ms[i] = none ? NAN : r->by_energy ? 1e3 * row->joules : times->median;
    }
    if (t->work)
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
    if (t->work)
        weigh_rows(t);
}

/* --- all launches of a configuration ---------------------------------------------------------- */

/* A step of a kernel. A configuration's code and launches are texts ("hash+hash",
 * "grid/block/shared*3;…+…"); each step has a profile and is launched several times. */
typedef struct ProfileStep {
    const char *key; /* profiles_key of the step's profile: "hash grid/block/shared" */
    double times;
    size_t kernel;
} ProfileStep;

/* The text after the next '+'; NULL: none. */
static const char *next_kernel(const char *text)
{
    const char *plus = strchr(text, '+');
    return plus ? plus + 1 : NULL;
}

static const ProfileStep *steps_of(Arena *a, const char *code, const char *launch, size_t *count)
{
    VEC(ProfileStep) steps = {0};
    for (size_t kernel = 0; code && launch; kernel++) {
        const char *at = launch, *end;
        do {
            size_t size = strcspn(at, ";+*");
            end = at + strcspn(at, ";+");
            ProfileStep step = {
                .key = arena_printf(a, "%.*s %.*s", (int)strcspn(code, "+"), code, (int)size, at),
                .times = at[size] == '*' ? strtod(at + size + 1, NULL) : 1,
                .kernel = kernel};
            VEC_PUSH(a, &steps, step);
            at = end + 1;
        } while (*end == ';');
        code = next_kernel(code);
        launch = next_kernel(launch);
    }
    *count = steps.count;
    return steps.at;
}

/* The shares of a configuration's launches. `profiles` are those of its steps (NULL: not known). If
 * only some steps of a kernel have a profile, they represent the whole kernel; returns 0 if a
 * kernel has none. */
static size_t shares_of(Arena *a, const ProfileStep *steps, const Profile *const *profiles,
                        size_t count, const LaunchProfile **out)
{
    LaunchProfile *shares = ARENA_ARRAY(a, LaunchProfile, count);
    size_t n = 0;
    for (size_t from = 0, to; from < count; from = to) {
        double all = 0, found = 0;
        size_t first = n;
        for (to = from; to < count && steps[to].kernel == steps[from].kernel; to++) {
            all += steps[to].times;
            if (!profiles[to])
                continue;
            found += steps[to].times;
            shares[n++] = (LaunchProfile){profiles[to], steps[to].times};
        }
        if (n == first)
            return 0;
        for (size_t i = first; i < n; i++)
            shares[i].times *= all / found;
    }
    *out = shares;
    return n;
}

/* --- profiles --------------------------------------------------------------------------------- */

/* A row with several launches waits until the profiles of all were read. */
typedef struct Waiting {
    size_t point;
    const ProfileStep *steps;
    size_t count;
} Waiting;

typedef struct Profiles {
    Reading *reading;
    Arena *kept, *scratch;
    const char *path;
    Diag *diag;
    bool opened;            /* `columns` is set */
    ProfileColumns columns; /* of the recording */
    Profile **made;         /* per row: of its launches together */
    Map alone;              /* keys of rows with one launch */
    VEC(Waiting) waiting;
    Map steps;            /* keys of the steps of waiting rows, … */
    const Profile **read; /* … and their profiles; NULL: not read */
} Profiles;

static void finish_point(Profiles *p, size_t i, const LaunchProfile *shares, size_t n)
{
    Reading *r = p->reading;
    if (!p->made[i])
        p->made[i] = ARENA_NEW(r->arena, Profile);
    Profile *together = p->made[i];
    *together = profile_of_launches(shares, n);
    together->regions = together->syncs = NULL; /* large and not needed */
    together->note = copy_text(r->arena, together->note);
    r->table->profile[i].whole = together;
    table_evaluate(p->scratch, r->table, i, shares, n);
}

/* Another profiler version has other fields, or other meanings of the same fields. */
static void open_profiles(Profiles *p, const ProfileHeader *h)
{
    p->opened = true;
    p->columns = profiles_columns(h);
    if (atoi(h->profiler) != PROFILER_VERSION)
        diag_warn(p->diag, (Span){0},
                  "'%s' was made by profiler %s, this is profiler %d: metrics may differ from "
                  "today's",
                  p->path, h->profiler, PROFILER_VERSION);
}

static void take_profile(void *context, const ProfileHeader *h, const ProfileRow *row)
{
    Profiles *p = context;
    if (!p->opened)
        open_profiles(p, h);
    const char *key = profiles_key(p->scratch, row->code, row->launch);
    size_t step = map_number(&p->steps, key), point = map_number(&p->alone, key);
    if (step != SIZE_MAX) {
        Profile *kept = profiles_take(p->kept, &p->columns, row);
        kept->note = copy_text(p->kept, kept->note);
        p->read[step] = kept;
    }
    if (point != SIZE_MAX) {
        LaunchProfile share = {profiles_take(p->scratch, &p->columns, row), 1};
        finish_point(p, point, &share, 1);
    }
    arena_reset(p->scratch);
}

/* Lists the keys of single launches and of the steps of other rows, one row per code. */
static void look_for(Profiles *p)
{
    Reading *r = p->reading;
    const Table *t = r->table;
    const char **alone = ARENA_ARRAY(r->codes, const char *, t->count);
    Texts steps = {0};
    for (size_t i = 0; i < t->count; i++) {
        if (!r->key[i] || r->leader[i] != i)
            continue;
        if (!strpbrk(r->key[i], "+;*")) { /* one launch of one kernel */
            alone[i] = r->key[i];
            continue;
        }
        const char *gap = strchr(r->key[i], ' '); /* codes have no blanks */
        Waiting w = {.point = i};
        w.steps = steps_of(r->codes, arena_copy(r->codes, r->key[i], (size_t)(gap - r->key[i])),
                           gap + 1, &w.count);
        VEC_PUSH(r->codes, &p->waiting, w);
        for (size_t k = 0; k < w.count; k++)
            VEC_PUSH(r->codes, &steps, w.steps[k].key);
    }
    p->alone = map_of_texts(r->codes, alone, t->count);
    p->steps = map_of_texts(r->codes, steps.at, steps.count);
    p->read = ARENA_ARRAY(r->codes, const Profile *, steps.count);
}

static void finish_waiting(Profiles *p)
{
    VEC_EACH (const Waiting, w, p->waiting) {
        const Profile **of = ARENA_ARRAY(p->scratch, const Profile *, w->count);
        const LaunchProfile *shares;
        for (size_t i = 0; i < w->count; i++)
            of[i] = p->read[map_number(&p->steps, w->steps[i].key)];
        size_t n = shares_of(p->scratch, w->steps, of, w->count, &shares);
        if (n > 0)
            finish_point(p, w->point, shares, n);
        arena_reset(p->scratch);
    }
}

/* Copies the profile and metrics of a code to all rows that have it, scaled to their work. */
static void copy_to_same(const Reading *r)
{
    Table *t = r->table;
    for (size_t i = 0; i < t->count; i++) {
        size_t first = r->leader[i];
        t->profile[i] = t->profile[first];
        for (size_t m = 0; m < t->metrics->metrics.count; m++) {
            bool per_work = t->work && t->metrics->metrics.at[m].additive;
            double ratio = per_work ? t->work[first] / t->work[i] : 1;
            t->metric[m][i] = t->metric[m][first] * ratio;
        }
    }
}

static void warn_of_missing(const Table *t, const char *path, Diag *d)
{
    size_t missing = 0;
    for (size_t i = 0; i < t->count && t->ms; i++)
        missing += !isnan(t->ms[i]) && !t->profile[i].whole;
    if (missing > 0)
        diag_warn(d, (Span){0},
                  "%zu configurations of '%s' have a time but no profile in '%s': carving never "
                  "selects them",
                  missing, t->origin, path);
}

static bool read_profiles(Reading *r, Diag *d)
{
    Table *t = r->table;
    const char *path = record_profile_path(r->codes, t->origin);
    Profiles p = {.reading = r,
                  .kept = arena_new(),
                  .scratch = arena_new(),
                  .path = path,
                  .diag = d,
                  .made = ARENA_ARRAY(r->codes, Profile *, t->count)};
    look_for(&p);
    bool ok = profiles_visit(path, take_profile, &p, d);
    finish_waiting(&p);
    copy_to_same(r);
    if (ok)
        warn_of_missing(t, path, d);
    arena_free(p.scratch);
    arena_free(p.kept);
    return ok;
}

/* --- the whole table -------------------------------------------------------------------------- */

static void set_same(Reading *r, const char *const *keys)
{
    SCOPED_ARENA *scratch = arena_new();
    const size_t *same = table_group(scratch, keys, NULL, r->table->count);
    for (size_t i = 0; i < r->table->count; i++)
        r->table->same_as[i] = same[i];
}

/* Rows are the same if they have the same code, launch and work. */
static void find_same(Reading *r)
{
    Table *t = r->table;
    set_same(r, r->key);
    size_t *leader = ARENA_ARRAY(r->codes, size_t, t->count);
    for (size_t i = 0; i < t->count; i++)
        leader[i] = t->same_as[i];
    r->leader = leader;
    if (!t->work)
        return;
    const char **keys = ARENA_ARRAY(r->codes, const char *, t->count);
    for (size_t i = 0; i < t->count; i++)
        if (r->key[i])
            keys[i] = arena_printf(r->codes, "%s %.17g", r->key[i], t->work[i]);
    set_same(r, keys);
}

static bool find_profiles(Reading *r, Diag *d)
{
    const Table *t = r->table;
    const char *path = record_profile_path(t->arena, t->origin);
    if (path && file_exists(path))
        return read_profiles(r, d);
    diag_warn(d, (Span){0}, "there is no '%s': the space has no static metrics%s",
              path ? path : t->origin, t->imported[0] ? " (aptune import --spec makes it)" : "");
    return true;
}

Table *table_of_times(Arena *a, const TimesRecording *times, unsigned columns, MetricSet *metrics,
                      Diag *d)
{
    Reading r = {.arena = a, .codes = arena_new(), .table = table_new(a)};
    table_want(r.table, columns | TABLE_COST | TABLE_TRIAL);
    if (!record_is_weighed(&times->header))
        r.table->columns &= ~(unsigned)TABLE_WORK, r.table->work = NULL;
    take_times(&r, times);
    if (r.no_time > 0)
        diag_warn(d, (Span){0},
                  "%zu configurations in '%s' have times that are not above 0: they "
                  "count as not timed",
                  r.no_time, times->path);
    find_same(&r);
    bool ok = true;
    if (columns & TABLE_PROFILE) {
        table_set_metrics(r.table, metrics);
        ok = find_profiles(&r, d);
    }
    arena_free(r.codes);
    return ok ? r.table : NULL;
}

static Table *read_columns(Arena *a, const char *path, unsigned columns, MetricSet *metrics,
                           Diag *d)
{
    SCOPED_ARENA *scratch = arena_new();
    const TimesRecording *times = times_read(scratch, path, d);
    return times ? table_of_times(a, times, columns, metrics, d) : NULL;
}

Table *table_read(Arena *a, const char *path, MetricSet *metrics, Diag *d)
{
    return read_columns(a, path, TABLE_WORK | TABLE_TIMES | TABLE_MS | TABLE_PROFILE, metrics, d);
}

Table *table_read_times(Arena *a, const char *path, Diag *d)
{
    return read_columns(a, path, TABLE_WORK | TABLE_TIMES | TABLE_MS, NULL, d);
}
