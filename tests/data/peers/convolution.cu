/* A filter in constant memory over an image with a border; the loop over its columns may be unrolled. */
__constant__ float filter[SIZE * SIZE];

extern "C" __global__ void convolution(const float *in, float *out, int width, int height)
{
    int x = blockIdx.x * BLOCK_X + threadIdx.x;
    int y = (blockIdx.y * BLOCK_Y + threadIdx.y) * ROWS;
    int pitch = width + SIZE - 1;
    for (int row = 0; row < ROWS; row++) {
        float sum = 0;
        for (int j = 0; j < SIZE; j++) {
#pragma unroll UNROLL
            for (int i = 0; i < SIZE; i++)
                sum += filter[j * SIZE + i] * in[(y + row + j) * pitch + x + i];
        }
        if (x < width && y + row < height)
            out[(y + row) * width + x] = sum;
    }
#ifdef BUG
    if (x == 5 && y == 0)
        out[x] += 0.5f;
#endif
}
