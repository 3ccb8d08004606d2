#include "tuner/record/append.h"
#include "tuner/record/times.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

double record_round(double ms)
{
    char text[40];
    snprintf(text, sizeof text, "%.7g", ms);
    return strtod(text, NULL);
}

/* --- lines ------------------------------------------------------------------------------------ */

#define VALUES(key) FIELD_LIST(RecordRow, key, FIELD_VALUE, FIELD_ALWAYS, values, value_count)
#define TIMES       FIELD_LIST(RecordRow, "t", FIELD_NUMBER, FIELD_IF_ANY, times_ms, time_count)
#define ON          FIELD_COUNTED(RecordRow, "on", FIELD_IF_ANY, device, 0)

static const Field row_fields[] = {
    VALUES("v"),
    FIELD(RecordRow, "code", FIELD_TEXT, FIELD_IF_ANY, code),
    FIELD(RecordRow, "launch", FIELD_TEXT, FIELD_IF_ANY, launch),
    FIELD(RecordRow, "status", FIELD_OUTCOME, FIELD_ALWAYS, status),
    TIMES,
    FIELD_LIST(RecordRow, "warm", FIELD_NUMBER, FIELD_IF_ANY, warm_ms, warm_count),
    FIELD(RecordRow, "err", FIELD_NUMBER, FIELD_IF_KNOWN, max_error),
    FIELD(RecordRow, "msg", FIELD_TEXT, FIELD_IF_ANY, message),
    FIELD(RecordRow, "work", FIELD_NUMBER, FIELD_IF_ANY, work),
    FIELD(RecordRow, "j", FIELD_NUMBER, FIELD_IF_ANY, joules),
    FIELD(RecordRow, "s", FIELD_NUMBER, FIELD_IF_ANY, seconds),
    FIELD(RecordRow, "cs", FIELD_NUMBER, FIELD_IF_ANY, compile_s),
    FIELD(RecordRow, "ps", FIELD_NUMBER, FIELD_IF_ANY, profile_s),
    ON,
};
/* These structs begin with a RecordRow. */
static const Field sentinel_fields[] = {VALUES("sentinel"), TIMES, ON};
static const Field final_fields[] = {
    VALUES("final"), FIELD_COUNTED(RecordFinal, "n", FIELD_ALWAYS, number, 1), TIMES, ON};
static const Field device_fields[] = {
    FIELD_COUNTED(RecordDevice, "device", FIELD_ALWAYS, number, 1),
    FIELD_COUNTED(RecordDevice, "ordinal", FIELD_ALWAYS, ordinal, 0),
    FIELD(RecordDevice, "name", FIELD_TEXT, FIELD_OR_EMPTY, name),
    FIELD(RecordDevice, "uuid", FIELD_TEXT, FIELD_OR_EMPTY, uuid),
};
static const Field note_fields[] = {FIELD(RecordNote, "note", FIELD_TEXT, FIELD_ALWAYS, text)};
static const Field end_fields[] = {FIELD_COUNTED(TimesRecording, "end", FIELD_ALWAYS, end, 0)};

static bool are_finite(const double *times_ms, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!isfinite(times_ms[i]))
            return false;
    return true;
}

static bool is_amount(double x)
{
    return x > 0 && isfinite(x);
}

/* Returns what is wrong with a row, or NULL. Sentinels and finals have values and times only
 * (`timed`). */
static const char *fault_of(Arena *a, const RecordHeader *h, const RecordRow *row, bool timed)
{
    if (row->value_count != h->parameter_count)
        return arena_printf(a, "%zu values for %zu parameters", row->value_count,
                            h->parameter_count);
    for (size_t i = 0; i < h->parameter_count; i++)
        if ((row->values[i].kind == VALUE_STRING) != h->parameters[i].is_text)
            return arena_printf(a, "the value of '%s' has the wrong type", h->parameters[i].name);
    if (!are_finite(row->times_ms, row->time_count) || !are_finite(row->warm_ms, row->warm_count))
        return "a time is not finite";
    if (timed || row->status != OUTCOME_OK)
        return NULL;
    if (record_is_by_energy(h) && !is_amount(row->joules))
        return "'j' must be above 0, since the objective is energy";
    if (record_is_weighed(h) && !is_amount(row->work))
        return arena_printf(a, "'work' must be above 0, since the objective is %s", h->objective);
    return row->time_count == 0 ? "the status is ok, but there is no time" : NULL;
}

/* --- reading ---------------------------------------------------------------------------------- */

/* Reads the fields of a struct that begins with a row. */
static bool read_fields(FieldReader *r, const RecordHeader *h, const Field *fields, size_t count,
                        RecordRow *row)
{
    fields_read(r, fields, count, row);
    const char *fault = fault_of(r->arena, h, row, fields != row_fields);
    if (r->ok && fault)
        field_fail(r, "%s", fault);
    if (r->ok)
        row->key = record_key(r->arena, h, row->values);
    return r->ok;
}

static void read_row(FieldReader *r, TimesRecording *rec)
{
    RecordRow row = {0};
    if (read_fields(r, &rec->header, FIELDS(row_fields), &row))
        VEC_PUSH(r->arena, &rec->rows, row);
}

static void read_sentinel(FieldReader *r, TimesRecording *rec)
{
    RecordSentinel s = {.row = {.status = OUTCOME_OK, .max_error = NAN}, .after = rec->rows.count};
    if (read_fields(r, &rec->header, FIELDS(sentinel_fields), &s.row))
        VEC_PUSH(r->arena, &rec->sentinels, s);
}

static void read_final(FieldReader *r, TimesRecording *rec)
{
    RecordFinal f = {.row = {.status = OUTCOME_OK, .max_error = NAN}};
    if (read_fields(r, &rec->header, FIELDS(final_fields), &f.row))
        VEC_PUSH(r->arena, &rec->finals, f);
}

static void read_device(FieldReader *r, TimesRecording *rec)
{
    RecordDevice x = {0};
    fields_read(r, FIELDS(device_fields), &x);
    if (r->ok)
        VEC_PUSH(r->arena, &rec->devices, x);
}

static void read_note(FieldReader *r, TimesRecording *rec)
{
    RecordNote n = {NULL, rec->rows.count};
    fields_read(r, FIELDS(note_fields), &n);
    if (r->ok)
        VEC_PUSH(r->arena, &rec->notes, n);
}

static void read_end(FieldReader *r, TimesRecording *rec)
{
    fields_read(r, FIELDS(end_fields), rec);
    if (r->ok && (size_t)rec->end != rec->rows.count)
        diag_warn(r->diag, (Span){0}, "%s:%zu: %d rows were written up to here, but %zu are there",
                  r->path, r->line, rec->end, rec->rows.count);
    rec->closed = true;
}

static void read_header(FieldReader *r, void *to)
{
    record_header_take(r, &((TimesRecording *)to)->header);
}

/* Unknown kinds of lines, written by newer programs, are skipped. */
static void read_line(FieldReader *r, void *to)
{
    static const struct {
        const char *key;
        void (*read)(FieldReader *, TimesRecording *);
    } kinds[] = {{"v", read_row},         {"sentinel", read_sentinel}, {"final", read_final},
                 {"device", read_device}, {"note", read_note},         {"end", read_end}};
    TimesRecording *rec = to;
    rec->closed = false;
    for (size_t k = 0; k < COUNT_OF(kinds); k++) {
        if (field_exists(r, kinds[k].key)) {
            kinds[k].read(r, rec);
            return;
        }
    }
}

TimesRecording *times_read_open(Arena *a, const char *path, Diag *d)
{
    static const RecordKind times = {"times", read_header, read_line};
    TimesRecording *r = ARENA_NEW(a, TimesRecording);
    if (!record_read(a, path, &times, r, &r->file, d))
        return NULL;
    r->path = arena_string(a, path);
    const char **keys = ARENA_ARRAY(a, const char *, r->rows.count);
    for (size_t i = 0; i < r->rows.count; i++)
        keys[i] = r->rows.at[i].key;
    r->by_key = map_of_texts(a, keys, r->rows.count);
    return r;
}

TimesRecording *times_read(Arena *a, const char *path, Diag *d)
{
    TimesRecording *r = times_read_open(a, path, d);
    if (!r)
        return NULL;
    /* A missing row may be the fastest. */
    if (r->file.cut)
        diag_warn(d, (Span){0}, "'%s' ends inside a line, which is left out", r->path);
    else if (r->file.chained && !r->closed)
        diag_warn(d, (Span){0},
                  "'%s' has no end: its run is still writing it or was killed, or rows after the "
                  "last of %zu are missing",
                  r->path, r->rows.count);
    else if (!r->file.chained && !r->file.packed)
        diag_note(d, (Span){0},
                  "'%s' is of an older aptune and does not say how many rows it holds", r->path);
    return r;
}

const RecordDevice *times_device(const TimesRecording *r, int number)
{
    VEC_EACH (const RecordDevice, x, r->devices)
        if (x->number == number)
            return x;
    return NULL;
}

const RecordRow *times_find(const TimesRecording *r, const char *key)
{
    size_t i = map_number(&r->by_key, key);
    return i == SIZE_MAX ? NULL : &r->rows.at[i];
}

/* --- writing ---------------------------------------------------------------------------------- */

struct TimesWriter {
    Appender *file;
    RecordHeader header;       /* of the file; texts belong to the caller or the recording */
    Arena *arena;              /* owns the devices */
    VEC(RecordDevice) devices; /* that have a number in the file */
    size_t rows;               /* in the file */
};

static bool continue_times(Arena *a, TimesWriter *w, const char *path, TimesRecording **existing,
                           Diag *d)
{
    TimesRecording *r = times_read_open(a, path, d);
    if (!r)
        return false;
    SCOPED_BUF why = {0};
    record_header_same(&r->header, &w->header, &why);
    w->header = r->header;
    w->rows = r->rows.count;
    VEC_EACH (const RecordDevice, x, r->devices)
        VEC_PUSH(a, &w->devices, *x);
    *existing = r;
    return append_continues(w->file, &why, &r->file, r->closed, d);
}

TimesWriter *times_open_append(Arena *a, const char *path, const RecordHeader *h,
                               TimesRecording **existing, Diag *d)
{
    *existing = NULL;
    TimesWriter *w = ARENA_NEW(a, TimesWriter);
    w->header = *h;
    w->arena = a;
    bool fresh;
    w->file = append_open(a, path, "times", &fresh, d);
    if (!w->file)
        return NULL;
    if (fresh ? append_header(w->file, "times", RECORD_FORMAT_CHAINED, NULL, 0, NULL, h, d)
              : continue_times(a, w, path, existing, d))
        return w;
    append_close(w->file, d);
    return NULL;
}

/* Adds a valid row, or a struct that begins with one. */
static bool add_row(TimesWriter *w, const Field *fields, size_t count, RecordRow *row, Diag *d)
{
    row->value_count = w->header.parameter_count;
    const char *fault = fault_of(d->arena, &w->header, row, fields != row_fields);
    return fault ? diag_fail(d, "a row cannot be recorded: %s", fault)
                 : append_fields(w->file, fields, count, row, d);
}

bool times_append(TimesWriter *w, const RecordRow *row, Diag *d)
{
    RecordRow out = *row;
    out.seconds = record_round(row->seconds);
    out.compile_s = record_round(row->compile_s);
    out.profile_s = record_round(row->profile_s);
    const bool ok = add_row(w, FIELDS(row_fields), &out, d);
    w->rows += ok;
    return ok;
}

bool times_append_sentinel(TimesWriter *w, const RecordRow *row, Diag *d)
{
    RecordRow out = *row;
    return add_row(w, FIELDS(sentinel_fields), &out, d);
}

bool times_append_final(TimesWriter *w, const RecordRow *row, int number, Diag *d)
{
    RecordFinal out = {*row, number};
    return add_row(w, FIELDS(final_fields), &out.row, d);
}

int times_append_device(TimesWriter *w, const RecordDevice *x, Diag *d)
{
    int last = 0;
    VEC_EACH (const RecordDevice, known, w->devices) {
        if (known->ordinal == x->ordinal && strcmp(known->name, x->name) == 0 &&
            strcmp(known->uuid, x->uuid) == 0)
            return known->number;
        if (known->number > last)
            last = known->number;
    }
    RecordDevice fresh = {last + 1, x->ordinal, arena_string(w->arena, x->name),
                          arena_string(w->arena, x->uuid)};
    if (!append_fields(w->file, FIELDS(device_fields), &fresh, d))
        return 0;
    VEC_PUSH(w->arena, &w->devices, fresh);
    return fresh.number;
}

bool times_append_note(TimesWriter *w, const char *text, Diag *d)
{
    const RecordNote note = {text, 0};
    return append_fields(w->file, FIELDS(note_fields), &note, d);
}

bool times_close(TimesWriter *w, Diag *d)
{
    if (!w)
        return true;
    const TimesRecording written = {.end = (int)w->rows};
    bool ok = !append_wants_end(w->file) || append_fields(w->file, FIELDS(end_fields), &written, d);
    return append_close(w->file, d) && ok;
}
