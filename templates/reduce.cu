/* What an array comes to in one launch: the sum of its elements, the largest of them, or the sum of
 * their products with those of a second array.
 *
 *     reduce(total, partial, state, x, y, n)
 *     grid  blocks of `partial`          block  BLOCK
 *
 * A thread takes vectors of VEC elements, UNROLL of them at a time, which are on their way
 * together:
 *
 *                 ┌──────────┬──────────┬──────────┬──────────┬──
 *     SPREAD 0    │ block 0  │ block 0  │ block 1  │ block 1  │    a block has one stretch of x
 *     SPREAD 1    │ block 0  │ block 1  │ block 0  │ block 1  │    blocks take turns
 *                 └──────────┴──────────┴──────────┴──────────┴──
 *                   a piece: BLOCK·UNROLL vectors, read by neighbours
 *
 * What the blocks' parts come to:
 *
 *     FINISH 0    a block leaves its part in `partial` and counts itself in state[0]; the last one
 *                 puts all parts together, always in the same order
 *     FINISH 1    for sums of integers: a block adds its part to the upper half of state[1] and one
 *                 to the lower half, at once; the last one thereby has the sum
 *
 * Both begin anew by themselves: `state` is zero before the first launch, of whatever size and
 * configuration, and is then left alone. */

/* --- what is tuned --------------------------------------------------------------------------- */

#ifndef BLOCK
#define BLOCK 512 /* threads of a block */
#endif
#ifndef VEC
#define VEC 4 /* elements per load */
#endif
#ifndef UNROLL
#define UNROLL 8 /* loads that are on their way together */
#endif
#ifndef SPREAD
#define SPREAD 0 /* a block's pieces: 0: one behind the other; 1: in turn with other blocks' */
#endif
#ifndef STREAM
#define STREAM 0 /* 1: loads say that nothing is used again */
#endif

#ifndef FINISH
#define FINISH 0 /* how blocks' parts are put together, as above */
#endif

/* --- what is computed ------------------------------------------------------------------------ */

#define SUM_OF_ELEMENTS 0
#define LARGEST_ELEMENT 1
#define SUM_OF_PRODUCTS 2

#ifndef OPERATION
#define OPERATION SUM_OF_ELEMENTS
#endif
#ifndef TYPE
#define TYPE int /* of the elements, and of what they come to: 4 bytes */
#endif

/* --- what follows from it -------------------------------------------------------------------- */

constexpr int WARPS = BLOCK / 32;
constexpr unsigned ALL_LANES = 0xffffffff;
constexpr unsigned PIECE = BLOCK * UNROLL * VEC; /* elements */
constexpr bool TWO = OPERATION == SUM_OF_PRODUCTS;

static_assert(BLOCK % 32 == 0 && BLOCK <= 1024, "a block is of 1 to 32 whole warps");
static_assert(VEC == 1 || VEC == 2 || VEC == 4, "there are loads of 4, 8 and 16 bytes");
static_assert(sizeof(TYPE) == 4, "elements have 4 bytes");
static_assert(FINISH == 0 || (OPERATION == SUM_OF_ELEMENTS && TYPE(0.5) == TYPE(0)),
              "only integers can be added in half a word, in any order");

typedef unsigned long long Word;

/* VEC elements that move as one. */
struct alignas(sizeof(TYPE) * VEC) Vector {
    TYPE at[VEC];
};

/* --- the operation --------------------------------------------------------------------------- */

/* What nothing at all comes to. */
__device__ __forceinline__ TYPE nothing()
{
    if (OPERATION != LARGEST_ELEMENT)
        return TYPE(0);
    const bool whole = TYPE(0.5) == TYPE(0);
    int least = whole ? (int)0x80000000 : (int)0xff800000; /* −2^31, −∞ */
    return *(TYPE *)&least;
}

__device__ __forceinline__ TYPE join(TYPE a, TYPE b)
{
    return OPERATION == LARGEST_ELEMENT ? (b > a ? b : a) : a + b;
}

/* An element, or two of them, with what there is already. */
__device__ __forceinline__ TYPE take(TYPE have, TYPE x, TYPE y)
{
    return TWO ? have + x * y : join(have, x);
}

/* --- moving ---------------------------------------------------------------------------------- */

__device__ __forceinline__ Vector load(const TYPE *from)
{
    Vector v;
    if (STREAM == 0)
        return *(const Vector *)from;
#if VEC == 4
    asm volatile("ld.global.cs.v4.b32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(*(int *)&v.at[0]), "=r"(*(int *)&v.at[1]), "=r"(*(int *)&v.at[2]),
                   "=r"(*(int *)&v.at[3])
                 : "l"(from));
#endif
    return v;
}

/* A whole piece: all loads, then all sums, for each of the thread's UNROLL·VEC places by itself. */
struct Sums {
    Vector of[UNROLL];
};

__device__ __forceinline__ void take_piece(Sums &sums, const TYPE *x, const TYPE *y, size_t start)
{
    constexpr int unroll = UNROLL, vec = VEC;
    Vector of_x[UNROLL], of_y[UNROLL];
#pragma unroll unroll
    for (int u = 0; u < unroll; u++) {
        size_t at = start + (size_t)(u * BLOCK + threadIdx.x) * VEC;
        of_x[u] = load(x + at);
        if (TWO)
            of_y[u] = load(y + at);
    }
#pragma unroll unroll
    for (int u = 0; u < unroll; u++)
#pragma unroll vec
        for (int v = 0; v < vec; v++)
            sums.of[u].at[v] =
                take(sums.of[u].at[v], of_x[u].at[v], TWO ? of_y[u].at[v] : of_x[u].at[v]);
}

/* A piece that x ends in. */
__device__ __forceinline__ void take_last(Sums &sums, const TYPE *x, const TYPE *y, size_t start,
                                          size_t n)
{
    constexpr unsigned piece = PIECE, block = BLOCK;
#pragma unroll 1
    for (unsigned s = 0; s < piece; s += block) {
        size_t at = start + s + threadIdx.x;
        if (at < n)
            sums.of[0].at[0] = take(sums.of[0].at[0], x[at], TWO ? y[at] : x[at]);
    }
}

/* --- putting together ------------------------------------------------------------------------ */

__device__ __forceinline__ TYPE join_own(const Sums &sums)
{
    constexpr int unroll = UNROLL, vec = VEC;
    TYPE sum = nothing();
#pragma unroll unroll
    for (int u = 0; u < unroll; u++)
#pragma unroll vec
        for (int v = 0; v < vec; v++)
            sum = join(sum, sums.of[u].at[v]);
    return sum;
}

__device__ __forceinline__ TYPE join_warp(TYPE value)
{
#pragma unroll
    for (int distance = 16; distance > 0; distance /= 2)
        value = join(value, __shfl_xor_sync(ALL_LANES, value, distance));
    return value;
}

/* What the values of all threads come to, in the first thread. */
__device__ __forceinline__ TYPE join_block(TYPE value, TYPE *warps)
{
    value = join_warp(value);
    if (threadIdx.x % 32 == 0)
        warps[threadIdx.x / 32] = value;
    __syncthreads(); /* all warps are there */
    if (threadIdx.x >= 32)
        return value;
    return join_warp(threadIdx.x < WARPS ? warps[threadIdx.x] : nothing());
}

/* Counts this block; true in the last one of the launch, which then sees what the others stored. */
__device__ __forceinline__ bool is_last(Word *state)
{
    unsigned before;
    asm volatile("atom.acq_rel.gpu.global.inc.u32 %0, [%1], %2;"
                 : "=r"(before)
                 : "l"(state), "r"(gridDim.x - 1)
                 : "memory");
    return before == gridDim.x - 1;
}

/* Adds a block's part and counts it; the last one stores the sum. */
__device__ __forceinline__ void add_part(TYPE *total, Word *state, TYPE sum)
{
    Word before = atomicAdd(&state[1], (Word)(unsigned)sum << 32 | 1);
    if ((unsigned)before != gridDim.x - 1)
        return;
    *total = (TYPE)(unsigned)(before >> 32) + sum;
    state[1] = 0;
}

/* What all blocks' parts come to, of this thread's share of them. */
__device__ __forceinline__ TYPE join_parts(const TYPE *partial)
{
    TYPE sum = nothing();
    const unsigned blocks = gridDim.x, block = BLOCK;
#pragma unroll 4
    for (unsigned s = 0; s < blocks; s += block)
        if (s + threadIdx.x < blocks)
            sum = join(sum, __ldcg(partial + s + threadIdx.x));
    return sum;
}

/* --- the kernel ------------------------------------------------------------------------------ */

extern "C" __global__ void __launch_bounds__(BLOCK)
    reduce(TYPE *total, TYPE *partial, Word *state, const TYPE *__restrict__ x,
           const TYPE *__restrict__ y, unsigned n)
{
    constexpr int unroll = UNROLL, vec = VEC;
    __shared__ TYPE warps[32];
    Sums sums;
#pragma unroll unroll
    for (int u = 0; u < unroll; u++)
#pragma unroll vec
        for (int v = 0; v < vec; v++)
            sums.of[u].at[v] = nothing();

    const unsigned pieces = n / PIECE + (n % PIECE != 0);
    const unsigned each = pieces / gridDim.x + (pieces % gridDim.x != 0);
#pragma unroll 1
    for (unsigned k = 0; k < each; k++) {
        unsigned piece = SPREAD ? k * gridDim.x + blockIdx.x : blockIdx.x * each + k;
        size_t start = (size_t)piece * PIECE;
        if (start + PIECE <= n)
            take_piece(sums, x, y, start);
        else if (start < n)
            take_last(sums, x, y, start, n);
    }

    TYPE sum = join_block(join_own(sums), warps);
#if FINISH == 1
    if (threadIdx.x == 0)
        add_part(total, state, sum);
#else
    __shared__ bool last;
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = sum;
        last = is_last(state);
    }
    __syncthreads(); /* this block's part is stored; is it the last one? */
    if (!last)
        return;
    sum = join_block(join_parts(partial), warps);
    if (threadIdx.x == 0)
        *total = sum;
#endif
}
