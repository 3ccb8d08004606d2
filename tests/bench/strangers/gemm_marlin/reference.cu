#include <cuda_fp16.h>

// marlin/__init__.py packs tiles of 16 × 16, four of them (1024 numbers) in the order `_perm`, eight numbers in an int.
extern "C" __global__ void unpack_reference(const int *B, const half *scales, half *weights, int n)
{
    const int interleave[8] = {0, 2, 4, 6, 1, 3, 5, 7};
    int t = blockIdx.x * blockDim.x + threadIdx.x, row = t / (2 * n), column = t % (2 * n);
    for (int e = 0; e < 8; e++) {
        int place = 8 * column + e, p = place % 1024, old = interleave[p % 8];
        int i = p / 32, j = p / 8 % 4, block = old / 4, r = old % 4;
        int inner = 2 * (i % 4) + (r & 1) + 8 * (r >> 1);           // row of the tile
        int outer = i / 4 + 8 * block;                              // column of the tile
        int k = 16 * row + inner, c = (place / 1024 * 4 + j) * 16 + outer;
        float scale = __half2float(scales[k / 128 * n + c / 64 * 64 + c % 8 * 8 + c % 64 / 8]);
        weights[(size_t)k * n + c] = __float2half((float)(((unsigned)B[t] >> 4 * e & 15) - 8.0f) * scale);
    }
}

extern "C" __global__ void product_reference(const half *A, const half *weights, half *C, int n, int k)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x, m = blockIdx.y;
    double sum = 0;
    for (int i = 0; i < k; i++)
        sum += (double)(__half2float(A[m * k + i]) * __half2float(weights[(size_t)i * n + c]));
    C[(size_t)m * n + c] = __float2half((float)sum);
}
