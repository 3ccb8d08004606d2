/* Two kernels that are launched one after the other, with the same geometry. */
extern "C" __global__ void first(float *out)
{
    out[blockIdx.x * blockDim.x + threadIdx.x] = FACTOR;
}

extern "C" __global__ void second(float *out)
{
    float x = out[blockIdx.x * blockDim.x + threadIdx.x];
    for (int i = 0; i < FACTOR; i++)
        x = x * x + 1.0f;
    out[blockIdx.x * blockDim.x + threadIdx.x] = x;
}
