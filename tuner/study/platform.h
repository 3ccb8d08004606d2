/* What a platform's benchmarks come to: models fitted to recordings, and the device file that
 * follows.
 *
 * No GPU is needed: times come from recordings.  A fit that fails, since its recording is missing
 * or its search does not end, says so and gives nothing; the others go on. */
#pragma once

#include "tuner/space/table.h"
#include "tuner/study/leastsq.h"
#include "tuner/study/models.h"

/* One configuration as its fit sees it. */
typedef struct PlatformPoint {
    size_t row; /* of the table */
    double measured, standard_error, fitted;
} PlatformPoint;

typedef struct PlatformFit {
    const Model *model;
    const Table *table; /* NULL: no recording */
    PlatformPoint *points;
    size_t count;
    LeastsqFit fit;
    const char *why; /* there is no result; NULL: there is */
    struct {
        double value, error; /* as formulas have them; NaN: not given */
        const char *why;     /* it is not; NULL: it is, or there is no fit */
    } gifts[MODEL_GIFTS];
} PlatformFit;

typedef struct PlatformResult {
    Arena *arena;
    PlatformFit *fits; /* of each model, in their order */
    size_t count;
    DeviceSheet *sheet;       /* of the device, with what the fits gave */
    const char *first, *last; /* days of the recordings */
} PlatformResult;

/* Fits all models.  `tables`: of each model its recording, NULL where there is none; all of one
 * device.  NULL after a message: there is no recording at all, or they are of different devices. */
PlatformResult *platform_fit(Arena *a, const Models *models, const Table *const *tables, Diag *d);

/* The report, and every point of every fit as CSV. */
void platform_print(const PlatformResult *r, Buf *out);
void platform_print_points(const PlatformResult *r, Buf *out);

/* The device file. */
void platform_print_device(const PlatformResult *r, Buf *out);

/* Two platforms side by side: numbers and their ratio, those of patterns first. */
void platform_compare(const DeviceSheet *a, const DeviceSheet *b, Buf *out);
