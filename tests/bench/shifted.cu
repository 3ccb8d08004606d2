/* Copies that store one word beside where they load: sectors at the ends of a block's rows are stored in two parts, by two
 * blocks.  BX words of a row to a block of 256 threads. */

/* One array after the other: a store waits for its load alone.  With ORDER 1, blocks that share sectors are a column apart. */
extern "C" __global__ void shifted(float *out, const float *in, int width, int rows)
{
    const int bx = ORDER ? blockIdx.y : blockIdx.x, by = ORDER ? blockIdx.x : blockIdx.y;
    const int x = bx * BX + threadIdx.x, y = by * (256 / BX) + threadIdx.y;
    const int to = x + SHIFT < width ? x + SHIFT : x + SHIFT - width;
    const size_t all = (size_t)width * rows;
#pragma unroll
    for (int a = 0; a < ARRAYS; a++)
        out[a * all + (size_t)y * width + to] = in[a * all + (size_t)y * width + x];
}

/* All loads before the first store, as a lattice Boltzmann step does: stores of a block come in a burst. */
extern "C" __global__ void pushed(float *out, const float *in, int width, int rows)
{
    const int bx = ORDER ? blockIdx.y : blockIdx.x, by = ORDER ? blockIdx.x : blockIdx.y;
    const int x = bx * BX + threadIdx.x, y = by * (256 / BX) + threadIdx.y;
    const int to = x + SHIFT < width ? x + SHIFT : x + SHIFT - width;
    const size_t all = (size_t)width * rows;
    float f[ARRAYS], sum = 0;
#pragma unroll
    for (int a = 0; a < ARRAYS; a++)
        f[a] = in[a * all + (size_t)y * width + x];
#pragma unroll
    for (int a = 0; a < ARRAYS; a++)
        sum += f[a];
#pragma unroll
    for (int a = 0; a < ARRAYS; a++)
        out[a * all + (size_t)y * width + to] = f[a] + sum;
}
