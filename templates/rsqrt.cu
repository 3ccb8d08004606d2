/* Reciprocal square roots, one after the other, with the threads of a multiprocessor cut into more
 * or fewer blocks: the experiment of Ryoo's thesis, figure 6.6.  For each element of a
 *
 *     x = 1, then ITERATIONS times  x = 1 / sqrt(x + a)      out = the sum of all these x
 *
 *     rsqrt_chain(out, in a, n)
 *     grid  sms·BLOCKS      block  THREADS = SM_THREADS / BLOCKS, rounded up to whole half warps
 *
 *                          one multiprocessor, SM_THREADS = 768
 *     BLOCKS 1    ┌───────────────────────────────────────────────┐
 *                 │                  768 threads                  │
 *                 └───────────────────────────────────────────────┘
 *     BLOCKS 3    ┌───────────────┬───────────────┬───────────────┐
 *                 │      256      │      256      │      256      │
 *                 └───────────────┴───────────────┴───────────────┘
 *
 * A block for each of `sms` multiprocessors and each of its BLOCKS: every multiprocessor gets the
 * same number.  (To forbid it more of them, by shared memory that nobody uses, changed no time on
 * an H200.)
 *
 * All threads of the launch, side by side, pass over the elements; a thread has CHAINS of them in
 * work at a time, whose roots do not wait for each other.  The special function units are the
 * bottleneck: what a thread does besides is two additions for each root. */

/* --- what is tuned --------------------------------------------------------------------------- */

#ifndef SM_THREADS
#define SM_THREADS 768 /* threads of a multiprocessor, before rounding */
#endif
#ifndef BLOCKS
#define BLOCKS 4 /* blocks that they are cut into */
#endif
#ifndef CHAINS
#define CHAINS 1 /* elements that a thread works on at the same time */
#endif
#ifndef UNROLL
#define UNROLL 4 /* copies of the body of the loop over the iterations */
#endif

/* --- the size -------------------------------------------------------------------------------- */

#ifndef SM_ELEMENTS
#define SM_ELEMENTS 6144 /* elements for each multiprocessor */
#endif
#ifndef ITERATIONS
#define ITERATIONS 2000 /* roots for each element, as in the thesis */
#endif

/* --- what follows from it -------------------------------------------------------------------- */

constexpr int HALF_WARP = 16;
constexpr int THREADS = (SM_THREADS + BLOCKS * HALF_WARP - 1) / (BLOCKS * HALF_WARP) * HALF_WARP;
constexpr int PASS_ELEMENTS = THREADS * BLOCKS * CHAINS; /* of a multiprocessor in one pass */
constexpr int PASSES = (SM_ELEMENTS + PASS_ELEMENTS - 1) / PASS_ELEMENTS;

static_assert(THREADS <= 1024, "more threads than a block can have");
static_assert(ITERATIONS % UNROLL == 0, "the unrolled body fills the loop");

/* --- the kernel ------------------------------------------------------------------------------ */

/* All the roots of CHAINS elements, added up. */
__device__ __forceinline__ void iterate(float sum[CHAINS], const float a[CHAINS])
{
    constexpr int chains = CHAINS, unroll = UNROLL;
    float x[CHAINS];
#pragma unroll chains
    for (int c = 0; c < chains; c++)
        x[c] = 1.0f, sum[c] = 0.0f;
#pragma unroll unroll
    for (int i = 0; i < ITERATIONS; i++)
#pragma unroll chains
        for (int c = 0; c < chains; c++) {
            x[c] = rsqrtf(x[c] + a[c]);
            sum[c] += x[c];
        }
}

extern "C" __global__ void __launch_bounds__(THREADS)
    rsqrt_chain(float *__restrict__ out, const float *__restrict__ a, int n)
{
    constexpr int passes = PASSES, chains = CHAINS;
    int threads = (int)(gridDim.x * THREADS); /* of the whole launch */
    int thread = (int)(blockIdx.x * THREADS + threadIdx.x);
#pragma unroll 1
    for (int pass = 0; pass < passes; pass++) {
        float own[CHAINS], sum[CHAINS];
        int first = pass * chains * threads + thread;
#pragma unroll chains
        for (int c = 0; c < chains; c++)
            own[c] = first + c * threads < n ? a[first + c * threads] : 1.0f;
        if (first < n)
            iterate(sum, own);
#pragma unroll chains
        for (int c = 0; c < chains; c++)
            if (first + c * threads < n)
                out[first + c * threads] = sum[c];
    }
}
