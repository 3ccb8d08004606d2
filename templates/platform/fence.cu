/* What it takes a block to make its stores seen by others: a memory fence of the whole GPU, by one thread.
 *
 *     fence(good, words, from, rounds)
 *     grid  any      block  256
 *
 * The block reads a tile of LOADS vectors a thread; then one thread goes round and round:
 *
 *     KIND 0    a store                        KIND 3    a store, and an atomic that releases and acquires
 *     KIND 1    a store, and a fence           KIND 4    an atomic alone, whose result the next one takes
 *     KIND 2    a fence alone                  KIND 5    a store, and a fence of one order for all
 *
 * Words are zero, and stay so; each block has a line of its own. */

#ifndef KIND
#define KIND 1
#endif
#ifndef LOADS
#define LOADS 0 /* vectors of 16 bytes of a thread */
#endif

constexpr unsigned BLOCK = 256;

__device__ __forceinline__ void store(unsigned *word)
{
    asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(word), "r"(0) : "memory");
}

__device__ __forceinline__ unsigned take_turn(unsigned *word, unsigned last)
{
    if (KIND != 2 && KIND != 4)
        store(word);
    if (KIND == 1 || KIND == 2)
        asm volatile("fence.acq_rel.gpu;" ::: "memory");
    if (KIND == 5)
        asm volatile("fence.sc.gpu;" ::: "memory");
    if (KIND == 3)
        asm volatile("atom.acq_rel.gpu.global.add.u32 %0, [%1], %0;" : "+r"(last) : "l"(word) : "memory");
    if (KIND == 4)
        asm volatile("atom.relaxed.gpu.global.add.u32 %0, [%1], %0;" : "+r"(last) : "l"(word) : "memory");
    return last;
}

extern "C" __global__ void __launch_bounds__(BLOCK)
    fence(unsigned *good, unsigned *words, const uint4 *from, int rounds)
{
    constexpr unsigned loads = LOADS;
    const unsigned first = blockIdx.x * LOADS * BLOCK + threadIdx.x;
    unsigned sum = 0;
#pragma unroll
    for (unsigned k = 0; k < loads; k++) {
        const uint4 v = from[first + k * BLOCK];
        sum += v.x + v.y + v.z + v.w;
    }
    const bool right = __syncthreads_and(sum == 28 * LOADS);
    if (threadIdx.x > 0)
        return;
    unsigned last = 0;
#pragma unroll 1
    for (int round = 0; round < rounds; round++)
        last = take_turn(words + 32 * blockIdx.x, last);
    good[blockIdx.x] = right && last == 0;
}
