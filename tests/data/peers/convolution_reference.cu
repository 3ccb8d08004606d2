/* The same with no regard to speed, for any type of numbers. */
__constant__ double filter[49];

namespace simple {
template <typename T>
__global__ void convolution(const T *in, T *out, int width, int height, int size)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;
    T sum = 0;
    for (int j = 0; j < size; j++)
        for (int i = 0; i < size; i++)
            sum += (T)filter[j * size + i] * in[(y + j) * (width + size - 1) + x + i];
    out[y * width + x] = sum;
}
}
