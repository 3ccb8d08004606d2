/* y = a x + y, a block at a time: BLOCK threads, each with EACH elements. */
#ifndef BLOCK
#define BLOCK 256
#endif
#ifndef EACH
#define EACH 1
#endif

extern "C" __global__ void saxpy(float *y, const float *x, float a, int n)
{
    const int first = blockIdx.x * (BLOCK * EACH) + threadIdx.x;
#pragma unroll
    for (int k = 0; k < EACH; k++) {
        const int i = first + k * BLOCK;
        if (i < n)
            y[i] = a * x[i] + y[i];
    }
}

/* What is right: the same in double precision. */
extern "C" __global__ void saxpy_reference(double *y, const double *x, double a, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = a * x[i] + y[i];
}
