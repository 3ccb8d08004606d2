/* Two platforms side by side: as JSON, and as pictures. */
#ifndef APTUNE_COMMAND_PLATFORM_PAIR_H
#define APTUNE_COMMAND_PLATFORM_PAIR_H

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/diag.h"
#include "metrics/metric/sheet.h"

/* `devices`, and of each number that either has `name`, `a`, `b` (in the device file's base units: seconds,
 * bytes, hertz, cycles; null: not known) and `ratio`, B's over A's. */
void platform_pair_json(const DeviceSheet *a, const DeviceSheet *b, Buf *out);

/* Writes patterns.svg and .pdf, what each anti-parallel pattern costs, and branches.svg and .pdf, the time against
 * the ways that a warp follows (the thesis's figure 3.1); a picture for which a platform has no number is left out.
 * False after a message. */
bool platform_pair_draw(Arena *arena, const DeviceSheet *a, const DeviceSheet *b,
                        const char *folder, Diag *d);

#endif
