/* Model to PTX text: for dumps, and for the test that printing and parsing agree.
 *
 * The text is PTX again, laid out one way: variables and registers first, flat (a name that two
 * scopes shared has got a suffix), debug sections left out. */
#pragma once

#include "metrics/ptx/ptx.h"

void ptx_print(const PtxModule *m, Buf *out);
