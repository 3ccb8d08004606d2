/* Streams of multiply-adds that differ in the registers they read alone.
 *
 *     ports(good, rounds, data, zeros)
 *     grid  1      block  32 × WARPS
 *
 * A scheduler reads so many registers a cycle; what the instruction before has read in the same place
 * comes from the reuse cache for nothing.  Which register a number lies in is up to the compiler,
 * with one exception: sums and factors are loaded and stored four at a time, so that number k of each
 * has the parity of k.  STREAM is
 *
 *     0  a and b the same for all sums               sum += a · b
 *     1  2 × 16 sums, rows to and fro                a reused 15 of 16 times, b at each turn
 *     2  a reused for 16, b of the other parity      two registers, one of each bank
 *     3  a reused for 8
 *     4  a reused for 4
 *     5  a reused for 2
 *     6  a reused for 8, b of the sum's parity       two of one bank
 *     7  nothing reused                              three registers
 *     8  a · a                                       two registers
 *     9  as 6, now and then with a of the same bank  three of one bank */

#ifndef STREAM
#define STREAM 0
#endif
#ifndef WARPS
#define WARPS 8
#endif

constexpr int INSTRUCTIONS = 512; /* of a round */
constexpr int SUMS = STREAM == 1 ? 32 : 16;
constexpr int FACTORS = 16;

/* Which factors the multiply-add number i of a round takes, and which sum. */
__device__ constexpr int sum_of(int i)
{
    if (STREAM == 1) {
        int row = i / 16 % 2, column = row ? 15 - i % 16 : i % 16;
        return 16 * row + column;
    }
    return i % 16;
}

__device__ constexpr int a_of(int i)
{
    return STREAM == 0   ? 0
           : STREAM == 1 ? i / 16 % 2
           : STREAM == 2 ? i / 16 % 16
           : STREAM == 3 || STREAM == 9 ? i / 8 % 16
           : STREAM == 6 ? (2 * (i / 8) + 1) % 16
           : STREAM == 4 ? i / 4 % 16
           : STREAM == 5 ? i / 2 % 16
           : STREAM == 8 ? (i ^ 1) % 16
                         : (i + i / 16) % 16;
}

__device__ constexpr int b_of(int i)
{
    if (STREAM == 0)
        return 0;
    if (STREAM == 1)
        return (sum_of(i) % 16) ^ 1;
    if (STREAM == 6 || STREAM == 9)
        return (i + 2 * (i / 16)) % 16;
    if (STREAM == 7)
        return (i + 5 + i / 16) % 16;
    return (i ^ 1) % 16;
}

template <int N> __device__ __forceinline__ void load(float (&to)[N], const float4 *from)
{
#pragma unroll
    for (int k = 0; k < N / 4; k++) {
        float4 four = from[k * 32 * WARPS + threadIdx.x];
        to[4 * k] = four.x, to[4 * k + 1] = four.y, to[4 * k + 2] = four.z, to[4 * k + 3] = four.w;
    }
}

extern "C" __global__ void __launch_bounds__(32 * WARPS)
    ports(float4 *out, int rounds, const float4 *data, const float4 *zeros)
{
    float sum[SUMS], a[FACTORS], b[FACTORS];
    load(sum, data);
    load(a, zeros);
    load(b, data);
#pragma unroll 1
    for (int round = 0; round < rounds; round++) {
#pragma unroll
        for (int i = 0; i < INSTRUCTIONS; i++)
            sum[sum_of(i)] = fmaf(a[a_of(i)], STREAM == 8 ? a[a_of(i)] : b[b_of(i)], sum[sum_of(i)]);
    }
#pragma unroll
    for (int k = 0; k < SUMS / 4; k++)
        out[k * 32 * WARPS + threadIdx.x] =
            make_float4(sum[4 * k], sum[4 * k + 1], sum[4 * k + 2], sum[4 * k + 3]);
}
