extern "C" __global__ void clear(unsigned *reduction, unsigned *bump, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        reduction[i] = 0;
    if (i == 0)
        *bump = 0;
}
