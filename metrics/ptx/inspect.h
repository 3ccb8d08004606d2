/* What `aptune inspect FILE.ptx` says of a module. */
#ifndef APTUNE_PTX_INSPECT_H
#define APTUNE_PTX_INSPECT_H

#include "metrics/ptx/walk.h"

/* A report on every entry: parameters, registers, memory, blocks, loops with their trip counts,
 * instruction mix, barriers, what is not known.  With `o` (may be NULL) one warp is walked too and
 * the executed counts are shown.  `arena` is for the analyses. */
void inspect_print(Buf *out, Arena *arena, const PtxModule *m, const WalkOptions *o);

#endif
