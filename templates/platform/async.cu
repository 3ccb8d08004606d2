/* Asynchronous copies to shared memory, on one SM: what do the places of rows there cost?
 *
 *     async(good, rounds, from)
 *     grid  1      block  256
 *
 * Each lane copies WIDTH bytes; LANES lanes copy a row.  Rows lie PAD bytes apart in shared memory and PITCH bytes from start to
 * start in global memory, where each starts SHIFT bytes behind a sector's start.  All that is read is in the L2 cache.  CACHED 1:
 * it passes through the L1, as it has to for WIDTH < 16, which does not keep it until it is read again.  Each copy has a
 * place of its own: one to a place that another is still under way to may cancel that. */

#ifndef WIDTH
#define WIDTH 16
#endif
#ifndef LANES
#define LANES 8
#endif
#ifndef PAD
#define PAD 0
#endif
#ifndef CACHED
#define CACHED 0
#endif
#ifndef SHIFT
#define SHIFT 0
#endif

constexpr int WARPS = 8, UNROLL = 4;
constexpr unsigned ROWS = 32 / LANES, ROW = LANES * WIDTH;
constexpr unsigned PLACE = ROWS * (ROW + PAD);        /* bytes of shared memory for a copy by a warp */
constexpr unsigned PITCH = 32768, WARP_BYTES = 16 * PITCH;

__device__ __forceinline__ void copy(unsigned to, const unsigned char *from)
{
    if (!CACHED)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
    else
        asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(to), "l"(from), "n"(WIDTH)
                     : "memory");
}

extern "C" __global__ void __launch_bounds__(WARPS * 32)
    async(unsigned *good, int rounds, const unsigned *from)
{
    extern __shared__ __align__(128) unsigned char shared[]; /* 2 * UNROLL places of each warp */
    constexpr int unroll = UNROLL;
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const unsigned row = lane / LANES, column = lane % LANES * WIDTH;
    const unsigned place = warp * 2 * UNROLL * PLACE + row * (ROW + PAD) + column;
    const unsigned to = (unsigned)__cvta_generic_to_shared(shared) + place;
    const unsigned char *const own = (const unsigned char *)from + warp * WARP_BYTES + row * PITCH + column + SHIFT;
    unsigned at = 0;
#pragma unroll 1
    for (int round = 0; round < rounds; round++) {
#pragma unroll unroll
        for (unsigned k = 0; k < unroll; k++)
            copy(to + (round % 2 * UNROLL + k) * PLACE, own + at + k * ROW);
        asm volatile("cp.async.commit_group;\n\tcp.async.wait_group 1;" ::: "memory");
        at = (at + UNROLL * ROW) % PITCH;
    }
    asm volatile("cp.async.wait_all;" ::: "memory");
    __syncthreads();
    good[threadIdx.x] = *(const unsigned *)(shared + place) == 7;
}
