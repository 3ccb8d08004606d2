/* C = A·B in single precision, row major, just as Ryoo's thesis has it (3.2, 5.1): a step towards
 * templates/matmul.cu.  C is M×N, A is M×K, B is K×N, all multiples of the tiles.
 *
 *     mm_thesis(out C, in A, in B, M, N, K)
 *     grid  N / (TILE·RECT), M / TILE      block  TILE, TILE
 *
 *                     RECT tiles of B, side by side
 *                      ┌──────┬──────┐
 *                TILE  │  b0  │  b1  │ │        A block computes RECT tiles of C side by side, a
 *                      └──────┴──────┘ ▼        thread one element of each.  At every step along
 *           TILE                                K the threads copy one tile of A and RECT tiles
 *         ┌──────┐     ┌──────┬──────┐          of B to shared memory, an element of each tile,
 *    TILE │  a   │     │  c0  │  c1  │          and then add up TILE products for each tile of C.
 *         └──────┘     └──────┴──────┘          An element of A is read once for all of them.
 *             ─►
 *
 * Spilling (SPILL) gives registers back at the price of instructions.  In the thesis it is done by
 * hand: what is not needed in the loop, the place of the results, waits in shared memory.  Or it is
 * left to the compiler, which is told to use so few registers that the multiprocessor can be full
 * of threads. */

/* --- what is tuned --------------------------------------------------------------------------- */

#ifndef TILE
#define TILE 16 /* rows and columns of a tile, and of a block of threads */
#endif
#ifndef RECT
#define RECT 4 /* tiles of B and C beside each other */
#endif
#ifndef UNROLL
#define UNROLL TILE /* copies of the body of the loop over a tile's products */
#endif
#ifndef PREFETCH
#define PREFETCH 0 /* 1: the next tiles are loaded to registers while these are multiplied */
#endif
#ifndef SPILL
#define SPILL 0 /* 0: none; 1: the place of the results to shared memory; 2: by the compiler */
#endif

/* --- what follows from it -------------------------------------------------------------------- */

constexpr int THREADS = TILE * TILE; /* in a block */
constexpr int FULL = 2048 / THREADS; /* blocks that fill a multiprocessor of 2048 threads */
constexpr int MIN_BLOCKS = SPILL != 2 ? 1 : FULL < 32 ? FULL : 32; /* and of at most 32 blocks */

static_assert(THREADS <= 1024, "more threads than a block can have");
static_assert(TILE % UNROLL == 0, "the unrolled body fills the loop");
static_assert(0 <= SPILL && SPILL <= 2, "there are three ways to spill");

/* Tiles of one step. */
struct Tiles {
    float a[TILE][TILE];
    float b[TILE][TILE * RECT];
};

/* One thread's element of each tile, on the way from global to shared memory, and where the next
 * ones are. */
struct Staged {
    float a, b[RECT];
    const float *from_a, *from_b;
};

/* --- from global to shared memory ------------------------------------------------------------ */

/* Loads the thread's elements and moves on by one step along K. */
__device__ __forceinline__ void load_tiles(Staged &staged, int N)
{
    constexpr int rect = RECT;
    staged.a = *staged.from_a;
#pragma unroll rect
    for (int r = 0; r < rect; r++)
        staged.b[r] = staged.from_b[r * TILE];
    staged.from_a += TILE;
    staged.from_b += (size_t)TILE * N;
}

__device__ __forceinline__ void store_tiles(Tiles &tiles, const Staged &staged)
{
    constexpr int rect = RECT;
    tiles.a[threadIdx.y][threadIdx.x] = staged.a;
#pragma unroll rect
    for (int r = 0; r < rect; r++)
        tiles.b[threadIdx.y][r * TILE + threadIdx.x] = staged.b[r];
}

/* --- the arithmetic -------------------------------------------------------------------------- */

__device__ __forceinline__ void multiply_tiles(float sum[RECT], const Tiles &tiles)
{
    constexpr int unroll = UNROLL, rect = RECT;
#pragma unroll unroll
    for (int k = 0; k < TILE; k++)
#pragma unroll rect
        for (int r = 0; r < rect; r++)
            sum[r] += tiles.a[threadIdx.y][k] * tiles.b[k][r * TILE + threadIdx.x];
}

/* --- the kernel ------------------------------------------------------------------------------ */

extern "C" __global__ void __launch_bounds__(THREADS, MIN_BLOCKS)
    mm_thesis(float *__restrict__ C, const float *__restrict__ A, const float *__restrict__ B,
              int M, int N, int K)
{
    constexpr int rect = RECT;
    __shared__ Tiles tiles;
    int row = (int)(blockIdx.y * TILE + threadIdx.y);
    int column = (int)(blockIdx.x * TILE * RECT + threadIdx.x);
    int place = row * N + column; /* of the thread's first result */
    Staged staged;
    float sum[RECT] = {};

    staged.from_a = A + (size_t)row * K + threadIdx.x;
    staged.from_b = B + (size_t)threadIdx.y * N + column;
#if SPILL == 1
    __shared__ volatile int spilled[TILE][TILE];
    spilled[threadIdx.y][threadIdx.x] = place;
#endif

#if PREFETCH
    load_tiles(staged, N);
#pragma unroll 1
    for (int k0 = 0; k0 < K; k0 += TILE) {
        store_tiles(tiles, staged);
        __syncthreads(); /* the tiles are complete */
        if (k0 + TILE < K)
            load_tiles(staged, N);
        multiply_tiles(sum, tiles);
        __syncthreads(); /* nobody reads them any more */
    }
#else
#pragma unroll 1
    for (int k0 = 0; k0 < K; k0 += TILE) {
        load_tiles(staged, N);
        store_tiles(tiles, staged);
        __syncthreads(); /* the tiles are complete */
        multiply_tiles(sum, tiles);
        __syncthreads(); /* nobody reads them any more */
    }
#endif

#if SPILL == 1
    place = spilled[threadIdx.y][threadIdx.x];
#endif
#pragma unroll rect
    for (int r = 0; r < rect; r++)
        C[place + r * TILE] = sum[r];
    (void)M;
}
