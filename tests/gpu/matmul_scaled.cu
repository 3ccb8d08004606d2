/* C = alpha·A·B + beta·C in double precision, for tests/gpu/matmul_scaled.sh: one thread per element of C. */
#ifndef TRANSPOSED_A
#define TRANSPOSED_A 0
#endif
#ifndef TRANSPOSED_B
#define TRANSPOSED_B 0
#endif

extern "C" __global__ void matmul_scaled(float *C, const float *A, const float *B, int M, int N,
                                         int K, float alpha, float beta)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= M || column >= N)
        return;
    double sum = 0.0;
    for (int k = 0; k < K; k++)
        sum += (double)A[TRANSPOSED_A ? (size_t)k * M + row : (size_t)row * K + k] *
               B[TRANSPOSED_B ? (size_t)column * K + k : (size_t)k * N + column];
    size_t at = (size_t)row * N + column;
    C[at] = (float)(alpha * sum + beta * (double)C[at]);
}
