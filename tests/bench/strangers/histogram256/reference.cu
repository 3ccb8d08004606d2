extern "C" __global__ void clear_reference(unsigned *histogram)
{
    histogram[threadIdx.x] = 0;
}
extern "C" __global__ void histogram_reference(unsigned *histogram, const unsigned *data, unsigned count)
{
    for (unsigned i = blockIdx.x * 256 + threadIdx.x; i < count; i += gridDim.x * 256)
        for (int k = 0; k < 32; k += 8)
            atomicAdd(&histogram[data[i] >> k & 255], 1);
}
