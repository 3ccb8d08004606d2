/* PTX text to model.
 *
 * Reads what NVRTC and nvcc write, in both of NVVM's dialects, and PTX written by hand in inline
 * assembly.  What is not known is kept or stepped over, counted, and mentioned once as a
 * warning; a mistake is an error with its place, and reading goes on with the next statement.
 * Debug sections are stepped over. */
#ifndef APTUNE_PTX_PTX_PARSE_H
#define APTUNE_PTX_PTX_PARSE_H

#include "metrics/ptx/ptx.h"

/* The module in `a`; never NULL.  It is whole when no error was added to `d`, otherwise what could
 * be read.  The source must outlive it. */
PtxModule *ptx_parse(Arena *a, const Source *s, Diag *d);

#endif
