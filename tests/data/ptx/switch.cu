// A jump table (brx.idx), a call that is not inlined, divergence on the thread's number.
__device__ __noinline__ float heavy(float x, int n)
{
#pragma unroll 1
    for (int i = 0; i < n; i++)
        x = sinf(x) + 1.0f;
    return x;
}

extern "C" __global__ void dispatch(float *data, int mode, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = data[i];
    switch (mode) {
    case 0: x = heavy(x, 3); break;
    case 1: x = x * x + 2.0f; break;
    case 2: x = sqrtf(x); break;
    case 3: x = heavy(x, n); break;
    case 4: x = __expf(x) - x; break;
    case 5: x = x / (float)n; break;
    case 6: x = x > 0 ? x : -x * 3.0f; break;
    case 7: x = x + 7.0f; break;
    }
    if (threadIdx.x % 4 < 2)
        x *= data[i + 1];
    data[i] = x;
}
