#include "tuner/record/profile.h"

#include "tuner/record/append.h"

struct ProfileWriter {
    Appender *file;
    ProfileHeader header;
};

static const Field header_fields[] = {
    FIELD(ProfileHeader, "profiler", FIELD_TEXT, FIELD_ALWAYS, profiler),
    FIELD_LIST(ProfileHeader, "fields", FIELD_TEXT, FIELD_ALWAYS, fields, field_count),
    FIELD_LIST(ProfileHeader, "regions", FIELD_TEXT, FIELD_IF_ANY, columns, column_count),
};
/* A row with the sizes of its arrays. */
typedef struct Numbers {
    ProfileRow row;
    size_t count, region_numbers;
} Numbers;

static const Field row_fields[] = {
    FIELD(Numbers, "code", FIELD_TEXT, FIELD_ALWAYS, row.code),
    FIELD(Numbers, "launch", FIELD_TEXT, FIELD_IF_ANY, row.launch),
    FIELD_LIST(Numbers, "f", FIELD_NUMBER, FIELD_ALWAYS, row.values, count),
    /* Regions hold counts and means: 6 digits suffice. */
    FIELD_LIST(Numbers, "r", FIELD_ROUGH, FIELD_IF_ANY, row.regions, region_numbers),
    FIELD(Numbers, "note", FIELD_TEXT, FIELD_IF_ANY, row.note),
};

/* --- reading ---------------------------------------------------------------------------------- */

static void read_header(FieldReader *r, void *to)
{
    ProfileHeader *h = &((ProfileRecording *)to)->header;
    record_header_take(r, &h->about);
    fields_read(r, FIELDS(header_fields), h);
}

static void read_row(FieldReader *r, void *to)
{
    ProfileRecording *rec = to;
    const ProfileHeader *h = &rec->header;
    Numbers n = {0};
    ProfileRow *row = &n.row;
    if (!field_exists(r, "f"))
        return;
    fields_read(r, FIELDS(row_fields), &n);
    row->launch = row->launch ? row->launch : "";
    row->region_count = h->column_count ? n.region_numbers / h->column_count : 0;
    if (r->ok && row->region_count * h->column_count != n.region_numbers)
        field_fail(r, "%zu numbers for regions of %zu columns", n.region_numbers, h->column_count);
    if (r->ok && n.count != h->field_count)
        field_fail(r, "%zu values for %zu fields", n.count, h->field_count);
    VEC_PUSH(r->arena, &rec->rows, *row);
}

const char *profiles_key(Arena *a, const char *code, const char *launch)
{
    return arena_printf(a, "%s %s", code, launch ? launch : "");
}

ProfileRecording *profiles_read(Arena *a, const char *path, Diag *d)
{
    static const RecordKind profile = {"profile", read_header, read_row};
    ProfileRecording *r = ARENA_NEW(a, ProfileRecording);
    if (!record_read(a, path, &profile, r, &r->file, d))
        return NULL;
    r->path = arena_string(a, path);
    const char **keys = ARENA_ARRAY(a, const char *, r->rows.count);
    for (size_t i = 0; i < r->rows.count; i++)
        keys[i] = profiles_key(a, r->rows.at[i].code, r->rows.at[i].launch);
    r->by_code = map_of_texts(a, keys, r->rows.count);
    r->columns = profiles_columns(&r->header);
    return r;
}

const ProfileRow *profiles_find(const ProfileRecording *r, const char *code, const char *launch)
{
    SCOPED_ARENA *scratch = arena_new();
    size_t i = map_number(&r->by_code, profiles_key(scratch, code, launch));
    return i == SIZE_MAX ? NULL : &r->rows.at[i];
}

const char *record_profile_path(Arena *a, const char *times)
{
    const char *end = strstr(times, ".times");
    const char *last = end;
    while (end && (end = strstr(end + 1, ".times")))
        last = end;
    return last ? arena_printf(a, "%.*s.profile%s", (int)(last - times), times,
                               last + strlen(".times"))
                : NULL;
}

/* --- writing ---------------------------------------------------------------------------------- */

ProfileWriter *profiles_create(Arena *a, const char *path, const ProfileHeader *h, Diag *d)
{
    bool fresh;
    ProfileWriter *w =
        ARENA_COPY(a, ProfileWriter, {append_open(a, path, "profile", &fresh, d), *h});
    if (!w->file)
        return NULL;
    if (!fresh)
        diag_fail(d, "'%s' exists already", path);
    else if (append_header(w->file, "profile", RECORD_FORMAT_PLAIN, FIELDS(header_fields), h,
                           &h->about, d))
        return w;
    profiles_close(w, d);
    return NULL;
}

bool profiles_append(ProfileWriter *w, const ProfileRow *row, Diag *d)
{
    const Numbers n = {*row, w->header.field_count, row->region_count * w->header.column_count};
    return append_fields(w->file, FIELDS(row_fields), &n, d);
}

bool profiles_close(ProfileWriter *w, Diag *d)
{
    return !w || append_close(w->file, d);
}

/* --- rows as profiles of this program --------------------------------------------------------- */

size_t profiles_field(const ProfileHeader *h, const char *name)
{
    return word_place(name, h->fields, h->field_count);
}

ProfileColumns profiles_columns(const ProfileHeader *h)
{
    ProfileColumns c = {.region_stride = h->column_count};
    for (int f = 0; f < PROFILE_FIELDS; f++)
        c.field[f] = profiles_field(h, profile_fields[f].name);
    for (int k = 0; k < REGION_COLUMNS; k++)
        c.region[k] = word_place(profile_column_names[k], h->columns, h->column_count);
    return c;
}

/* Takes the regions in the order of this program's columns; none if the recording lacks a column. */
static void take_regions(Arena *a, const ProfileColumns *c, const ProfileRow *row, Profile *p)
{
    ProfileRegion regions[PROFILE_REGION_ROOM];
    const size_t count =
        row->region_count < PROFILE_REGION_ROOM ? row->region_count : PROFILE_REGION_ROOM;
    for (int k = 0; k < REGION_COLUMNS; k++) {
        if (c->region[k] == SIZE_MAX)
            return;
        for (size_t i = 0; i < count; i++)
            regions[i].value[k] = row->regions[i * c->region_stride + c->region[k]];
    }
    profile_set_regions(a, p, regions, count);
}

Profile *profiles_take(Arena *a, const ProfileColumns *c, const ProfileRow *row)
{
    Profile *p = ARENA_COPY(a, Profile, profile_new());
    for (int f = 0; f < PROFILE_FIELDS; f++)
        if (c->field[f] != SIZE_MAX)
            p->value[f] = row->values[c->field[f]];
    p->note = row->note;
    take_regions(a, c, row, p);
    return p;
}

const Profile *profiles_get(Arena *a, const ProfileRecording *r, const char *code,
                            const char *launch)
{
    const ProfileRow *row = profiles_find(r, code, launch);
    return row ? profiles_take(a, &r->columns, row) : NULL;
}
