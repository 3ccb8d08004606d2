/* The results of studies as tables. */
#pragma once

#include "tuner/report/sheet.h"
#include "tuner/study/fit.h"
#include "tuner/study/study.h"

typedef struct StudySheets {
    Sheet *at;
    size_t count;
} StudySheets;

/* Over all the spaces: carvings (the thesis's tables 6.2 and 6.3), their stages, samples (A.4,
 * A.8), metrics side by side (6.4, 6.5), size against regret, other strategies, and where the times
 * come from.  Tables without a row are left out; there is room for one more. */
StudySheets study_sheets(Arena *a, const Study *studies, size_t count);

/* A fit: its weights, and how it does on each space left out. */
Sheet study_fit_sheet(Arena *a, const FitResult *fits, size_t count, const MetricSet *metrics,
                      const int *numbers, size_t metric_count);
