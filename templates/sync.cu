/* What it costs that threads wait for each other: at barriers in a launch, and between launches.
 *
 *     synchronize(inout data, gain, shift)
 *     grid  n / BLOCK      block  BLOCK
 *
 * J. Cornelis's thesis, chapter 5: each element gets OPERATIONS multiply-adds in all, and after
 * every BETWEEN of them all threads are synchronized.  Here are 6 operations, 2 between:
 *
 *     METHOD 0      load  o o │ o o │ o o  store                       one launch, barriers │
 *     METHOD 1      load  o o  store  load  o o  store  load  o o  store      three launches
 *     METHOD 2      the same through shared memory: global → shared → o o → shared → global
 *
 * A barrier is one for the threads of a block, the end of a launch is one for all threads.  The
 * launches are the caller's: n is a multiple of BLOCK, and METHOD 1 and 2 take OPERATIONS / BETWEEN
 * launches in a row. */

/* --- what is tuned --------------------------------------------------------------------------- */

#ifndef METHOD
#define METHOD 0 /* 0: barriers in one launch; 1: many launches; 2: these with shared memory */
#endif
#ifndef BETWEEN
#define BETWEEN 8 /* operations from one point of synchronization to the next */
#endif
#ifndef BLOCK
#define BLOCK 256 /* threads of a block */
#endif

/* --- what follows from it -------------------------------------------------------------------- */

constexpr int OPERATIONS = 96; /* on each element in all; the thesis makes 100 */
constexpr int BARRIERS = METHOD == 0 ? OPERATIONS / BETWEEN : 0; /* of a launch */

static_assert(0 <= METHOD && METHOD <= 2, "there are three ways");
static_assert(OPERATIONS % BETWEEN == 0, "synchronization points divide the operations evenly");
static_assert(BLOCK <= 1024, "more threads than a block can have");

__device__ __forceinline__ float operate(float value, float gain, float shift)
{
    constexpr int between = BETWEEN;
#pragma unroll between
    for (int i = 0; i < between; i++)
        value = value * gain + shift;
    return value;
}

/* --- the kernel ------------------------------------------------------------------------------ */

extern "C" __global__ void __launch_bounds__(BLOCK)
    synchronize(float *data, float gain, float shift)
{
    const unsigned place = blockIdx.x * BLOCK + threadIdx.x;
#if METHOD == 0
    constexpr int barriers = BARRIERS;
    float value = data[place];
#pragma unroll 1
    for (int b = 0; b < barriers; b++) {
        value = operate(value, gain, shift);
        __syncthreads(); /* this is what is studied; no data need it */
    }
    data[place] = value;
#elif METHOD == 1
    data[place] = operate(data[place], gain, shift);
#else
    __shared__ float words[BLOCK];
    volatile float *word = &words[threadIdx.x]; /* volatile: or the way through it is left out */
    *word = data[place];
    *word = operate(*word, gain, shift);
    data[place] = *word;
#endif
}
