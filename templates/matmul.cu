/* C = alpha·A·B + beta·C in single precision, row major: C is M×N, A is M×K, B is K×N.
 *
 *     matmul(out C, in A, in B, M, N, K, alpha, beta, scratch partial, scratch ready)
 *     grid  blocks (SCHEDULE 0: one per tile)   block  THREADS   shared  STAGES * STAGE_BYTES
 *
 *                       BN
 *                  ┌─────────┐             A block computes a BM×BN tile of C.  It walks along K
 *               BK │ b       │ │           in steps of BK; for each step the threads together copy
 *                  └─────────┘ ▼ k         a BM×BK tile of A and a BK×BN tile of B to shared
 *             BK                           memory, STAGES - 1 steps ahead.  Both lie there with k
 *          ┌──────┐┌─────────┐             as the row, so that a thread reads the numbers that it
 *          │      ││  tile   │             needs for one k as vectors of four: TM of A, TN of B.
 *       BM │ a    ││  of C   │             It makes TM·TN multiply-adds of them, and keeps the
 *          │      ││         │             sums in registers to the end.
 *          └──────┘└─────────┘
 *            k ─►
 *
 * What makes it fast, most important first; each is a parameter or a choice explained below:
 *
 *   registers   The sums may lie in any register.  Were they stored four at a time as they are, each
 *               four would need neighbouring registers, and so would the four numbers of B that were
 *               read at once: then sum j and b[j] are always both even or both odd, and a multiply-add
 *               reads two registers of one bank.  Multiplying by alpha on the way out sets them free.
 *   fragments   The numbers for k + 1 are read from shared memory while those for k are multiplied
 *               (FRAGMENTS 2), over the boundary between two steps as well.
 *   copies      go past the registers (cp.async), and nobody waits for them but STAGES - 2 steps later.
 *   order       of the multiply-adds (ORDER): one that keeps an operand of the one before need not
 *               read it again.
 *   schedule    Seldom do the tiles fill the multiprocessors a whole number of times.  Stream-K
 *               (SCHEDULE 2) deals out steps instead of tiles: every block gets equally many, and
 *               whose share ends inside a tile adds what others did of it.
 *   split       Where tiles are few, SPLIT neighbouring blocks (a cluster) share the steps of one and
 *               add up what they found, reading each other's shared memory.  It takes sm_90 or later.
 *   code        The whole step is unrolled; the loop must still fit the instruction cache
 *               (TM·TN·BK multiply-adds of 16 bytes, 32 KB are fine).
 *
 * What makes it precise: the error of a sum of K products that are added up one after the other grows
 * with √K, relative to the sum.  With CHAIN, so many of them at most are added up before that goes to
 * a total in shared memory: the sums of some rows at a time, in turn, so that it is hidden well.
 *
 * Sizes need not be multiples of anything.  Tiles at the lower and right edge of C are moved back
 * inside and store only what is theirs.  Along K it is the first step that hangs over: it starts before
 * the matrices, and copies zeros from there.  Rows of B (or of a transposed A) that do not start at
 * multiples of 16 bytes are copied four bytes at a time, on a path of their own, which also serves
 * matrices smaller than a tile.  A, B and C themselves start at multiples of 16 bytes. */

/* --- what is tuned --------------------------------------------------------------------------- */

#ifndef BM
#define BM 128 /* rows of C per block */
#endif
#ifndef BN
#define BN 128 /* columns of C per block */
#endif
#ifndef BK
#define BK 8 /* columns of A and rows of B per step */
#endif
#ifndef TM
#define TM 8 /* rows of C per thread */
#endif
#ifndef TN
#define TN 8 /* columns of C per thread */
#endif
#ifndef LANES_M
#define LANES_M 4 /* a warp is LANES_M threads high and 32 / LANES_M wide */
#endif
#ifndef LANE_ORDER
#define LANE_ORDER 0 /* lanes side by side along 0: rows of C; 1: columns; 2: rows of 2×4 patches */
#endif
#ifndef STAGES
#define STAGES 3 /* pairs of tiles in shared memory */
#endif
#ifndef PAD
#define PAD 4 /* unused floats after each row of a tile that is transposed on its way */
#endif
#ifndef FRAGMENTS
#define FRAGMENTS 2 /* 2: the numbers for the next k are read while these are multiplied */
#endif
#ifndef ORDER
#define ORDER 1 /* of the multiply-adds: see order_row */
#endif
#ifndef RASTER
#define RASTER 8 /* tiles are numbered in groups of so many rows of tiles, or -RASTER columns; 0: none */
#endif
#ifndef SCHEDULE
#define SCHEDULE 0 /* 0: a block per tile; 1: blocks take every BLOCKS-th tile; 2: stream-K */
#endif
#ifndef SPLIT
#define SPLIT 1 /* blocks of a cluster that share the steps of a tile (SCHEDULE 0) */
#endif
#ifndef CHAIN
#define CHAIN 0 /* products that are added up one after the other at most; 0: as many as there are */
#endif
#ifndef MIN_BLOCKS
#define MIN_BLOCKS 1 /* blocks that must fit on a multiprocessor: caps the registers */
#endif

/* --- what the problem says ------------------------------------------------------------------- */

#ifndef TRANSPOSED_A
#define TRANSPOSED_A 0 /* 1: A is stored as K×M */
#endif
#ifndef TRANSPOSED_B
#define TRANSPOSED_B 0 /* 1: B is stored as N×K */
#endif
/* SIZE_M, SIZE_N and SIZE_K, where they are defined, are the sizes: the arguments are not looked at. */

/* --- what follows from it -------------------------------------------------------------------- */

constexpr int LANES_N = 32 / LANES_M;
constexpr int WARPS_M = BM / (LANES_M * TM);
constexpr int WARPS_N = BN / (LANES_N * TN);
constexpr int THREADS = 32 * WARPS_M * WARPS_N;
constexpr int A_STRIDE = BM + (TRANSPOSED_A ? 0 : PAD); /* floats from one k to the next */
constexpr int B_STRIDE = BN + (TRANSPOSED_B ? PAD : 0);
constexpr int STAGE_BYTES = 4 * BK * (A_STRIDE + B_STRIDE); /* of both tiles of a step */
constexpr int TILE_BYTES = 4 * BM * BN;                     /* of the sums of a block */
/* Where in shared memory the totals lie: behind the stages, or the sums that a cluster exchanges in
 * their place. */
constexpr int TOTALS = SPLIT > 1 && TILE_BYTES > STAGES * STAGE_BYTES ? TILE_BYTES : STAGES * STAGE_BYTES;

static_assert(LANES_M * LANES_N == 32, "a warp has 32 threads");
static_assert(BM % (LANES_M * TM) == 0 && BN % (LANES_N * TN) == 0, "warps fill the tile");
static_assert(TM % 4 == 0 && TN % 4 == 0, "a thread's rows and columns are whole vectors");
static_assert(LANE_ORDER != 2 || (LANES_M >= 2 && LANES_N >= 4), "patches are 2×4 lanes");
static_assert(BK % FRAGMENTS == 0, "the last fragment of a step is the second of two");
static_assert(PAD % 4 == 0, "padded rows start on a vector's boundary");
static_assert(CHAIN == 0 || CHAIN >= BK * STAGES, "a chain is as long as the stages together");
static_assert(SPLIT == 1 || SCHEDULE == 0, "clusters take one tile each");
static_assert(STAGES >= 2, "one pair of tiles is read while another is written");

struct Problem {
    float *C;
    const float *A, *B;
    int M, N, K;
    float alpha, beta;
};

/* A block's work at one time: the steps from `first` up to `end` of one tile of C. */
struct Work {
    int row, column;         /* of the tile's first element in C … */
    int own_row, own_column; /* … and of the first that is not another tile's */
    int first, end;
};

/* Steps along K; where there is nothing to add, one of zeros. */
__device__ __forceinline__ int step_count(int K)
{
    return max((K + BK - 1) / BK, 1);
}

/* --- asynchronous copies --------------------------------------------------------------------- */

/* Copies VECTOR floats from global memory to the address `to` in shared memory, or as many zeros. */
template <int VECTOR>
__device__ __forceinline__ void copy_or_clear(unsigned to, const float *from, bool copy)
{
    int bytes = copy ? 4 * VECTOR : 0;
    if constexpr (VECTOR == 4)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(bytes));
    else
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(to), "l"(from), "r"(bytes));
}

__device__ __forceinline__ void close_group()
{
    asm volatile("cp.async.commit_group;");
}

/* Waits until all but the last `open` groups of this thread's copies have arrived. */
template <int open> __device__ __forceinline__ void wait_for_groups()
{
    asm volatile("cp.async.wait_group %0;" ::"n"(open) : "memory");
}

/* The next step's tiles are complete, and no thread reads those of the step before any more. */
__device__ __forceinline__ void arrive()
{
    wait_for_groups<STAGES - 2>();
    __syncthreads();
}

/* One thread's share in copying the tiles of A or of B.  The tile is EXTENT rows of A or columns of
 * B by BK.  In memory k runs along the rows (TURN: it is transposed on its way) or down the columns.
 * The threads pass over the tile side by side, and each comes back to the same place in a row or some
 * whole vectors beside it. */
template <int EXTENT, bool TURN, int STRIDE, int WIDTH> struct Copier {
    static constexpr int VECTOR = TURN ? 1 : WIDTH;
    static constexpr int LINE = (TURN ? BK : EXTENT) / VECTOR; /* vectors of a row in memory */
    static constexpr int PASSES = EXTENT * BK / (VECTOR * THREADS);
    static_assert(EXTENT * BK % (VECTOR * THREADS) == 0, "each thread copies equally much");
    static_assert(THREADS % LINE == 0 || LINE % THREADS == 0, "threads pass over whole rows");

    const float *from; /* the thread's first vector of the next step */
    size_t pitch;      /* floats from row to row in memory */
    unsigned to;       /* place of that vector in a stage, bytes */
    int line, along;   /* row and float in it of that vector */

    __device__ __forceinline__ Copier(const float *matrix, int pitch, int extent, int k)
        : pitch(pitch)
    {
        line = threadIdx.x / LINE;
        along = threadIdx.x % LINE * VECTOR;
        int row = TURN ? extent : k, column = TURN ? k : extent;
        from = matrix + (row + line) * (ptrdiff_t)pitch + column + along;
        to = 4 * (TURN ? along * STRIDE + line : line * STRIDE + along);
    }

    /* Starts the copies of a step.  Vectors outside of the matrix become zeros: those before k = 0,
     * at which the tile's column or row `before` lies (GUARD_K); and those behind the first `inside` rows
     * or columns (GUARD). */
    template <bool GUARD, bool GUARD_K>
    __device__ __forceinline__ void start(unsigned stage, bool copy, int inside, int before)
    {
        constexpr int passes = PASSES;
#pragma unroll passes
        for (int s = 0; s < passes; s++) {
            int down = s * THREADS / LINE, right = s * THREADS % LINE * VECTOR;
            int k = TURN ? along + right : line + down, e = TURN ? line + down : along + right;
            unsigned place = 4 * (TURN ? right * STRIDE + down : down * STRIDE + right);
            copy_or_clear<VECTOR>(stage + to + place, from + down * pitch + right,
                                  copy && (!GUARD || e < inside) && (!GUARD_K || k >= before));
        }
        from += TURN ? BK : BK * pitch;
    }
};

/* --- where things lie ------------------------------------------------------------------------ */

__device__ __forceinline__ int lane_row()
{
    int lane = threadIdx.x % 32;
    return LANE_ORDER == 0   ? lane / LANES_N
           : LANE_ORDER == 1 ? lane % LANES_M
                             : lane / 8 / (LANES_N / 4) * 2 + lane % 8 / 4;
}

__device__ __forceinline__ int lane_column()
{
    int lane = threadIdx.x % 32;
    return LANE_ORDER == 0   ? lane % LANES_N
           : LANE_ORDER == 1 ? lane / LANES_M
                             : lane / 8 % (LANES_N / 4) * 4 + lane % 4;
}

/* The thread's first row and column in the tile.  The lanes of a warp lie side by side in runs of
 * four rows or columns: neighbours read neighbouring vectors. */
__device__ __forceinline__ int thread_row()
{
    return (int)threadIdx.x / 32 / WARPS_N * (LANES_M * TM) + lane_row() * 4;
}

__device__ __forceinline__ int thread_column()
{
    return (int)threadIdx.x / 32 % WARPS_N * (LANES_N * TN) + lane_column() * 4;
}

/* How far its row i and column j are from there. */
__device__ __forceinline__ constexpr int row_step(int i)
{
    return i / 4 * (LANES_M * 4) + i % 4;
}

__device__ __forceinline__ constexpr int column_step(int j)
{
    return j / 4 * (LANES_N * 4) + j % 4;
}

/* --- from shared memory to registers, and the arithmetic ------------------------------------- */

struct Fragment {
    float a[TM], b[TN];
};

/* Stages are told apart by bytes: one addition then makes an address, where floats take two. */
__device__ __forceinline__ const float *behind(const float *at, int bytes)
{
    return (const float *)((const char *)at + bytes);
}

__device__ __forceinline__ void read_four(float *to, const float *from)
{
    float4 four = *(const float4 *)from;
    to[0] = four.x, to[1] = four.y, to[2] = four.z, to[3] = four.w;
}

__device__ __forceinline__ void read_fragment(Fragment &f, const float *a, const float *b, int k)
{
    constexpr int a_runs = TM / 4, b_runs = TN / 4;
#pragma unroll a_runs
    for (int r = 0; r < a_runs; r++)
        read_four(&f.a[4 * r], a + k * A_STRIDE + row_step(4 * r));
#pragma unroll b_runs
    for (int r = 0; r < b_runs; r++)
        read_four(&f.b[4 * r], b + k * B_STRIDE + column_step(4 * r));
}

/* Multiply-add number n of a k is that of these row and column of the thread's elements.
 *
 *     ORDER 0  row by row                  3  column by column, every other one backwards
 *           1  … every other one backwards 4  four by four, each row by row
 *           2  column by column            5  the left half as 1, then the right half
 *                                          6  the upper half as 3, then the lower half */
constexpr int PART_N = ORDER == 4 ? 4 : ORDER == 5 ? TN / 2 : TN;
constexpr int PART_M = ORDER == 4 ? 4 : ORDER == 6 ? TM / 2 : TM;
constexpr bool BY_COLUMN = ORDER == 2 || ORDER == 3 || ORDER == 6;
constexpr bool SNAKE = ORDER == 1 || ORDER == 3 || ORDER >= 5;

__device__ __forceinline__ constexpr int turn(int at, int line, int length)
{
    return SNAKE && line % 2 == 1 ? length - 1 - at : at;
}

__device__ __forceinline__ constexpr int order_row(int n)
{
    int part = n / (PART_M * PART_N), in = n % (PART_M * PART_N);
    int row = BY_COLUMN ? turn(in % PART_M, in / PART_M, PART_M) : in / PART_N;
    return part / (TN / PART_N) * PART_M + row;
}

__device__ __forceinline__ constexpr int order_column(int n)
{
    int part = n / (PART_M * PART_N), in = n % (PART_M * PART_N);
    int column = BY_COLUMN ? in / PART_M : turn(in % PART_N, in / PART_N, PART_N);
    return part % (TN / PART_N) * PART_N + column;
}

__device__ __forceinline__ void multiply(float (&sum)[TM][TN], const Fragment &f)
{
    constexpr int count = TM * TN;
#pragma unroll count
    for (int n = 0; n < count; n++)
        sum[order_row(n)][order_column(n)] += f.a[order_row(n)] * f.b[order_column(n)];
}

/* --- totals ---------------------------------------------------------------------------------- */

/* The thread's total of row i and of the columns 4r to 4r + 3. */
__device__ __forceinline__ float4 *total(float *stages, int i, int r)
{
    return (float4 *)((char *)stages + TOTALS) + (i * (TN / 4) + r) * THREADS + threadIdx.x;
}

__device__ __forceinline__ void clear_totals(float *stages)
{
    constexpr int tm = TM, runs = TN / 4;
#pragma unroll tm
    for (int i = 0; i < tm; i++)
#pragma unroll runs
        for (int r = 0; r < runs; r++)
            *total(stages, i, r) = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
}

/* The largest power of two that is not above n. */
__device__ constexpr int power_below(int n)
{
    return n < 2 ? 1 : 2 * power_below(n / 2);
}

/* Some rows have their turn whenever the stages have been gone through once. */
constexpr int TURNS = power_below(CHAIN / (BK * STAGES));

/* Adds the sums of the rows whose turn it is to their totals and starts them anew.  The turn, one of
 * COUNT from FIRST on, is found by halving. */
template <int FIRST, int COUNT>
__device__ __forceinline__ void end_chains(float (&sum)[TM][TN], float *stages, int turn)
{
    if constexpr (COUNT > 1) {
        if (turn < FIRST + COUNT / 2)
            end_chains<FIRST, COUNT / 2>(sum, stages, turn);
        else
            end_chains<FIRST + COUNT / 2, COUNT - COUNT / 2>(sum, stages, turn);
    } else {
        constexpr int tm = TM, runs = TN / 4;
#pragma unroll tm
        for (int i = 0; i < tm; i++) {
            if (i * TURNS / TM != FIRST)
                continue;
#pragma unroll runs
            for (int r = 0; r < runs; r++) {
                float4 *to = total(stages, i, r), all = *to;
                all.x += sum[i][4 * r], all.y += sum[i][4 * r + 1];
                all.z += sum[i][4 * r + 2], all.w += sum[i][4 * r + 3];
                *to = all;
                sum[i][4 * r] = sum[i][4 * r + 1] = sum[i][4 * r + 2] = sum[i][4 * r + 3] = 0.0f;
            }
        }
    }
}

__device__ __forceinline__ void add_totals(float (&sum)[TM][TN], float *stages)
{
    constexpr int tm = TM, runs = TN / 4;
#pragma unroll tm
    for (int i = 0; i < tm; i++)
#pragma unroll runs
        for (int r = 0; r < runs; r++) {
            float4 all = *total(stages, i, r);
            sum[i][4 * r] += all.x, sum[i][4 * r + 1] += all.y;
            sum[i][4 * r + 2] += all.z, sum[i][4 * r + 3] += all.w;
        }
}

/* --- the steps ------------------------------------------------------------------------------- */

/* Adds the steps of `work` to the sums.  WIDTH: floats per copy where rows need not be transposed;
 * GUARD: a tile may be larger than its matrix. */
template <int WIDTH, bool GUARD>
__device__ __forceinline__ void multiply_tiles(float (&sum)[TM][TN], const Problem &p, const Work &work,
                                               float *stages)
{
    constexpr int ahead = STAGES - 1, bk = BK;
    const int before = step_count(p.K) * BK - p.K; /* columns of A before the first */
    const int k0 = work.first * BK - before, rows = p.M - work.row, columns = p.N - work.column;
    Copier<BM, !TRANSPOSED_A, A_STRIDE, WIDTH> a(p.A, TRANSPOSED_A ? p.M : p.K, work.row, k0);
    Copier<BN, TRANSPOSED_B, B_STRIDE, WIDTH> b(p.B, TRANSPOSED_B ? p.K : p.N, work.column, k0);
    const unsigned to_a = (unsigned)__cvta_generic_to_shared(stages), to_b = to_a + 4 * BK * A_STRIDE;
    const float *own_a = stages + thread_row(), *own_b = stages + BK * A_STRIDE + thread_column();

    /* The first steps start on their way, and the first of them arrives. */
#pragma unroll ahead
    for (int s = 0; s < ahead; s++) {
        bool more = work.first + s < work.end;
        a.template start<GUARD, true>(to_a + s * STAGE_BYTES, more, rows, s == 0 ? -k0 : 0);
        b.template start<GUARD, true>(to_b + s * STAGE_BYTES, more, columns, s == 0 ? -k0 : 0);
        close_group();
    }
    Fragment fragment[FRAGMENTS];
    int stage = 0, spare = ahead * STAGE_BYTES; /* the next to be multiplied, and the one before it */
    int turn = 0;                               /* of rows whose chains end */
    if (FRAGMENTS == 2) {
        arrive();
        read_fragment(fragment[0], own_a, own_b, 0);
    }

#pragma unroll 1
    for (int step = work.first; step < work.end; step++) {
        if (CHAIN && stage == 0) {
            end_chains<0, TURNS>(sum, stages, turn);
            turn = (turn + 1) % TURNS;
        }
        if (FRAGMENTS == 1)
            arrive();
        bool more = step + ahead < work.end;
        a.template start<GUARD, false>(to_a + spare, more, rows, 0);
        b.template start<GUARD, false>(to_b + spare, more, columns, 0);
        close_group();
        spare = stage;
        stage = stage == (STAGES - 1) * STAGE_BYTES ? 0 : stage + STAGE_BYTES;
#pragma unroll bk
        for (int k = 0; k < bk; k++) {
            if (FRAGMENTS == 1) {
                read_fragment(fragment[0], behind(own_a, spare), behind(own_b, spare), k);
            } else if (k < BK - 1) {
                read_fragment(fragment[(k + 1) % 2], behind(own_a, spare), behind(own_b, spare), k + 1);
            } else {
                arrive();
                read_fragment(fragment[0], behind(own_a, stage), behind(own_b, stage), 0);
            }
            multiply(sum, fragment[k % FRAGMENTS]);
        }
    }
    wait_for_groups<0>();
    __syncthreads(); /* all stages are free for other work */
}

/* --- from registers to global memory --------------------------------------------------------- */

/* Whether four sums of row i from column 4r on are this block's to store: those of a cluster take turns. */
__device__ __forceinline__ bool own_quad(int i, int r)
{
    return SPLIT == 1 || (i * (TN / 4) + r) % SPLIT == (int)blockIdx.x % SPLIT;
}

/* Stores the thread's sums, ADD: plus beta times what was there.  VECTOR is 4 where rows of C start on
 * a vector's boundary. */
template <int VECTOR, bool ADD>
__device__ __forceinline__ void store_sums(const float (&sum)[TM][TN], const Problem &p, const Work &work)
{
    struct alignas(4 * VECTOR) Vector {
        float at[VECTOR];
    };
    constexpr int tm = TM, runs = TN / VECTOR, vector = VECTOR;
    const int row = work.row + thread_row(), column = work.column + thread_column();
#pragma unroll tm
    for (int i = 0; i < tm; i++)
#pragma unroll runs
        for (int r = 0; r < runs; r++) {
            int m = row + row_step(i), n = column + column_step(r * VECTOR);
            Vector *to = (Vector *)(p.C + (size_t)m * p.N + n), v;
            if (m < work.own_row || m >= p.M || n < work.own_column || n >= p.N ||
                !own_quad(i, r * VECTOR / 4))
                continue;
            if (ADD)
                v = *to;
#pragma unroll vector
            for (int x = 0; x < vector; x++)
                v.at[x] = ADD ? sum[i][r * VECTOR + x] + p.beta * v.at[x] : sum[i][r * VECTOR + x];
            *to = v;
        }
}

__device__ __forceinline__ void store(const float (&sum)[TM][TN], const Problem &p, const Work &work)
{
    if (p.N % 4 == 0 && p.beta == 0.0f)
        store_sums<4, false>(sum, p, work);
    else if (p.beta == 0.0f)
        store_sums<1, false>(sum, p, work);
    else
        store_sums<1, true>(sum, p, work);
}

/* --- who does what --------------------------------------------------------------------------- */

/* Tile number `tile` of C.  One that would hang over the edge is moved back inside, where it computes
 * some elements once more but does not store them. */
__device__ __forceinline__ Work tile_work(const Problem &p, int tile, int first, int end)
{
    int down = (p.M + BM - 1) / BM, across = (p.N + BN - 1) / BN, row, column;
    if (RASTER == 0) {
        row = tile / across;
        column = tile % across;
    } else {
        /* Groups of `height` rows (columns) of tiles; inside of one column by column (row by row). */
        int lines = RASTER > 0 ? down : across, length = RASTER > 0 ? across : down;
        constexpr int size = RASTER > 0 ? RASTER : RASTER < 0 ? -RASTER : 1;
        int group = tile / (size * length), in = tile % (size * length);
        int height = min(size, lines - group * size);
        int line = group * size + in % height, at = in / height;
        row = RASTER > 0 ? line : at;
        column = RASTER > 0 ? at : line;
    }
    return {max(min(row * BM, p.M - BM), 0), max(min(column * BN, p.N - BN), 0), row * BM, column * BN,
            first, end};
}

/* Whether rows that are copied as they are start at multiples of 16 bytes. */
__device__ __forceinline__ constexpr bool rows_aligned(int M, int N)
{
    return (!TRANSPOSED_A || M % 4 == 0) && (TRANSPOSED_B || N % 4 == 0);
}

/* The thread's sums over some steps of a tile, times alpha. */
__device__ __forceinline__ void compute(float (&sum)[TM][TN], const Problem &p, const Work &work,
                                        float *stages)
{
    constexpr int tm = TM, tn = TN;
#pragma unroll tm
    for (int i = 0; i < tm; i++)
#pragma unroll tn
        for (int j = 0; j < tn; j++)
            sum[i][j] = 0.0f;
    if (CHAIN)
        clear_totals(stages);
#ifdef SIZE_M
    multiply_tiles<rows_aligned(SIZE_M, SIZE_N) ? 4 : 1, SIZE_M < BM || SIZE_N < BN>(sum, p, work, stages);
#else
    if (rows_aligned(p.M, p.N) && p.M >= BM && p.N >= BN)
        multiply_tiles<4, false>(sum, p, work, stages);
    else
        multiply_tiles<1, true>(sum, p, work, stages);
#endif
    if (CHAIN)
        add_totals(sum, stages);
#pragma unroll tm
    for (int i = 0; i < tm; i++)
#pragma unroll tn
        for (int j = 0; j < tn; j++)
            sum[i][j] *= p.alpha;
}

/* --- clusters -------------------------------------------------------------------------------- */

/* No thread of the cluster goes on before all have come here and see what the others wrote. */
__device__ __forceinline__ void meet_cluster()
{
    asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
    asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
}

/* Four floats at the address `at` in the shared memory of the cluster's block number `block`. */
__device__ __forceinline__ float4 read_of_block(unsigned at, int block)
{
    float4 four;
    unsigned there;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(at), "r"(block));
    asm volatile("ld.shared::cluster.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(four.x), "=f"(four.y), "=f"(four.z), "=f"(four.w)
                 : "r"(there));
    return four;
}

/* Adds up what the blocks of a cluster found, each some of the quads: those that it stores. */
__device__ __forceinline__ void add_cluster(float (&sum)[TM][TN], float *stages)
{
    constexpr int tm = TM, runs = TN / 4, split = SPLIT;
    float4 *place = (float4 *)stages + threadIdx.x;
#pragma unroll tm
    for (int i = 0; i < tm; i++)
#pragma unroll runs
        for (int r = 0; r < runs; r++)
            place[(i * runs + r) * THREADS] = make_float4(sum[i][4 * r], sum[i][4 * r + 1],
                                                          sum[i][4 * r + 2], sum[i][4 * r + 3]);
    meet_cluster();
    const unsigned at = (unsigned)__cvta_generic_to_shared(place);
#pragma unroll tm
    for (int i = 0; i < tm; i++)
#pragma unroll runs
        for (int r = 0; r < runs; r++) {
            if (!own_quad(i, r))
                continue;
            float4 all = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
#pragma unroll split
            for (int block = 0; block < split; block++) {
                float4 four = read_of_block(at + 16 * (i * runs + r) * THREADS, block);
                all.x += four.x, all.y += four.y, all.z += four.z, all.w += four.w;
            }
            sum[i][4 * r] = all.x, sum[i][4 * r + 1] = all.y;
            sum[i][4 * r + 2] = all.z, sum[i][4 * r + 3] = all.w;
        }
    meet_cluster(); /* nobody leaves while others read of it */
}

/* --- stream-K -------------------------------------------------------------------------------- */

/* Stream-K.  The steps of all tiles, one tile after the other, are cut into equal shares, one for each
 * block.  A tile that several shares have steps of is added up as a tree: the share with the tile's
 * first step is number 0, and in each round every other one of those left adds what the next one
 * found, which then is done with the tile; at last 0 stores it.  A share of steps inside a tile leaves
 * its sums in `partial`.  Shares are dealt out from the last to the first, so that a block waits only for
 * blocks that started before it. */
struct Shares {
    int count, size, larger; /* the first `larger` have size + 1 steps, the others size */

    __device__ __forceinline__ int start(int share) const
    {
        return share * size + min(share, larger);
    }
    __device__ __forceinline__ int of(int step) const
    {
        int border = start(larger);
        return step < border ? step / (size + 1) : larger + (step - border) / size;
    }
};

__device__ __forceinline__ float4 *partial_place(float *partial, int share)
{
    return (float4 *)partial + (size_t)share * (BM * BN / 4) + threadIdx.x;
}

__device__ __forceinline__ void leave_sums(const float (&sum)[TM][TN], float *partial, int *ready,
                                           int share)
{
    constexpr int tm = TM, runs = TN / 4;
    float4 *to = partial_place(partial, share);
#pragma unroll tm
    for (int i = 0; i < tm; i++)
#pragma unroll runs
        for (int r = 0; r < runs; r++)
            to[(i * runs + r) * THREADS] = make_float4(sum[i][4 * r], sum[i][4 * r + 1],
                                                       sum[i][4 * r + 2], sum[i][4 * r + 3]);
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0)
        atomicExch(&ready[share], 1);
}

/* Waits for the sums of a share, adds them, and leaves `ready` as it was before the launch. */
__device__ __forceinline__ void add_sums(float (&sum)[TM][TN], float *partial, int *ready, int share)
{
    constexpr int tm = TM, runs = TN / 4;
    const float4 *from = partial_place(partial, share);
    if (threadIdx.x == 0)
        while (atomicCAS(&ready[share], 1, 0) != 1)
            ;
    __syncthreads();
    __threadfence();
#pragma unroll tm
    for (int i = 0; i < tm; i++)
#pragma unroll runs
        for (int r = 0; r < runs; r++) {
            float4 other = __ldcg(&from[(i * runs + r) * THREADS]);
            sum[i][4 * r] += other.x, sum[i][4 * r + 1] += other.y;
            sum[i][4 * r + 2] += other.z, sum[i][4 * r + 3] += other.w;
        }
}

__device__ __forceinline__ void stream_k(const Problem &p, float *stages, float *partial, int *ready)
{
    const int tiles = ((p.M + BM - 1) / BM) * ((p.N + BN - 1) / BN), steps = step_count(p.K);
    const int all = tiles * steps, count = min(all, (int)gridDim.x);
    const Shares shares = {count, all / count, all % count};
    const int share = count - 1 - (int)blockIdx.x, end = shares.start(share + 1);
    if (share < 0)
        return;
#pragma unroll 1
    for (int at = shares.start(share); at < end;) {
        int tile = at / steps, first = at % steps, last = min(steps, first + end - at);
        Work work = tile_work(p, tile, first, last);
        float sum[TM][TN];
        compute(sum, p, work, stages);
        const int owner = shares.of(tile * steps), number = share - owner;
        const int others = shares.of(tile * steps + steps - 1) - owner;
#pragma unroll 1
        for (int next = 1; next <= others && number % (2 * next) == 0; next *= 2)
            if (number + next <= others)
                add_sums(sum, partial, ready, share + next);
        if (number > 0)
            leave_sums(sum, partial, ready, share);
        else
            store(sum, p, work);
        at += last - first;
    }
}

#if SPLIT > 1
#define CLUSTER __cluster_dims__(SPLIT, 1, 1)
#else
#define CLUSTER
#endif

extern "C" __global__ void __launch_bounds__(THREADS, MIN_BLOCKS) CLUSTER
    matmul(float *__restrict__ C, const float *__restrict__ A, const float *__restrict__ B, int m, int n,
           int k, float alpha, float beta, float *__restrict__ partial, int *__restrict__ ready)
{
    extern __shared__ float4 shared[];
    float *stages = (float *)shared;
#ifdef SIZE_M
    const Problem p = {C, A, B, SIZE_M, SIZE_N, SIZE_K, alpha, beta};
#else
    const Problem p = {C, A, B, m, n, k, alpha, beta};
#endif
#if SCHEDULE == 2
    stream_k(p, stages, partial, ready);
#else
    const int tiles = ((p.M + BM - 1) / BM) * ((p.N + BN - 1) / BN), steps = step_count(p.K);
#if SCHEDULE == 1
#pragma unroll 1
    for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
#else
    const int tile = blockIdx.x / SPLIT;
    {
#endif
        const int part = SPLIT > 1 ? blockIdx.x % SPLIT : 0;
        Work work = tile_work(p, tile, part * steps / SPLIT, (part + 1) * steps / SPLIT);
        float sum[TM][TN];
        compute(sum, p, work, stages);
        if (SPLIT > 1)
            add_cluster(sum, stages);
        store(sum, p, work);
    }
#endif
}
