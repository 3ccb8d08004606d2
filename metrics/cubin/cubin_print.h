/* A cubin as text, for people. */
#ifndef APTUNE_CUBIN_PRINT_H
#define APTUNE_CUBIN_PRINT_H

#include "metrics/base/buf.h"
#include "metrics/cubin/cubin.h"

/* Kernels with what they need, and how often each instruction stands in them. */
void cubin_print(const Cubin *c, Buf *out);

#endif
