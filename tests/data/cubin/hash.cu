/* One kernel, compiled in several ways: which of them are the same code? */
#ifndef FACTOR
#define FACTOR 3
#endif
#ifndef THIRD
#define THIRD 3
#endif
#ifndef NAME
#define NAME scale
#endif

static __device__ int table[4] = {1, 2, THIRD, 4};

extern "C" __global__ void NAME(int *out, int k)
{
    out[threadIdx.x] = out[threadIdx.x] * FACTOR + table[k & 3];
}
