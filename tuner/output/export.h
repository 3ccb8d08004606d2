/* A recording as others read it: T4 or CSV, with everything static that is known of each row.
 *
 * T4 has no place for what a compiler knows, so fields of the profile and metrics are
 * `measurements`; 1.1.0 has registers, memory and launch as `compilation_data` too.  Nothing is
 * written that the recording does not have: an unknown number is left out, not 0.  Rows are written
 * one after the other; memory does not grow with them. */
#pragma once

#include "tuner/record/times.h"
#include "tuner/space/table.h"

typedef enum ExportFormat { EXPORT_T4, EXPORT_T4_1_1, EXPORT_CSV } ExportFormat;

/* What is exported; made by export_open. */
typedef struct ExportSource {
    const TimesRecording *times;
    const Table *table; /* profiles and metrics of its rows, whose numbers are those of `times` */
    bool profiled;      /* a profile is beside the times */
} ExportSource;

/* Reads the recording and the profile beside it into `a`; without one, a warning.  False after a
 * message. */
bool export_open(Arena *a, const char *path, MetricSet *metrics, ExportSource *out, Diag *d);

/* Writes the file, all or nothing; `rows` gets how many it has. */
bool export_write(const ExportSource *s, ExportFormat format, const char *path, size_t *rows,
                  Diag *d);

/* What T4 calls an outcome. */
const char *export_invalidity(Outcome status);
