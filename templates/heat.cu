/* Diffusion in three dimensions, seven points, STEPS steps in one launch a pass.
 *
 * A block works on BLOCK_X × BLOCK_Y columns of cells and goes along z, CELLS_Z planes; the planes
 * before and behind are in registers (KEEP 1) or read anew (KEEP 0), the neighbours in a plane come
 * through shared memory (STAGE 1) or from global memory (STAGE 0).  A thread has CELLS_X columns,
 * BLOCK_X apart.
 *
 * The outermost cells keep their value.  BLOCK_X, BLOCK_Y, CELLS_X, CELLS_Z, KEEP, STAGE are macros. */
#define WIDTH (BLOCK_X * CELLS_X + 2)

__device__ static inline bool within(int at, int size)
{
    return at > 0 && at < size - 1;
}

extern "C" __global__ void __launch_bounds__(BLOCK_X *BLOCK_Y)
    heat(const float *__restrict__ from, float *__restrict__ to, int nx, int ny, int nz)
{
#if STAGE
    __shared__ float plane[(BLOCK_Y + 2) * WIDTH];
#endif
    const int x0 = blockIdx.x * BLOCK_X * CELLS_X + threadIdx.x;
    const int y = blockIdx.y * BLOCK_Y + threadIdx.y, z0 = blockIdx.z * CELLS_Z;
    const int row = nx, slice = nx * ny;
    float below[CELLS_X], here[CELLS_X];
#pragma unroll
    for (int c = 0; c < CELLS_X; c++) {
        const int at = (z0 * ny + y) * row + x0 + c * BLOCK_X;
        below[c] = z0 > 0 ? from[at - slice] : 0;
        here[c] = from[at];
    }
#pragma unroll 1
    for (int z = z0; z < z0 + CELLS_Z; z++) {
        const int base = (z * ny + y) * row + x0;
#if STAGE
        __syncthreads();
#pragma unroll
        for (int c = 0; c < CELLS_X; c++)
            plane[(threadIdx.y + 1) * WIDTH + threadIdx.x + c * BLOCK_X + 1] =
                KEEP ? here[c] : from[base + c * BLOCK_X];
        if (threadIdx.y == 0 && y > 0)
#pragma unroll
            for (int c = 0; c < CELLS_X; c++)
                plane[threadIdx.x + c * BLOCK_X + 1] = from[base + c * BLOCK_X - row];
        if (threadIdx.y == BLOCK_Y - 1 && y < ny - 1)
#pragma unroll
            for (int c = 0; c < CELLS_X; c++)
                plane[(BLOCK_Y + 1) * WIDTH + threadIdx.x + c * BLOCK_X + 1] =
                    from[base + c * BLOCK_X + row];
        if (threadIdx.x == 0 && x0 > 0)
            plane[(threadIdx.y + 1) * WIDTH] = from[base - 1];
        if (threadIdx.x == BLOCK_X - 1 && x0 + (CELLS_X - 1) * BLOCK_X < nx - 1)
            plane[(threadIdx.y + 1) * WIDTH + WIDTH - 1] = from[base + (CELLS_X - 1) * BLOCK_X + 1];
        __syncthreads();
#endif
#pragma unroll
        for (int c = 0; c < CELLS_X; c++) {
            const int x = x0 + c * BLOCK_X, at = base + c * BLOCK_X;
            const float above = z < nz - 1 ? from[at + slice] : 0;
            const float mine = KEEP ? here[c] : from[at];
            float next = mine;
            if (within(x, nx) && within(y, ny) && within(z, nz)) {
#if STAGE
                const float *p = &plane[(threadIdx.y + 1) * WIDTH + threadIdx.x + c * BLOCK_X + 1];
                const float sides = p[-1] + p[1] + p[-WIDTH] + p[WIDTH];
#else
                const float sides = from[at - 1] + from[at + 1] + from[at - row] + from[at + row];
#endif
                next = mine + 0.125f * (sides + (KEEP ? below[c] : from[at - slice]) + above -
                                        6 * mine);
            }
            to[at] = next;
            below[c] = mine;
            here[c] = above;
        }
    }
}
