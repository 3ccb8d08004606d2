/* Fits a platform's models to recordings of its benchmarks, and derives a device file.
 *
 * No GPU is needed: times come from recordings.  A fit that fails, because its recording is missing or its
 * search does not converge, says so and gives nothing; the others go on. */
#pragma once

#include "tuner/space/table.h"
#include "tuner/study/leastsq.h"
#include "tuner/study/models.h"

/* One configuration of a fit. */
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
    const char *why; /* why there is no result; NULL: there is one */
    struct {
        double value, error; /* in the formula's units; NaN: not given */
        const char *why;     /* why not; NULL: it is given, or there is no fit */
    } outputs[MODEL_OUTPUTS];
} PlatformFit;

typedef struct PlatformResult {
    Arena *arena;
    PlatformFit *fits; /* one for each model, in order */
    size_t count;
    DeviceSheet *sheet;       /* of the device, with the numbers that the fits gave */
    const char *first, *last; /* dates of the recordings */
} PlatformResult;

/* Fits all models.  `tables`: each model's recording, NULL for none; all of one device.  NULL after a
 * message: there is no recording at all, or they are of different devices. */
PlatformResult *platform_fit(Arena *a, const Models *models, const Table *const *tables, Diag *d);

/* Prints the report, and every point of every fit as CSV. */
void platform_print(const PlatformResult *r, Buf *out);
void platform_print_points(const PlatformResult *r, Buf *out);

/* Prints two devices side by side: their numbers and ratios, those of patterns first. */
void platform_compare(const DeviceSheet *a, const DeviceSheet *b, Buf *out);
