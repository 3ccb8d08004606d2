extern "C" __global__ void spmm_reference(int rows, int columns, const int *first, const int *column, const float *value,
                                          const float *B, float *C)
{
    for (int c = threadIdx.x; c < columns; c += blockDim.x) {
        double sum = 0;
        for (int k = first[blockIdx.x]; k < first[blockIdx.x + 1]; k++)
            sum += (double)value[k] * B[(long)column[k] * columns + c];
        C[(long)blockIdx.x * columns + c] = sum;
    }
}
