/* The SM's clock from the outside: one warp waits until the SM's own counter has gone on by so many
 * cycles.
 *
 *     spin(good, cycles)
 *     grid  1      block  32
 *
 * The time of a launch is start + cycles / clock. */
extern "C" __global__ void __launch_bounds__(32) spin(unsigned *good, long long cycles)
{
    const long long start = clock64();
#pragma unroll 1
    while (clock64() - start < cycles)
        ;
    good[threadIdx.x] = 1;
}
