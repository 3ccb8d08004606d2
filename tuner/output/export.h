/* Exports a recording as T4 or CSV, with all static data of each row.
 *
 * T4 1.0.0 has no place for compiler data, so profile fields and metrics become `measurements`; 1.1.0 also
 * has registers, memory and launch as `compilation_data`.  An unknown number is left out, not written as 0.
 * Rows are streamed, so memory does not grow with their number. */
#pragma once

#include "tuner/record/times.h"
#include "tuner/space/table.h"

typedef enum ExportFormat { EXPORT_T4, EXPORT_T4_1_1, EXPORT_CSV } ExportFormat;

/* The data to export; made by export_open. */
typedef struct ExportSource {
    const TimesRecording *times;
    const Table *table; /* profiles and metrics of the rows, numbered as in `times` */
    bool profiled;      /* there is a profile beside the times */
} ExportSource;

/* Reads the recording and the profile beside it into `a`; warns if there is none.  False after a message. */
bool export_open(Arena *a, const char *path, MetricSet *metrics, ExportSource *out, Diag *d);

/* Writes the file atomically; `rows` becomes the number of rows. */
bool export_write(const ExportSource *s, ExportFormat format, const char *path, size_t *rows,
                  Diag *d);

/* T4's word for an outcome. */
const char *export_invalidity(Outcome status);
