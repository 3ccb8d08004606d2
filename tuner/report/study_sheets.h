/* The results of studies as tables. */
#pragma once

#include "tuner/report/sheet.h"
#include "tuner/study/fit.h"
#include "tuner/study/study.h"

typedef struct StudySheets {
    Sheet *at;
    size_t count;
} StudySheets;

/* Tables over all spaces: carvings (the thesis's tables 6.2 and 6.3), their stages, samples (A.4, A.8),
 * metrics (6.4, 6.5), regret by budget, search strategies, and recordings.  Empty tables are left out; there
 * is room for one more. */
StudySheets study_sheets(Arena *a, const Study *studies, size_t count);

/* The table of a fit: its weights, and its results on each space left out. */
Sheet study_fit_sheet(Arena *a, const FitResult *fits, size_t count, const MetricSet *metrics,
                      const int *numbers, size_t metric_count);
