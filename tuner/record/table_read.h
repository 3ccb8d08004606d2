/* Reads a recording into a table.
 *
 * The table has a row for each configuration with an outcome, in file order; `number` is the row's
 * index in the recording. Parameter values are numbered in rising order. */
#pragma once

#include "tuner/record/times.h"
#include "tuner/space/table.h"

/* Reads a recording and the profile beside it (NAME.times[.zst], NAME.profile[.zst]) and evaluates
 * the metrics; NULL: reads the times alone. If the recording has an objective, `work`, `ms` and
 * additive metrics are scaled to the work of the configuration that does least. Without a profile,
 * metrics are not known, which gives a warning. NULL after a message if a file cannot be read. */
Table *table_read(Arena *a, const char *path, MetricSet *metrics, Diag *d);

/* The same for a recording in memory, which need not outlive the table; rows without a time or a
 * profile give no warning. */
Table *table_of_times(Arena *a, const TimesRecording *times, MetricSet *metrics, Diag *d);
