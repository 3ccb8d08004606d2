/* The plain update that tuned kernels are compared with: y = a·x + y, one thread per element.
 *
 *     saxpy_reference(inout y, in x, a, n)
 *     grid  ceil(n / 256)      block  256 */

extern "C" __global__ void saxpy_reference(float *y, const float *x, float a, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = a * x[i] + y[i];
}
