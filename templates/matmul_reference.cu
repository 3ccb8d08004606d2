/* The plain product that tuned kernels are compared with: C = A·B, row major, one thread per
 * element of C.
 *
 *     matmul_reference(out C, in A, in B, M, N, K)
 *     grid  ceil(N / 16), ceil(M / 16)      block  16, 16
 *
 * TRANSPOSED_A: A is stored as K×M; TRANSPOSED_B: B as N×K.
 *
 * Sums in double precision: the product of two floats is exact in a double, so only the last
 * rounding to float is left, and what a kernel differs by is its own error. */

#ifndef TRANSPOSED_A
#define TRANSPOSED_A 0
#endif
#ifndef TRANSPOSED_B
#define TRANSPOSED_B 0
#endif
#define TILE 16 /* rows and columns of a tile, and of a block of threads */

__device__ __forceinline__ double element_or_zero(const float *matrix, int row, int column,
                                                  int rows, int columns)
{
    return row < rows && column < columns ? matrix[(size_t)row * columns + column] : 0.0;
}

extern "C" __global__ void __launch_bounds__(TILE *TILE)
    matmul_reference(float *C, const float *A, const float *B, int M, int N, int K)
{
    __shared__ double a[TILE][TILE], b[TILE][TILE];
    int x = threadIdx.x, y = threadIdx.y;
    int row = blockIdx.y * TILE + y, column = blockIdx.x * TILE + x;
    double sum = 0.0;

#pragma unroll 1
    for (int k0 = 0; k0 < K; k0 += TILE) {
        a[y][x] = TRANSPOSED_A ? element_or_zero(A, k0 + x, row, K, M)
                               : element_or_zero(A, row, k0 + x, M, K);
        b[y][x] = TRANSPOSED_B ? element_or_zero(B, column, k0 + y, N, K)
                               : element_or_zero(B, k0 + y, column, K, N);
        __syncthreads();
#pragma unroll
        for (int k = 0; k < TILE; k++)
            sum += a[y][k] * b[k][x];
        __syncthreads();
    }
    if (row < M && column < N)
        C[(size_t)row * N + column] = (float)sum;
}
