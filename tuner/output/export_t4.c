#include "tuner/output/export.h"

#include "tuner/base/stats.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A name that is not known to need no escapes, unlike line_key. */
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

/* --- before the rows -------------------------------------------------------------------------- */

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
        line_value(out, &h->problem[i].value);
    }
    buf_puts(out, "}}");
}

void export_t4_begin(const ExportSource *s, bool with_compilation, Buf *out)
{
    buf_putc(out, '{');
    put_text(out, "schema_version", with_compilation ? "1.1.0" : "1.0.0");
    put_metadata(&s->times->header, out);
    put_key(out, "results");
    buf_putc(out, '[');
}

/* --- a row ------------------------------------------------------------------------------------ */

static void put_configuration(const RecordHeader *h, const RecordRow *row, Buf *out)
{
    put_key(out, "configuration");
    buf_putc(out, '{');
    for (size_t p = 0; p < h->parameter_count; p++) {
        put_key(out, h->parameters[p].name);
        line_value(out, &row->values[p]);
    }
    buf_putc(out, '}');
}

static void put_times(const RecordRow *row, Buf *out)
{
    put_key(out, "times");
    buf_puts(out, "{\"runtimes\":[");
    for (size_t i = 0; i < row->time_count; i++) {
        line_comma(out);
        line_number(out, row->times_ms[i]);
    }
    buf_puts(out, "]}");
}

/* A measurement of a number that is known. */
static void put_measurement(Buf *out, const char *name, double v, const char *unit, const char *per)
{
    if (!isfinite(v))
        return;
    line_comma(out);
    buf_puts(out, "{\"name\":");
    line_text(out, name);
    buf_puts(out, ",\"value\":");
    line_number(out, v);
    buf_puts(out, ",\"unit\":\"");
    if (strcmp(unit, "1") != 0)
        buf_puts(out, unit);
    buf_printf(out, "%s%s\"}", per ? " per " : "", per ? per : "");
}

static void put_word(Buf *out, const char *name, const char *word)
{
    if (!word)
        return;
    line_comma(out);
    buf_puts(out, "{\"name\":");
    line_text(out, name);
    buf_puts(out, ",\"value\":");
    line_text(out, word);
    buf_puts(out, ",\"unit\":\"\"}");
}

static void put_profile(const Table *t, size_t i, Buf *out)
{
    const Profile *p = table_profile(t, i);
    for (int f = 0; f < PROFILE_FIELDS; f++) {
        const ProfileInfo *info = profile_info((ProfileField)f);
        put_measurement(out, info->name, p->value[f], info->unit, info->per);
    }
    for (size_t m = 0; m < t->metrics->metrics.count; m++)
        put_measurement(out, t->metrics->metrics.at[m].name, table_metric(t, i, m),
                        t->metrics->metrics.at[m].unit, NULL);
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
    if (i != SIZE_MAX)
        put_profile(s->table, i, out);
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

/* KTT's names.  Local memory is OpenCL's, which is CUDA's shared; private is CUDA's local.  Sizes
 * are CUDA's: the grid in blocks.  Of several launches the recording has no single size. */
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

void export_t4_row(const ExportSource *s, const RecordRow *row, bool with_compilation, Buf *out)
{
    const RecordHeader *h = &s->times->header;
    size_t i = export_row(s, row);
    buf_putc(out, '{');
    put_text(out, "timestamp", h->date);
    put_configuration(h, row, out);
    put_times(row, out);
    put_text(out, "invalidity", export_invalidity(row->status));
    put_number(out, "correctness", row->status == OUTCOME_OK);
    put_key(out, "objectives");
    buf_puts(out, "[\"time\"]");
    put_measurements(s, row, i, out);
    if (with_compilation && row->code)
        put_compilation(row, i == SIZE_MAX ? NULL : table_profile(s->table, i), out);
    buf_putc(out, '}');
}
