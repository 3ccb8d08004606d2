#include "tuner/record/append.h"
#include "tuner/record/field.h"
#include "tuner/record/times.h"

#include <limits.h>
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

/* The values of a configuration, one for each parameter and of its kind. */
static const RecordValue *read_values(FieldReader *r, const RecordHeader *h, const char *key)
{
    size_t count;
    const RecordValue *v = field_values(r, key, &count);
    if (count != h->parameter_count)
        field_fail(r, "%zu values for %zu parameters", count, h->parameter_count);
    for (size_t i = 0; i < count && r->ok; i++) {
        if ((v[i].text != NULL) != h->parameters[i].is_text)
            field_fail(r, "the value of '%s' is of the wrong kind", h->parameters[i].name);
    }
    return v;
}

static const double *read_times(FieldReader *r, const char *key, size_t *count)
{
    const double *times = field_numbers(r, key, count);
    for (size_t i = 0; i < *count && r->ok; i++) {
        if (!isfinite(times[i]))
            field_fail(r, "a time is not finite");
    }
    return times;
}

/* A whole number, at least `least`; `missing` when there is none. */
static int read_int(FieldReader *r, const char *key, int least, int missing)
{
    double v = field_number(r, key, missing);
    if (v >= least && v <= INT_MAX && v == floor(v))
        return (int)v;
    field_fail(r, "'%s' is not a whole number from %d on", key, least);
    return missing;
}

/* Values, key, times and device, which rows and sentinels share. */
static RecordRow read_timed(FieldReader *r, const RecordHeader *h, const char *key)
{
    RecordRow row = {.values = read_values(r, h, key), .status = OUTCOME_OK, .max_error = NAN};
    row.times_ms = read_times(r, "t", &row.time_count);
    row.device = read_int(r, "on", 0, 0);
    if (r->ok)
        row.key = record_key(r->arena, h, row.values);
    return row;
}

static void read_row(FieldReader *r, TimesRecording *rec)
{
    RecordRow row = read_timed(r, &rec->header, "v");
    const char *status = field_text(r, "status", true);
    row.status = status ? outcome_of_recorded(status) : OUTCOME_OTHER;
    row.code = field_text(r, "code", false);
    row.launch = field_text(r, "launch", false);
    row.message = field_text(r, "msg", false);
    row.max_error = field_number(r, "err", NAN);
    row.seconds = field_number(r, "s", 0);
    row.compile_s = field_number(r, "cs", 0);
    row.profile_s = field_number(r, "ps", 0);
    row.work = field_number(r, "work", 0);
    row.warm_ms = read_times(r, "warm", &row.warm_count);
    row.joules = field_number(r, "j", 0);
    bool energy = record_is_by_energy(&rec->header);
    if (energy && row.status == OUTCOME_OK && !(row.joules > 0 && isfinite(row.joules)))
        field_fail(r, "'j' is no energy above 0, and the objective is energy");
    if (record_is_weighed(&rec->header) && row.status == OUTCOME_OK &&
        !(row.work > 0 && isfinite(row.work)))
        field_fail(r, "'work' is no amount above 0, and the objective is %s",
                   rec->header.objective);
    if (row.status == OUTCOME_OK && row.time_count == 0)
        field_fail(r, "the status is ok, but there is no time");
    if (r->ok)
        VEC_PUSH(r->arena, &rec->rows, row);
}

static void read_sentinel(FieldReader *r, TimesRecording *rec)
{
    RecordSentinel s = {read_timed(r, &rec->header, "sentinel"), rec->rows.count};
    if (r->ok)
        VEC_PUSH(r->arena, &rec->sentinels, s);
}

static void read_final(FieldReader *r, TimesRecording *rec)
{
    RecordFinal f = {read_timed(r, &rec->header, "final"), read_int(r, "n", 1, 0)};
    if (r->ok)
        VEC_PUSH(r->arena, &rec->finals, f);
}

static void read_device(FieldReader *r, TimesRecording *rec)
{
    RecordDevice x = {.number = read_int(r, "device", 1, 1),
                      .ordinal = read_int(r, "ordinal", 0, 0)};
    const char *name = field_text(r, "name", false), *uuid = field_text(r, "uuid", false);
    x.name = name ? name : "";
    x.uuid = uuid ? uuid : "";
    if (r->ok)
        VEC_PUSH(r->arena, &rec->devices, x);
}

static void read_note(FieldReader *r, TimesRecording *rec)
{
    RecordNote n = {field_text(r, "note", true), rec->rows.count};
    if (r->ok)
        VEC_PUSH(r->arena, &rec->notes, n);
}

static void read_end(FieldReader *r, TimesRecording *rec)
{
    int count = read_int(r, "end", 0, 0);
    if (r->ok && (size_t)count != rec->rows.count)
        diag_warn(r->diag, (Span){0}, "%s:%zu: %d rows were written up to here, %zu are there",
                  r->path, r->line, count, rec->rows.count);
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
    r->by_key = index_build(a, keys, r->rows.count);
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
    size_t i = index_find(&r->by_key, key);
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

/* Ends the line and adds it, the first one in place of an end from before; the chain goes on only
 * with what is in the file. */
static bool add_line(TimesWriter *w, Diag *d)
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

static bool write_header(TimesWriter *w, Diag *d)
{
    line_begin(&w->line);
    line_field(&w->line, "aptune", "times");
    line_count(&w->line, "format", RECORD_FORMAT_CHAINED);
    record_header_write(&w->header, &w->line);
    w->chained = true;
    return add_line(w, d);
}

/* Takes over what is there. */
static bool continue_times(Arena *a, TimesWriter *w, const char *path, TimesRecording **existing,
                           Diag *d)
{
    TimesRecording *r = times_read_open(a, path, d);
    if (!r)
        return false;
    Buf why = {0};
    bool same = record_header_same(&r->header, &w->header, &why);
    if (!same)
        diag_fail(d, "'%s' cannot be continued: %s", path, buf_text(&why));
    buf_free(&why);
    w->header = r->header;
    w->chained = r->chained;
    w->chain = r->chain;
    w->rows = r->rows.count;
    w->next = r->closed ? r->next : 0;
    for (size_t i = 0; i < r->devices.count; i++)
        VEC_PUSH(a, &w->devices, r->devices.at[i]);
    *existing = r;
    return same && (!r->cut || append_truncate(w->file, (int64_t)r->size, d));
}

TimesWriter *times_open_append(Arena *a, const char *path, const RecordHeader *h, size_t sync_every,
                               TimesRecording **existing, Diag *d)
{
    *existing = NULL;
    TimesWriter *w = ARENA_NEW(a, TimesWriter);
    w->header = *h;
    w->arena = a;
    w->file = append_open(a, path, sync_every, d);
    if (!w->file)
        return NULL;
    bool fresh;
    bool ok = append_check(w->file, path, "times", &fresh, d) &&
              (fresh ? write_header(w, d) : continue_times(a, w, path, existing, d));
    if (ok)
        return w;
    buf_free(&w->line);
    append_close(w->file, d);
    return NULL;
}

static bool check_values(const TimesWriter *w, const RecordValue *values, Diag *d)
{
    for (size_t i = 0; i < w->header.parameter_count; i++) {
        if ((values[i].text != NULL) != w->header.parameters[i].is_text)
            return diag_fail(d, "the value of '%s' is of the wrong kind to be recorded",
                             w->header.parameters[i].name);
    }
    return true;
}

static bool check_times(const double *times_ms, size_t count, Diag *d)
{
    for (size_t i = 0; i < count; i++) {
        if (!isfinite(times_ms[i]))
            return diag_fail(d, "a time that is not finite cannot be recorded");
    }
    return true;
}

static void put_times(TimesWriter *w, const char *key, const double *times_ms, size_t count)
{
    if (count > 0)
        line_numbers(&w->line, key, times_ms, count);
}

static void put_device(TimesWriter *w, const RecordRow *row)
{
    if (row->device > 0)
        line_count(&w->line, "on", row->device);
}

/* 0 and less stand for nothing known. */
static void put_amount(TimesWriter *w, const char *key, double amount)
{
    if (!(amount > 0))
        return;
    line_key(&w->line, key);
    line_number(&w->line, amount);
}

bool times_append(TimesWriter *w, const RecordRow *row, Diag *d)
{
    if (!check_values(w, row->values, d) || !check_times(row->times_ms, row->time_count, d) ||
        !check_times(row->warm_ms, row->warm_count, d))
        return false;
    if (row->status == OUTCOME_OK && row->time_count == 0)
        return diag_fail(d, "a configuration that is ok cannot be recorded without a time");
    bool energy = record_is_by_energy(&w->header);
    bool weighed = record_is_weighed(&w->header);
    if (energy && row->status == OUTCOME_OK && !(row->joules > 0 && isfinite(row->joules)))
        return diag_fail(d, "a configuration cannot be recorded without its energy");
    if (weighed && row->status == OUTCOME_OK && !(row->work > 0 && isfinite(row->work)))
        return diag_fail(d,
                         "a configuration cannot be recorded without its work: the objective is "
                         "%s",
                         w->header.objective);
    line_begin(&w->line);
    line_values(&w->line, "v", row->values, w->header.parameter_count);
    line_field(&w->line, "code", row->code);
    line_field(&w->line, "launch", row->launch);
    line_field(&w->line, "status", outcome_recorded(row->status));
    put_times(w, "t", row->times_ms, row->time_count);
    put_times(w, "warm", row->warm_ms, row->warm_count);
    if (!isnan(row->max_error)) {
        line_key(&w->line, "err");
        line_number(&w->line, row->max_error);
    }
    line_field(&w->line, "msg", row->message);
    put_amount(w, "work", row->work);
    put_amount(w, "j", row->joules);
    put_amount(w, "s", record_round(row->seconds));
    put_amount(w, "cs", record_round(row->compile_s));
    put_amount(w, "ps", record_round(row->profile_s));
    put_device(w, row);
    bool ok = add_line(w, d);
    w->rows += ok;
    return ok;
}

/* A configuration that is timed again; `number` of its final, 0: it is a sentinel. */
static bool append_again(TimesWriter *w, const char *key, const RecordRow *row, int number, Diag *d)
{
    if (!check_values(w, row->values, d) || !check_times(row->times_ms, row->time_count, d))
        return false;
    line_begin(&w->line);
    line_values(&w->line, key, row->values, w->header.parameter_count);
    if (number > 0)
        line_count(&w->line, "n", number);
    put_times(w, "t", row->times_ms, row->time_count);
    put_device(w, row);
    return add_line(w, d);
}

bool times_append_sentinel(TimesWriter *w, const RecordRow *row, Diag *d)
{
    return append_again(w, "sentinel", row, 0, d);
}

bool times_append_final(TimesWriter *w, const RecordRow *row, int number, Diag *d)
{
    return append_again(w, "final", row, number, d);
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
    line_begin(&w->line);
    line_count(&w->line, "device", fresh.number);
    line_count(&w->line, "ordinal", fresh.ordinal);
    line_field(&w->line, "name", fresh.name);
    line_field(&w->line, "uuid", fresh.uuid);
    if (!add_line(w, d))
        return 0;
    VEC_PUSH(w->arena, &w->devices, fresh);
    return fresh.number;
}

bool times_append_note(TimesWriter *w, const char *text, Diag *d)
{
    line_begin(&w->line);
    line_field(&w->line, "note", text ? text : "");
    return add_line(w, d);
}

static bool write_end(TimesWriter *w, Diag *d)
{
    line_begin(&w->line);
    line_count(&w->line, "end", (int64_t)w->rows);
    return add_line(w, d);
}

bool times_close(TimesWriter *w, Diag *d)
{
    if (!w)
        return true;
    bool ok = !w->chained || w->next > 0 || write_end(w, d);
    buf_free(&w->line);
    return append_close(w->file, d) && ok;
}
