/* The plain convolution that tuned kernels are compared with, one thread per pixel, summed in
 * double precision.
 *
 *     convolution_reference(out, in, columns, rows)      constant  filter[WIDTH·WIDTH]
 *     grid  ceil(columns / 32), ceil(rows / 8)      block  32, 8 */

#ifndef WIDTH
#define WIDTH 9
#endif

__constant__ float filter[WIDTH * WIDTH];

extern "C" __global__ void convolution_reference(float *out, const float *in, int columns, int rows)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= columns || y >= rows)
        return;
    int pitch = columns + WIDTH - 1;
    double sum = 0.0;
#pragma unroll 1
    for (int v = 0; v < WIDTH; v++)
#pragma unroll 1
        for (int u = 0; u < WIDTH; u++)
            sum += (double)filter[v * WIDTH + u] * in[(size_t)(y + v) * pitch + x + u];
    out[(size_t)y * columns + x] = (float)sum;
}
