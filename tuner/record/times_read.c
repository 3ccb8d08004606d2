#include "metrics/base/vec.h"
#include "tuner/record/field.h"
#include "tuner/record/times.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* Whoever reads half of a recording should know it: another row may be the fastest. */
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
