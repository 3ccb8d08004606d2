/* The plain sum that tuned kernels are compared with: C = A + B, one thread per element.
 *
 *     vectoradd_reference(out C, in A, in B, n)
 *     grid  ceil(n / 256)      block  256 */

extern "C" __global__ void vectoradd_reference(float *C, const float *A, const float *B, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        C[i] = A[i] + B[i];
}
