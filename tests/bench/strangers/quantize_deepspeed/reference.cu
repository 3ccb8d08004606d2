#include <cuda_fp16.h>

// One block a group.
extern "C" __global__ void quantize_reference(signed char *output, float *params, const __half *input, int groups, int elems)
{
    __shared__ float largest[256];
    const __half *in = input + (size_t)blockIdx.x * elems;
    float most = 0;
    for (int i = threadIdx.x; i < elems; i += 256)
        most = fmaxf(most, fabsf(__half2float(in[i])));
    largest[threadIdx.x] = most;
    __syncthreads();
    for (int i = 0; i < 256; i++)
        most = fmaxf(most, largest[i]);
    float scale = most == 0 ? 1 : 256 / (2 * most);
    if (threadIdx.x == 0) params[blockIdx.x] = 1 / scale;
    for (int i = threadIdx.x; i < elems; i += 256) {
        int value = __float2int_rn(__half2float(in[i]) * scale);
        output[(size_t)blockIdx.x * elems + i] = min(max(value, -128), 127);
    }
}
