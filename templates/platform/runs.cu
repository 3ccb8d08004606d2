/* Bytes in a row: an array moved in pieces, as tiles of a matrix are.
 *
 *     runs(good, to, from)
 *     grid  WORDS / TILE      block  256
 *
 * The array is a matrix with rows of PITCH words.  A block's tile has RUN columns and TILE / RUN rows:
 *
 *     NEXT 0   the next block goes on to the right, in the same rows      │ 0 │ 1 │ 2 │
 *     NEXT 1   … below, so that no block at work goes on with its rows    │ 0 │   │   │
 *                                                                         │ 1 │   │   │
 * MODE is 0 read, 1 write, 2 copy from one end to the other into such tiles, 3 copy out of them, 4 copy
 * out of tiles of NEXT 0 into those of NEXT 1, as a transpose does. */

#ifndef MODE
#define MODE 0
#endif
#ifndef RUN
#define RUN 64
#endif
#ifndef NEXT
#define NEXT 0
#endif

constexpr unsigned BLOCK = 256, EACH = 4, PITCH = 8192, TILE = BLOCK * EACH * 4;

#ifndef WORDS
#define WORDS 67108864
#endif

/* Where vector number `i` of a block's tile lies, in vectors. */
__device__ __forceinline__ unsigned place(unsigned i, bool below)
{
    constexpr unsigned run = RUN / 4, pitch = PITCH / 4, rows = TILE / RUN;
    constexpr unsigned across = PITCH / RUN, down = WORDS / PITCH / rows;
    const unsigned b = blockIdx.x;
    const unsigned x = below ? b / down : b % across, y = below ? b % down : b / across;
    return (y * rows + i / run) * pitch + x * run + i % run;
}

extern "C" __global__ void __launch_bounds__(BLOCK)
    runs(unsigned *good, uint4 *to, const uint4 *from)
{
    constexpr unsigned each = EACH;
    uint4 got[EACH];
    unsigned sum = 0;
#pragma unroll each
    for (unsigned k = 0; k < each; k++) {
        const unsigned i = k * BLOCK + threadIdx.x;
        const unsigned at = MODE == 2 ? blockIdx.x * (TILE / 4) + i : place(i, MODE != 4 && NEXT);
        got[k] = MODE == 1 ? make_uint4(7, 7, 7, 7) : from[at];
    }
#pragma unroll each
    for (unsigned k = 0; k < each; k++) {
        const unsigned i = k * BLOCK + threadIdx.x;
        const unsigned at = MODE == 3 ? blockIdx.x * (TILE / 4) + i : place(i, MODE == 4 || NEXT);
        if (MODE > 0)
            to[at] = got[k];
        sum += got[k].x + got[k].y + got[k].z + got[k].w;
    }
    const bool right = __syncthreads_and(sum == 7 * 4 * EACH);
    if (threadIdx.x == 0 && blockIdx.x % 256 == 0)
        good[blockIdx.x / 256] = right;
}
