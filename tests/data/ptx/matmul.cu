// Tiled C = A*B with sizes known only at run time; 2 x 2 results per thread.
constexpr int TILE = 32;
constexpr int BK = 16;

extern "C" __global__ void __launch_bounds__(256)
matmul(const float *A, const float *B, float *C, int M, int N, int K)
{
    __shared__ float As[TILE][BK];
    __shared__ float Bs[BK][TILE];
    const int tx = threadIdx.x % 16;
    const int ty = threadIdx.x / 16;
    const int row = blockIdx.y * TILE;
    const int col = blockIdx.x * TILE;
    float sum[2][2] = {};
    for (int k0 = 0; k0 < K; k0 += BK) {
#pragma unroll
        for (int i = 0; i < 2; i++) {
            const int e = threadIdx.x + i * 256;
            As[e / BK][e % BK] = A[(row + e / BK) * K + k0 + e % BK];
            Bs[e / TILE][e % TILE] = B[(k0 + e / TILE) * N + col + e % TILE];
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < BK; k++)
#pragma unroll
            for (int i = 0; i < 2; i++)
#pragma unroll
                for (int j = 0; j < 2; j++)
                    sum[i][j] += As[ty + 16 * i][k] * Bs[k][tx + 16 * j];
        __syncthreads();
    }
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            C[(row + ty + 16 * i) * N + col + tx + 16 * j] = sum[i][j];
}
