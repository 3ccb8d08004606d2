/* Takes more than 64 registers a thread, whatever the block. */
extern "C" __global__ void wide(float *out, const float *in, int n)
{
    float x[80];
#pragma unroll
    for (int i = 0; i < 80; i++)
        x[i] = in[i * n + threadIdx.x];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 80; i++)
        out[(79 - i) * n + threadIdx.x] = x[i] * x[(i * 7 + 3) % 80];
}
