/* Launches of data/counters/…launches.txt, what the hardware counted of them, and what the profile says.
 */
#pragma once

#include "metrics/metric/profile_build.h"
#include "tests/data/counters/contents.h"

enum { LAUNCH_BUFFERS = 16, LAUNCH_PARAMETERS = 128, LAUNCH_NAME = 128 };

typedef enum Figure { ISSUED, SECTORS, WAVEFRONTS, LOCAL, FIGURES } Figure;

typedef struct Launch {
    char name[LAUNCH_NAME], files[LAUNCH_NAME], kernel[LAUNCH_NAME];
    int64_t grid[3], block[3], shared;
    unsigned char parameters[LAUNCH_PARAMETERS];
    size_t parameter_bytes;
    Contents buffer[LAUNCH_BUFFERS]; /* by address: buffer i lies at (i + 1) << 40 */
    size_t buffers;
    double counted[FIGURES], predicted[FIGURES]; /* NaN: the profile does not claim to know it */
    Profile profile;
} Launch;

/* False where the line is none. */
bool launch_read(char *line, Launch *l);

/* Figures of the whole launch; `folder` is where its .ptx and .cubin are.  False with a message. */
bool launch_predict(Launch *l, const char *folder, Diag *d);
