/* Starting and ending blocks.
 *
 *     blocks(good, cycles)
 *     grid  any      block  THREADS
 *
 * A block waits for so many cycles, or does nothing. */

#ifndef THREADS
#define THREADS 32
#endif

extern "C" __global__ void __launch_bounds__(THREADS) blocks(unsigned *good, unsigned cycles)
{
    if (cycles > 0) {
        const long long start = clock64();
#pragma unroll 1
        while (clock64() - start < (long long)cycles)
            ;
    }
    if (threadIdx.x == 0 && blockIdx.x % 1024 == 0)
        good[blockIdx.x / 1024] = 1;
}
