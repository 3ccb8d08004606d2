/* C = A·B in single precision, row major: C is M×N, A is M×K, B is K×N.
 *
 *     matmul(out C, in A, in B, M, N, K)
 *     grid  ceil(N / BN), ceil(M / BM)      block  BN / TN, BM / TM
 *
 *                       BN
 *                  ┌─────────┐             A block computes a BM×BN tile of C.  It walks along K
 *               BK │ b_tile  │ │           in steps of BK; at each step all its threads together
 *                  └─────────┘ ▼ k0        copy a BM×BK tile of A and a BK×BN tile of B to
 *             BK                           shared memory, then each thread adds what the step
 *          ┌──────┐┌─────────┐             contributes to its own TM×TN elements of C, which
 *          │      ││         │             stay in registers (`sum`) to the end.
 *       BM │a_tile││  tile   │
 *          │      ││  of C   │             For each k of a step a thread reads TM numbers of A
 *          └──────┘└─────────┘             and TN of B and makes TM·TN multiply-adds of them:
 *           k0 ─►                          the larger the thread's tile, the fewer the reads.
 *
 * Which elements are a thread's own?  Here for one row of C, TN = 4 and VEC = 2, 4 threads:
 *
 *     STRIDED 0    0 0 0 0 1 1 1 1 2 2 2 2 3 3 3 3      one run of TN each
 *     STRIDED 1    0 0 1 1 2 2 3 3 0 0 1 1 2 2 3 3      runs of VEC, dealt round
 *
 * Dealt round, neighbouring threads read neighbouring words of shared memory (no bank conflicts)
 * and write neighbouring words of C (whole sectors); in one run they are TN words apart.  Rows of
 * C are given out in the same way, in runs of A_RUN.
 *
 * Tiles are copied in vectors of VEC through registers, so that the loads can be issued long before
 * their values are stored (PREFETCH).  Sizes need not be multiples of the tiles: the last blocks of
 * a row or column are moved back inside C, and a last tile along K that hangs over is copied
 * element by element, with zeros outside.  So is every tile of a matrix that is smaller than a tile
 * or whose rows are not aligned to VEC, which is slow.  One test per tile, the same for all threads
 * of the block, tells which; a size that is a multiple pays for nothing else.
 *
 * Every loop has a constant trip count (but the one along K) and says how far it is unrolled:
 * what is compiled is then what is written, and static analysis of it is exact. */

/* --- what is tuned --------------------------------------------------------------------------- */

#ifndef BM
#define BM 128 /* rows of C per block */
#endif
#ifndef BN
#define BN 128 /* columns of C per block */
#endif
#ifndef BK
#define BK 16 /* columns of A and rows of B per step */
#endif
#ifndef TM
#define TM 8 /* rows of C per thread */
#endif
#ifndef TN
#define TN 8 /* columns of C per thread */
#endif
#ifndef VEC
#define VEC 4 /* floats per load and store, global and shared: 1, 2 or 4 */
#endif
#ifndef STRIDED
#define STRIDED 1 /* 0: a thread's elements lie together; 1: in runs, dealt round the threads */
#endif
#ifndef TRANSPOSE_A
#define TRANSPOSE_A 1 /* 1: a_tile is kept as BK×BM, so that a thread reads its rows as vectors */
#endif
#ifndef PAD
#define PAD 4 /* unused floats after each row of a_tile, to spread its columns over the banks */
#endif
#ifndef PREFETCH
#define PREFETCH 2 /* 0: none; 1: next tiles to registers; 2: and two buffers in shared memory */
#endif
#ifndef UNROLL
#define UNROLL 16 /* copies of the body of the loop over the BK steps of a tile */
#endif
#ifndef MIN_BLOCKS
#define MIN_BLOCKS 1 /* blocks that must fit on a multiprocessor: caps the registers */
#endif

/* --- what follows from it -------------------------------------------------------------------- */

constexpr int THREADS_X = BN / TN;                      /* threads side by side along a row of C */
constexpr int THREADS_Y = BM / TM;                      /* … and along a column */
constexpr int THREADS = THREADS_X * THREADS_Y;          /* in a block */
constexpr int A_ELEMENTS = BM * BK / THREADS;           /* copied per thread and step */
constexpr int B_ELEMENTS = BK * BN / THREADS;           /* likewise */
constexpr int A_LOADS = A_ELEMENTS / VEC;               /* vector loads per thread and step */
constexpr int B_LOADS = B_ELEMENTS / VEC;               /* likewise */
constexpr int A_ROWS = TRANSPOSE_A ? BK : BM;           /* rows of a_tile as it is stored */
constexpr int A_STRIDE = (TRANSPOSE_A ? BM : BK) + PAD; /* floats from one to the next */
constexpr int A_RUN = TRANSPOSE_A ? VEC : 1;            /* rows of C that are read as one vector */
constexpr int BUFFERS = PREFETCH == 2 ? 2 : 1;          /* copies of both tiles */

static_assert(VEC == 1 || VEC == 2 || VEC == 4, "there are loads of 4, 8 and 16 bytes");
static_assert(BM % TM == 0 && BN % TN == 0, "thread tiles fill the block's tile");
static_assert(THREADS <= 1024, "more threads than a block can have");
static_assert(BM * BK % (THREADS * VEC) == 0, "each thread copies equally much of A");
static_assert(BK * BN % (THREADS * VEC) == 0, "each thread copies equally much of B");
static_assert(THREADS * VEC % BK == 0, "the threads pass over whole rows of A's tile");
static_assert(THREADS * VEC % BN == 0, "the threads pass over whole rows of B's tile");
static_assert(BK % VEC == 0 && BN % VEC == 0, "rows of the tiles are whole vectors");
static_assert(TN % VEC == 0, "a thread's columns are whole vectors");
static_assert(TM % A_RUN == 0, "a thread's rows are whole vectors of the transposed tile");
static_assert(PAD % VEC == 0, "a padded row starts on a vector's boundary");
static_assert(BK % UNROLL == 0, "the unrolled body fills the step");
static_assert(0 <= PREFETCH && PREFETCH <= 2, "there are three ways to load");

/* VEC floats that move as one. */
struct alignas(4 * VEC) Vector {
    float at[VEC];
};

/* Both tiles of one step. */
struct Tiles {
    alignas(16) float a[A_ROWS * A_STRIDE];
    alignas(16) float b[BK * BN];
};

static_assert(sizeof(Tiles) * BUFFERS <= 48 * 1024, "static shared memory ends at 48 KB");

/* One thread's share of both tiles, on the way from global to shared memory. */
struct Staged {
    Vector a[A_LOADS];
    Vector b[B_LOADS];
};

/* The three matrices, and where in them the block works. */
struct Problem {
    float *C;
    const float *A, *B;
    int M, N, K;
    int row0, column0; /* first element of the block's tile of C */
    unsigned thread;   /* number of this thread in the block */
};

/* --- where things lie ------------------------------------------------------------------------ */

/* How far a thread's element number i is from its first one, in rows or columns, when
 * elements are given out to `threads` threads in runs of `run`: the same for all threads. */
__device__ __forceinline__ constexpr int own_step(int i, int threads, int run)
{
    return STRIDED ? i / run * threads * run + i % run : i;
}

__device__ __forceinline__ constexpr int row_step(int i)
{
    return own_step(i, THREADS_Y, A_RUN);
}

__device__ __forceinline__ constexpr int column_step(int j)
{
    return own_step(j, THREADS_X, VEC);
}

/* The thread's first row and column, inside the block's tile. */
__device__ __forceinline__ int own_row()
{
    return threadIdx.y * (STRIDED ? A_RUN : TM);
}

__device__ __forceinline__ int own_column()
{
    return threadIdx.x * (STRIDED ? VEC : TN);
}

/* Place of A's element (m, k) of the tile in a_tile. */
__device__ __forceinline__ int a_place(int m, int k)
{
    return TRANSPOSE_A ? k * A_STRIDE + m : m * A_STRIDE + k;
}

/* First row or column of a block's tile.  A block that would hang over the edge of C is moved back
 * inside, where it computes some elements once more, to the same values. */
__device__ __forceinline__ int tile_start(int block, int size, int extent)
{
    return min(block * size, max(extent - size, 0));
}

/* Whether the tile of C lies inside the matrix and every row starts on a vector's boundary. */
__device__ __forceinline__ bool block_is_interior(const Problem &p)
{
    return p.row0 + BM <= p.M && p.column0 + BN <= p.N && p.N % VEC == 0 && p.K % VEC == 0;
}

/* --- from global to shared memory ------------------------------------------------------------ */

/* The threads of a block, side by side, pass over a tile: each pass covers whole rows of it, and a
 * thread comes back to the same column.  These are its row and column in the first pass. */
__device__ __forceinline__ int pass_row(unsigned thread, unsigned columns)
{
    return thread / (columns / VEC);
}

__device__ __forceinline__ int pass_column(unsigned thread, unsigned columns)
{
    return thread % (columns / VEC) * VEC;
}

__device__ __forceinline__ void load_tile_a(Staged &staged, const Problem &p, int k0)
{
    constexpr int loads = A_LOADS, pass_rows = THREADS / (BK / VEC);
    int row = p.row0 + pass_row(p.thread, BK), column = k0 + pass_column(p.thread, BK);
    const float *from = p.A + (size_t)row * p.K + column;
#pragma unroll loads
    for (int s = 0; s < loads; s++)
        staged.a[s] = *(const Vector *)(from + (size_t)(s * pass_rows) * p.K);
}

__device__ __forceinline__ void load_tile_b(Staged &staged, const Problem &p, int k0)
{
    constexpr int loads = B_LOADS, pass_rows = THREADS / (BN / VEC);
    int row = k0 + pass_row(p.thread, BN), column = p.column0 + pass_column(p.thread, BN);
    const float *from = p.B + (size_t)row * p.N + column;
#pragma unroll loads
    for (int s = 0; s < loads; s++)
        staged.b[s] = *(const Vector *)(from + (size_t)(s * pass_rows) * p.N);
}

__device__ __forceinline__ void store_tile_a(Tiles &tiles, const Staged &staged, const Problem &p)
{
    constexpr int loads = A_LOADS, pass_rows = THREADS / (BK / VEC), vec = VEC;
    int row = pass_row(p.thread, BK), column = pass_column(p.thread, BK);
#pragma unroll loads
    for (int s = 0; s < loads; s++) {
        int m = row + s * pass_rows;
        if (TRANSPOSE_A) {
#pragma unroll vec
            for (int v = 0; v < vec; v++)
                tiles.a[a_place(m, column + v)] = staged.a[s].at[v];
        } else {
            *(Vector *)&tiles.a[a_place(m, column)] = staged.a[s];
        }
    }
}

__device__ __forceinline__ void store_tile_b(Tiles &tiles, const Staged &staged, const Problem &p)
{
    constexpr int loads = B_LOADS;
#pragma unroll loads
    for (int s = 0; s < loads; s++)
        *(Vector *)&tiles.b[(s * THREADS + p.thread) * VEC] = staged.b[s];
}

/* Copies what there is of the tiles at an edge, element by element, and fills the rest with zeros,
 * which add nothing. */
__device__ __forceinline__ void copy_edge_tiles(Tiles &tiles, const Problem &p, int k0)
{
    constexpr int a_elements = A_ELEMENTS, b_elements = B_ELEMENTS;
#pragma unroll 1
    for (int s = 0; s < a_elements; s++) {
        int element = s * THREADS + (int)p.thread;
        int m = element / BK, k = element % BK;
        bool inside = p.row0 + m < p.M && k0 + k < p.K;
        tiles.a[a_place(m, k)] = inside ? p.A[(size_t)(p.row0 + m) * p.K + k0 + k] : 0.0f;
    }
#pragma unroll 1
    for (int s = 0; s < b_elements; s++) {
        int element = s * THREADS + (int)p.thread;
        int k = element / BN, n = element % BN;
        bool inside = k0 + k < p.K && p.column0 + n < p.N;
        tiles.b[k * BN + n] = inside ? p.B[(size_t)(k0 + k) * p.N + p.column0 + n] : 0.0f;
    }
}

/* First half of copying the tiles: starts the loads.  Tiles at an edge wait for the second half. */
__device__ __forceinline__ void load_tiles(Staged &staged, const Problem &p, int k0, bool interior)
{
    if (!interior)
        return;
    load_tile_a(staged, p, k0);
    load_tile_b(staged, p, k0);
}

/* Second half: the values reach shared memory. */
__device__ __forceinline__ void store_tiles(Tiles &tiles, const Staged &staged, const Problem &p,
                                            int k0, bool interior)
{
    if (interior) {
        store_tile_a(tiles, staged, p);
        store_tile_b(tiles, staged, p);
    } else {
        copy_edge_tiles(tiles, p, k0);
    }
}

/* --- from shared memory to registers, and the arithmetic ------------------------------------- */

__device__ __forceinline__ void read_own_a(float a[TM], const Tiles &tiles, int k)
{
    constexpr int runs = TM / A_RUN, run = A_RUN;
#pragma unroll runs
    for (int r = 0; r < runs; r++) {
        const float *from = &tiles.a[a_place(own_row() + row_step(r * run), k)];
        if (TRANSPOSE_A) {
            Vector vector = *(const Vector *)from;
#pragma unroll run
            for (int v = 0; v < run; v++)
                a[r * run + v] = vector.at[v];
        } else {
            a[r] = *from;
        }
    }
}

__device__ __forceinline__ void read_own_b(float b[TN], const Tiles &tiles, int k)
{
    constexpr int runs = TN / VEC, run = VEC;
#pragma unroll runs
    for (int r = 0; r < runs; r++) {
        Vector vector = *(const Vector *)&tiles.b[k * BN + own_column() + column_step(r * run)];
#pragma unroll run
        for (int v = 0; v < run; v++)
            b[r * run + v] = vector.at[v];
    }
}

__device__ __forceinline__ void multiply_tiles(float sum[TM][TN], const Tiles &tiles)
{
    constexpr int unroll = UNROLL, tm = TM, tn = TN;
#pragma unroll unroll
    for (int k = 0; k < BK; k++) {
        float a[TM], b[TN];
        read_own_a(a, tiles, k);
        read_own_b(b, tiles, k);
#pragma unroll tm
        for (int i = 0; i < tm; i++)
#pragma unroll tn
            for (int j = 0; j < tn; j++)
                sum[i][j] += a[i] * b[j];
    }
}

/* --- from registers to global memory --------------------------------------------------------- */

__device__ __forceinline__ void store_sums(const Problem &p, const float sum[TM][TN])
{
    constexpr int tm = TM, runs = TN / VEC, run = VEC;
    float *own = p.C + (size_t)(p.row0 + own_row()) * p.N + p.column0 + own_column();
#pragma unroll tm
    for (int i = 0; i < tm; i++)
#pragma unroll runs
        for (int r = 0; r < runs; r++) {
            Vector vector;
#pragma unroll run
            for (int v = 0; v < run; v++)
                vector.at[v] = sum[i][r * run + v];
            *(Vector *)(own + (size_t)row_step(i) * p.N + column_step(r * run)) = vector;
        }
}

/* The same where the tile hangs over the edge of C or its rows are not aligned. */
__device__ __forceinline__ void store_edge_sums(const Problem &p, const float sum[TM][TN])
{
    constexpr int tm = TM, tn = TN;
    int row = p.row0 + own_row(), column = p.column0 + own_column();
    int rows_left = p.M - row, columns_left = p.N - column;
    float *own = p.C + (size_t)row * p.N + column;
#pragma unroll tm
    for (int i = 0; i < tm; i++)
#pragma unroll tn
        for (int j = 0; j < tn; j++)
            if (row_step(i) < rows_left && column_step(j) < columns_left)
                own[(size_t)row_step(i) * p.N + column_step(j)] = sum[i][j];
}

/* --- the kernel ------------------------------------------------------------------------------ */

extern "C" __global__ void __launch_bounds__(THREADS, MIN_BLOCKS)
    matmul(float *__restrict__ C, const float *__restrict__ A, const float *__restrict__ B, int M,
           int N, int K)
{
    __shared__ Tiles tiles[BUFFERS];
    const Problem p = {C,
                       A,
                       B,
                       M,
                       N,
                       K,
                       tile_start(blockIdx.y, BM, M),
                       tile_start(blockIdx.x, BN, N),
                       threadIdx.y * THREADS_X + threadIdx.x};
    const bool block_interior = block_is_interior(p);
    float sum[TM][TN] = {};
    Staged staged;

#if PREFETCH == 0
    /* Load, wait, multiply, wait. */
#pragma unroll 1
    for (int k0 = 0; k0 < K; k0 += BK) {
        bool interior = block_interior && k0 + BK <= K;
        load_tiles(staged, p, k0, interior);
        store_tiles(tiles[0], staged, p, k0, interior);
        __syncthreads(); /* the tiles are complete */
        multiply_tiles(sum, tiles[0]);
        __syncthreads(); /* nobody reads them any more */
    }
#elif PREFETCH == 1
    /* The next tiles are on their way to registers while these are multiplied. */
    bool interior = block_interior && BK <= K;
    load_tiles(staged, p, 0, interior);
#pragma unroll 1
    for (int k0 = 0; k0 < K; k0 += BK) {
        store_tiles(tiles[0], staged, p, k0, interior);
        __syncthreads(); /* the tiles are complete */
        interior = block_interior && k0 + 2 * BK <= K;
        load_tiles(staged, p, k0 + BK, interior);
        multiply_tiles(sum, tiles[0]);
        __syncthreads(); /* nobody reads them any more */
    }
#else
    /* … and there is a second pair of tiles to put them in, which saves one wait: the readers of
     * one pair are done with it before the barrier after which it is written again. */
    bool interior = block_interior && BK <= K;
    int buffer = 0;
    load_tiles(staged, p, 0, interior);
    store_tiles(tiles[0], staged, p, 0, interior);
    __syncthreads(); /* the first tiles are complete */
#pragma unroll 1
    for (int k0 = 0; k0 < K; k0 += BK) {
        interior = block_interior && k0 + 2 * BK <= K;
        load_tiles(staged, p, k0 + BK, interior);
        multiply_tiles(sum, tiles[buffer]);
        buffer ^= 1;
        if (k0 + BK < K)
            store_tiles(tiles[buffer], staged, p, k0 + BK, interior);
        __syncthreads(); /* those are read, these complete */
    }
#endif

    if (block_interior)
        store_sums(p, sum);
    else
        store_edge_sums(p, sum);
}
