/* What it costs that the threads of a warp take different branches, and what helps.
 *
 *     branching(out, in, key, middle, rest, gain)
 *     grid  n / BLOCK      block  BLOCK
 *
 * Each element takes one of BRANCHES branches; a warp walks through all that one of its elements
 * takes, one after the other (J. Cornelis's thesis, chapter 3, listings 3.1 and 3.2).  All branches
 * do the same with other coefficients, and each has code of its own.  Which one an element takes is
 * SPREAD; the elements of a block in a row, BRANCHES = 4:
 *
 *     SPREAD 1             0 1 2 3 0 1 2 3 0 1 2 3 0 1 2 3      a warp takes all of them
 *     SPREAD 2             0 0 1 1 2 2 3 3 0 0 1 1 2 2 3 3
 *     SPREAD 32            0 0 0 0 0 0 0 0 … 1 1 1 1 1 1 1 1    a warp takes one
 *     SPREAD 0, SKEWED 0   2 0 3 3 1 0 2 1 3 2 0 2 1 3 0 1      by the key, that is at random
 *     SPREAD 0, SKEWED 1   0 0 0 2 0 0 0 0 0 0 1 0 0 0 0 0      by the key: mostly the first
 *
 * REMEDY is one of the thesis's (3.3):
 *
 *     0  none
 *     1  table lookup: no branches; an element looks its coefficients up
 *     2  static reordering: where the position decides, threads are given elements in another order
 *     3  dynamic reordering: a block counts how many elements take each branch, and sorts them
 *
 *              thread     0 1 2 3 4 5 6 7            thread     0 1 2 3 4 5 6 7
 *              element    0 1 2 3 4 5 6 7     ──►    element    0 4 1 5 2 6 3 7
 *              branch     0 1 2 3 0 1 2 3            branch     0 0 1 1 2 2 3 3
 *
 * BODY is what a branch does: a filter over neighbours in shared memory, which needs data, or as
 * many multiply-adds in a row, which need none.  The coefficients are 1 for the element itself and
 * 0 for all else, which only the caller knows: whatever the branches, gain times the element comes
 * out, but the work must be done.  n is a multiple of BLOCK. */

/* --- what is tuned --------------------------------------------------------------------------- */

#ifndef BLOCK
#define BLOCK 256 /* threads of a block, and its elements; a power of two */
#endif
#ifndef BRANCHES
#define BRANCHES 4 /* that an element may take: a power of two, at most 32 */
#endif
#ifndef SPREAD
#define SPREAD 1 /* neighbouring elements that take the same branch; 0: the key decides */
#endif
#ifndef SKEWED
#define SKEWED 0 /* by the key: 0: all branches as often; 1: nine in ten take the first */
#endif
#ifndef LADDER
#define LADDER 0 /* 0: all branches take as long; 1: branch b takes b + 1 times as long */
#endif
#ifndef BODY
#define BODY 1 /* of a branch: 0: a filter in shared memory; 1: multiply-adds */
#endif
#ifndef REMEDY
#define REMEDY 0 /* 0: none; 1: table lookup; 2: static reordering; 3: dynamic reordering */
#endif

/* --- what follows from it -------------------------------------------------------------------- */

constexpr int STEPS = 128;             /* multiply-adds of a branch */
constexpr int RADIUS = STEPS / 2;      /* neighbours of the filter on each side */
constexpr int UNROLL = 8;              /* steps that are written out; a loop keeps branches apart */
constexpr int EACH = BLOCK / BRANCHES; /* elements of a block that take the same branch */

static_assert((BLOCK & (BLOCK - 1)) == 0 && BLOCK <= 1024, "neighbours are found by a mask");
static_assert(BLOCK >= 2 * RADIUS, "an element has as many neighbours");
static_assert((BRANCHES & (BRANCHES - 1)) == 0 && BRANCHES <= 32, "a warp counts them");
static_assert(SKEWED == 0 || SPREAD == 0, "only by the key");
static_assert(REMEDY != 2 || SPREAD > 0, "the order must be known beforehand");
static_assert(SPREAD == 0 || BLOCK % (SPREAD * BRANCHES) == 0,
              "a block has as many of each branch");
static_assert(REMEDY != 1 || LADDER == 0, "coefficients are looked up, not how often");

/* --- which branch, which element ------------------------------------------------------------- */

/* The branch of an element of the block. */
__device__ __forceinline__ int branch_of(const unsigned *key, unsigned element)
{
    if (SPREAD > 0)
        return element / (SPREAD > 0 ? SPREAD : 1) % BRANCHES;
    unsigned k = key[blockIdx.x * BLOCK + element];
    if (SKEWED)
        return k % 10 == 0 ? k / 10 % BRANCHES : 0;
    return k % BRANCHES;
}

/* Threads in a row get the elements of the first branch, then those of the second … */
__device__ __forceinline__ unsigned static_element()
{
    constexpr unsigned spread = SPREAD > 0 ? SPREAD : 1;
    unsigned branch = threadIdx.x / EACH, rank = threadIdx.x % EACH;
    return (rank / spread * BRANCHES + branch) * spread + rank % spread;
}

/* The same where only the keys tell: each branch's elements are counted, the counts added up to
 * where each branch starts, and every element takes the next place of its branch. */
__device__ __forceinline__ unsigned dynamic_element(const unsigned *key)
{
    __shared__ unsigned next_place[BRANCHES], ordered[BLOCK];
    constexpr unsigned branches = BRANCHES;
    if (threadIdx.x < branches)
        next_place[threadIdx.x] = 0;
    __syncthreads(); /* nothing is counted */

    int branch = branch_of(key, threadIdx.x);
    atomicAdd(&next_place[branch], 1u);
    __syncthreads(); /* all is counted */

    unsigned start = 0;
    if (threadIdx.x < branches) {
#pragma unroll branches
        for (unsigned b = 0; b < branches; b++)
            start += b < threadIdx.x ? next_place[b] : 0;
    }
    __syncthreads(); /* all starts are known */
    if (threadIdx.x < branches)
        next_place[threadIdx.x] = start;
    __syncthreads(); /* places can be taken */

    ordered[atomicAdd(&next_place[branch], 1u)] = threadIdx.x;
    __syncthreads(); /* the order is complete */
    return ordered[threadIdx.x];
}

__device__ __forceinline__ unsigned own_element(const unsigned *key)
{
    if (REMEDY == 2)
        return static_element();
    if (REMEDY == 3)
        return dynamic_element(key);
    return threadIdx.x;
}

/* --- what a branch does ---------------------------------------------------------------------- */

/* A value in the element's place and its neighbours on both sides, weighted. */
__device__ __forceinline__ float filter(const float *words, unsigned element, float value,
                                        float middle, float rest)
{
    constexpr int unroll = UNROLL / 2, radius = RADIUS;
    float sum = middle * value;
#pragma unroll unroll
    for (int i = 1; i <= radius; i++) {
        sum += rest * words[(element + i) % BLOCK];
        sum += rest * words[(element - i) % BLOCK];
    }
    return sum;
}

/* As many multiply-adds on the element alone. */
__device__ __forceinline__ float compute(float value, float middle, float rest)
{
    constexpr int unroll = UNROLL, rounds = STEPS / UNROLL;
#pragma unroll 1
    for (int round = 0; round < rounds; round++) {
#pragma unroll unroll
        for (int i = 0; i < unroll; i++)
            value = value * middle + rest;
    }
    return value;
}

/* What an element with these coefficients becomes. */
__device__ __forceinline__ float body(const float *words, unsigned element, float value,
                                      float middle, float rest)
{
    return BODY == 0 ? filter(words, element, value, middle, rest) : compute(value, middle, rest);
}

/* The same as branch number `branch` does it: once, or on a ladder ever more often. */
__device__ __forceinline__ float take_branch(int branch, const float *words, unsigned element,
                                             const float *middle, const float *rest)
{
    float value = words[element];
#if LADDER
#pragma unroll 1
    for (int t = 0; t < branch; t++)
        value = body(words, element, value, middle[branch], rest[branch]);
#endif
    return body(words, element, value, middle[branch], rest[branch]);
}

/* --- the kernel ------------------------------------------------------------------------------ */

extern "C" __global__ void __launch_bounds__(BLOCK)
    branching(float *__restrict__ out, const float *__restrict__ in,
              const unsigned *__restrict__ key, const float *__restrict__ middle,
              const float *__restrict__ rest, float gain)
{
    __shared__ float words[BLOCK];
    words[threadIdx.x] = in[blockIdx.x * BLOCK + threadIdx.x];
    __syncthreads(); /* the block's elements are there */

    unsigned element = own_element(key);
    int branch = branch_of(key, element);
#if BRANCHES == 1
    float value = take_branch(0, words, element, middle, rest);
#elif REMEDY == 1
    float value = body(words, element, words[element], middle[branch], rest[branch]);
#else
    constexpr int branches = BRANCHES;
    float value = 0;
#pragma unroll branches
    for (int b = 0; b < branches; b++)
        if (branch == b)
            value = take_branch(b, words, element, middle, rest);
#endif
    out[blockIdx.x * BLOCK + element] = gain * value;
}
