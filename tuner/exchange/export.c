#include "tuner/exchange/export.h"

#include "metrics/base/file.h"
#include "tuner/record/device.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

bool export_open(Arena *a, const char *path, const MetricSet *metrics, ExportSource *out, Diag *d)
{
    *out = (ExportSource){.metrics = metrics, .times = times_read(a, path, d)};
    if (!out->times)
        return false;
    out->device = record_device(a, &out->times->header);
    const char *beside = record_profile_path(a, path);
    if (!beside || !file_exists(beside)) {
        diag_warn(d, (Span){0}, "there is no '%s': nothing static is known of these rows",
                  beside ? beside : "profile beside it");
        return true;
    }
    out->profiles = profiles_read(a, beside, d);
    size_t *columns = ARENA_ARRAY(a, size_t, PROFILE_FIELDS);
    for (int f = 0; f < PROFILE_FIELDS && out->profiles; f++)
        columns[f] = profiles_field(&out->profiles->header, profile_info((ProfileField)f)->name);
    out->columns = columns;
    return out->profiles != NULL;
}

ExportStatic export_static(Arena *scratch, const ExportSource *s, const RecordRow *row)
{
    size_t n = s->metrics->metrics.count;
    ExportStatic out = {0};
    if (s->profiles && row->code)
        out.profile = profiles_find(s->profiles, row->code, row->launch);
    double *metrics = ARENA_ARRAY(scratch, double, n);
    MetricValue *values = ARENA_ARRAY(scratch, MetricValue, n);
    Profile p = profile_new();
    for (int f = 0; f < PROFILE_FIELDS && out.profile; f++)
        if (s->columns[f] != SIZE_MAX)
            p.value[f] = out.profile->values[s->columns[f]];
    if (out.profile)
        metricset_evaluate(scratch, s->metrics, &p, s->device, values);
    for (size_t m = 0; m < n; m++)
        metrics[m] = out.profile ? values[m].value : NAN;
    out.metrics = metrics;
    return out;
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

/* --- the file --------------------------------------------------------------------------------- */

typedef struct Sink {
    FILE *file;
    Buf buf; /* not written yet */
    bool ok;
} Sink;

enum { SINK_BYTES = 1 << 16 };

static void flush(Sink *k)
{
    k->ok = k->ok && fwrite(buf_text(&k->buf), 1, k->buf.size, k->file) == k->buf.size;
    buf_clear(&k->buf);
}

static void flush_when_full(Sink *k)
{
    if (k->buf.size >= SINK_BYTES)
        flush(k);
}

static size_t put_t4(const ExportSource *s, bool with_compilation, Arena *scratch, Sink *k)
{
    size_t rows = 0;
    export_t4_begin(s, with_compilation, &k->buf);
    for (size_t i = 0; i < s->times->rows.count && k->ok; i++) {
        const RecordRow *row = &s->times->rows.at[i];
        if (times_find(s->times, row->key) != row)
            continue; /* timed again further on */
        buf_puts(&k->buf, rows++ ? ",\n" : "\n");
        export_t4_row(scratch, s, row, with_compilation, &k->buf);
        arena_reset(scratch);
        flush_when_full(k);
    }
    buf_puts(&k->buf, "\n]}\n");
    return rows;
}

static size_t put_csv(const ExportSource *s, Arena *scratch, Sink *k)
{
    const TimesRecording *t = s->times;
    export_csv_begin(s, &k->buf);
    for (size_t i = 0; i < t->rows.count && k->ok; i++) {
        const RecordRow *row = &t->rows.at[i];
        export_csv_row(scratch, s, row, times_find(t, row->key) == row ? "row" : "earlier",
                       &k->buf);
        arena_reset(scratch);
        flush_when_full(k);
    }
    for (size_t i = 0; i < t->sentinels.count && k->ok; i++) {
        export_csv_row(scratch, s, &t->sentinels.at[i].row, "sentinel", &k->buf);
        arena_reset(scratch);
        flush_when_full(k);
    }
    for (size_t i = 0; i < t->finals.count && k->ok; i++)
        export_csv_row(scratch, s, &t->finals.at[i].row, "final", &k->buf);
    return t->rows.count + t->sentinels.count + t->finals.count;
}

/* Flushes, closes and puts the file in its place. */
static bool finish(Sink *k, const char *temporary, const char *path, Diag *d)
{
    flush(k);
    k->ok = k->ok && fflush(k->file) == 0 && fsync(fileno(k->file)) == 0;
    k->ok = fclose(k->file) == 0 && k->ok;
    k->ok = k->ok && rename(temporary, path) == 0;
    buf_free(&k->buf);
    if (k->ok)
        return true;
    int error = errno;
    unlink(temporary);
    return diag_fail(d, "cannot write '%s': %s", path, strerror(error));
}

bool export_write(const ExportSource *s, ExportFormat format, const char *path, size_t *rows,
                  Diag *d)
{
    Arena *scratch = arena_new();
    const char *temporary;
    int fd = file_create_beside(d->arena, path, &temporary, d);
    Sink k = {.file = fd >= 0 ? fdopen(fd, "w") : NULL, .ok = true};
    bool ok = k.file != NULL;
    if (ok) {
        *rows = format == EXPORT_CSV ? put_csv(s, scratch, &k)
                                     : put_t4(s, format == EXPORT_T4_1_1, scratch, &k);
        ok = finish(&k, temporary, path, d);
    }
    arena_free(scratch);
    return ok;
}
