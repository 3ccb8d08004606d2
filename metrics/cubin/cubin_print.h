/* A cubin as text, for people. */
#pragma once

#include "metrics/cubin/cubin.h"

/* What a file holds, a cubin (kernels with what they need) or PTX (its loops, too).  Messages go to `d`. */
void code_print(Arena *a, const Source *file, Buf *out, Diag *d);
