/* The report of `aptune inspect FILE.ptx`. */
#pragma once

#include "metrics/ptx/walk.h"

/* Reports on every function: parameters, registers, memory, blocks, loops, instruction mix,
 * unknown instructions. `arena` holds the analyses. */
void inspect_print(Buf *out, Arena *arena, const PtxModule *m);

/* Textual dumps for debugging and tests. */

/* A line per block: instructions, successors, immediate dominator and post-dominator. */
void flow_dump_blocks(const Flow *w, Buf *out);

/* A line per loop: header, depth, blocks, exits. */
void flow_dump_loops(const Flow *w, Buf *out);

/* A line per block: visits of the warp and mean active lanes. */
void flow_dump_walk(const Walk *walk, Buf *out);
