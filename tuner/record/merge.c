#include "tuner/record/merge.h"

#include "metrics/base/file.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <unistd.h>

/* The path to write to until the file is complete. NULL after a message if `to` exists. */
static const char *open_part(Arena *a, const char *to, Diag *d)
{
    if (file_exists(to)) {
        diag_fail(d, "'%s' exists already; a merge writes a new file", to);
        return NULL;
    }
    const char *part = arena_printf(a, "%s.part", to);
    unlink(part); /* left by a killed merge */
    return part;
}

/* Renames the file to `to`, or removes it after a failure. */
static bool close_part(const char *part, const char *to, bool ok, Diag *d)
{
    if (ok && rename(part, to) != 0)
        ok = diag_fail(d, "cannot rename '%s' to '%s': %s", part, to, strerror(errno));
    if (!ok)
        unlink(part);
    return ok;
}

static bool check_headers(const char *first_path, const RecordHeader *first, const char *path,
                          const RecordHeader *other, Diag *d)
{
    SCOPED_BUF why = {0};
    bool same = record_header_same(other, first, &why) &&
                record_text_same("source", other->source_hash, first->source_hash, &why) &&
                record_text_same("aptune version", other->version, first->version, &why);
    if (!same)
        diag_fail(d, "'%s' does not belong to '%s': %s", path, first_path, buf_text(&why));
    return same;
}

/* --- times ------------------------------------------------------------------------------------ */

typedef struct TimesMerge {
    Arena *arena;
    TimesRecording **from;
    size_t count;
    TimesWriter *writer;
    int finals; /* highest number of the finals of earlier parts */
    MergeCounts *counts;
    Diag *diag;
} TimesMerge;

static bool same_words(const char *a, const char *b)
{
    return strcmp(a ? a : "", b ? b : "") == 0;
}

static bool same_numbers(const double *a, size_t a_count, const double *b, size_t b_count)
{
    return a_count == b_count && (a_count == 0 || memcmp(a, b, a_count * sizeof *a) == 0);
}

static const char *device_uuid(const TimesRecording *r, int number)
{
    const RecordDevice *x = times_device(r, number);
    return x ? x->uuid : r->header.uuid;
}

/* True for two rows of the same measurement. */
static bool equal_rows(const TimesRecording *p, const RecordRow *a, const TimesRecording *q,
                       const RecordRow *b)
{
    return a->status == b->status && same_words(a->code, b->code) &&
           same_words(a->launch, b->launch) &&
           same_numbers(a->times_ms, a->time_count, b->times_ms, b->time_count) &&
           strcmp(device_uuid(p, a->device), device_uuid(q, b->device)) == 0;
}

static bool contradiction(const TimesMerge *m, size_t part, size_t other, const RecordRow *a,
                          const char *what, const char *x, const char *y)
{
    return diag_fail(m->diag,
                     "'%s' and '%s' contradict each other on %s: its %s is '%s' in the first and "
                     "'%s' in the second; measure it again, or leave out one of the files",
                     m->from[part]->path, m->from[other]->path, a->key, what, x, y);
}

static bool check_rows(const TimesMerge *m, size_t part, const RecordRow *a, size_t other,
                       const RecordRow *b)
{
    if (a->code && b->code && strcmp(a->code, b->code) != 0)
        return contradiction(m, part, other, a, "code", a->code, b->code);
    if (a->launch && b->launch && strcmp(a->launch, b->launch) != 0)
        return contradiction(m, part, other, a, "launch", a->launch, b->launch);
    if (a->status != b->status && a->status != OUTCOME_SKIPPED && b->status != OUTCOME_SKIPPED)
        return contradiction(m, part, other, a, "outcome", outcome_recorded(a->status),
                             outcome_recorded(b->status));
    return true;
}

/* Whether to keep a row, given the rows of other parts. */
typedef enum Verdict { KEEP, LEAVE_OUT, CONTRADICTED } Verdict;

static Verdict judge(TimesMerge *m, size_t part, const RecordRow *row)
{
    bool again = false;
    for (size_t k = 0; k < m->count; k++) {
        const RecordRow *other = k != part ? times_find(m->from[k], row->key) : NULL;
        if (!other)
            continue;
        if (!check_rows(m, part, row, k, other))
            return CONTRADICTED;
        bool more = row->status == OUTCOME_SKIPPED && other->status != OUTCOME_SKIPPED;
        bool equal = equal_rows(m->from[part], row, m->from[k], other);
        if (more || (equal && k < part))
            return LEAVE_OUT;
        again = again || (k < part && !equal && other->status != OUTCOME_SKIPPED);
    }
    m->counts->again += again;
    return KEEP;
}

/* Replaces a device's number in a part by its number in the result; 0 stands for none. */
static bool map_device(const TimesMerge *m, const TimesRecording *from, int *number)
{
    const RecordDevice *x = times_device(from, *number);
    RecordDevice header = {.name = from->header.device, .uuid = from->header.uuid};
    bool none = !x && (*number != 0 || !from->header.uuid[0]);
    *number = none ? 0 : times_append_device(m->writer, x ? x : &header, m->diag);
    return none || *number != 0;
}

static bool merge_row(TimesMerge *m, size_t part, const RecordRow *row)
{
    RecordRow out = *row;
    Verdict v = judge(m, part, row);
    if (v != KEEP) {
        m->counts->equal += v == LEAVE_OUT;
        return v == LEAVE_OUT;
    }
    m->counts->rows++;
    m->counts->skipped += row->status == OUTCOME_SKIPPED;
    bool ran = row->time_count > 0 || row->device != 0;
    return (!ran || map_device(m, m->from[part], &out.device)) &&
           times_append(m->writer, &out, m->diag);
}

/* Writes the sentinels and notes that precede row `i` of a part. */
static bool merge_between(TimesMerge *m, const TimesRecording *from, size_t i)
{
    VEC_EACH (const RecordSentinel, s, from->sentinels) {
        RecordRow row = s->row;
        if (s->after == i &&
            !(map_device(m, from, &row.device) && times_append_sentinel(m->writer, &row, m->diag)))
            return false;
    }
    VEC_EACH (const RecordNote, n, from->notes)
        if (n->after == i && !times_append_note(m->writer, n->text, m->diag))
            return false;
    return true;
}

/* True if an earlier part has the same line. */
static bool is_known_final(const TimesMerge *m, size_t part, const RecordFinal *f)
{
    const RecordRow *a = &f->row;
    for (size_t k = 0; k < part; k++)
        VEC_EACH (const RecordFinal, other, m->from[k]->finals) {
            const RecordRow *b = &other->row;
            if (strcmp(a->key, b->key) == 0 &&
                same_numbers(a->times_ms, a->time_count, b->times_ms, b->time_count))
                return true;
        }
    return false;
}

/* Gives the finals of each part numbers of their own. */
static bool merge_finals(TimesMerge *m, size_t part)
{
    const TimesRecording *from = m->from[part];
    int highest = 0;
    VEC_EACH (const RecordFinal, f, from->finals) {
        RecordRow row = f->row;
        highest = f->number > highest ? f->number : highest;
        if (!is_known_final(m, part, f) &&
            !(map_device(m, from, &row.device) &&
              times_append_final(m->writer, &row, m->finals + f->number, m->diag)))
            return false;
    }
    m->finals += highest;
    return true;
}

static bool merge_part(TimesMerge *m, size_t part)
{
    const TimesRecording *from = m->from[part];
    for (size_t i = 0; i < from->rows.count; i++)
        if (!merge_between(m, from, i) || !merge_row(m, part, &from->rows.at[i]))
            return false;
    return merge_between(m, from, from->rows.count) && merge_finals(m, part);
}

static bool read_parts(TimesMerge *m, const char *const *from)
{
    m->from = ARENA_ARRAY(m->arena, TimesRecording *, m->count);
    for (size_t i = 0; i < m->count; i++) {
        m->from[i] = times_read(m->arena, from[i], m->diag);
        if (!m->from[i] ||
            !check_headers(from[0], &m->from[0]->header, from[i], &m->from[i]->header, m->diag))
            return false;
    }
    return true;
}

static bool write_times(TimesMerge *m, const char *part)
{
    TimesRecording *none;
    m->writer = times_open_append(m->arena, part, &m->from[0]->header, &none, m->diag);
    bool ok = m->writer != NULL;
    for (size_t i = 0; i < m->count && ok; i++)
        ok = merge_part(m, i);
    return times_close(m->writer, m->diag) && ok;
}

bool merge_times(const char *to, const char *const *from, size_t count, MergeCounts *counts,
                 Diag *d)
{
    SCOPED_ARENA *a = arena_new();
    *counts = (MergeCounts){0};
    TimesMerge m = {.arena = a, .count = count, .counts = counts, .diag = d};
    const char *part = open_part(a, to, d);
    return part && read_parts(&m, from) && close_part(part, to, write_times(&m, part), d);
}

/* --- profiles --------------------------------------------------------------------------------- */

static bool same_profiler(const ProfileHeader *a, const ProfileHeader *b)
{
    bool same = strcmp(a->profiler, b->profiler) == 0 && a->field_count == b->field_count;
    for (size_t i = 0; i < a->field_count && same; i++)
        same = strcmp(a->fields[i], b->fields[i]) == 0;
    return same;
}

typedef struct ProfileMerge {
    Arena *arena;
    ProfileRecording **from;
    size_t count;
    Diag *diag;
} ProfileMerge;

static bool read_profile_parts(ProfileMerge *m, const char *const *from)
{
    m->from = ARENA_ARRAY(m->arena, ProfileRecording *, m->count);
    for (size_t i = 0; i < m->count; i++) {
        m->from[i] = profiles_read(m->arena, from[i], m->diag);
        if (!m->from[i])
            return false;
        const ProfileHeader *first = &m->from[0]->header, *other = &m->from[i]->header;
        if (!check_headers(from[0], &first->about, from[i], &other->about, m->diag))
            return false;
        if (!same_profiler(other, first))
            return diag_fail(m->diag, "'%s' does not belong to '%s': another profiler made it",
                             from[i], from[0]);
    }
    return true;
}

static bool same_values(const double *a, const double *b, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (a[i] != b[i] && !(isnan(a[i]) && isnan(b[i])))
            return false;
    return true;
}

/* Adds a row, unless an earlier part has this code, which must then have the same profile. */
static bool merge_profile(const ProfileMerge *m, size_t part, const ProfileRow *row,
                          ProfileWriter *w)
{
    const ProfileRow *other = NULL;
    size_t k = 0;
    while (k < part && !(other = profiles_find(m->from[k], row->code, row->launch)))
        k++;
    if (!other)
        return profiles_append(w, row, m->diag);
    return same_values(row->values, other->values, m->from[0]->header.field_count) ||
           diag_fail(m->diag, "'%s' and '%s' contradict each other on the profile of code %s",
                     m->from[part]->path, m->from[k]->path, row->code);
}

static bool write_profiles(const ProfileMerge *m, const char *part)
{
    ProfileWriter *w = profiles_create(m->arena, part, &m->from[0]->header, m->diag);
    bool ok = w != NULL;
    for (size_t i = 0; i < m->count; i++)
        VEC_EACH (const ProfileRow, row, m->from[i]->rows)
            ok = ok && merge_profile(m, i, row, w);
    return profiles_close(w, m->diag) && ok;
}

bool merge_profiles(const char *to, const char *const *from, size_t count, Diag *d)
{
    SCOPED_ARENA *a = arena_new();
    ProfileMerge m = {.arena = a, .count = count, .diag = d};
    const char *part = open_part(a, to, d);
    return part && read_profile_parts(&m, from) &&
           close_part(part, to, write_profiles(&m, part), d);
}
