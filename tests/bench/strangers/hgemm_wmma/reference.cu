#include <cuda_fp16.h>

// C = A * B', both with rows of k, in single precision.
extern "C" __global__ void product_reference(const half *A, const half *B, half *C, int n, int k)
{
    __shared__ float a[32][33], b[32][33];
    int row = blockIdx.y * 32 + threadIdx.y, x = threadIdx.x, y = threadIdx.y;
    float sum = 0;
    for (int first = 0; first < k; first += 32) {
        a[y][x] = __half2float(A[(size_t)row * k + first + x]);
        b[y][x] = __half2float(B[(size_t)(blockIdx.x * 32 + y) * k + first + x]);
        __syncthreads();
        for (int i = 0; i < 32; i++)
            sum += a[y][i] * b[x][i];
        __syncthreads();
    }
    C[(size_t)row * n + blockIdx.x * 32 + x] = __float2half(sum);
}
