/* The transpose of a matrix: out[x][y] = in[y][x].  in is rows×cols, out is cols×rows, row major.
 *
 *     transpose(out, in, rows, cols)
 *     grid  ceil(cols / TILE), ceil(rows / TILE)      block  TILE / VEC, BLOCK_ROWS
 *
 *            in    TILE                          out   TILE
 *              ┌──┬──┬──┬──┐                       ┌───────────┐
 *              │t0│t1│t2│t3│ ┐ BLOCK_ROWS          │t0 t1 t2 t3│   shared memory between them:
 *              │t4│t5│t6│t7│ ┘                     │t4 t5 t6 t7│   rows are read, rows are written,
 *        TILE  ├──┴──┴──┴──┤           ──►         ├───────────┤   and the tile is turned on the
 * way │  second   │                       │  second   │ │   pass    │                       │ pass
 * │ └───────────┘                       └───────────┘ tile (row, column)                 tile
 * (column, row)
 *
 * A block moves a tile.  Its threads, each with VEC neighbouring floats, cover BLOCK_ROWS rows of
 * it at a time and need TILE / BLOCK_ROWS passes.  What a tile is moved through, and which, is
 * VARIANT; 0 to 3 are the steps of G. Ruetsch and P. Micikevicius, "Optimizing Matrix Transpose in
 * CUDA", 2009:
 *
 *     0  naive: what is read as a row is written as a column, each word to a sector of its own
 *     1  coalesced: through shared memory; there all words of a column are in few banks
 *     2  the same with the columns spread over the banks, by PAD or by SWIZZLE
 *     3  blocks in diagonal order; with or without what 2 does
 *     4  gather: 0 the other way round, a column is read and written as a row
 *
 * PAD moves each row of the tile one bank on.  SWIZZLE keeps the rows as long as they are, so that
 * vectors stay aligned and reach shared memory whole, and permutes the vectors of a row instead.
 * Here TILE = 4 and VEC = 1, the columns of `in` as they lie in 4 banks:
 *
 *          neither        PAD            SWIZZLE
 *        0 1 2 3        0 1 2 3        0 1 2 3
 *        0 1 2 3        . 0 1 2        1 0 3 2
 *        0 1 2 3        3 . 0 1        2 3 0 1
 *        0 1 2 3        2 3 . 0        3 2 1 0
 *
 * In diagonal order, blocks that run together are in different rows and in different columns of
 * tiles, so that neither what they read nor what they write is in a few partitions of the memory:
 *
 *          0  1  2           0  3  6
 *          3  4  5    ──►    7  1  4
 *          6  7  8           5  8  2
 *
 * Sizes need not be multiples of the tile: a tile at an edge, or any of a matrix whose rows are not
 * aligned to VEC, is moved element by element, which is slow.  One test, the same for all threads
 * of the block, tells which. */

/* --- what is tuned --------------------------------------------------------------------------- */

#ifndef TILE
#define TILE 32 /* rows and columns of the tile that a block moves */
#endif
#ifndef BLOCK_ROWS
#define BLOCK_ROWS 8 /* rows of it that the threads cover at a time */
#endif
#ifndef VARIANT
#define VARIANT 2 /* 0: naive; 1: coalesced; 2: without conflicts; 3: diagonal; 4: gather */
#endif
#ifndef PAD
#define PAD 1 /* unused floats after each row of the tile in shared memory */
#endif
#ifndef SWIZZLE
#define SWIZZLE 0 /* 1: the vectors of a row are permuted, in each row in another way */
#endif
#ifndef VEC
#define VEC 1 /* floats per load and store of global memory where a row is read or written */
#endif

/* --- what follows from it -------------------------------------------------------------------- */

constexpr int THREADS_X = TILE / VEC;           /* threads side by side along a row */
constexpr int THREADS = THREADS_X * BLOCK_ROWS; /* in a block */
constexpr int PASSES = TILE / BLOCK_ROWS;       /* of the threads over the tile */
constexpr int STRIDE = TILE + PAD;              /* floats from one row of the tile to the next */
constexpr bool STAGED = 1 <= VARIANT && VARIANT <= 3; /* through shared memory */

static_assert(VEC == 1 || VEC == 2 || VEC == 4, "there are loads of 4, 8 and 16 bytes");
static_assert(TILE % VEC == 0, "rows of the tile are whole vectors");
static_assert(TILE % BLOCK_ROWS == 0, "passes cover the tile");
static_assert(THREADS <= 1024, "more threads than a block can have");
static_assert(0 <= VARIANT && VARIANT <= 4, "there are five variants");
static_assert(STAGED || (PAD == 0 && SWIZZLE == 0), "only a tile in shared memory has banks");
static_assert(VARIANT != 1 || (PAD == 0 && SWIZZLE == 0), "that would be variant 2");
static_assert(VARIANT != 2 || PAD != 0 || SWIZZLE != 0, "that would be variant 1");
static_assert(PAD == 0 || SWIZZLE == 0, "one way to spread the columns is enough");
static_assert((THREADS_X & (THREADS_X - 1)) == 0, "exclusive or permutes powers of two");
static_assert(4 * TILE * STRIDE <= 48 * 1024, "static shared memory ends at 48 KB");

/* VEC floats that move as one. */
struct alignas(4 * VEC) Vector {
    float at[VEC];
};

/* Both matrices, and where in them the block works. */
struct Problem {
    float *out;
    const float *in;
    int rows, cols;    /* of in */
    int row0, column0; /* first element of the tile, in `in` */
};

/* --- where things lie ------------------------------------------------------------------------ */

/* First element of the tile of this block, as `in` has it. */
__device__ __forceinline__ void choose_tile(Problem &p)
{
    unsigned row = blockIdx.y, column = blockIdx.x;
    if (VARIANT == 3) {
        unsigned block = blockIdx.y * gridDim.x + blockIdx.x;
        row = block % gridDim.y;
        column = (block / gridDim.y + row) % gridDim.x;
    }
    p.row0 = (int)row * TILE;
    p.column0 = (int)column * TILE;
}

/* Whether the tile lies inside the matrix and rows of both matrices start on a vector's boundary.
 */
__device__ __forceinline__ bool tile_is_interior(const Problem &p)
{
    return p.row0 + TILE <= p.rows && p.column0 + TILE <= p.cols && p.rows % VEC == 0 &&
           p.cols % VEC == 0;
}

/* The row of the tile, of `in` or of `out`, that the thread has a vector of in a pass … */
__device__ __forceinline__ int own_row(int pass)
{
    return pass * BLOCK_ROWS + (int)threadIdx.y;
}

/* … and the first column of that vector. */
__device__ __forceinline__ int own_column()
{
    return (int)threadIdx.x * VEC;
}

/* The tile's element (y, x), as `in` has it, in `in`, in `out` and in shared memory. */
__device__ __forceinline__ const float *in_place(const Problem &p, int y, int x)
{
    return p.in + (size_t)(p.row0 + y) * p.cols + p.column0 + x;
}

__device__ __forceinline__ float *out_place(const Problem &p, int y, int x)
{
    return p.out + (size_t)(p.column0 + x) * p.rows + p.row0 + y;
}

__device__ __forceinline__ int tile_place(int y, int x)
{
    return y * STRIDE + (SWIZZLE ? (x / VEC ^ y / VEC) * VEC + x % VEC : x);
}

/* --- rows, in whole vectors ------------------------------------------------------------------ */

__device__ __forceinline__ Vector load_row(const Problem &p, int pass)
{
    return *(const Vector *)in_place(p, own_row(pass), own_column());
}

__device__ __forceinline__ void store_row(const Problem &p, int pass, const Vector &vector)
{
    *(Vector *)out_place(p, own_column(), own_row(pass)) = vector;
}

/* --- columns, word by word ------------------------------------------------------------------- */

__device__ __forceinline__ Vector load_column(const Problem &p, int pass)
{
    constexpr int vec = VEC;
    Vector vector;
#pragma unroll vec
    for (int v = 0; v < vec; v++)
        vector.at[v] = *in_place(p, own_column() + v, own_row(pass));
    return vector;
}

__device__ __forceinline__ void store_column(const Problem &p, int pass, const Vector &vector)
{
    constexpr int vec = VEC;
#pragma unroll vec
    for (int v = 0; v < vec; v++)
        *out_place(p, own_row(pass), own_column() + v) = vector.at[v];
}

/* --- shared memory --------------------------------------------------------------------------- */

/* Puts a row's vector into the tile: at once where rows are aligned, word by word where padded. */
__device__ __forceinline__ void write_tile_row(float *tile, int pass, const Vector &vector)
{
    constexpr int vec = VEC;
    if (PAD % VEC == 0) {
        *(Vector *)&tile[tile_place(own_row(pass), own_column())] = vector;
    } else {
#pragma unroll vec
        for (int v = 0; v < vec; v++)
            tile[tile_place(own_row(pass), own_column() + v)] = vector.at[v];
    }
}

/* VEC words below each other, which will be side by side in `out`. */
__device__ __forceinline__ Vector read_tile_column(const float *tile, int pass)
{
    constexpr int vec = VEC;
    Vector vector;
#pragma unroll vec
    for (int v = 0; v < vec; v++)
        vector.at[v] = tile[tile_place(own_column() + v, own_row(pass))];
    return vector;
}

/* --- at the edges ---------------------------------------------------------------------------- */

__device__ __forceinline__ void move_edge_tile(const Problem &p)
{
    constexpr int elements = TILE * TILE / THREADS;
    int thread = (int)(threadIdx.y * THREADS_X + threadIdx.x);
#pragma unroll 1
    for (int s = 0; s < elements; s++) {
        int element = s * THREADS + thread;
        int y = element / TILE, x = element % TILE;
        if (p.row0 + y < p.rows && p.column0 + x < p.cols)
            *out_place(p, y, x) = *in_place(p, y, x);
    }
}

/* --- the kernel ------------------------------------------------------------------------------ */

extern "C" __global__ void __launch_bounds__(THREADS)
    transpose(float *__restrict__ out, const float *__restrict__ in, int rows, int cols)
{
    constexpr int passes = PASSES;
    Problem p = {out, in, rows, cols};
    choose_tile(p);
    if (!tile_is_interior(p)) {
        move_edge_tile(p);
        return;
    }

#if VARIANT == 0
#pragma unroll passes
    for (int pass = 0; pass < passes; pass++)
        store_column(p, pass, load_row(p, pass));
#elif VARIANT == 4
#pragma unroll passes
    for (int pass = 0; pass < passes; pass++)
        store_row(p, pass, load_column(p, pass));
#else
    __shared__ alignas(16) float tile[TILE * STRIDE];
#pragma unroll passes
    for (int pass = 0; pass < passes; pass++)
        write_tile_row(tile, pass, load_row(p, pass));
    __syncthreads(); /* the tile is complete */
#pragma unroll passes
    for (int pass = 0; pass < passes; pass++)
        store_row(p, pass, read_tile_column(tile, pass));
#endif
}
