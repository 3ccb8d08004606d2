/* The plain exclusive prefix sum that tuned kernels are compared with, in two launches of one
 * thread per stretch of 1,024 elements: the sum of each stretch, and then each stretch from the sum
 * of all stretches before it, which each thread adds up by itself.
 *
 *     scan_reference_sums(sums, in, n)
 *     scan_reference(out, sums, in, n)
 *     grid  ceil(n / 1024 / 64)      block  64 */

constexpr unsigned STRETCH = 1024; /* elements of a thread */

extern "C" __global__ void scan_reference_sums(int *sums, const int *in, unsigned n)
{
    unsigned stretch = blockIdx.x * blockDim.x + threadIdx.x;
    int sum = 0;
#pragma unroll 1
    for (unsigned i = stretch * STRETCH; i < n && i < (stretch + 1) * STRETCH; i++)
        sum += in[i];
    if (stretch * STRETCH < n)
        sums[stretch] = sum;
}

extern "C" __global__ void scan_reference(int *out, const int *sums, const int *in, unsigned n)
{
    unsigned stretch = blockIdx.x * blockDim.x + threadIdx.x;
    if (stretch * STRETCH >= n)
        return;
    int sum = 0;
#pragma unroll 1
    for (unsigned s = 0; s < stretch; s++)
        sum += sums[s];
#pragma unroll 1
    for (unsigned i = stretch * STRETCH; i < n && i < (stretch + 1) * STRETCH; i++) {
        out[i] = sum;
        sum += in[i];
    }
}
