#include "tuner/output/export.h"

#include "tuner/base/file.h"
#include "tuner/record/profile.h"
#include "tuner/record/table_read.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

bool export_open(Arena *a, const char *path, MetricSet *metrics, ExportSource *out, Diag *d)
{
    *out = (ExportSource){.times = times_read(a, path, d)};
    if (!out->times)
        return false;
    const char *beside = record_profile_path(a, path);
    out->profiled = beside && file_exists(beside);
    out->table = table_of_times(a, out->times, 0, metrics, d);
    return out->table != NULL;
}

/* A row that was timed again may have been of other code then. */
size_t export_row(const ExportSource *s, const RecordRow *row)
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

static size_t put_t4(const ExportSource *s, bool with_compilation, Sink *k)
{
    size_t rows = 0;
    export_t4_begin(s, with_compilation, &k->buf);
    for (size_t i = 0; i < s->times->rows.count && k->ok; i++) {
        const RecordRow *row = &s->times->rows.at[i];
        if (times_find(s->times, row->key) != row)
            continue; /* timed again further on */
        buf_puts(&k->buf, rows++ ? ",\n" : "\n");
        export_t4_row(s, row, with_compilation, &k->buf);
        flush_when_full(k);
    }
    buf_puts(&k->buf, "\n]}\n");
    return rows;
}

static size_t put_csv(const ExportSource *s, Sink *k)
{
    const TimesRecording *t = s->times;
    export_csv_begin(s, &k->buf);
    for (size_t i = 0; i < t->rows.count && k->ok; i++) {
        const RecordRow *row = &t->rows.at[i];
        export_csv_row(s, row, times_find(t, row->key) == row ? "row" : "earlier", &k->buf);
        flush_when_full(k);
    }
    for (size_t i = 0; i < t->sentinels.count && k->ok; i++) {
        export_csv_row(s, &t->sentinels.at[i].row, "sentinel", &k->buf);
        flush_when_full(k);
    }
    for (size_t i = 0; i < t->finals.count && k->ok; i++)
        export_csv_row(s, &t->finals.at[i].row, "final", &k->buf);
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
    const char *temporary;
    int fd = file_create_beside(d->arena, path, &temporary, d);
    Sink k = {.file = fd >= 0 ? fdopen(fd, "w") : NULL, .ok = true};
    bool ok = k.file != NULL;
    if (ok) {
        *rows = format == EXPORT_CSV ? put_csv(s, &k) : put_t4(s, format == EXPORT_T4_1_1, &k);
        ok = finish(&k, temporary, path, d);
    }
    return ok;
}
