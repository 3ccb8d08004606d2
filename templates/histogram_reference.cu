/* Counts by atomics in global memory alone. */
extern "C" __global__ void histogram_reference(const unsigned *values, unsigned *counts, int words)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < words)
        atomicAdd(&counts[values[i] % BINS], 1u);
}
