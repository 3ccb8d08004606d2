extern "C" __global__ void gemm_reference(size_t m, size_t n, size_t k, float alpha, const float *A, size_t lda, const float *B,
                                          size_t ldb, float beta, float *C, size_t ldc)
{
    size_t x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    double sum = 0;
    for (size_t i = 0; i < k; i++)
        sum += (double)A[y * lda + i] * B[i * ldb + x];
    C[y * ldc + x] = alpha * sum + beta * C[y * ldc + x];
}
