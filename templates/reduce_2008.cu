/* The sum of all elements of an array of integers: one sum per block, then the sum of these.
 *
 *     reduce(sums, in data)                    reduce_total(out total, sums, count)
 *     grid  n / (BLOCK * ELEMENTS)             grid  1
 *     block  BLOCK                             block  1024
 *
 * A thread first adds up ELEMENTS elements by itself: in one run with STRATEGY 0, otherwise in
 * vectors of VEC that are dealt round, so that a warp's loads lie together.  Then a block adds up
 * its threads' sums.  The strategies are those of C. Picard's lecture "Parallel Pattern"; here the
 * words of shared memory that the threads 0, 1, 2 … add to, for 8 threads:
 *
 *     STRATEGY 0    no tree: all threads add to one word
 *
 *     STRATEGY 1    0 . 2 . 4 . 6 .      each step, every second thread of those that were active
 *                   0 . . . 4 . . .      goes on: a warp's active threads get ever fewer, and each
 *                   0 . . . . . . .      warp stays active to the end
 *
 *     STRATEGY 2    0 1 2 3              the same words, but neighbouring threads add them: whole
 *                   0 1                  warps fall idle; the words are 2, 4, 8 … apart, in ever
 *                   0                    fewer banks
 *
 *     STRATEGY 3    0 1 2 3              words 4, 2, 1 apart are added: whole warps fall idle, and
 *                   0 1                  neighbouring threads have neighbouring words
 *                   0
 *
 *     STRATEGY 4    as 3 within a warp, from register to register; shared memory holds one word per
 *                   warp, which the first warp adds up in the same way
 *
 * (The lecture describes 1 and 2 as here; its listings for them have changed places.)
 *
 * FINISH says what becomes of the blocks' sums: each is stored in a word of its own, and
 * reduce_total adds up `count` of them; or all are added to one word by atomic operations, which
 * reduce_total moves to the result and clears for the next time.  n is a multiple of
 * BLOCK·ELEMENTS. */

/* --- what is tuned --------------------------------------------------------------------------- */

#ifndef STRATEGY
#define STRATEGY 4 /* by which a block adds up its threads' sums, 0 to 4 as above */
#endif
#ifndef BLOCK
#define BLOCK 256 /* threads of a block; a power of two */
#endif
#ifndef ELEMENTS
#define ELEMENTS 8 /* elements that a thread adds up by itself */
#endif
#ifndef VEC
#define VEC 4 /* integers per load: 1, 2 or 4 */
#endif
#ifndef UNROLL
#define UNROLL 2 /* loads that are on their way together */
#endif
#ifndef FINISH
#define FINISH 0 /* blocks' sums: 0: each in a word of its own; 1: added to one word, 0 before */
#endif

/* --- what follows from it -------------------------------------------------------------------- */

constexpr int VECTORS = ELEMENTS / VEC; /* loads of a thread */
constexpr int WARPS = (BLOCK + 31) / 32;
constexpr unsigned ALL_LANES = 0xffffffff;

static_assert(VEC == 1 || VEC == 2 || VEC == 4, "there are loads of 4, 8 and 16 bytes");
static_assert(ELEMENTS % VEC == 0, "a thread's elements are whole vectors");
static_assert(VECTORS % UNROLL == 0, "the loop does all loads");
static_assert(BLOCK >= 64 && BLOCK <= 1024 && (BLOCK & (BLOCK - 1)) == 0, "the tree is a full one");
static_assert(0 <= STRATEGY && STRATEGY <= 4, "there are five strategies");

/* VEC integers that move as one. */
struct alignas(4 * VEC) Vector {
    int at[VEC];
};

/* --- one thread's own elements --------------------------------------------------------------- */

/* Where the thread's vector number v starts in the block's stretch. */
__device__ __forceinline__ unsigned own_place(int v)
{
    return STRATEGY == 0 ? threadIdx.x * ELEMENTS + v * VEC : (v * BLOCK + threadIdx.x) * VEC;
}

__device__ __forceinline__ int sum_vector(const Vector &vector)
{
    constexpr int vec = VEC;
    int sum = 0;
#pragma unroll vec
    for (int i = 0; i < vec; i++)
        sum += vector.at[i];
    return sum;
}

__device__ __forceinline__ int sum_own(const int *stretch)
{
    constexpr int vectors = VECTORS, unroll = UNROLL;
    int sum = 0;
#pragma unroll unroll
    for (int v = 0; v < vectors; v++)
        sum += sum_vector(*(const Vector *)&stretch[own_place(v)]);
    return sum;
}

/* --- a block's threads: the result is thread 0's --------------------------------------------- */

__device__ __forceinline__ int sum_block_atomic(int own)
{
    __shared__ int sum;
    if (threadIdx.x == 0)
        sum = 0;
    __syncthreads(); /* it is 0 */
    atomicAdd(&sum, own);
    __syncthreads(); /* all have added */
    return sum;
}

/* One step of a tree: a thread that takes part adds the word at `place + distance` to its own. */
__device__ __forceinline__ void add_step(int *sums, bool takes_part, int place, int distance)
{
    __syncthreads(); /* the step before is complete */
    if (takes_part)
        sums[place] += sums[place + distance];
}

__device__ __forceinline__ int sum_block_tree(int own)
{
    __shared__ int sums[BLOCK];
    constexpr int block = BLOCK;
    const int thread = threadIdx.x;
    sums[thread] = own;
#if STRATEGY == 1
#pragma unroll
    for (int distance = 1; distance < block; distance *= 2)
        add_step(sums, thread % (2 * distance) == 0, thread, distance);
#elif STRATEGY == 2
#pragma unroll
    for (int distance = 1; distance < block; distance *= 2)
        add_step(sums, 2 * distance * thread < block, 2 * distance * thread, distance);
#else
#pragma unroll
    for (int distance = block / 2; distance > 0; distance /= 2)
        add_step(sums, thread < distance, thread, distance);
#endif
    return sums[0]; /* thread 0 wrote it last */
}

/* The sum over `lanes` lanes from the warp's first on, a power of two; lane 0's is right. */
__device__ __forceinline__ int sum_warp(int own, int lanes)
{
#pragma unroll
    for (int distance = lanes / 2; distance > 0; distance /= 2)
        own += __shfl_down_sync(ALL_LANES, own, distance);
    return own;
}

__device__ __forceinline__ int sum_block_shuffle(int own)
{
    __shared__ int sums[WARPS];
    constexpr int warps = WARPS;
    own = sum_warp(own, 32);
    if (threadIdx.x % 32 == 0)
        sums[threadIdx.x / 32] = own;
    __syncthreads(); /* all warps' sums are there */
    if (threadIdx.x < 32)
        own = sum_warp(threadIdx.x < warps ? sums[threadIdx.x] : 0, warps);
    return own;
}

/* --- the kernels ----------------------------------------------------------------------------- */

extern "C" __global__ void __launch_bounds__(BLOCK)
    reduce(int *__restrict__ sums, const int *__restrict__ data)
{
    int sum = sum_own(data + (size_t)blockIdx.x * (BLOCK * ELEMENTS));
    if (STRATEGY == 0)
        sum = sum_block_atomic(sum);
    else if (STRATEGY == 4)
        sum = sum_block_shuffle(sum);
    else
        sum = sum_block_tree(sum);
    if (threadIdx.x != 0)
        return;
    if (FINISH == 1)
        atomicAdd(sums, sum);
    else
        sums[blockIdx.x] = sum;
}

/* A word of the blocks' sums, 0 behind the last one. */
__device__ __forceinline__ int take_sum(int *sums, unsigned place, unsigned count)
{
    if (place >= count)
        return 0;
    int sum = sums[place];
    if (FINISH == 1)
        sums[place] = 0;
    return sum;
}

/* One block adds the sums up in rounds of four for each thread. */
extern "C" __global__ void __launch_bounds__(1024)
    reduce_total(int *__restrict__ total, int *__restrict__ sums, unsigned count)
{
    __shared__ int warp_sums[32];
    int sum = 0;
#pragma unroll 1
    for (unsigned start = 0; start < count; start += 4 * 1024) {
#pragma unroll 4
        for (unsigned i = 0; i < 4; i++)
            sum += take_sum(sums, start + i * 1024 + threadIdx.x, count);
    }
    sum = sum_warp(sum, 32);
    if (threadIdx.x % 32 == 0)
        warp_sums[threadIdx.x / 32] = sum;
    __syncthreads(); /* all warps' sums are there */
    if (threadIdx.x < 32)
        sum = sum_warp(warp_sums[threadIdx.x], 32);
    if (threadIdx.x == 0)
        *total = sum;
}
