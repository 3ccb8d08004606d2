extern "C" __global__ void spmv(const int *first, const int *column, const double *value,
                                const double *x, double *y, int rows)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    double sum = 0;
    for (int k = first[row]; k < first[row + 1]; k++)
        sum += value[k] * x[column[k]];
    y[row] = sum;
}
