/* A small template for the tests of the command line: y = WEIGHT x + y. */
#define WEIGHT 3.0f

extern "C" __global__ void synthetic(float *y, const float *x)
{
    int first = (int)(blockIdx.x * blockDim.x + threadIdx.x) * EACH;
#pragma unroll
    for (int i = 0; i < EACH; i++)
        y[first + i] += WEIGHT * x[first + i];
}
