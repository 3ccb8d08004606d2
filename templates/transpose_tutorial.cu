/* The eight kernels by which the transpose of a matrix is taken to pieces: four transposes, and
 * four copies that do a part of it each.
 *
 *     transpose_tutorial(out, in, n)
 *     grid  n / TILE, n / TILE      block  TILE, BLOCK_ROWS
 *
 * They are those of M. Moreno Maza's tutorial "Optimizing Algorithms and Code for Data Locality and
 * Parallelism" (2013), after G. Ruetsch and P. Micikevicius, "Optimizing Matrix Transpose in CUDA"
 * (2009).  A block moves one tile; its threads cover BLOCK_ROWS rows of it at a time.  Whether the
 * tile is turned, where it goes and by what way is VARIANT:
 *
 *                                  what a tile of a b    becomes   and goes to   through shared
 *     VARIANT                                     c d                            memory
 *     0  copy                                            a b c d   its place
 *     1  copy through shared memory                      a b c d   its place     rows in, rows out
 *     2  naive transpose                                 a c b d   its mirror
 *     3  coalesced transpose                             a c b d   its mirror    columns out
 *     4  the same without bank conflicts                 a c b d   its mirror    columns out
 *     5  fine-grained: turned, but not moved             a c b d   its place     columns out
 *     6  coarse-grained: moved, but not turned           a b c d   its mirror    rows out
 *     7  the transpose in diagonal order                 a c b d   its mirror    columns out
 *
 *           in                      out: place        out: mirror
 *         ┌───┬───┬───┐            ┌───┬───┬───┐     ┌───┬───┬───┐
 *         │   │ T │   │            │   │ T │   │     │   │   │   │
 *         ├───┼───┼───┤            ├───┼───┼───┤     ├───┼───┼───┤
 *         │   │   │   │            │   │   │   │     │ T │   │   │
 *         └───┴───┴───┘            └───┴───┴───┘     └───┴───┴───┘
 *
 * PAD words after each row of the tile in shared memory put the words of a column into different
 * banks.  In diagonal order (7), blocks that run together are in different rows and in different
 * columns of tiles.  n is a multiple of TILE.
 *
 * That kernels with different results can be compared with one reference is up to the data: a
 * matrix that none of the four moves changes (spaces/transpose-tutorial.spec). */

/* --- what is tuned --------------------------------------------------------------------------- */

#ifndef TILE
#define TILE 32 /* rows and columns of the tile that a block moves */
#endif
#ifndef BLOCK_ROWS
#define BLOCK_ROWS 8 /* rows of it that the threads cover at a time */
#endif
#ifndef VARIANT
#define VARIANT 4 /* which kernel, 0 to 7 as above */
#endif
#ifndef PAD
#define PAD 1 /* unused floats after each row of the tile in shared memory */
#endif

/* --- what follows from it -------------------------------------------------------------------- */

constexpr int THREADS = TILE * BLOCK_ROWS;
constexpr int PASSES = TILE / BLOCK_ROWS; /* of the threads over the tile */
constexpr int STRIDE = TILE + PAD;        /* floats from one row of the tile to the next */

constexpr bool STAGED = VARIANT != 0 && VARIANT != 2; /* through shared memory */
constexpr bool TURNS = VARIANT == 2 || VARIANT == 3 || VARIANT == 4 || VARIANT == 5 || VARIANT == 7;
constexpr bool MOVES = VARIANT == 2 || VARIANT == 3 || VARIANT == 4 || VARIANT == 6 || VARIANT == 7;

static_assert(TILE % BLOCK_ROWS == 0, "passes cover the tile");
static_assert(THREADS <= 1024, "more threads than a block can have");
static_assert(0 <= VARIANT && VARIANT <= 7, "there are eight kernels");
static_assert(STAGED || PAD == 0, "only a tile in shared memory has rows to pad");
static_assert(VARIANT != 3 || PAD == 0, "that would be variant 4");
static_assert(VARIANT != 4 || PAD != 0, "that would be variant 3");

/* First row and column of the tile, in `in`. */
struct Corner {
    int row, column;
};

__device__ __forceinline__ Corner choose_tile()
{
    int row = blockIdx.y, column = blockIdx.x;
    if (VARIANT == 7) {
        row = blockIdx.x;
        column = (blockIdx.x + blockIdx.y) % gridDim.x;
    }
    return Corner{row * TILE, column * TILE};
}

/* The row of the tile, as it is read or as it is written, that the thread has a word of in a pass.
 */
__device__ __forceinline__ int own_row(int pass)
{
    return pass * BLOCK_ROWS + (int)threadIdx.y;
}

__device__ __forceinline__ const float *in_place(const float *in, Corner c, int n, int y, int x)
{
    return in + (size_t)(c.row + y) * n + c.column + x;
}

/* The tile's word (y, x), as `out` has it: in the tile's place or in its mirror. */
__device__ __forceinline__ float *out_place(float *out, Corner c, int n, int y, int x)
{
    int row = MOVES ? c.column : c.row, column = MOVES ? c.row : c.column;
    return out + (size_t)(row + y) * n + column + x;
}

/* --- the kernel ------------------------------------------------------------------------------ */

extern "C" __global__ void __launch_bounds__(THREADS)
    transpose_tutorial(float *__restrict__ out, const float *__restrict__ in, int n)
{
    constexpr int passes = PASSES;
    const Corner c = choose_tile();
    const int x = threadIdx.x;

#if VARIANT == 0
#pragma unroll passes
    for (int pass = 0; pass < passes; pass++)
        *out_place(out, c, n, own_row(pass), x) = *in_place(in, c, n, own_row(pass), x);
#elif VARIANT == 2
#pragma unroll passes
    for (int pass = 0; pass < passes; pass++)
        *out_place(out, c, n, x, own_row(pass)) = *in_place(in, c, n, own_row(pass), x);
#else
    __shared__ float tile[TILE * STRIDE];
#pragma unroll passes
    for (int pass = 0; pass < passes; pass++)
        tile[own_row(pass) * STRIDE + x] = *in_place(in, c, n, own_row(pass), x);
    __syncthreads(); /* the tile is complete */
#pragma unroll passes
    for (int pass = 0; pass < passes; pass++) {
        int y = own_row(pass);
        *out_place(out, c, n, y, x) = TURNS ? tile[x * STRIDE + y] : tile[y * STRIDE + x];
    }
#endif
}
