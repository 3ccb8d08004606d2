/* What `aptune inspect FILE.ptx` says of a module. */
#pragma once

#include "metrics/ptx/walk.h"

/* A report on every entry: parameters, registers, memory, blocks, loops with their trip counts,
 * instruction mix, barriers, what is not known.  With `o` (may be NULL) one warp is walked too and
 * the executed counts are shown.  `arena` is for the analyses. */
void inspect_print(Buf *out, Arena *arena, const PtxModule *m, const WalkOptions *o);

/* Pictures of the analyses in text: for debugging and for tests. */

/* One line a block: its instructions, successors, immediate dominator and post-dominator. */
void flow_dump_blocks(const Flow *w, Buf *out);

/* One line a loop: header, depth, blocks, exits, trip count. */
void flow_dump_loops(const Flow *w, Buf *out);

/* One line a block: how often the warp came through and with how many lanes. */
void flow_dump_walk(const Walk *walk, Buf *out);
