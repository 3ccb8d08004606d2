extern "C" __global__ void pathfinder_reference(const int *wall, const int *src, int *dst, int cols, int row)
{
    int x = blockIdx.x * 256 + threadIdx.x;
    if (x >= cols)
        return;
    int best = src[x];
    if (x > 0 && src[x - 1] < best)
        best = src[x - 1];
    if (x < cols - 1 && src[x + 1] < best)
        best = src[x + 1];
    dst[x] = best + wall[row * cols + x];
}
