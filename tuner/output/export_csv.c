#include "tuner/output/export.h"

#include "tuner/base/csv.h"
#include "tuner/base/stats.h"

#include <math.h>
#include <string.h>

static void put_cell(Buf *out, const char *text)
{
    buf_putc(out, ',');
    csv_text(out, text, false);
}

/* An unknown number is an empty cell. */
static void put_number(Buf *out, double v)
{
    buf_putc(out, ',');
    if (isfinite(v))
        line_number(out, v);
}

/* Raw times in one cell, with semicolons. */
static void put_times(Buf *out, const double *times, size_t count)
{
    buf_putc(out, ',');
    for (size_t i = 0; i < count; i++) {
        buf_puts(out, i ? ";" : "");
        line_number(out, times[i]);
    }
}

void export_csv_begin(const ExportSource *s, Buf *out)
{
    const RecordHeader *h = &s->times->header;
    buf_puts(out, "kind");
    for (size_t p = 0; p < h->parameter_count; p++)
        put_cell(out, h->parameters[p].name);
    buf_puts(out, ",status,invalidity,message,median_ms,times_ms,warm_times_ms,max_error,"
                  "gpu_seconds,device,code,launch,origin");
    for (int f = 0; s->profiled && f < PROFILE_FIELDS; f++)
        put_cell(out, profile_info((ProfileField)f)->name);
    for (size_t m = 0; m < s->table->metrics->metrics.count; m++)
        put_cell(out, s->table->metrics->metrics.at[m].name);
    buf_putc(out, '\n');
}

static const char *device_of(const ExportSource *s, const RecordRow *row)
{
    const RecordDevice *x = row->device > 0 ? times_device(s->times, row->device) : NULL;
    return x && *x->name ? x->name : s->times->header.device;
}

static void put_values(const RecordHeader *h, const RecordRow *row, Buf *out)
{
    for (size_t p = 0; p < h->parameter_count; p++) {
        buf_putc(out, ',');
        if (row->values[p].text)
            csv_text(out, row->values[p].text, false);
        else
            line_integer(out, row->values[p].number);
    }
}

void export_csv_row(const ExportSource *s, const RecordRow *row, const char *kind, Buf *out)
{
    const RecordHeader *h = &s->times->header;
    size_t i = export_row(s, row);
    const Profile *p = i == SIZE_MAX ? NULL : table_profile(s->table, i);
    buf_puts(out, kind);
    put_values(h, row, out);
    put_cell(out, outcome_recorded(row->status));
    put_cell(out, export_invalidity(row->status));
    put_cell(out, row->message);
    put_number(out, row->time_count > 0 ? stats_median(row->times_ms, row->time_count) : NAN);
    put_times(out, row->times_ms, row->time_count);
    put_times(out, row->warm_ms, row->warm_count);
    put_number(out, row->max_error);
    put_number(out, row->seconds > 0 ? row->seconds : NAN);
    put_cell(out, device_of(s, row));
    put_cell(out, row->code);
    put_cell(out, row->launch);
    put_cell(out, *h->imported ? h->imported : "measured by aptune");
    for (int f = 0; s->profiled && f < PROFILE_FIELDS; f++)
        put_number(out, p ? p->value[f] : NAN);
    for (size_t m = 0; m < s->table->metrics->metrics.count; m++)
        put_number(out, p ? table_metric(s->table, i, m) : NAN);
    buf_putc(out, '\n');
}
