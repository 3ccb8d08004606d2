/* The driver's own copy beside the best copy of the suite, in turn (tuner/bench). */
#ifndef APTUNE_COMMAND_PLATFORM_COPY_H
#define APTUNE_COMMAND_PLATFORM_COPY_H

#include "tuner/command/progress.h"
#include "tuner/library/settings.h"

/* What was measured; NaN: not known. */
typedef struct PlatformCopy {
    double driver, kernel;  /* bytes per second, read and written */
    double clock_mhz, watt; /* while the kernel ran back to back for two seconds */
} PlatformCopy;

/* Measures the configuration against the spec's rivals and writes what `aptune bench --json` prints
 * to `path`.  `problem` may be NULL.  False after a message. */
bool platform_copy_measure(const char *spec, const char *problem, const char *configuration,
                           const char *path, ProgressBar *bar, Diag *d);

/* Reads such a file; all NaN where there is none. */
PlatformCopy platform_copy_read(const char *path);

#endif
