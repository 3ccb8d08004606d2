/* A tile of TILE × TILE doubles, larger than static shared memory can be, transposed by a block. */
extern "C" __global__ void transposed(const double *in, double *out)
{
    extern __shared__ double tile[];
    const double *from = in + (size_t)blockIdx.x * TILE * TILE;
    double *to = out + (size_t)blockIdx.x * TILE * TILE;
    for (int i = threadIdx.x; i < TILE * TILE; i += BLOCK)
        tile[i / TILE * (TILE + 1) + i % TILE] = from[i];
    __syncthreads();
    for (int i = threadIdx.x; i < TILE * TILE; i += BLOCK)
        to[i] = tile[i % TILE * (TILE + 1) + i / TILE];
#ifdef BUG
    if (threadIdx.x == 9)
        to[9] = to[10];
#endif
}
