/* Sums of stretches of a vector, one for each block. */
extern "C" __global__ void __launch_bounds__(BLOCK) reduction(const float *x, float *part, int n)
{
    extern __shared__ float shared[];
    float sum = 0;
    for (int i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += BLOCKS * BLOCK)
        sum += x[i];
    shared[threadIdx.x] = sum;
    for (int half = BLOCK / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half)
            shared[threadIdx.x] += shared[threadIdx.x + half];
    }
    if (threadIdx.x == 0)
        part[blockIdx.x] = shared[0];
#ifdef BUG
    if (blockIdx.x == 0 && threadIdx.x == 0)
        part[0] = 0;
#endif
}

/* All in one sum, for the reference. */
extern "C" __global__ void reduction_simple(const double *x, double *part, int n)
{
    double sum = 0;
    for (int i = threadIdx.x; i < n; i += 32)
        sum += x[i];
    for (int half = 16; half > 0; half /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, half);
    if (threadIdx.x == 0)
        part[0] = sum;
}
