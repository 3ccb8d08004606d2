extern "C" __global__ void gemv_reference(int m, int n, float alpha, const float *A, int lda, const float *x, int incx,
                                          float beta, float *y, int incy)
{
    int row = blockIdx.x * 256 + threadIdx.x;
    double sum = 0;
    for (int col = 0; col < n; col++)
        sum += (double)A[(long)col * lda + row] * x[col * incx];
    y[row * incy] = alpha * sum + beta * y[row * incy];
}
