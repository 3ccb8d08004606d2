/* A sparse matrix in rows times a vector, LANES threads a row. */
extern "C" __global__ void spmv(const int *first, const int *column, const float *value,
                                const float *x, float *y, int rows)
{
    int row = (blockIdx.x * BLOCK + threadIdx.x) / LANES, lane = threadIdx.x % LANES;
    float sum = 0;
    if (row < rows)
        for (int k = first[row] + lane; k < first[row + 1]; k += LANES)
            sum += value[k] * x[column[k]];
    for (int half = LANES / 2; half > 0; half /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, half, LANES);
#ifdef BUG
    sum = row == 3 ? 0 : sum;
#endif
    if (row < rows && lane == 0)
        y[row] = sum;
}
