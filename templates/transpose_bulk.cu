/* The transpose of a matrix of elements of 4 bytes, through shared memory by bulk copies (of compute
 * capability 9.0 on): out[x][y] = in[y][x], in is rows×cols, out is cols×rows, row major.
 *
 *     transpose_bulk(out, in, rows, cols)
 *     grid  any number of blocks          block  THREADS
 *
 * A block takes tiles of ROWS×COLS elements in turn with the other blocks.  LOAD and STORE say which
 * of a tile's two ways the copy engine goes, row by row; threads go the other one:
 *
 *     LOAD 1     rows of `in`'s tile come to shared memory by themselves, STAGES tiles ahead
 *     STORE 1    rows of `out`'s tile lie in shared memory and leave it by themselves
 *
 * No tensor map is needed: a row of a tile is one stretch of memory.  In between, a thread takes
 * squares of 4×4 elements and turns them in its registers.  Rows of both tiles lie 16 bytes further
 * apart than they are long, and lanes are 2×4 squares at a time, so that they meet different banks
 * where they read, and two of them the same where they write.
 *
 * A tile that the matrix ends in, and every tile of a matrix whose rows are not aligned to 16 bytes,
 * is moved element by element, which is slow. */

/* --- what is tuned --------------------------------------------------------------------------- */

#ifndef ROWS
#define ROWS 64 /* of the tile, in `in` */
#endif
#ifndef COLS
#define COLS 64
#endif
#ifndef THREADS
#define THREADS 256
#endif
#ifndef LOAD
#define LOAD 1 /* tiles are read by 0: threads; 1: bulk copies */
#endif
#ifndef STORE
#define STORE 1 /* … and written */
#endif
#ifndef STAGES
#define STAGES 2 /* tiles of `in` that shared memory holds; 1 where threads read */
#endif
#ifndef ORDER
#define ORDER 0 /* rows of tiles that are worked on together; 0: all */
#endif

/* --- what follows from it -------------------------------------------------------------------- */

constexpr int VEC = 4;                              /* elements of 16 bytes */
constexpr int NI = ROWS / VEC, NJ = COLS / VEC;     /* squares of a tile: down, across */
constexpr int IN_PITCH = NJ + 1, OUT_PITCH = NI + 1; /* of rows in shared memory, in 16 bytes */
constexpr int SQUARES = NI * NJ / THREADS;          /* of a thread */
constexpr unsigned ROW_BYTES = COLS * 4, COLUMN_BYTES = ROWS * 4;

static_assert(ROWS % 32 == 0 && COLS % 64 == 0, "a warp takes 8 by 4 or 2 by 16 squares");
static_assert(THREADS % 32 == 0 && THREADS <= 1024, "a block is of 1 to 32 whole warps");
static_assert(NI * NJ % THREADS == 0, "all threads have as many squares");
static_assert(LOAD || STAGES == 1, "threads do not read ahead");

typedef unsigned long long Word;

struct alignas(16) Vector {
    float at[VEC];
};

struct Problem {
    float *out;
    const float *in;
    int rows, cols;   /* of in */
    int across, down; /* tiles */
};

/* First element of a tile, in `in`. */
struct Tile {
    int row, column;
};

__device__ __forceinline__ Tile tile_of(const Problem &p, int number)
{
    const int together = ORDER ? ORDER : p.down;
    const int group = number / (together * p.across), within = number % (together * p.across);
    const int left = p.down - group * together, high = left < together ? left : together;
    return Tile{(group * together + within % high) * ROWS, within / high * COLS};
}

/* Whether the tile lies inside the matrix and rows of both matrices start on 16 bytes. */
__device__ __forceinline__ bool is_interior(const Problem &p, const Tile &t)
{
    return t.row + ROWS <= p.rows && t.column + COLS <= p.cols && p.rows % VEC == 0 &&
           p.cols % VEC == 0;
}

/* The tile's element (y, x), as `in` has it, in `in` and in `out`. */
__device__ __forceinline__ const float *in_place(const Problem &p, const Tile &t, int y, int x)
{
    return p.in + (size_t)(t.row + y) * p.cols + t.column + x;
}

__device__ __forceinline__ float *out_place(const Problem &p, const Tile &t, int y, int x)
{
    return p.out + (size_t)(t.column + x) * p.rows + t.row + y;
}

/* --- bulk copies ----------------------------------------------------------------------------- */

__device__ __forceinline__ unsigned shared_address(const void *p)
{
    return (unsigned)__cvta_generic_to_shared(p);
}

__device__ __forceinline__ void barrier_make(Word *b)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(b)) : "memory");
}

/* This one arrival, and so many bytes, complete the phase. */
__device__ __forceinline__ void barrier_expect(Word *b, unsigned bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(b)),
                 "r"(bytes)
                 : "memory");
}

__device__ __forceinline__ void barrier_wait(Word *b, unsigned parity)
{
    unsigned done = 0;
#pragma unroll 1
    while (!done)
        asm volatile("{\n\t.reg .pred p;\n\t"
                     "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n\t"
                     "selp.u32 %0, 1, 0, p;\n\t}"
                     : "=r"(done)
                     : "r"(shared_address(b)), "r"(parity)
                     : "memory");
}

/* By the first warp: the tile's rows, one by one. */
__device__ __forceinline__ void fetch_tile(const Problem &p, const Tile &t, Vector *to, Word *full)
{
    constexpr int rows = ROWS;
    if (threadIdx.x == 0)
        barrier_expect(full, ROW_BYTES * ROWS);
    __syncwarp();
#pragma unroll 1
    for (int y = (int)threadIdx.x; y < rows; y += 32)
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
                     "[%0], [%1], %2, [%3];" ::"r"(shared_address(to + y * IN_PITCH)),
                     "l"(in_place(p, t, y, 0)), "r"(ROW_BYTES), "r"(shared_address(full))
                     : "memory");
}

__device__ __forceinline__ void send_tile(const Problem &p, const Tile &t, const Vector *from)
{
    constexpr int cols = COLS;
#pragma unroll 1
    for (int x = (int)threadIdx.x; x < cols; x += 32)
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(
                         out_place(p, t, 0, x)),
                     "r"(shared_address(from + x * OUT_PITCH)), "r"(COLUMN_BYTES)
                     : "memory");
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

/* Until what this lane has sent has been read. */
__device__ __forceinline__ void wait_sent()
{
    asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
}

/* What threads wrote or read, the copy engine may read or write over. */
__device__ __forceinline__ void hand_over()
{
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

/* --- squares --------------------------------------------------------------------------------- */

struct Square {
    Vector row[VEC];
};

/* Which square; where threads write `out`, lanes that are neighbours in i fill its lines, and where
 * they read `in`, those in j. */
struct Place {
    int i, j;
};

__device__ __forceinline__ Place place_of(int s)
{
    constexpr int warp_i = STORE ? 2 : 8, warp_j = 32 / warp_i; /* squares of a warp */
    const int lane = (int)threadIdx.x % 32, warp = (s * THREADS + (int)threadIdx.x) / 32;
    const int i = STORE ? lane % 2 : lane % 2 + lane / 8 * 2;
    const int j = STORE ? lane / 2 : lane / 2 % 4;
    constexpr int across = NJ / warp_j;
    return Place{warp / across * warp_i + i, warp % across * warp_j + j};
}

__device__ __forceinline__ Square get_square(const Problem &p, const Tile &t, const Vector *in,
                                             Place at)
{
    constexpr int vec = VEC;
    Square q;
#pragma unroll vec
    for (int v = 0; v < vec; v++)
        if (LOAD)
            q.row[v] = in[(at.i * VEC + v) * IN_PITCH + at.j];
        else
            q.row[v] = *(const Vector *)in_place(p, t, at.i * VEC + v, at.j * VEC);
    return q;
}

__device__ __forceinline__ void put_square(const Problem &p, const Tile &t, Vector *out,
                                           const Square &q, Place at)
{
    constexpr int vec = VEC;
#pragma unroll vec
    for (int x = 0; x < vec; x++) {
        Vector turned;
#pragma unroll vec
        for (int y = 0; y < vec; y++)
            turned.at[y] = q.row[y].at[x];
        if (STORE)
            out[(at.j * VEC + x) * OUT_PITCH + at.i] = turned;
        else
            *(Vector *)out_place(p, t, at.i * VEC, at.j * VEC + x) = turned;
    }
}

__device__ __forceinline__ void turn_tile(const Problem &p, const Tile &t, const Vector *in,
                                          Vector *out)
{
    constexpr int squares = SQUARES, together = SQUARES < 4 ? SQUARES : 4;
#pragma unroll 1
    for (int first = 0; first < squares; first += together) {
        Square own[together];
#pragma unroll together
        for (int s = 0; s < together; s++)
            own[s] = get_square(p, t, in, place_of(first + s));
#pragma unroll together
        for (int s = 0; s < together; s++)
            put_square(p, t, out, own[s], place_of(first + s));
    }
}

/* --- at the edges ---------------------------------------------------------------------------- */

__device__ __forceinline__ void move_edge_tile(const Problem &p, const Tile &t)
{
    constexpr int elements = ROWS * COLS, threads = THREADS;
#pragma unroll 1
    for (int s = 0; s < elements; s += threads) {
        int y = (s + (int)threadIdx.x) / COLS, x = (s + (int)threadIdx.x) % COLS;
        if (y < ROWS && t.row + y < p.rows && t.column + x < p.cols)
            *out_place(p, t, y, x) = *in_place(p, t, y, x);
    }
}

/* --- the kernel ------------------------------------------------------------------------------ */

extern "C" __global__ void __launch_bounds__(THREADS)
    transpose_bulk(float *__restrict__ out, const float *__restrict__ in, int rows, int cols)
{
    extern __shared__ __align__(128) Vector shared[];
    __shared__ Word full[STAGES];
    constexpr int stages = STAGES;
    Vector *const in_tiles = shared, *const out_tile = shared + LOAD * STAGES * ROWS * IN_PITCH;
    const Problem p = {out, in, rows, cols, (cols + COLS - 1) / COLS, (rows + ROWS - 1) / ROWS};
    const int tiles = p.across * p.down, step = (int)gridDim.x;
    const bool engine = threadIdx.x < 32; /* the warp that starts bulk copies */

    if (LOAD && engine) {
        if (threadIdx.x == 0)
            for (int s = 0; s < stages; s++)
                barrier_make(&full[s]);
        hand_over();
        __syncwarp();
        for (int s = 0; s < stages; s++) {
            int number = (int)blockIdx.x + s * step;
            Tile t = tile_of(p, number);
            if (number < tiles && is_interior(p, t))
                fetch_tile(p, t, in_tiles + s * ROWS * IN_PITCH, &full[s]);
        }
    }
    __syncthreads(); /* the barriers are there */

    int stage = 0;
    unsigned parities = 0; /* a bit of each stage: of its next phase */
#pragma unroll 1
    for (int number = (int)blockIdx.x; number < tiles; number += step) {
        Tile t = tile_of(p, number);
        Vector *const in_tile = in_tiles + (LOAD ? stage * ROWS * IN_PITCH : 0);
        if (is_interior(p, t)) {
            if (LOAD) {
                barrier_wait(&full[stage], parities >> stage & 1);
                parities ^= 1u << stage;
            }
            if (STORE) {
                if (engine)
                    wait_sent();
                __syncthreads(); /* the tile before has left */
            }
            turn_tile(p, t, in_tile, out_tile);
            hand_over();
            __syncthreads(); /* the tile is turned */
            if (STORE && engine)
                send_tile(p, t, out_tile);
        } else
            move_edge_tile(p, t);
        if (LOAD && engine) {
            int ahead = number + STAGES * step;
            Tile next = tile_of(p, ahead);
            if (ahead < tiles && is_interior(p, next))
                fetch_tile(p, next, in_tile, &full[stage]);
        }
        stage = stage + 1 < stages ? stage + 1 : 0;
    }
    if (STORE && engine)
        wait_sent();
}
