/* C = A B, row major: C is M × N, A is M × K, B is K × N.
 *
 * A block makes a TILE × TILE tile of C, from tiles of A and B in shared memory.  Each of its threads
 * makes EACH elements of one column, ROWS apart. */
#ifndef TILE
#define TILE 16
#endif
#ifndef EACH
#define EACH 1
#endif

static const int ROWS = TILE / EACH; /* of threads */

extern "C" __global__ void multiply(float *C, const float *A, const float *B, int M, int N, int K)
{
    __shared__ float a[TILE][TILE], b[TILE][TILE];
    const int x = threadIdx.x, column = blockIdx.x * TILE + x, row0 = blockIdx.y * TILE;
    float sum[EACH] = {};
    for (int k0 = 0; k0 < K; k0 += TILE) {
#pragma unroll
        for (int e = 0; e < EACH; e++) {
            const int y = threadIdx.y + e * ROWS;
            a[y][x] = row0 + y < M && k0 + x < K ? A[(size_t)(row0 + y) * K + k0 + x] : 0;
            b[y][x] = k0 + y < K && column < N ? B[(size_t)(k0 + y) * N + column] : 0;
        }
        __syncthreads(); /* the tiles are complete */
#pragma unroll
        for (int k = 0; k < TILE; k++)
#pragma unroll
            for (int e = 0; e < EACH; e++)
                sum[e] += a[threadIdx.y + e * ROWS][k] * b[k][x];
        __syncthreads(); /* nobody reads them any more */
    }
#pragma unroll
    for (int e = 0; e < EACH; e++) {
        const int row = row0 + threadIdx.y + e * ROWS;
        if (row < M && column < N)
            C[(size_t)row * N + column] = sum[e];
    }
}

/* What is right: sums in double precision. */
extern "C" __global__ void multiply_reference(double *C, const double *A, const double *B, int M,
                                              int N, int K)
{
    const int column = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= M || column >= N)
        return;
    double sum = 0;
    for (int k = 0; k < K; k++)
        sum += A[(size_t)row * K + k] * B[(size_t)k * N + column];
    C[(size_t)row * N + column] = sum;
}
