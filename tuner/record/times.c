#include "tuner/record/append.h"
#include "tuner/record/field.h"
#include "tuner/record/times.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* --- reading ---------------------------------------------------------------------------------- */

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
/* These begin with the row. */
static const Field sentinel_fields[] = {VALUES("sentinel"), TIMES, ON};
static const Field final_fields[] = {
    VALUES("final"), FIELD_COUNTED(RecordFinal, "n", FIELD_ALWAYS, number, 1), TIMES, ON};
static const Field device_fields[] = {
    FIELD_COUNTED(RecordDevice, "device", FIELD_ALWAYS, number, 1),
    FIELD_COUNTED(RecordDevice, "ordinal", FIELD_ALWAYS, ordinal, 0),
    FIELD(RecordDevice, "name", FIELD_TEXT, FIELD_IF_ANY, name),
    FIELD(RecordDevice, "uuid", FIELD_TEXT, FIELD_IF_ANY, uuid),
};
static const Field note_fields[] = {FIELD(RecordNote, "note", FIELD_TEXT, FIELD_ALWAYS, text)};
static const Field end_fields[] = {FIELD_COUNTED(TimesRecording, "end", FIELD_ALWAYS, end, 0)};

#define COUNT_OF(fields) (sizeof(fields) / sizeof *(fields))

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

/* What is wrong with a row; NULL when nothing is. */
static const char *fault_of(Arena *a, const RecordHeader *h, const RecordRow *row)
{
    if (row->value_count != h->parameter_count)
        return arena_printf(a, "%zu values for %zu parameters", row->value_count,
                            h->parameter_count);
    for (size_t i = 0; i < h->parameter_count; i++)
        if ((row->values[i].text != NULL) != h->parameters[i].is_text)
            return arena_printf(a, "the value of '%s' is of the wrong kind", h->parameters[i].name);
    if (!are_finite(row->times_ms, row->time_count) || !are_finite(row->warm_ms, row->warm_count))
        return "a time is not finite";
    if (row->status != OUTCOME_OK)
        return NULL;
    if (record_is_by_energy(h) && !is_amount(row->joules))
        return "'j' is no energy above 0, and the objective is energy";
    if (record_is_weighed(h) && !is_amount(row->work))
        return arena_printf(a, "'work' is no amount above 0, and the objective is %s",
                            h->objective);
    return row->time_count == 0 ? "the status is ok, but there is no time" : NULL;
}

/* Its values and times; of sentinels and finals these are all. */
static const char *fault_of_times(Arena *a, const RecordHeader *h, const RecordRow *row)
{
    RecordRow timed = *row;
    timed.status = OUTCOME_OTHER;
    return fault_of(a, h, &timed);
}

/* --- reading ---------------------------------------------------------------------------------- */

static bool finish_row(FieldReader *r, const RecordHeader *h, RecordRow *row, const char *fault)
{
    if (r->ok && fault)
        field_fail(r, "%s", fault);
    if (r->ok)
        row->key = record_key(r->arena, h, row->values);
    return r->ok;
}

static void read_row(FieldReader *r, TimesRecording *rec)
{
    RecordRow row = {0};
    fields_read(r, row_fields, COUNT_OF(row_fields), &row);
    if (finish_row(r, &rec->header, &row, fault_of(r->arena, &rec->header, &row)))
        VEC_PUSH(r->arena, &rec->rows, row);
}

static void read_sentinel(FieldReader *r, TimesRecording *rec)
{
    RecordSentinel s = {.row = {.status = OUTCOME_OK, .max_error = NAN}, .after = rec->rows.count};
    fields_read(r, sentinel_fields, COUNT_OF(sentinel_fields), &s);
    if (finish_row(r, &rec->header, &s.row, fault_of_times(r->arena, &rec->header, &s.row)))
        VEC_PUSH(r->arena, &rec->sentinels, s);
}

static void read_final(FieldReader *r, TimesRecording *rec)
{
    RecordFinal f = {.row = {.status = OUTCOME_OK, .max_error = NAN}};
    fields_read(r, final_fields, COUNT_OF(final_fields), &f);
    if (finish_row(r, &rec->header, &f.row, fault_of_times(r->arena, &rec->header, &f.row)))
        VEC_PUSH(r->arena, &rec->finals, f);
}

static void read_device(FieldReader *r, TimesRecording *rec)
{
    RecordDevice x = {0};
    fields_read(r, device_fields, COUNT_OF(device_fields), &x);
    x.name = x.name ? x.name : "";
    x.uuid = x.uuid ? x.uuid : "";
    if (r->ok)
        VEC_PUSH(r->arena, &rec->devices, x);
}

static void read_note(FieldReader *r, TimesRecording *rec)
{
    RecordNote n = {NULL, rec->rows.count};
    fields_read(r, note_fields, COUNT_OF(note_fields), &n);
    if (r->ok)
        VEC_PUSH(r->arena, &rec->notes, n);
}

static void read_end(FieldReader *r, TimesRecording *rec)
{
    fields_read(r, end_fields, COUNT_OF(end_fields), rec);
    if (r->ok && (size_t)rec->end != rec->rows.count)
        diag_warn(r->diag, (Span){0}, "%s:%zu: %d rows were written up to here, %zu are there",
                  r->path, r->line, rec->end, rec->rows.count);
    rec->closed = true;
}

/* A line of a kind not known here was written by a newer program and is passed over. */
static bool read_line(Arena *a, const RecordLine *line, TimesRecording *rec, Diag *d)
{
    static const struct {
        const char *key;
        void (*read)(FieldReader *, TimesRecording *);
    } kinds[] = {{"v", read_row},         {"sentinel", read_sentinel}, {"final", read_final},
                 {"device", read_device}, {"note", read_note},         {"end", read_end}};
    FieldReader r;
    rec->closed = false;
    field_open(&r, a, line, d);
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds && r.ok; k++) {
        if (field_exists(&r, kinds[k].key)) {
            kinds[k].read(&r, rec);
            break;
        }
    }
    return field_close(&r);
}

static void build_index(Arena *a, TimesRecording *r)
{
    const char **keys = ARENA_ARRAY(a, const char *, r->rows.count);
    for (size_t i = 0; i < r->rows.count; i++)
        keys[i] = r->rows.at[i].key;
    r->by_key = map_of_texts(a, keys, r->rows.count);
}

TimesRecording *times_read_open(Arena *a, const char *path, Diag *d)
{
    RecordReader *reader = record_reader_open(path, "times", d);
    if (!reader)
        return NULL;
    TimesRecording *r = ARENA_NEW(a, TimesRecording);
    RecordLine line;
    bool ok = record_reader_header(reader, &line) && record_header_parse(a, &line, &r->header, d);
    bool header = ok;
    while (header && record_reader_next(reader, &line))
        ok = read_line(a, &line, r, d) && ok;
    RecordEnd end = record_reader_close(reader);
    if (!ok || !end.ok)
        return NULL;
    r->path = arena_string(a, path);
    r->cut = end.cut;
    r->size = end.size;
    r->packed = end.packed;
    r->chained = end.chained;
    r->next = r->closed ? end.last : end.size;
    r->chain = r->closed ? end.before : end.chain;
    build_index(a, r);
    return r;
}

/* A reader of half a recording should know it: another row may be the fastest. */
static void tell_whole(const TimesRecording *r, Diag *d)
{
    if (r->cut)
        diag_warn(d, (Span){0}, "'%s' ends inside a line, which is left out", r->path);
    else if (r->chained && !r->closed)
        diag_warn(d, (Span){0},
                  "'%s' has no end: its run still writes it or was killed, or rows behind the last "
                  "of %zu are missing",
                  r->path, r->rows.count);
    else if (!r->chained && !r->packed)
        diag_note(d, (Span){0},
                  "'%s' is of an older aptune and does not say how many rows it holds", r->path);
}

TimesRecording *times_read(Arena *a, const char *path, Diag *d)
{
    TimesRecording *r = times_read_open(a, path, d);
    if (r)
        tell_whole(r, d);
    return r;
}

const RecordDevice *times_device(const TimesRecording *r, int number)
{
    for (size_t i = 0; i < r->devices.count; i++)
        if (r->devices.at[i].number == number)
            return &r->devices.at[i];
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
    RecordHeader header;       /* of the file; its texts are the caller's or the recording's */
    Arena *arena;              /* of the devices */
    VEC(RecordDevice) devices; /* that have a number in the file */
    Buf line;
    bool chained;    /* of the file: an older one goes on as it is */
    LineChain chain; /* where it stands */
    size_t rows;     /* in the file */
    size_t next;     /* where the end begins that it has from before; 0: it has none */
};

/* Adds a line, begun by the caller, the first one in place of an end from before; the chain goes on
 * only with what is in the file. */
static bool end_line(TimesWriter *w, Diag *d)
{
    LineChain chain = w->chain;
    if (w->next > 0 && !append_truncate(w->file, (int64_t)w->next, d))
        return false;
    w->next = 0;
    if (w->chained)
        line_end_chained(&w->line, &chain);
    else
        line_end(&w->line);
    if (!append_line(w->file, &w->line, d))
        return false;
    w->chain = chain;
    return true;
}

static bool add_line(TimesWriter *w, const Field *fields, size_t count, const void *from, Diag *d)
{
    line_begin(&w->line);
    fields_write(&w->line, fields, count, from);
    return end_line(w, d);
}

static bool write_header(TimesWriter *w, Diag *d)
{
    line_begin(&w->line);
    line_field(&w->line, "aptune", "times");
    line_key(&w->line, "format");
    line_integer(&w->line, RECORD_FORMAT_CHAINED);
    record_header_write(&w->header, &w->line);
    w->chained = true;
    return end_line(w, d);
}

/* Takes over what is there. */
static bool continue_times(Arena *a, TimesWriter *w, const char *path, TimesRecording **existing,
                           Diag *d)
{
    TimesRecording *r = times_read_open(a, path, d);
    if (!r)
        return false;
    SCOPED_BUF why = {0};
    record_header_same(&r->header, &w->header, &why);
    w->header = r->header;
    w->chained = r->chained;
    w->chain = r->chain;
    w->rows = r->rows.count;
    w->next = r->closed ? r->next : 0;
    for (size_t i = 0; i < r->devices.count; i++)
        VEC_PUSH(a, &w->devices, r->devices.at[i]);
    *existing = r;
    return append_continues(w->file, &why, r->cut, r->size, d);
}

TimesWriter *times_open_append(Arena *a, const char *path, const RecordHeader *h, size_t sync_every,
                               TimesRecording **existing, Diag *d)
{
    *existing = NULL;
    TimesWriter *w = ARENA_NEW(a, TimesWriter);
    w->header = *h;
    w->arena = a;
    bool fresh;
    w->file = append_open(a, path, "times", sync_every, &fresh, d);
    if (!w->file)
        return NULL;
    if (fresh ? write_header(w, d) : continue_times(a, w, path, existing, d))
        return w;
    buf_free(&w->line);
    append_close(w->file, d);
    return NULL;
}

/* A row that makes no sense is refused. */
static bool add_row(TimesWriter *w, const Field *fields, size_t count, const void *from,
                    const char *fault, Diag *d)
{
    return fault ? diag_fail(d, "a row cannot be recorded: %s", fault)
                 : add_line(w, fields, count, from, d);
}

bool times_append(TimesWriter *w, const RecordRow *row, Diag *d)
{
    RecordRow out = *row;
    out.value_count = w->header.parameter_count;
    out.seconds = record_round(row->seconds);
    out.compile_s = record_round(row->compile_s);
    out.profile_s = record_round(row->profile_s);
    const bool ok =
        add_row(w, row_fields, COUNT_OF(row_fields), &out, fault_of(d->arena, &w->header, &out), d);
    w->rows += ok;
    return ok;
}

bool times_append_sentinel(TimesWriter *w, const RecordRow *row, Diag *d)
{
    RecordRow out = *row;
    out.value_count = w->header.parameter_count;
    return add_row(w, sentinel_fields, COUNT_OF(sentinel_fields), &out,
                   fault_of_times(d->arena, &w->header, &out), d);
}

bool times_append_final(TimesWriter *w, const RecordRow *row, int number, Diag *d)
{
    RecordFinal out = {*row, number};
    out.row.value_count = w->header.parameter_count;
    return add_row(w, final_fields, COUNT_OF(final_fields), &out,
                   fault_of_times(d->arena, &w->header, &out.row), d);
}

static bool same_device(const RecordDevice *a, const RecordDevice *b)
{
    return a->ordinal == b->ordinal && strcmp(a->name, b->name) == 0 &&
           strcmp(a->uuid, b->uuid) == 0;
}

int times_append_device(TimesWriter *w, const RecordDevice *x, Diag *d)
{
    int last = 0;
    for (size_t i = 0; i < w->devices.count; i++) {
        if (same_device(&w->devices.at[i], x))
            return w->devices.at[i].number;
        if (w->devices.at[i].number > last)
            last = w->devices.at[i].number;
    }
    RecordDevice fresh = {last + 1, x->ordinal, arena_string(w->arena, x->name),
                          arena_string(w->arena, x->uuid)};
    if (!add_line(w, device_fields, COUNT_OF(device_fields), &fresh, d))
        return 0;
    VEC_PUSH(w->arena, &w->devices, fresh);
    return fresh.number;
}

bool times_append_note(TimesWriter *w, const char *text, Diag *d)
{
    const RecordNote note = {text, 0};
    return add_line(w, note_fields, COUNT_OF(note_fields), &note, d);
}

bool times_close(TimesWriter *w, Diag *d)
{
    if (!w)
        return true;
    const TimesRecording written = {.end = (int)w->rows};
    bool ok =
        !w->chained || w->next > 0 || add_line(w, end_fields, COUNT_OF(end_fields), &written, d);
    buf_free(&w->line);
    return append_close(w->file, d) && ok;
}
