/* A matrix written by columns: the peaks of its time against the width show how addresses are dealt to
 * the parts of memory (J. Cornelis's thesis, 4.3.2).
 *
 *     width(out, in)
 *     grid  WIDTH / 32, WIDTH / 32      block  32, 8
 *
 * A block has a tile of 32 × 32; a warp reads along a row and writes along a column. */

#ifndef WIDTH
#define WIDTH 1024
#endif

extern "C" __global__ void __launch_bounds__(256) width(float *out, const float *in)
{
    const unsigned column = blockIdx.x * 32 + threadIdx.x;
#pragma unroll 4
    for (unsigned k = 0; k < 4; k++) {
        const unsigned row = blockIdx.y * 32 + threadIdx.y + 8 * k;
        out[column * WIDTH + row] = in[row * WIDTH + column];
    }
}
