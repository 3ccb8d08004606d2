extern "C" __global__ void reduction_reference(const float *in, float *out, unsigned n)
{
    __shared__ double part[1024];
    double sum = 0;
    for (unsigned i = threadIdx.x; i < n; i += 1024)
        sum += in[i];
    part[threadIdx.x] = sum;
    __syncthreads();
    for (int s = 512; s > 0; s /= 2) {
        if (threadIdx.x < s)
            part[threadIdx.x] += part[threadIdx.x + s];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        out[0] = part[0];
}
