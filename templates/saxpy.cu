/* y = a·x + y in single precision.
 *
 *     saxpy(inout y, in x, a, n)
 *     grid  ceil(n / (BLOCK * VEC * ROUNDS))      block  BLOCK
 *
 * A thread updates ROUNDS vectors of VEC neighbouring elements, one in each round.  Where its next
 * one lies is REACH; here 2 blocks of 2 threads, VEC = 1 and ROUNDS = 3, each element with the
 * thread that updates it:
 *
 *     REACH 0     0 1 0 1 0 1  2 3 2 3 2 3      next to the block's last round
 *     REACH 1     0 1 2 3  0 1 2 3  0 1 2 3     next to the whole grid's last round
 *
 * In both a warp's elements lie together.  With REACH 0 a block works on one stretch of the arrays,
 * with REACH 1 the whole grid passes over them, ROUNDS times.
 *
 * UNROLL rounds are written out, one after the other, so that their loads are on their way
 * together; the rest is a loop.
 *
 * Sizes need not be multiples of anything: a vector that hangs over the end, or lies behind it, is
 * updated element by element. */

/* --- what is tuned --------------------------------------------------------------------------- */

#ifndef BLOCK
#define BLOCK 256 /* threads of a block */
#endif
#ifndef VEC
#define VEC 4 /* floats per load and store: 1, 2 or 4 */
#endif
#ifndef ROUNDS
#define ROUNDS 4 /* vectors that a thread updates */
#endif
#ifndef REACH
#define REACH 0 /* from one round to the next: 0, over a block; 1, over the grid */
#endif
#ifndef UNROLL
#define UNROLL ROUNDS /* rounds whose loads are on their way together */
#endif

/* --- what follows from it -------------------------------------------------------------------- */

constexpr int LOOPS = ROUNDS / UNROLL; /* of UNROLL rounds each */

static_assert(VEC == 1 || VEC == 2 || VEC == 4, "there are loads of 4, 8 and 16 bytes");
static_assert(ROUNDS % UNROLL == 0, "the loop does all rounds");
static_assert(BLOCK <= 1024, "more threads than a block can have");

/* VEC floats that move as one. */
struct alignas(4 * VEC) Vector {
    float at[VEC];
};

/* Elements from a thread's vector to its next one. */
__device__ __forceinline__ unsigned round_step()
{
    return BLOCK * VEC * (REACH == 1 ? gridDim.x : 1);
}

/* A thread's first element. */
__device__ __forceinline__ unsigned first_place()
{
    unsigned blocks_start = blockIdx.x * (REACH == 1 ? BLOCK * VEC : BLOCK * VEC * ROUNDS);
    return blocks_start + threadIdx.x * VEC;
}

/* Whether no thread of the block leaves the arrays in any round. */
__device__ __forceinline__ bool block_is_interior(unsigned n)
{
    unsigned blocks_start = first_place() - threadIdx.x * VEC;
    return blocks_start + (ROUNDS - 1) * round_step() + BLOCK * VEC <= n;
}

__device__ __forceinline__ Vector combine(float a, const Vector &x, const Vector &y)
{
    constexpr int vec = VEC;
    Vector sum;
#pragma unroll vec
    for (int i = 0; i < vec; i++)
        sum.at[i] = a * x.at[i] + y.at[i];
    return sum;
}

/* UNROLL rounds from element `place` on: all loads, then all stores. */
__device__ __forceinline__ void update_rounds(float *y, const float *x, float a, unsigned place)
{
    constexpr int unroll = UNROLL;
    Vector xs[UNROLL], ys[UNROLL];
#pragma unroll unroll
    for (int r = 0; r < unroll; r++) {
        xs[r] = *(const Vector *)&x[place + r * round_step()];
        ys[r] = *(const Vector *)&y[place + r * round_step()];
    }
#pragma unroll unroll
    for (int r = 0; r < unroll; r++)
        *(Vector *)&y[place + r * round_step()] = combine(a, xs[r], ys[r]);
}

/* All rounds of a block that reaches over the end. */
__device__ __forceinline__ void update_edge(float *y, const float *x, float a, unsigned n)
{
#pragma unroll 1
    for (unsigned r = 0; r < ROUNDS; r++)
#pragma unroll 1
        for (unsigned i = 0; i < VEC; i++) {
            unsigned place = first_place() + r * round_step() + i;
            if (place < n)
                y[place] = a * x[place] + y[place];
        }
}

/* --- the kernel ------------------------------------------------------------------------------ */

extern "C" __global__ void __launch_bounds__(BLOCK)
    saxpy(float *__restrict__ y, const float *__restrict__ x, float a, unsigned n)
{
    constexpr int loops = LOOPS;
    if (!block_is_interior(n)) {
        update_edge(y, x, a, n);
        return;
    }
#pragma unroll 1
    for (int loop = 0; loop < loops; loop++)
        update_rounds(y, x, a, first_place() + loop * UNROLL * round_step());
}
