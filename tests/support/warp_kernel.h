/* A kernel of PTX text, ready for the walk of one warp: 8 × 4 blocks of 64 threads, and parameters of zeros. */
#pragma once

#include "metrics/ptx/walk.h"

/* What precedes the instructions of a kernel with the parameters `a` and `n`. */
#define WARP_KERNEL                                                                                \
    ".version 9.0\n.target sm_90\n.address_size 64\n"                                              \
    ".entry k(.param .u64 a, .param .u32 n) { .reg .pred %p<9>; .reg .b32 %r<20>;\n"               \
    ".reg .b64 %rd<9>; .reg .f32 %f<9>;\n"

typedef struct WarpKernel {
    Arena *arena; /* the caller frees it */
    PtxFunction *function;
    unsigned char params[64];
    WalkOptions options;
} WarpKernel;

WarpKernel *warp_kernel(const char *text);
WarpKernel *warp_kernel_file(const char *path);

/* Sets a parameter. */
void warp_kernel_set(WarpKernel *x, size_t offset, uint32_t v);

/* What a walk counted in a block of the kernel. */
WalkBlock warp_block(const Walk *w, int block);
