/* How long a load takes: one thread follows a chain of addresses, each read from memory.
 *
 *     chase_link(chain)                   writes the chain: each word of a line holds the address
 *     grid  NODES / 16    block  256      of the line STEP further
 *     chase(good, chain, steps)           follows it
 *     grid  1             block  32
 *
 *           ┌──────────────────────┐
 *     node 0    node 1    node 2   ▼ node 3    …        STEP = 3
 *
 * STEP is odd, and NODES a power of two: each node is visited once before the first comes again. */

#ifndef BYTES
#define BYTES 4096 /* footprint */
#endif

constexpr unsigned long long STRIDE = 128; /* a line */
constexpr unsigned long long NODES = BYTES / STRIDE;
constexpr unsigned long long STEP = NODES > 64 ? 37 : 1;

extern "C" __global__ void __launch_bounds__(256) chase_link(unsigned long long *chain)
{
    constexpr unsigned long long words = STRIDE / 8; /* whole lines: else a load would wait for more */
    const unsigned long long word = blockIdx.x * 256ull + threadIdx.x, node = word / words;
    if (node < NODES)
        chain[word] = (unsigned long long)&chain[(node + STEP) % NODES * words];
}

extern "C" __global__ void __launch_bounds__(32)
    chase(unsigned *good, unsigned long long *chain, int steps)
{
    constexpr int unroll = 16;
    unsigned long long at = (unsigned long long)chain;
#pragma unroll 1
    for (int s = 0; s < steps; s += unroll) {
#pragma unroll unroll
        for (int k = 0; k < unroll; k++)
            asm volatile("ld.global.u64 %0, [%0];" : "+l"(at));
    }
    const unsigned long long end = (unsigned long long)steps * STEP % NODES * (STRIDE / 8);
    good[threadIdx.x] = at == (unsigned long long)&chain[end];
}
