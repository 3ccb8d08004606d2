/* What `aptune --version` says: which program this is, what it was built with, and what it finds
 * on this machine. */
#ifndef APTUNE_COMMAND_VERSION_H
#define APTUNE_COMMAND_VERSION_H

#include "metrics/base/buf.h"

/* The first line is "aptune 0.1.0"; a line each for commit (where known), build, NVRTC as the
 * helper finds it or why it does not, the folder of the helpers and that of the data. */
void version_print(Buf *out);

#endif
