extern "C" __global__ void transpose_reference(const unsigned short *src, unsigned short *dst, int rows, int cols)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;          // of the result: column * rows + row
    if (i >= rows * cols) return;
    size_t batch = (size_t)blockIdx.y * rows * cols;
    int column = i / rows, row = i % rows;
    dst[batch + i] = src[batch + (size_t)row * cols + column];
}
