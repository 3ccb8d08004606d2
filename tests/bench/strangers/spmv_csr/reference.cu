extern "C" __global__ void spmv_reference(float *y, const int *rows, const int *cols, const float *values, const float *x,
                                          int nrows)
{
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= nrows)
        return;
    double sum = 0;
    for (int k = rows[i]; k < rows[i + 1]; k++)
        sum += (double)values[k] * x[cols[k]];
    y[i] = sum;
}
