/* Some configurations of this one do not compile. */
extern "C" __global__ void fails(float *out)
{
    static_assert(WIDTH != 3, "a width of 3 is not supported");
    __shared__ float tile[TILE];
    tile[threadIdx.x * WIDTH] = out[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = tile[threadIdx.x + WIDTH];
}
