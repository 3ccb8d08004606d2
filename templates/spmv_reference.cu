/* One row a thread, summed in double precision. */
extern "C" __global__ void spmv_reference(const int *first, const int *column, const float *value,
                                          const float *x, float *y, int rows)
{
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    double sum = 0;
    for (int k = first[row]; k < first[row + 1]; k++)
        sum += (double)value[k] * x[column[k]];
    y[row] = (float)sum;
}
