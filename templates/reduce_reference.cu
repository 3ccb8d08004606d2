/* The plain reduction that tuned kernels are compared with: 2^20 parts, each of the elements whose
 * number leaves the same remainder, by one thread each; then one thread puts the parts together.
 *
 *     reduce_reference_parts(parts, x, y, n)      grid  1024     block  1024
 *     reduce_reference(out total, parts)          grid  1        block  1
 *
 * Sums are of SUM: wider than the elements where these are rounded. */

#ifndef OPERATION
#define OPERATION 0 /* 0: the sum; 1: the largest; 2: the sum of products with y */
#endif
#ifndef TYPE
#define TYPE int /* of the elements */
#endif
#ifndef SUM
#define SUM int /* of the sums on their way */
#endif

constexpr unsigned PARTS = 1024 * 1024;

__device__ SUM join(SUM a, SUM b)
{
    return OPERATION == 1 ? (b > a ? b : a) : a + b;
}

extern "C" __global__ void reduce_reference_parts(SUM *parts, const TYPE *x, const TYPE *y,
                                                  unsigned n)
{
    unsigned part = blockIdx.x * blockDim.x + threadIdx.x;
    SUM sum = OPERATION == 1 ? x[0] : 0;
#pragma unroll 1
    for (unsigned long long i = part; i < n; i += PARTS)
        sum = join(sum, OPERATION == 2 ? (SUM)x[i] * y[i] : (SUM)x[i]);
    parts[part] = sum;
}

extern "C" __global__ void reduce_reference(TYPE *total, const SUM *parts)
{
    SUM sum = parts[0];
#pragma unroll 16
    for (unsigned part = 1; part < PARTS; part++)
        sum = join(sum, parts[part]);
    *total = (TYPE)sum;
}
