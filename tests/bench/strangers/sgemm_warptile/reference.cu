extern "C" __global__ void sgemm_reference(int M, int N, int K, float alpha, const float *A, const float *B, float beta,
                                           float *C)
{
    int col = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
    double sum = 0;
    for (int k = 0; k < K; k++)
        sum += (double)A[row * K + k] * B[k * N + col];
    C[row * N + col] = alpha * sum + beta * C[row * N + col];
}
