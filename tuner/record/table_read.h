/* A recording as a table.
 *
 * A row for each configuration that it has an outcome of, in the order of the file; `number` is
 * that of its row there.  Values of parameters are numbered rising. */
#pragma once

#include "tuner/record/times.h"
#include "tuner/space/table.h"

/* Reads a recording and the profile beside it (NAME.times[.zst], NAME.profile[.zst]) and evaluates
 * the metrics.  If the recording has an objective, `work`, `ms` and additive metrics are scaled to
 * the work of the configuration that does least.  Metrics are not known without a profile, which
 * gives a warning.  NULL after a message when one of the files cannot be read. */
Table *table_read(Arena *a, const char *path, MetricSet *metrics, Diag *d);

/* The same without profiles and metrics. */
Table *table_read_times(Arena *a, const char *path, Diag *d);

/* The same of a recording that is read already, which need not outlive the table: of `columns`,
 * TABLE_WORK, TABLE_TIMES | TABLE_MS, and TABLE_PROFILE with which come the metrics. */
Table *table_of_times(Arena *a, const TimesRecording *times, unsigned columns, MetricSet *metrics,
                      Diag *d);
