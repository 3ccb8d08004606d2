/* Memory within an SM: loads that wait for each other, and many that do not.
 *
 *     near_chase(good, rounds, zeros), constants
 *     grid  1      block  32 × WARPS
 *
 * A lane reads the place that it reads next: chains of their own, round and round through BYTES of
 * shared memory, or of the constant cache, a line of 64 bytes further each time.  In shared memory a
 * word is the address of the next; of constants two instructions more keep it within BYTES.
 * KIND is
 *
 *     0  shared memory      1  constant memory, all lanes at one place      2  lanes at WAYS places */

#ifndef KIND
#define KIND 0
#endif
#ifndef BYTES
#define BYTES 1024
#endif
#ifndef WAYS
#define WAYS 1
#endif
#ifndef WARPS
#define WARPS 1
#endif

constexpr unsigned WORDS = 16384; /* 64 KB, as much as there is of constants */

__constant__ unsigned constants[WORDS];

extern "C" __global__ void __launch_bounds__(32 * WARPS)
    near_chase(unsigned *good, int rounds, const unsigned *zeros)
{
    constexpr int unroll = 32;
    __shared__ unsigned shared[KIND == 0 ? BYTES / 4 : 1];
    const unsigned base = KIND == 0 ? (unsigned)__cvta_generic_to_shared(shared) : 0;
    if (KIND == 0) {
        constexpr unsigned words = BYTES / 4;
        for (unsigned i = threadIdx.x; i < words; i += 32 * WARPS)
            shared[i] = base + constants[i] % BYTES;
        __syncthreads();
    }
    const unsigned first = zeros[threadIdx.x] + (KIND == 2 ? threadIdx.x % WAYS * 64 : 0);
    unsigned at = base + first;
#pragma unroll 1
    for (int round = 0; round < rounds; round++) {
#pragma unroll unroll
        for (int k = 0; k < unroll; k++) {
            if (KIND == 0)
                asm volatile("ld.shared.u32 %0, [%0];" : "+r"(at));
            else {
                at = *(const unsigned *)((const char *)constants + at);
                at = min(at, at - BYTES);
            }
        }
    }
    good[threadIdx.x] = at - base == (first + 64u * 32u * rounds) % BYTES;
}
