/* The exclusive prefix sum of an array of integers: out[i] = in[0] + … + in[i − 1].
 *
 *     scan_tiles(out, totals, in)         each tile by itself, and its total
 *     grid  n / TILE_ELEMENTS             block  BLOCK
 *     scan_totals(totals, count)          the totals
 *     grid  1                             block  1024
 *     scan_add(out, totals)               each tile gets the sum of all before it
 *     grid  n / TILE_ELEMENTS             block  BLOCK
 *
 *                  ┌────────┬────────┬────────┐
 *     in           │ tile 0 │ tile 1 │ tile 2 │     a block has a tile
 *                  └────────┴────────┴────────┘
 *     scan_tiles     ∑ ► t0   ∑ ► t1   ∑ ► t2       each tile is scanned, its total put aside
 *     scan_totals       0       t0    t0 + t1       totals become the sums of those before them
 *     scan_add         + 0     + t0   + t0 + t1     … which are added to all of the tile
 *
 * STEP 1 to 5 scan a tile by Blelloch's tree: up, where the ends of ever longer parts get the sums
 * of these, and, when the root is cleared, down, where left ends become what the right ones were,
 * and right ones the sum of both.  Here the tile is 8 ones:
 *
 *     up    1 1 1 1 1 1 1 1        down    1 2 1 4 1 2 1 0
 *           1 2 1 2 1 2 1 2                1 2 1 0 1 2 1 4
 *           1 2 1 4 1 2 1 4                1 0 1 2 1 4 1 6
 *           1 2 1 4 1 2 1 8                0 1 2 3 4 5 6 7
 *
 * STEP is one of J. Cornelis's thesis, chapter 7, each with what the one before has, and what is
 * done today:
 *
 *     1  naive: in global memory; thread i adds what ends in word i
 *     2  in shared memory
 *     3  static reordering: the additions are done by the first threads of the block
 *     4  two elements per thread, so that all threads take part
 *     5  an unused word after every PADDING words, so that the words of a step are in many banks
 *     6  no tree: a thread scans ELEMENTS of its own in registers, warps scan their threads'
 *        sums by shuffles, and the first warp scans the warps'
 *
 * n is a multiple of TILE_ELEMENTS. */

/* --- what is tuned --------------------------------------------------------------------------- */

#ifndef STEP
#define STEP 6 /* how a tile is scanned, 1 to 6 as above */
#endif
#ifndef BLOCK
#define BLOCK 256 /* threads of a block; a power of two */
#endif
#ifndef ELEMENTS
#define ELEMENTS 8 /* elements per thread: 1 in STEP 1 to 3, 2 in 4 and 5, any in 6 */
#endif
#ifndef VEC
#define VEC 4 /* STEP 6: integers per load and store: 1, 2 or 4 */
#endif
#ifndef PADDING
#define PADDING 32 /* STEP 5: words between two unused ones; the thesis takes its 16 banks */
#endif

/* --- what follows from it -------------------------------------------------------------------- */

constexpr int TILE_ELEMENTS = BLOCK * ELEMENTS;
constexpr unsigned ALL_LANES = 0xffffffff;

static_assert(1 <= STEP && STEP <= 6, "there are six steps");
static_assert(BLOCK >= 64 && BLOCK <= 1024 && (BLOCK & (BLOCK - 1)) == 0, "the tree is a full one");
static_assert(STEP > 3 || ELEMENTS == 1, "a thread has one element");
static_assert(STEP < 4 || STEP > 5 || ELEMENTS == 2, "a thread has two elements");
static_assert(STEP == 6 || VEC == 1, "only elements of a thread's own move as vectors");
static_assert(ELEMENTS % VEC == 0, "a thread's elements are whole vectors");

/* First element of the block's tile. */
__device__ __forceinline__ size_t tile_start()
{
    return (size_t)blockIdx.x * TILE_ELEMENTS;
}

/* --- 1: in global memory --------------------------------------------------------------------- */

/* Whether a thread's word is the right end of one of the parts of this length: it adds. */
__device__ __forceinline__ bool ends_part(int length)
{
    return threadIdx.x % length == length - 1;
}

/* One step down the tree: the left word gets the right one, the right one both together. */
__device__ __forceinline__ void step_down(int *words, int left, int right)
{
    int sum = words[left] + words[right];
    words[left] = words[right];
    words[right] = sum;
}

/* The tree with a thread for each of `words`; the total is put aside before its place is cleared.
 */
__device__ __forceinline__ void scan_by_place(int *words, int *total)
{
    constexpr int tile = TILE_ELEMENTS;
    const int own = threadIdx.x;
#pragma unroll
    for (int length = 2; length <= tile; length *= 2) {
        __syncthreads(); /* the step before is complete */
        if (ends_part(length))
            words[own] += words[own - length / 2];
    }
    if (own == tile - 1) {
        *total = words[own];
        words[own] = 0;
    }
#pragma unroll
    for (int length = tile; length >= 2; length /= 2) {
        __syncthreads();
        if (ends_part(length))
            step_down(words, own - length / 2, own);
    }
    __syncthreads(); /* all words are final */
}

/* --- 3 to 5: the first threads do the additions ---------------------------------------------- */

/* Where word i is in shared memory. */
__device__ __forceinline__ constexpr int padded(int i)
{
    return STEP == 5 ? i + i / PADDING : i;
}

/* The right end of the thread's part, when parts are that long. */
__device__ __forceinline__ int part_end(int length)
{
    return ((int)threadIdx.x + 1) * length - 1;
}

__device__ __forceinline__ void scan_by_rank(int *words, int *total)
{
    constexpr int tile = TILE_ELEMENTS;
#pragma unroll
    for (int length = 2; length <= tile; length *= 2) {
        int right = part_end(length);
        __syncthreads(); /* the step before is complete */
        if (right < tile)
            words[padded(right)] += words[padded(right - length / 2)];
    }
    __syncthreads(); /* the root is there */
    if (threadIdx.x == 0) {
        *total = words[padded(tile - 1)];
        words[padded(tile - 1)] = 0;
    }
#pragma unroll
    for (int length = tile; length >= 2; length /= 2) {
        int right = part_end(length);
        __syncthreads();
        if (right < tile)
            step_down(words, padded(right - length / 2), padded(right));
    }
    __syncthreads(); /* all words are final */
}

/* --- 6: registers and shuffles --------------------------------------------------------------- */

/* ELEMENTS integers of one thread, VEC of which move as one. */
struct alignas(4 * VEC) Vector {
    int at[VEC];
};

struct Own {
    Vector vector[ELEMENTS / VEC];
};

__device__ __forceinline__ Own load_own(const int *in)
{
    constexpr int vectors = ELEMENTS / VEC;
    const Vector *from = (const Vector *)&in[tile_start() + threadIdx.x * ELEMENTS];
    Own own;
#pragma unroll vectors
    for (int v = 0; v < vectors; v++)
        own.vector[v] = from[v];
    return own;
}

__device__ __forceinline__ void store_own(int *out, const Own &own)
{
    constexpr int vectors = ELEMENTS / VEC;
    Vector *to = (Vector *)&out[tile_start() + threadIdx.x * ELEMENTS];
#pragma unroll vectors
    for (int v = 0; v < vectors; v++)
        to[v] = own.vector[v];
}

/* Replaces the thread's elements by the sums of those before them; gives the sum of all. */
__device__ __forceinline__ int scan_own(Own &own)
{
    constexpr int elements = ELEMENTS;
    int sum = 0;
#pragma unroll elements
    for (int e = 0; e < elements; e++) {
        int element = own.vector[e / VEC].at[e % VEC];
        own.vector[e / VEC].at[e % VEC] = sum;
        sum += element;
    }
    return sum;
}

__device__ __forceinline__ void add_to_own(Own &own, int before)
{
    constexpr int elements = ELEMENTS;
#pragma unroll elements
    for (int e = 0; e < elements; e++)
        own.vector[e / VEC].at[e % VEC] += before;
}

/* The sum of the values of a warp's lanes up to this one, itself included. */
__device__ __forceinline__ int scan_warp(int value)
{
    const int lane = threadIdx.x % 32;
#pragma unroll
    for (int distance = 1; distance < 32; distance *= 2) {
        int left = __shfl_up_sync(ALL_LANES, value, distance);
        value += lane >= distance ? left : 0;
    }
    return value;
}

/* The sum of the values of all threads before this one, of `warps` warps; *all is that of all. */
__device__ __forceinline__ int scan_threads(int value, int *warp_sums, int warps, int *all)
{
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    int up_to_here = scan_warp(value);
    if (lane == 31)
        warp_sums[warp] = up_to_here;
    __syncthreads(); /* all warps' sums are there */
    if (warp == 0) {
        int sum = scan_warp(lane < warps ? warp_sums[lane] : 0);
        if (lane < warps)
            warp_sums[lane] = sum;
    }
    __syncthreads(); /* … and are scanned */
    *all = warp_sums[warps - 1];
    return up_to_here - value + (warp > 0 ? warp_sums[warp - 1] : 0);
}

/* --- the kernels ----------------------------------------------------------------------------- */

extern "C" __global__ void __launch_bounds__(BLOCK)
    scan_tiles(int *__restrict__ out, int *__restrict__ totals, const int *__restrict__ in)
{
    int *total = &totals[blockIdx.x];
#if STEP == 1
    int *words = out + tile_start();
    words[threadIdx.x] = in[tile_start() + threadIdx.x];
    scan_by_place(words, total);
#elif STEP < 6
    constexpr int elements = ELEMENTS;
    __shared__ int words[padded(TILE_ELEMENTS)];
#pragma unroll elements
    for (int i = 0; i < elements; i++)
        words[padded(i * BLOCK + threadIdx.x)] = in[tile_start() + i * BLOCK + threadIdx.x];
    if (STEP == 2)
        scan_by_place(words, total);
    else
        scan_by_rank(words, total);
#pragma unroll elements
    for (int i = 0; i < elements; i++)
        out[tile_start() + i * BLOCK + threadIdx.x] = words[padded(i * BLOCK + threadIdx.x)];
#else
    constexpr int warps = BLOCK / 32;
    __shared__ int warp_sums[warps];
    Own own = load_own(in);
    int all, before = scan_threads(scan_own(own), warp_sums, warps, &all);
    add_to_own(own, before);
    store_own(out, own);
    if (threadIdx.x == 0)
        *total = all;
#endif
}

/* One block scans the totals, four to each thread at a time: one to each makes so many rounds that
 * small tiles wait longer for their totals than for themselves. */
extern "C" __global__ void __launch_bounds__(1024) scan_totals(int *totals, unsigned count)
{
    __shared__ int warp_sums[32];
    int before = 0; /* the sum of all rounds before */
#pragma unroll 1
    for (unsigned start = 0; start < count; start += 4 * 1024) {
        const unsigned place = start + 4 * threadIdx.x;
        int own[4], own_sum = 0;
#pragma unroll
        for (int i = 0; i < 4; i++) {
            own[i] = place + i < count ? totals[place + i] : 0;
            own_sum += own[i];
        }
        int all, sum = before + scan_threads(own_sum, warp_sums, 32, &all);
#pragma unroll
        for (int i = 0; i < 4; i++) {
            if (place + i < count)
                totals[place + i] = sum;
            sum += own[i];
        }
        before += all;
        __syncthreads(); /* the warps' sums are read */
    }
}

extern "C" __global__ void __launch_bounds__(BLOCK)
    scan_add(int *__restrict__ out, const int *__restrict__ totals)
{
    constexpr int vectors = ELEMENTS / VEC, vec = VEC;
    Vector *vector = (Vector *)&out[tile_start()];
    int before = totals[blockIdx.x];
#pragma unroll vectors
    for (int v = 0; v < vectors; v++) {
        Vector moved = vector[v * BLOCK + threadIdx.x];
#pragma unroll vec
        for (int i = 0; i < vec; i++)
            moved.at[i] += before;
        vector[v * BLOCK + threadIdx.x] = moved;
    }
}
