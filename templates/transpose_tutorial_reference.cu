/* The plain transpose that tuned kernels are compared with: out[x][y] = in[y][x], one thread per
 * element, for n a multiple of 16.
 *
 *     transpose_tutorial_reference(out, in, n)
 *     grid  n / 16, n / 16      block  16, 16 */

extern "C" __global__ void transpose_tutorial_reference(float *out, const float *in, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    out[(size_t)x * n + y] = in[(size_t)y * n + x];
}
