/* The plain sum of an array of integers that tuned kernels are compared with: one block, of which
 * each thread adds up every 1024th element; the first thread adds up their sums.
 *
 *     reduce_reference(out total, in data, n)
 *     grid  1      block  1024 */

extern "C" __global__ void __launch_bounds__(1024)
    reduce_reference(int *total, const int *data, unsigned n)
{
    __shared__ int sums[1024];
    int sum = 0;
#pragma unroll 16
    for (unsigned i = threadIdx.x; i < n; i += 1024)
        sum += data[i];
    sums[threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.x != 0)
        return;
    sum = 0;
#pragma unroll 1
    for (unsigned thread = 0; thread < 1024; thread++)
        sum += sums[thread];
    *total = sum;
}
