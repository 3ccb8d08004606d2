/* A table of constants that all warps walk through, each as fast as it can.
 *
 *     constants(good, rounds, one), table
 *     grid  any      block  BLOCK
 *
 * All lanes of a warp read one entry of four words at a time, BYTES of the table round and round, UNROLL entries
 * to an iteration, and for each do WORK × 4 multiply-adds, or (SPECIAL) WORK square roots.  Nothing keeps warps
 * in step:
 *
 *     line of 64 bytes   0 │ 1 │ 2 │ 3 │ 4 │ 5 │ …      warps that are near each other share what is fetched;
 *     warp 0, 1, 3               ■■■                    of warps that have parted each fetches for itself, once
 *     warp 2                             ■              the cache holds less than lies between them
 *
 * With APART arrays the words of an entry lie in four arrays, each in lines of its own. */

#ifndef BYTES
#define BYTES 16384
#endif
#ifndef WORK
#define WORK 4
#endif
#ifndef SPECIAL
#define SPECIAL 0
#endif
#ifndef APART
#define APART 0
#endif
#ifndef UNROLL
#define UNROLL 4
#endif
#ifndef BLOCK
#define BLOCK 128
#endif

constexpr int ENTRIES = BYTES / 16, MOST = 16384;

static_assert(4 * ENTRIES <= MOST && ENTRIES % UNROLL == 0, "the unrolled body fills the loop");

__constant__ float table[MOST]; /* 1, all of it */

extern "C" __global__ void __launch_bounds__(BLOCK) constants(unsigned *good, int rounds, float one)
{
    constexpr int unroll = UNROLL, work = WORK;
    float sum[WORK], factor[WORK];
#pragma unroll work
    for (int w = 0; w < work; w++)
        sum[w] = 0, factor[w] = one + (float)(rounds >> (11 + w)); /* 1, and another for the compiler */
    bool right = true;
#pragma unroll 1
    for (int round = 0; round < rounds; round++) {
#pragma unroll unroll
        for (int k = 0; k < ENTRIES; k++) {
            float entry[4];
#pragma unroll 4
            for (int i = 0; i < 4; i++)
                entry[i] = table[APART ? i * ENTRIES + k : 4 * k + i];
#pragma unroll work
            for (int w = 0; w < work; w++)
                if (SPECIAL) {
                    sum[w] += rsqrtf(fmaf(entry[0], factor[w], entry[1] - entry[2])) + entry[3];
                } else {
#pragma unroll 4
                    for (int i = 0; i < 4; i++)
                        sum[w] = fmaf(entry[i], factor[w], sum[w]);
                }
        }
        /* Sums of ones are exact as long as they are small: each round starts again. */
#pragma unroll work
        for (int w = 0; w < work; w++)
            right = right && fabsf(sum[w] - (SPECIAL ? 2.0f : 4.0f) * ENTRIES) < 1, sum[w] = 0;
    }
    right = __syncthreads_and(right);
    if (threadIdx.x == 0)
        good[blockIdx.x] = right;
}
