/* The transpose of a matrix of elements of 1, 2, 4, 8 or 16 bytes: out[x][y] = in[y][x], in is
 * rows×cols, out is cols×rows, row major.
 *
 *     transpose_tiles(out, in, rows, cols)
 *     grid  ceil(cols / COLS) · ceil(rows / ROWS)          block  THREADS
 *
 * A block turns one tile of ROWS×COLS elements.  A unit is VEC elements that move as one.  A thread
 * reads squares of VEC units below each other, turns them in its registers and puts them into
 * shared memory, where the tile lies as `out` has it; from there rows are written, again in units:
 *
 *          in: ROWS × COLS                      shared memory: COLS × ROWS
 *        ┌──────┬──────┬──────┐                 ┌──────┬──────┐
 *        │ abcd │      │      │                 │ aeim │      │      a row is NI units, and unit i
 *        │ efgh │      │      │    turned, in   │ bfjn │      │      of row c lies at place
 *        │ ijkl │      │      │    registers    │ cgko │      │      i xor c / VEC, so that the
 *        │ mnop │      │      │        ►        │ dhlp │      │      lanes of a warp meet
 *        ├──────┼──────┼──────┤                 ├──────┼──────┤      different banks both ways
 *        └──────┴──────┴──────┘                 └──────┴──────┘
 *
 * ORDER is how many rows of tiles are worked on together, from left to right, each column of the
 * group from top to bottom; 0 is all rows.  What is near in one matrix is far apart in the other: 1
 * reads nearly in order, 0 writes so.
 *
 * A tile that the matrix ends in, and every tile of a matrix whose rows are not aligned to units,
 * is moved element by element, which is slow. */

/* --- what is tuned --------------------------------------------------------------------------- */

#ifndef ROWS
#define ROWS 64 /* of the tile, in `in` */
#endif
#ifndef COLS
#define COLS 64
#endif
#ifndef VEC
#define VEC 4 /* elements of a unit */
#endif
#ifndef THREADS
#define THREADS 256
#endif
#ifndef ORDER
#define ORDER 0 /* rows of tiles that are worked on together; 0: all */
#endif
#ifndef STREAM
#define STREAM 0 /* nothing is used again, say 1: loads and stores; 2: stores */
#endif

/* --- what is computed ------------------------------------------------------------------------ */

#ifndef SIZE
#define SIZE 4 /* bytes of an element */
#endif

/* --- what follows from it -------------------------------------------------------------------- */

constexpr int UNIT = SIZE * VEC;           /* bytes */
constexpr int NI = ROWS / VEC;             /* units of a row of `out`'s tile */
constexpr int NJ = COLS / VEC;             /* … and of `in`'s */
constexpr int SQUARES = NI * NJ / THREADS; /* of a thread */
constexpr int MOVES = COLS * NI / THREADS; /* units that a thread writes */

static_assert(SIZE == 1 || SIZE == 2 || SIZE == 4 || SIZE == 8 || SIZE == 16, "so large elements");
static_assert(UNIT == 4 || UNIT == 8 || UNIT == 16, "a unit moves at once");
static_assert(ROWS % VEC == 0 && COLS % VEC == 0, "a tile is of whole squares");
static_assert((NI & (NI - 1)) == 0, "exclusive or permutes powers of two");
static_assert(NI * NJ % THREADS == 0, "all threads have as many squares");
static_assert(THREADS <= 1024, "a block has 1024 threads at most");

template <int BYTES> struct Bits;
template <> struct Bits<1> {
    typedef unsigned char Type;
};
template <> struct Bits<2> {
    typedef unsigned short Type;
};
template <> struct Bits<4> {
    typedef unsigned Type;
};
template <> struct Bits<8> {
    typedef uint2 Type;
};
template <> struct Bits<16> {
    typedef uint4 Type;
};
typedef Bits<SIZE>::Type Element;
typedef Bits<UNIT>::Type Moved;

/* VEC elements; a thread's elements are in registers, the compiler sees no memory here. */
union Unit {
    Moved all;
    Element at[VEC];
};

/* Both matrices, and where in them the block works. */
struct Problem {
    Element *out;
    const Element *in;
    int rows, cols;    /* of in */
    int row0, column0; /* first element of the tile, in `in` */
};

/* --- where things lie ------------------------------------------------------------------------ */

__device__ __forceinline__ void choose_tile(Problem &p)
{
    const int across = (p.cols + COLS - 1) / COLS, down = (p.rows + ROWS - 1) / ROWS;
    const int together = ORDER ? ORDER : down, block = (int)blockIdx.x;
    const int group = block / (together * across), within = block % (together * across);
    const int left = down - group * together, high = left < together ? left : together;
    p.row0 = (group * together + within % high) * ROWS;
    p.column0 = within / high * COLS;
}

/* Whether the tile lies inside the matrix and rows of both matrices start on a unit's boundary. */
__device__ __forceinline__ bool tile_is_interior(const Problem &p)
{
    return p.row0 + ROWS <= p.rows && p.column0 + COLS <= p.cols && p.rows % VEC == 0 &&
           p.cols % VEC == 0;
}

/* The tile's element (y, x), as `in` has it, in `in` and in `out`. */
__device__ __forceinline__ const Element *in_place(const Problem &p, int y, int x)
{
    return p.in + (size_t)(p.row0 + y) * p.cols + p.column0 + x;
}

__device__ __forceinline__ Element *out_place(const Problem &p, int y, int x)
{
    return p.out + (size_t)(p.column0 + x) * p.rows + p.row0 + y;
}

/* Unit i of row c of the tile in shared memory. */
__device__ __forceinline__ int place(int c, int i)
{
    return c * NI + (i ^ c / VEC % NI);
}

/* --- moving ---------------------------------------------------------------------------------- */

__device__ __forceinline__ Moved load(const Element *from)
{
    return STREAM == 1 ? __ldcs((const Moved *)from) : *(const Moved *)from;
}

__device__ __forceinline__ void store(Element *to, const Moved &m)
{
    if (STREAM)
        __stcs((Moved *)to, m);
    else
        *(Moved *)to = m;
}

/* The square's column of units, one below the other. */
struct Square {
    Unit row[VEC];
};

__device__ __forceinline__ Square load_square(const Problem &p, int i, int j)
{
    constexpr int vec = VEC;
    Square s;
#pragma unroll vec
    for (int v = 0; v < vec; v++)
        s.row[v].all = load(in_place(p, i * VEC + v, j * VEC));
    return s;
}

__device__ __forceinline__ void put_square(Moved *tile, const Square &s, int i, int j)
{
    constexpr int vec = VEC;
#pragma unroll vec
    for (int x = 0; x < vec; x++) {
        Unit turned;
#pragma unroll vec
        for (int y = 0; y < vec; y++)
            turned.at[y] = s.row[y].at[x];
        tile[place(j * VEC + x, i)] = turned.all;
    }
}

/* --- at the edges ---------------------------------------------------------------------------- */

__device__ __forceinline__ void move_edge_tile(const Problem &p)
{
    constexpr int elements = ROWS * COLS, threads = THREADS;
#pragma unroll 1
    for (int s = 0; s < elements; s += threads) {
        int y = (s + (int)threadIdx.x) / COLS, x = (s + (int)threadIdx.x) % COLS;
        if (y < ROWS && p.row0 + y < p.rows && p.column0 + x < p.cols)
            *out_place(p, y, x) = *in_place(p, y, x);
    }
}

/* --- the kernel ------------------------------------------------------------------------------ */

extern "C" __global__ void __launch_bounds__(THREADS)
    transpose_tiles(Element *__restrict__ out, const Element *__restrict__ in, int rows, int cols)
{
    extern __shared__ __align__(16) char shared[];
    constexpr int squares = SQUARES, moves = MOVES;
    const int thread = (int)threadIdx.x;
    Moved *tile = (Moved *)shared;
    Problem p = {out, in, rows, cols};
    choose_tile(p);
    if (!tile_is_interior(p)) {
        move_edge_tile(p);
        return;
    }

    Square own[SQUARES];
#pragma unroll squares
    for (int s = 0; s < squares; s++)
        own[s] = load_square(p, (s * THREADS + thread) / NJ, (s * THREADS + thread) % NJ);
#pragma unroll squares
    for (int s = 0; s < squares; s++)
        put_square(tile, own[s], (s * THREADS + thread) / NJ, (s * THREADS + thread) % NJ);
    __syncthreads(); /* the tile is complete */
#pragma unroll moves
    for (int m = 0; m < moves; m++) {
        int c = (m * THREADS + thread) / NI, i = (m * THREADS + thread) % NI;
        store(out_place(p, i * VEC, c), tile[place(c, i)]);
    }
}
