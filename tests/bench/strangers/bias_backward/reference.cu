#include <cuda_bf16.h>
extern "C" __global__ void bias_reference(float *dbias, const __nv_bfloat16 *dout, int b, int t, int oc)
{
    int c = blockIdx.x * 32 + threadIdx.x;
    double sum = dbias[c];
    for (int row = 0; row < b * t; row++)
        sum += (double)(float)dout[(long)row * oc + c];
    dbias[c] = sum;
}
