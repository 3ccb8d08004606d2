/* The plain iteration that tuned kernels are compared with, one thread per element, in double
 * precision.
 *
 *     rsqrt_reference(out, in a, n)
 *     grid  ceil(n / 256)      block  256 */

#ifndef ITERATIONS
#define ITERATIONS 2000
#endif

extern "C" __global__ void rsqrt_reference(float *out, const float *a, int n)
{
    int element = blockIdx.x * blockDim.x + threadIdx.x;
    if (element >= n)
        return;
    double x = 1.0, sum = 0.0;
#pragma unroll 1
    for (int i = 0; i < ITERATIONS; i++) {
        x = 1.0 / sqrt(x + a[element]);
        sum += x;
    }
    out[element] = (float)sum;
}
