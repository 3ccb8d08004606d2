/* The shipped device files, which embed_files (CMakeLists.txt) makes part of the program: it knows
 * its devices where it was moved to, and so do its helpers and programs that the library is linked
 * to. */
#ifndef APTUNE_METRIC_SHIPPED_H
#define APTUNE_METRIC_SHIPPED_H

#include "tuner/base/diag.h"

extern const Source device_files[];
extern const size_t device_file_count;

#endif
