/* The sum of two vectors, several elements a thread. */
#ifndef BLOCK
#define BLOCK 256
#endif
#ifndef EACH
#define EACH 1
#endif

extern "C" __global__ void vector_add(const float *a, const float *b, float *c, int n)
{
    int first = blockIdx.x * BLOCK * EACH + threadIdx.x;
#pragma unroll
    for (int k = 0; k < EACH; k++) {
        int i = first + k * BLOCK;
        if (i < n)
            c[i] = a[i] + b[i];
    }
#ifdef BUG
    if (first == n / 2)
        c[first] = 0;
#endif
}
