#include "tuner/output/export.h"

#include "metrics/base/csv.h"
#include "metrics/base/file.h"
#include "metrics/base/stats.h"
#include "tuner/record/profile.h"
#include "tuner/record/table_read.h"

#include <errno.h>
#include <unistd.h>

bool export_open(Arena *a, const char *path, MetricSet *metrics, ExportSource *out, Diag *d)
{
    *out = (ExportSource){.times = times_read(a, path, d)};
    if (!out->times)
        return false;
    const char *beside = record_profile_path(a, path);
    out->profiled = beside && file_exists(beside);
    TimesRecording plain = *out->times;
    plain.header.objective = ""; /* metrics of a launch, whatever its work */
    out->table = table_of_times(a, &plain, metrics, d);
    return out->table != NULL;
}

/* The table's row of a recorded row; SIZE_MAX: no profile, or it was timed again with other code. */
static size_t row_of(const ExportSource *s, const RecordRow *row)
{
    const RecordRow *latest = row->code && s->profiled ? times_find(s->times, row->key) : NULL;
    if (!latest || !latest->code || strcmp(latest->code, row->code) != 0 ||
        strcmp(latest->launch ? latest->launch : "", row->launch ? row->launch : "") != 0)
        return SIZE_MAX;
    size_t i = table_find(s->table, (uint64_t)(latest - s->times->rows.at));
    return table_profile(s->table, i) ? i : SIZE_MAX;
}

const char *export_invalidity(Outcome status)
{
    if (outcome_group(status) == OUTCOME_IS_COMPILE)
        return "compile";
    switch (status) {
    case OUTCOME_OK:
        return "correct";
    case OUTCOME_WRONG:
        return "correctness";
    case OUTCOME_TIMEOUT:
        return "timeout";
    case OUTCOME_SKIPPED:
        return "constraints";
    default:
        return "runtime";
    }
}

/* --- CSV -------------------------------------------------------------------------------------- */

/* An unknown number is an empty cell. */
static void number_cell(Csv *c, double v)
{
    Buf *out = csv_cell(c);
    if (isfinite(v))
        line_number(out, v);
}

/* Raw times in one cell, separated by semicolons. */
static void times_cell(Csv *c, const double *times, size_t count)
{
    Buf *out = csv_cell(c);
    for (size_t i = 0; i < count; i++) {
        buf_puts(out, i ? ";" : "");
        line_number(out, times[i]);
    }
}

static void csv_begin(const ExportSource *s, Buf *out)
{
    static const char *const own[] = {"status",   "invalidity",    "message",   "median_ms",
                                      "times_ms", "warm_times_ms", "max_error", "gpu_seconds",
                                      "device",   "code",          "launch",    "origin"};
    const RecordHeader *h = &s->times->header;
    Csv c = {.out = out};
    csv_text(&c, "kind");
    for (size_t p = 0; p < h->parameter_count; p++)
        csv_text(&c, h->parameters[p].name);
    for (size_t k = 0; k < COUNT_OF(own); k++)
        csv_text(&c, own[k]);
    for (int f = 0; s->profiled && f < PROFILE_FIELDS; f++)
        csv_text(&c, profile_fields[f].name);
    for (size_t m = 0; m < s->table->metrics->metrics.count; m++)
        csv_text(&c, s->table->metrics->metrics.at[m].name);
    csv_end_row(&c);
}

static void csv_row(const ExportSource *s, const RecordRow *row, const char *kind, Buf *out)
{
    const RecordHeader *h = &s->times->header;
    size_t i = row_of(s, row);
    const Profile *profile = i == SIZE_MAX ? NULL : table_profile(s->table, i);
    const RecordDevice *device = row->device > 0 ? times_device(s->times, row->device) : NULL;
    Csv c = {.out = out};
    csv_text(&c, kind);
    for (size_t p = 0; p < h->parameter_count; p++)
        if (row->values[p].kind == VALUE_STRING)
            csv_text(&c, row->values[p].string);
        else
            line_integer(csv_cell(&c), row->values[p].integer);
    csv_text(&c, outcome_recorded(row->status));
    csv_text(&c, export_invalidity(row->status));
    csv_text(&c, row->message);
    number_cell(&c, row->time_count > 0 ? stats_median(row->times_ms, row->time_count) : NAN);
    times_cell(&c, row->times_ms, row->time_count);
    times_cell(&c, row->warm_ms, row->warm_count);
    number_cell(&c, row->max_error);
    number_cell(&c, row->seconds > 0 ? row->seconds : NAN);
    csv_text(&c, device && *device->name ? device->name : h->device);
    csv_text(&c, row->code);
    csv_text(&c, row->launch);
    csv_text(&c, *h->imported ? h->imported : "measured by aptune");
    for (int f = 0; s->profiled && f < PROFILE_FIELDS; f++)
        number_cell(&c, profile ? profile->value[f] : NAN);
    for (size_t m = 0; m < s->table->metrics->metrics.count; m++)
        number_cell(&c, profile ? table_metric(s->table, i, m) : NAN);
    csv_end_row(&c);
}

/* --- T4 --------------------------------------------------------------------------------------- */

/* Like line_key, for a key that may need escapes. */
static void put_key(Buf *out, const char *key)
{
    line_comma(out);
    line_text(out, key);
    buf_putc(out, ':');
}

static void put_text(Buf *out, const char *key, const char *text)
{
    if (!text || !*text)
        return;
    put_key(out, key);
    line_text(out, text);
}

static void put_number(Buf *out, const char *key, double v)
{
    if (!isfinite(v))
        return;
    put_key(out, key);
    line_number(out, v);
}

static void put_metadata(const RecordHeader *h, Buf *out)
{
    put_key(out, "metadata");
    buf_putc(out, '{');
    put_text(out, "autotuner", "aptune");
    put_text(out, "autotuner_version", APTUNE_VERSION);
    put_text(out, "timeunit", "milliseconds");
    put_text(out, "compute_api", "CUDA");
    put_text(out, "space", h->space);
    put_text(out, "device", h->device);
    put_text(out, "architecture", h->arch);
    put_text(out, "driver", h->driver);
    put_text(out, "compiler", h->nvrtc);
    put_text(out, "cache", h->cache);
    put_text(out, "timestamp", h->date);
    put_text(out, "imported", h->imported);
    put_key(out, "problem");
    buf_putc(out, '{');
    for (size_t i = 0; i < h->problem_count; i++) {
        put_key(out, h->problem[i].name);
        line_value(out, h->problem[i].value);
    }
    buf_puts(out, "}}");
}

/* A measurement; nothing for an unknown number. */
static void put_measurement(Buf *out, const char *name, double v, const char *unit, const char *per)
{
    if (!isfinite(v))
        return;
    line_comma(out);
    buf_putc(out, '{');
    put_text(out, "name", name);
    put_number(out, "value", v);
    buf_printf(out, ",\"unit\":\"%s%s%s\"}", strcmp(unit, "1") != 0 ? unit : "", per ? " per " : "",
               per ? per : "");
}

static void put_word(Buf *out, const char *name, const char *word)
{
    if (!word)
        return;
    line_comma(out);
    buf_putc(out, '{');
    put_text(out, "name", name);
    put_key(out, "value");
    line_text(out, word);
    buf_puts(out, ",\"unit\":\"\"}");
}

static void put_measurements(const ExportSource *s, const RecordRow *row, size_t i, Buf *out)
{
    put_key(out, "measurements");
    buf_putc(out, '[');
    if (row->status == OUTCOME_OK)
        put_measurement(out, "time", stats_median(row->times_ms, row->time_count), "ms", NULL);
    if (row->warm_count > 0)
        put_measurement(out, "time_warm", stats_median(row->warm_ms, row->warm_count), "ms", NULL);
    put_measurement(out, "max_error", row->max_error, "", NULL);
    put_measurement(out, "gpu_seconds", row->seconds > 0 ? row->seconds : NAN, "s", NULL);
    put_word(out, "status", outcome_recorded(row->status));
    put_word(out, "message", row->message);
    put_word(out, "code", row->code);
    put_word(out, "launch", row->launch);
    const Table *t = s->table;
    const Profile *p = i == SIZE_MAX ? NULL : table_profile(t, i);
    for (int f = 0; f < PROFILE_FIELDS && p; f++) {
        const ProfileInfo *info = &profile_fields[f];
        put_measurement(out, info->name, p->value[f], info->unit, info->per);
    }
    for (size_t m = 0; p && m < t->metrics->metrics.count; m++)
        put_measurement(out, t->metrics->metrics.at[m].name, table_metric(t, i, m),
                        t->metrics->metrics.at[m].unit, NULL);
    buf_putc(out, ']');
}

static void put_size(Buf *out, const char *name, const long long v[3])
{
    put_key(out, name);
    buf_printf(out, "{\"x\":%lld,\"y\":%lld,\"z\":%lld}", v[0], v[1], v[2]);
}

static double field(const Profile *p, ProfileField f)
{
    return p ? p->value[f] : NAN;
}

/* Names are KTT's: "local" memory is CUDA's shared memory, "private" is CUDA's local.  The grid is in blocks.
 * Several launches have no single size. */
static void put_compilation(const RecordRow *row, const Profile *p, Buf *out)
{
    long long g[3], b[3], shared;
    int end = 0;
    put_key(out, "compilation_data");
    buf_putc(out, '{');
    put_number(out, "registers", field(p, PROFILE_REGISTERS));
    put_number(out, "local_memory_size", field(p, PROFILE_SHARED_BYTES));
    put_number(out, "private_memory_size", field(p, PROFILE_LOCAL_BYTES));
    if (row->launch &&
        sscanf(row->launch, "%lld,%lld,%lld/%lld,%lld,%lld/%lld%n", &g[0], &g[1], &g[2], &b[0],
               &b[1], &b[2], &shared, &end) == 7 &&
        row->launch[end] == '\0') {
        put_size(out, "global_size", g);
        put_size(out, "local_size", b);
    }
    buf_putc(out, '}');
}

static void t4_row(const ExportSource *s, const RecordRow *row, bool with_compilation, Buf *out)
{
    const RecordHeader *h = &s->times->header;
    size_t i = row_of(s, row);
    buf_putc(out, '{');
    put_text(out, "timestamp", h->date);
    put_key(out, "configuration");
    buf_putc(out, '{');
    for (size_t p = 0; p < h->parameter_count; p++) {
        put_key(out, h->parameters[p].name);
        line_value(out, row->values[p]);
    }
    buf_puts(out, "},\"times\":{\"runtimes\":[");
    for (size_t k = 0; k < row->time_count; k++) {
        line_comma(out);
        line_number(out, row->times_ms[k]);
    }
    buf_puts(out, "]}");
    put_text(out, "invalidity", export_invalidity(row->status));
    put_number(out, "correctness", row->status == OUTCOME_OK);
    put_key(out, "objectives");
    buf_puts(out, "[\"time\"]");
    put_measurements(s, row, i, out);
    if (with_compilation && row->code)
        put_compilation(row, i == SIZE_MAX ? NULL : table_profile(s->table, i), out);
    buf_putc(out, '}');
}

/* --- the file --------------------------------------------------------------------------------- */

typedef struct Sink {
    int fd;
    Buf buf; /* not written yet */
    bool ok;
} Sink;

/* Writes what is held, if it is `least` bytes or more. */
static void put_out(Sink *k, size_t least)
{
    size_t written;
    if (k->buf.size < least)
        return;
    k->ok = k->ok && file_write_all(k->fd, buf_text(&k->buf), k->buf.size, &written);
    buf_clear(&k->buf);
}

enum { SINK_BYTES = 1 << 16 };

static size_t put_t4(const ExportSource *s, bool with_compilation, Sink *k)
{
    size_t rows = 0;
    Buf *out = &k->buf;
    buf_putc(out, '{');
    put_text(out, "schema_version", with_compilation ? "1.1.0" : "1.0.0");
    put_metadata(&s->times->header, out);
    put_key(out, "results");
    buf_putc(out, '[');
    VEC_EACH (const RecordRow, row, s->times->rows) {
        if (times_find(s->times, row->key) != row)
            continue; /* timed again later */
        buf_puts(out, rows++ ? ",\n" : "\n");
        t4_row(s, row, with_compilation, out);
        put_out(k, SINK_BYTES);
    }
    buf_puts(out, "\n]}\n");
    return rows;
}

static size_t put_csv(const ExportSource *s, Sink *k)
{
    const TimesRecording *t = s->times;
    csv_begin(s, &k->buf);
    VEC_EACH (const RecordRow, row, t->rows) {
        csv_row(s, row, times_find(t, row->key) == row ? "row" : "earlier", &k->buf);
        put_out(k, SINK_BYTES);
    }
    for (size_t i = 0; i < t->sentinels.count; i++)
        csv_row(s, &t->sentinels.at[i].row, "sentinel", &k->buf);
    for (size_t i = 0; i < t->finals.count; i++)
        csv_row(s, &t->finals.at[i].row, "final", &k->buf);
    return t->rows.count + t->sentinels.count + t->finals.count;
}

bool export_write(const ExportSource *s, ExportFormat format, const char *path, size_t *rows,
                  Diag *d)
{
    const char *temporary;
    Sink k = {.fd = file_create_beside(d->arena, path, &temporary, d), .ok = true};
    if (k.fd < 0)
        return false;
    *rows = format == EXPORT_CSV ? put_csv(s, &k) : put_t4(s, format == EXPORT_T4_1_1, &k);
    put_out(&k, 0);
    bool ok = k.ok && fsync(k.fd) == 0;
    ok = close(k.fd) == 0 && ok && rename(temporary, path) == 0;
    const int error = errno;
    buf_free(&k.buf);
    if (!ok)
        unlink(temporary);
    return ok || diag_fail(d, "cannot write '%s': %s", path, strerror(error));
}
