/* How threads reach memory: a copy of an array, by ways that memory likes or does not.
 *
 *     access_copy(out, in, rows, columns)
 *     grid  rows · columns / elements of a block      block  BLOCK
 *
 * The kernels of J. Cornelis's thesis, 4.2 and 4.3.1, and of J. Cornelis and J. Lemeire,
 * "Benchmarks Based on Anti-Parallel Patterns" (ParCo 2011), 2.2.2.  KIND says which; whatever it
 * is, a copy comes out.
 *
 *     0  offset      thread t copies element t + OFFSET; the last ones start again at the first
 *                    (with more ELEMENTS, also those that are a block's threads further on)
 *
 *            t     0   1   2   3   4  …       a warp's words lie together, but they do not
 *                   ╲   ╲   ╲   ╲   ╲         start where a sector does
 *            i     0   1   2   3   4   5
 *
 *     1  crossed     even and odd neighbours change places
 *
 *            t     0   1   2   3   4  …
 *                    ╳       ╳       ╳        the same sectors, in another order
 *            i     0   1   2   3   4   5
 *
 *     2  matrix      rows×columns in tiles of TILE×TILE, thread (x, y) has its word (x, y) …
 *
 *            READ, WRITE 0: by rows        1: by columns: a warp's words are a whole row apart
 *                  0  1  2  3                  0  4  8 12
 *                  4  5  6  7                  1  5  9 13
 *                  8  9 10 11                  2  6 10 14
 *                 12 13 14 15                  3  7 11 15
 *
 *                    … of ELEMENTS tiles in a row; BLOCKS 1: of tiles below each other, and
 *                    blocks go down the columns, too.  The paper's patterns 1, 2, 3 are 0,0,0;
 *                    1,1,0; 1,1,1.  Where reading and writing differ, the words change threads in
 *                    shared memory, without conflicts.
 *
 *     3  records     of FIELDS words; a thread copies one
 *
 *            LAYOUT 0: an array of structures, word by word       a b c a b c a b c a b c
 *            LAYOUT 1: a structure of arrays, word by word        a a a a b b b b c c c c
 *            LAYOUT 2: 0 with structures that are aligned and move as one
 *
 *     4  shared      a block copies its words COPIES times from one array in shared memory to
 *                    another.  Of a warp's 32 words READ_WAYS lie in each bank of the one that is
 *                    read, and WRITE_WAYS in each bank of the other:
 *
 *            ways 1:  0 1 2 3 4 5 6 7      ways 2, 8 words:  0 2 4 6 1 3 5 7
 *
 * The number of elements is a multiple of what a block copies, and rows and columns of TILE. */

/* --- what is tuned --------------------------------------------------------------------------- */

#ifndef KIND
#define KIND 0 /* 0: offset; 1: crossed; 2: matrix; 3: records; 4: shared */
#endif
#ifndef BLOCK
#define BLOCK 256 /* threads of a block; TILE·TILE of them for KIND 2 */
#endif
#ifndef ELEMENTS
#define ELEMENTS 1 /* KIND 0, 1, 2: words that a thread copies */
#endif
#ifndef OFFSET
#define OFFSET 0 /* KIND 0: words from a thread's number to its element's */
#endif
#ifndef TILE
#define TILE 16 /* KIND 2: rows and columns of a tile */
#endif
#ifndef READ
#define READ 0 /* KIND 2: 0: threads read along a row; 1: along a column */
#endif
#ifndef WRITE
#define WRITE 0 /* KIND 2: 0: threads write along a row; 1: along a column */
#endif
#ifndef BLOCKS
#define BLOCKS 0 /* KIND 2: tiles are given out 0: along a row; 1: along a column */
#endif
#ifndef FIELDS
#define FIELDS 3 /* KIND 3: words of a record */
#endif
#ifndef LAYOUT
#define LAYOUT 0 /* KIND 3: 0: array of structures; 1: structure of arrays; 2: aligned */
#endif
#ifndef READ_WAYS
#define READ_WAYS 1 /* KIND 4: words of a warp in each bank that is read: 1, 2, 4 … 32 */
#endif
#ifndef WRITE_WAYS
#define WRITE_WAYS 1 /* KIND 4: … and that is written */
#endif

/* --- what follows from it -------------------------------------------------------------------- */

constexpr int COPIES = 8; /* KIND 4: within shared memory; the thesis makes 100, which takes long */

static_assert(0 <= KIND && KIND <= 4, "there are five kinds");
static_assert(BLOCK <= 1024, "more threads than a block can have");
static_assert(KIND != 2 || BLOCK == TILE * TILE, "one thread for each word of a tile");
static_assert(KIND < 3 || ELEMENTS == 1, "a record, or a word of shared memory, for each thread");
static_assert(LAYOUT != 2 || FIELDS == 2 || FIELDS == 4,
              "structures of 8 and 16 bytes move as one");
static_assert(READ_WAYS <= 32 && WRITE_WAYS <= 32, "a warp has 32 words");
static_assert(KIND != 4 || (READ_WAYS * 32 <= BLOCK && WRITE_WAYS * 32 <= BLOCK),
              "the words that share a bank are 32 apart, within the block's own");

/* FIELDS words that move as one. */
struct alignas(FIELDS == 2 || FIELDS == 4 ? 4 * FIELDS : 4) Record {
    float at[FIELDS];
};

/* The thread's first word in the array; its record where it has one. */
__device__ __forceinline__ unsigned grid_thread()
{
    return blockIdx.x * (BLOCK * ELEMENTS) + threadIdx.x;
}

/* --- 0, 1 and 2: words of one thread --------------------------------------------------------- */

/* Where word number e is in the array, some words further on … */
__device__ __forceinline__ unsigned offset_place(unsigned elements, int e)
{
    unsigned place = grid_thread() + e * BLOCK + OFFSET;
    return place < elements ? place : place - elements;
}

/* … at the neighbour's place … */
__device__ __forceinline__ unsigned crossed_place(int e)
{
    return (grid_thread() + e * BLOCK) ^ 1;
}

/* … and in tile number e of the block, by rows or by columns of the tile. */
__device__ __forceinline__ unsigned matrix_place(unsigned rows, unsigned columns, int e,
                                                 int by_columns)
{
    unsigned tile = blockIdx.x * ELEMENTS + e, tiles_x = columns / TILE, tiles_y = rows / TILE;
    unsigned tile_x = BLOCKS ? tile / tiles_y : tile % tiles_x;
    unsigned tile_y = BLOCKS ? tile % tiles_y : tile / tiles_x;
    unsigned x = threadIdx.x % TILE, y = threadIdx.x / TILE;
    return (tile_y * TILE + (by_columns ? x : y)) * columns + tile_x * TILE + (by_columns ? y : x);
}

__device__ __forceinline__ unsigned word_place(unsigned rows, unsigned columns, int e,
                                               int by_columns)
{
    if (KIND == 0)
        return offset_place(rows * columns, e);
    return KIND == 1 ? crossed_place(e) : matrix_place(rows, columns, e, by_columns);
}

/* Gives the words to the threads that write them, when those are not the ones that read them. */
__device__ __forceinline__ void change_threads(float word[ELEMENTS])
{
    constexpr int elements = ELEMENTS;
    __shared__ float tiles[ELEMENTS][TILE][TILE + 1];
    unsigned x = threadIdx.x % TILE, y = threadIdx.x / TILE;
#pragma unroll elements
    for (int e = 0; e < elements; e++)
        tiles[e][y][x] = word[e];
    __syncthreads(); /* the tiles are complete */
#pragma unroll elements
    for (int e = 0; e < elements; e++)
        word[e] = tiles[e][x][y];
}

__device__ __forceinline__ void copy_words(float *out, const float *in, unsigned rows,
                                           unsigned columns)
{
    constexpr int elements = ELEMENTS;
    float word[ELEMENTS];
#pragma unroll elements
    for (int e = 0; e < elements; e++)
        word[e] = in[word_place(rows, columns, e, READ)];
    if (KIND == 2 && READ != WRITE)
        change_threads(word);
#pragma unroll elements
    for (int e = 0; e < elements; e++)
        out[word_place(rows, columns, e, WRITE)] = word[e];
}

/* --- 3: records ------------------------------------------------------------------------------ */

/* Field f of the thread's record, among all words. */
__device__ __forceinline__ unsigned field_place(unsigned records, int f)
{
    return LAYOUT == 1 ? f * records + grid_thread() : grid_thread() * FIELDS + f;
}

__device__ __forceinline__ Record load_record(const float *in, unsigned records)
{
    constexpr int fields = FIELDS;
    if (LAYOUT == 2)
        return ((const Record *)in)[grid_thread()];
    Record record;
#pragma unroll fields
    for (int f = 0; f < fields; f++)
        record.at[f] = in[field_place(records, f)];
    return record;
}

__device__ __forceinline__ void store_record(float *out, unsigned records, const Record &record)
{
    constexpr int fields = FIELDS;
    if (LAYOUT == 2) {
        ((Record *)out)[grid_thread()] = record;
        return;
    }
#pragma unroll fields
    for (int f = 0; f < fields; f++)
        out[field_place(records, f)] = record.at[f];
}

/* --- 4: shared ------------------------------------------------------------------------------- */

/* The thread's word, so that of a warp's words `ways` lie in each bank: those of neighbouring
 * threads are `ways` apart, and where the array ends they go on one word after the first. */
__device__ __forceinline__ unsigned bank_place(int ways)
{
    return threadIdx.x * ways % BLOCK + threadIdx.x * ways / BLOCK;
}

__device__ __forceinline__ void copy_shared(float *out, const float *in)
{
    __shared__ float from_words[BLOCK], to_words[BLOCK];
    /* Volatile: each copy is made, though all are the same. */
    volatile float *from = &from_words[bank_place(READ_WAYS)];
    volatile float *to = &to_words[bank_place(WRITE_WAYS)];
    *from = in[grid_thread()];
    __syncthreads(); /* as in the thesis; a thread meets its own words only */
    constexpr int copies = COPIES;
#pragma unroll copies
    for (int copy = 0; copy < copies; copy++)
        *to = *from;
    __syncthreads();
    out[grid_thread()] = *to;
}

/* --- the kernel ------------------------------------------------------------------------------ */

extern "C" __global__ void __launch_bounds__(BLOCK)
    access_copy(float *__restrict__ out, const float *__restrict__ in, unsigned rows,
                unsigned columns)
{
#if KIND < 3
    copy_words(out, in, rows, columns);
#elif KIND == 3
    unsigned records = rows * columns / FIELDS;
    store_record(out, records, load_record(in, records));
#else
    copy_shared(out, in);
#endif
}
