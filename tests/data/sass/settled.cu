// Kernels that end at once where a condition on parameters and sizes holds, for tests/unit/test_sass_settle.c,
// which has the same conditions.
#define SETTLED(name, condition)                                                                                       \
    extern "C" __global__ void name(int *out, int n, unsigned m, long long w, unsigned long long v, bool b,            \
                                    short s, unsigned char c)                                                          \
    {                                                                                                                  \
        if (condition)                                                                                                 \
            return;                                                                                                    \
        out[threadIdx.x] = n;                                                                                          \
    }

SETTLED(greater, n > 3)
SETTLED(below, m < 5u)
SETTLED(equal, n == 7)
SETTLED(wide, w >= 4)
SETTLED(wide_unsigned, v - 1 < 9)
SETTLED(wide_equal, w == 0x100000000)
SETTLED(bits_left, (n & 3) == 0)
SETTLED(either, (n > 3) != (m > 8))
SETTLED(both, n > 3 && m > 8 && w > 1)
SETTLED(shifted, (n >> 2) < -1)
SETTLED(shifted_unsigned, (m >> 3) + (m << 2) > 40)
SETTLED(product, n * (int)m - 5 > 30)
SETTLED(scaled, n * 8 + (int)m > 60)
SETTLED(flag, b)
SETTLED(small, s < -2)
SETTLED(byte, c > 200)
SETTLED(chosen, (b ? n : (int)m) > 4)
SETTLED(sum, n + (int)m + s > 10)
SETTLED(difference, n - (int)m < 0)
SETTLED(wide_sum, w + (long long)v > 0x1ffffffff)
SETTLED(wide_difference, w - (long long)v < 0)
SETTLED(block_size, blockDim.x > m)
SETTLED(grid_size, gridDim.x * blockDim.y == m)
SETTLED(never, (long long)threadIdx.x + blockIdx.x * (long long)blockDim.x < 0)
SETTLED(by_lane, threadIdx.x > m)

// The number of steps varies from step to step, but not that there is one.
extern "C" __global__ void counted(int *out, int n)
{
    if (n > 0) {
#pragma unroll 1
        for (int i = 0; i < n; i++)
            out[i * 32 + threadIdx.x] += i;
    }
}

// Branches by predicates of the scalar unit.
extern "C" __global__ void branched(int *out, int n, unsigned m)
{
    __shared__ int shared[256];
#pragma unroll 1
    for (int i = 0; i < n; i++) {
        shared[threadIdx.x] = i + out[i];
        __syncthreads();
        out[threadIdx.x + i] = shared[threadIdx.x ^ 1];
        __syncthreads();
    }
    if (m * gridDim.x > 11) {
        shared[threadIdx.x] = out[threadIdx.x];
        __syncthreads();
        atomicAdd(out, shared[threadIdx.x ^ 3]);
    }
}
