/* Points from recordings.
 *
 * A recording may hold a hundred thousand rows.  What only reading needs lives in arenas of its
 * own, freed as soon as it can be, and profiles pass by one at a time: a point keeps its metrics
 * and one row of fields, whatever else the file says of it. */
#include "metrics/base/file.h"
#include "metrics/base/vec.h"
#include "metrics/metric/profile_build.h"
#include "tuner/measure/stats.h"
#include "tuner/record/device.h"
#include "tuner/record/profile_take.h"
#include "tuner/study/points.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct Reading {
    Arena *arena; /* of the set */
    Arena *codes; /* of the keys and of what is looked up by them */
    PointSet *set;
    const char **key; /* per point: code and launch, "hash grid/block/shared"; NULL: not known */
    const size_t *leader; /* per point: the first with the same key */
} Reading;

/* --- times ------------------------------------------------------------------------------------ */

static const char *copy_text(Arena *a, const char *text)
{
    return text ? arena_string(a, text) : NULL;
}

static const RecordParameter *copy_parameters(Arena *a, const RecordHeader *h)
{
    RecordParameter *p = ARENA_ARRAY(a, RecordParameter, h->parameter_count);
    for (size_t k = 0; k < h->parameter_count; k++)
        p[k] = (RecordParameter){arena_string(a, h->parameters[k].name), h->parameters[k].is_text};
    return p;
}

static const RecordProblem *copy_sizes(Arena *a, const RecordHeader *h)
{
    RecordProblem *p = ARENA_ARRAY(a, RecordProblem, h->problem_count);
    for (size_t k = 0; k < h->problem_count; k++) {
        const RecordProblem *from = &h->problem[k];
        p[k] = (RecordProblem){arena_string(a, from->name),
                               {copy_text(a, from->value.text), from->value.number}};
    }
    return p;
}

static const Device *copy_device(Arena *a, const RecordHeader *h)
{
    Device *d = ARENA_NEW(a, Device);
    *d = *record_device(a, h);
    d->name = arena_string(a, d->name);
    return d;
}

static void take_header(Reading *r, const char *path, const RecordHeader *h)
{
    Arena *a = r->arena;
    *r->set = (PointSet){.name = copy_text(a, h->space),
                         .origin = arena_string(a, path),
                         .problem = record_problem_text(a, h),
                         .sizes = copy_sizes(a, h),
                         .size_count = h->problem_count,
                         .gpu = copy_text(a, h->device),
                         .date = copy_text(a, h->date),
                         .imported = copy_text(a, h->imported),
                         .device = copy_device(a, h),
                         .objective = copy_text(a, h->objective),
                         .parameters = copy_parameters(a, h),
                         .parameter_count = h->parameter_count};
}

static void allocate(Reading *r, size_t n)
{
    Arena *a = r->arena;
    PointSet *s = r->set;
    points_allocate(a, s, n);
    r->key = ARENA_ARRAY(r->codes, const char *, n);
    if (s->objective[0])
        s->work = ARENA_ARRAY(a, double, n);
}

static const RecordValue *copy_values(Arena *a, const RecordValue *values, size_t n)
{
    RecordValue *v = ARENA_ARRAY(a, RecordValue, n);
    for (size_t k = 0; k < n; k++)
        v[k] = (RecordValue){copy_text(a, values[k].text), values[k].number};
    return v;
}

static const double *copy_numbers(Arena *a, const double *numbers, size_t n)
{
    double *v = ARENA_ARRAY(a, double, n);
    if (n > 0)
        memcpy(v, numbers, n * sizeof *v);
    return v;
}

static void take_row(Reading *r, const RecordRow *row)
{
    PointSet *s = r->set;
    size_t i = s->count++;
    s->values[i] = copy_values(r->arena, row->values, s->parameter_count);
    s->names[i] = arena_string(r->arena, row->key);
    s->status[i] = row->status;
    s->samples[i] = copy_numbers(r->arena, row->times_ms, row->time_count);
    s->sample_count[i] = row->time_count;
    if (s->work)
        s->work[i] = row->work;
    s->ms[i] = row->status == RECORD_OK ? stats_median(row->times_ms, row->time_count) : NAN;
    if (s->ms[i] <= 0) {
        s->ms[i] = NAN;
        s->no_time++;
    }
    r->key[i] = row->code ? profiles_key(r->codes, row->code, row->launch) : NULL;
}

/* Times for as much work as the least of all. */
static void weigh_points(Reading *r)
{
    PointSet *s = r->set;
    double least = INFINITY;
    for (size_t i = 0; i < s->count; i++)
        if (s->work[i] > 0)
            least = fmin(least, s->work[i]);
    for (size_t i = 0; i < s->count; i++) {
        s->work[i] = s->work[i] > 0 ? s->work[i] / least : NAN;
        s->ms[i] /= s->work[i];
        double *samples = ARENA_ARRAY(r->arena, double, s->sample_count[i]);
        for (size_t k = 0; k < s->sample_count[i]; k++)
            samples[k] = s->samples[i][k] / s->work[i];
        s->samples[i] = samples;
    }
}

static void tell_times(const PointSet *s, Diag *d)
{
    if (s->no_time > 0)
        diag_warn(d, (Span){0},
                  "%zu configurations in '%s' have times that are not above 0: they "
                  "count as not timed",
                  s->no_time, s->origin);
}

static bool read_times(Reading *r, const char *path, Diag *d)
{
    Arena *scratch = arena_new();
    const TimesRecording *times = times_read(scratch, path, d);
    if (times) {
        take_header(r, path, &times->header);
        allocate(r, times->rows.count);
        for (size_t k = 0; k < times->rows.count; k++) {
            const RecordRow *row = &times->rows.at[k];
            if (times_find(times, row->key) == row) /* else timed again further on */
                take_row(r, row);
        }
        if (r->set->work)
            weigh_points(r);
        tell_times(r->set, d);
    }
    arena_free(scratch);
    return times != NULL;
}

/* --- profiles --------------------------------------------------------------------------------- */

/* A point that is several launches waits until the profiles of all are read. */
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
    bool opened;            /* `columns` are known */
    ProfileColumns columns; /* of the recording */
    Profile **made;         /* per point: of its launches together */
    TextIndex alone;        /* keys of the points that are one launch */
    VEC(Waiting) waiting;
    TextIndex steps;      /* keys of what these wait for */
    const Profile **read; /* of each of these keys; NULL: not read */
} Profiles;

static void finish_point(Profiles *p, size_t i, const ProfileShare *shares, size_t n)
{
    Reading *r = p->reading;
    if (!p->made[i])
        p->made[i] = ARENA_NEW(r->arena, Profile);
    Profile *together = p->made[i];
    *together = shares_join(shares, n);
    together->regions = together->syncs = NULL; /* they are most of a profile */
    together->note = copy_text(r->arena, together->note);
    r->set->profiles[i] = together;
    points_evaluate(r->arena, p->scratch, r->set, i, shares, n);
}

/* A profile by another version has other fields, or means something else by the same. */
static void open_profiles(Profiles *p, const ProfileHeader *h)
{
    p->opened = true;
    p->columns = profiles_columns(h);
    if (atoi(h->profiler) != PROFILER_VERSION)
        diag_warn(
            p->diag, (Span){0},
            "'%s' was made by profiler %s, this is %d: metrics may not be what they are today",
            p->path, h->profiler, PROFILER_VERSION);
}

static void take_profile(void *context, const ProfileHeader *h, const ProfileRow *row)
{
    Profiles *p = context;
    if (!p->opened)
        open_profiles(p, h);
    const char *key = profiles_key(p->scratch, row->code, row->launch);
    size_t step = index_find(&p->steps, key), point = index_find(&p->alone, key);
    if (step != SIZE_MAX) {
        Profile *kept = profiles_take(p->kept, &p->columns, row);
        kept->note = copy_text(p->kept, kept->note);
        p->read[step] = kept;
    }
    if (point != SIZE_MAX) {
        ProfileShare share = {profiles_take(p->scratch, &p->columns, row), 1};
        finish_point(p, point, &share, 1);
    }
    arena_reset(p->scratch);
}

static Waiting wait_for(Arena *a, size_t point, const char *key)
{
    const char *launch = strchr(key, ' '); /* codes have none */
    Waiting w = {.point = point};
    w.steps = profiles_steps(a, arena_copy(a, key, (size_t)(launch - key)), launch + 1, &w.count);
    return w;
}

/* What to look for: keys of single launches, and steps of the other points.  One of each code is
 * enough. */
static void look_for(Profiles *p)
{
    Reading *r = p->reading;
    const PointSet *s = r->set;
    const char **alone = ARENA_ARRAY(r->codes, const char *, s->count);
    VEC(const char *) steps = {0};
    for (size_t i = 0; i < s->count; i++) {
        if (!r->key[i] || r->leader[i] != i)
            continue;
        if (!profiles_key_is_many(r->key[i])) {
            alone[i] = r->key[i];
            continue;
        }
        Waiting w = wait_for(r->codes, i, r->key[i]);
        VEC_PUSH(r->codes, &p->waiting, w);
        for (size_t k = 0; k < w.count; k++)
            VEC_PUSH(r->codes, &steps, w.steps[k].key);
    }
    p->alone = index_build(r->codes, alone, s->count);
    p->steps = index_build(r->codes, steps.at, steps.count);
    p->read = ARENA_ARRAY(r->codes, const Profile *, steps.count);
}

static void finish_waiting(Profiles *p)
{
    for (size_t k = 0; k < p->waiting.count; k++) {
        const Waiting *w = &p->waiting.at[k];
        const Profile **of = ARENA_ARRAY(p->scratch, const Profile *, w->count);
        const ProfileShare *shares;
        for (size_t i = 0; i < w->count; i++)
            of[i] = p->read[index_find(&p->steps, w->steps[i].key)];
        size_t n = profiles_shares(p->scratch, w->steps, of, w->count, &shares);
        if (n > 0)
            finish_point(p, w->point, shares, n);
        arena_reset(p->scratch);
    }
}

/* What is known of a code is known of its copies, whatever work they do with it. */
static void copy_to_same(const Reading *r)
{
    PointSet *s = r->set;
    for (size_t i = 0; i < s->count; i++) {
        size_t first = r->leader[i];
        s->profiles[i] = s->profiles[first];
        for (size_t m = 0; m < s->metrics->metrics.count; m++) {
            bool per_work = s->work && metric_adds(&s->metrics->metrics.at[m]);
            double ratio = per_work ? s->work[first] / s->work[i] : 1;
            s->metric[m][i] = s->metric[m][first] * ratio;
        }
    }
}

static void tell_missing(const PointSet *s, const char *path, Diag *d)
{
    size_t missing = 0;
    for (size_t i = 0; i < s->count; i++)
        missing += !isnan(s->ms[i]) && !s->profiles[i];
    if (missing > 0)
        diag_warn(
            d, (Span){0},
            "%zu configurations of '%s' have a time and no profile in '%s': no carving chooses "
            "them",
            missing, s->origin, path);
}

static bool read_profiles(Reading *r, const char *times, Diag *d)
{
    const char *path = record_profile_path(r->arena, times);
    if (!path || !file_exists(path)) {
        bool imported = r->set->imported[0];
        diag_warn(d, (Span){0}, "there is no '%s': nothing static is known of this space%s",
                  path ? path : times, imported ? " (aptune import --spec makes it)" : "");
        return true;
    }
    Profiles p = {
        .reading = r, .kept = arena_new(), .scratch = arena_new(), .path = path, .diag = d};
    p.made = ARENA_ARRAY(r->codes, Profile *, r->set->count);
    look_for(&p);
    bool ok = profiles_visit(path, take_profile, &p, d);
    finish_waiting(&p);
    copy_to_same(r);
    if (ok)
        tell_missing(r->set, path, d);
    arena_free(p.scratch);
    arena_free(p.kept);
    return ok;
}

/* --- all of it -------------------------------------------------------------------------------- */

/* Points are the same when code and launch are, and the work that they do with it. */
static void find_same(Reading *r)
{
    PointSet *s = r->set;
    points_set_same(r->arena, s, r->key);
    r->leader = s->same_as;
    if (!s->work)
        return;
    const char **keys = ARENA_ARRAY(r->codes, const char *, s->count);
    for (size_t i = 0; i < s->count; i++)
        if (r->key[i])
            keys[i] = arena_printf(r->codes, "%s %.17g", r->key[i], s->work[i]);
    points_set_same(r->arena, s, keys);
}

PointSet *points_read(Arena *a, const char *path, const MetricSet *metrics, Diag *d)
{
    Reading r = {.arena = a, .codes = arena_new(), .set = ARENA_NEW(a, PointSet)};
    bool ok = read_times(&r, path, d);
    if (ok) {
        find_same(&r);
        points_set_metrics(a, r.set, metrics);
        ok = read_profiles(&r, path, d);
        points_set_counts(a, r.set);
    }
    arena_free(r.codes);
    return ok ? r.set : NULL;
}
