/* The plain sum of an array of integers that tuned kernels are compared with: threads take turns
 * over the array and add what they have to the result, which is 0 before.
 *
 *     reduce_reference(inout total, in data, n)
 *     grid  any      block  any */

extern "C" __global__ void reduce_reference(int *total, const int *data, unsigned n)
{
    int sum = 0;
#pragma unroll 1
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        sum += data[i];
    atomicAdd(total, sum);
}
