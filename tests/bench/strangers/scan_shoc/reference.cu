extern "C" __global__ void scan_reference(float *output, const float *input, int n)
{
    __shared__ double part[1024];
    int each = n / 1024, first = threadIdx.x * each;
    double sum = 0;
    for (int i = first; i < first + each; i++)
        sum += input[i];
    part[threadIdx.x] = sum;
    __syncthreads();
    sum = 0;
    for (int i = 0; i < threadIdx.x; i++)
        sum += part[i];
    for (int i = first; i < first + each; i++) {
        sum += input[i];
        output[i] = sum;
    }
}
