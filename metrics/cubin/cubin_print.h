/* A cubin as text, for people. */
#pragma once

#include "metrics/cubin/cubin.h"

/* Kernels with what they need, and how often each instruction stands in them. */
void cubin_print(const Cubin *c, Buf *out);

/* The same of a file's contents, a cubin or PTX; of PTX also its loops.  Messages go to `d`. */
void code_print(Arena *a, const Source *file, Buf *out, Diag *d);
