// Inclusive scan in place by one block of 1024 threads; n is a multiple of 1024.
extern "C" __global__ void scan_reference(unsigned *scan, int n)
{
    __shared__ unsigned sums[1024];
    int each = n / 1024, first = threadIdx.x * each;
    unsigned sum = 0;
    for (int i = first; i < first + each; i++)
        sum += scan[i];
    sums[threadIdx.x] = sum;
    __syncthreads();
    unsigned before = 0;
    for (int t = 0; t < threadIdx.x; t++)
        before += sums[t];
    for (int i = first; i < first + each; i++)
        scan[i] = before += scan[i];
}
