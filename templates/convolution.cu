/* Convolution of an image with a square filter, in single precision:
 *
 *     out[y][x] = Σ over v, u of filter[v][u] · in[y + v][x + u]      0 <= v, u < WIDTH
 *
 *     convolution(out, in, columns, rows)      constant  filter[WIDTH·WIDTH]
 *     grid  ceil(columns / TILE_X), ceil(rows / TILE_Y)      block  BLOCK_X, BLOCK_Y
 *
 * `in` carries the margin with it: it has WIDTH - 1 more columns and rows than `out`, so that every
 * pixel has all its neighbours (what they are outside of the image is for the caller to say).
 *
 *            in   TILE_X + WIDTH - 1              out   TILE_X
 *              ┌─────────────────┐                  ┌───────────┐
 *              │ ┌──────┐        │                  │ ■         │      A block computes a tile of
 *              │ │filter│ ───►   │                  │           │      TILE_X × TILE_Y pixels,
 *              │ └──────┘        │ TILE_Y           │           │      a thread PIXELS_X × PIXELS_Y
 *              │    │            │ + WIDTH - 1      └───────────┘      of them.
 *              │    ▼            │
 *              └─────────────────┘
 *
 * A thread's columns are dealt round, BLOCK_X apart, so that a warp reads and writes neighbouring
 * words; its rows lie together, so that a pixel of `in` is read once for all of them where the
 * compiler sees it (UNROLL = WIDTH):
 *
 *     BLOCK_X = 4, PIXELS_X = 2     0 1 2 3 0 1 2 3
 *     BLOCK_Y = 2, PIXELS_Y = 2     0 1 2 3 0 1 2 3
 *                                   4 5 6 7 4 5 6 7
 *                                   4 5 6 7 4 5 6 7
 *
 * The image comes straight from global memory, through the first-level cache, or through a copy of
 * the block's window in shared memory (STAGE).  The filter is read by all threads at one address at
 * a time: what constant memory is made for; or it comes from a copy in shared memory (FILTER).
 *
 * The operation is the data-heavy one of Cornelis's thesis, 3.2.  Sizes need not be multiples of
 * the tile: reads are kept inside the image, and what lies outside is not written. */

/* --- what is tuned --------------------------------------------------------------------------- */

#ifndef BLOCK_X
#define BLOCK_X 32 /* threads of a block side by side */
#endif
#ifndef BLOCK_Y
#define BLOCK_Y 8 /* … and above each other */
#endif
#ifndef PIXELS_X
#define PIXELS_X 1 /* columns of a thread */
#endif
#ifndef PIXELS_Y
#define PIXELS_Y 4 /* rows of a thread */
#endif
#ifndef FILTER
#define FILTER 0 /* 0: from constant memory; 1: from shared memory */
#endif
#ifndef STAGE
#define STAGE 1 /* 0: the image is read from global memory; 1: from a window in shared memory */
#endif
#ifndef UNROLL
#define UNROLL WIDTH /* copies of the body of the loop over the filter's rows */
#endif

/* --- the size -------------------------------------------------------------------------------- */

#ifndef WIDTH
#define WIDTH 9 /* rows and columns of the filter */
#endif

/* --- what follows from it -------------------------------------------------------------------- */

constexpr int THREADS = BLOCK_X * BLOCK_Y;   /* in a block */
constexpr int TILE_X = BLOCK_X * PIXELS_X;   /* columns that a block computes */
constexpr int TILE_Y = BLOCK_Y * PIXELS_Y;   /* rows */
constexpr int WINDOW_X = TILE_X + WIDTH - 1; /* columns of `in` that it reads for them */
constexpr int WINDOW_Y = TILE_Y + WIDTH - 1; /* rows */
constexpr int WEIGHTS = WIDTH * WIDTH;       /* of the filter */

static_assert(THREADS <= 1024, "more threads than a block can have");
static_assert(WIDTH % UNROLL == 0, "the unrolled body fills the loop");
static_assert(4 * (WINDOW_X * WINDOW_Y + WEIGHTS) <= 48 * 1024, "static shared memory ends there");

__constant__ float filter[WEIGHTS];

/* What a block keeps in shared memory. */
struct Stage {
    float window[STAGE ? WINDOW_X * WINDOW_Y : 1];
    float filter[FILTER ? WEIGHTS : 1];
};

/* The image, and where in it the thread works. */
struct Problem {
    const float *in;
    int in_columns, in_rows;   /* with the margin */
    int column0, row0;         /* first pixel of the block's tile */
    int own_column0, own_row0; /* the thread's first pixel, inside the tile */
};

/* --- reading --------------------------------------------------------------------------------- */

/* The image's pixel, or the nearest one inside. */
__device__ __forceinline__ float read_image(const Problem &p, int row, int column)
{
    row = min(row, p.in_rows - 1), column = min(column, p.in_columns - 1);
    return p.in[(size_t)row * p.in_columns + column];
}

/* All threads of the block, side by side, copy its window and the filter to shared memory. */
__device__ __forceinline__ void fill_stage(Stage &stage, const Problem &p)
{
    int thread = (int)(threadIdx.y * BLOCK_X + threadIdx.x);
#if STAGE
#pragma unroll 1
    for (int y = 0; y < WINDOW_Y; y += BLOCK_Y)
#pragma unroll
        for (int x = 0; x < WINDOW_X; x += BLOCK_X) {
            int row = y + (int)threadIdx.y, column = x + (int)threadIdx.x;
            if (row < WINDOW_Y && column < WINDOW_X)
                stage.window[row * WINDOW_X + column] =
                    read_image(p, p.row0 + row, p.column0 + column);
        }
#endif
#if FILTER
#pragma unroll
    for (int w = 0; w < WEIGHTS; w += THREADS)
        if (w + thread < WEIGHTS)
            stage.filter[w + thread] = filter[w + thread];
#endif
    (void)thread;
}

/* Pixel (y, x) of the block's window. */
__device__ __forceinline__ float read_pixel(const Stage &stage, const Problem &p, int y, int x)
{
    return STAGE ? stage.window[y * WINDOW_X + x] : read_image(p, p.row0 + y, p.column0 + x);
}

__device__ __forceinline__ float read_weight(const Stage &stage, int v, int u)
{
    return FILTER ? stage.filter[v * WIDTH + u] : filter[v * WIDTH + u];
}

/* --- the arithmetic -------------------------------------------------------------------------- */

__device__ __forceinline__ void convolve(float sum[PIXELS_Y][PIXELS_X], const Stage &stage,
                                         const Problem &p)
{
    constexpr int unroll = UNROLL, pixels_x = PIXELS_X, pixels_y = PIXELS_Y;
#pragma unroll unroll
    for (int v = 0; v < WIDTH; v++)
#pragma unroll
        for (int u = 0; u < WIDTH; u++) {
            float weight = read_weight(stage, v, u);
#pragma unroll pixels_y
            for (int i = 0; i < pixels_y; i++)
#pragma unroll pixels_x
                for (int j = 0; j < pixels_x; j++)
                    sum[i][j] += weight * read_pixel(stage, p, p.own_row0 + i + v,
                                                     p.own_column0 + j * BLOCK_X + u);
        }
}

/* --- the kernel ------------------------------------------------------------------------------ */

extern "C" __global__ void __launch_bounds__(THREADS)
    convolution(float *__restrict__ out, const float *__restrict__ in, int columns, int rows)
{
    constexpr int pixels_x = PIXELS_X, pixels_y = PIXELS_Y;
    __shared__ Stage stage;
    const Problem p = {in,
                       columns + WIDTH - 1,
                       rows + WIDTH - 1,
                       (int)blockIdx.x * TILE_X,
                       (int)blockIdx.y * TILE_Y,
                       (int)threadIdx.x,
                       (int)threadIdx.y * PIXELS_Y};
    float sum[PIXELS_Y][PIXELS_X] = {};

#if STAGE || FILTER
    fill_stage(stage, p);
    __syncthreads(); /* the copies are complete */
#endif
    convolve(sum, stage, p);

#pragma unroll pixels_y
    for (int i = 0; i < pixels_y; i++)
#pragma unroll pixels_x
        for (int j = 0; j < pixels_x; j++) {
            int row = p.row0 + p.own_row0 + i, column = p.column0 + p.own_column0 + j * BLOCK_X;
            if (row < rows && column < columns)
                out[(size_t)row * columns + column] = sum[i][j];
        }
}
