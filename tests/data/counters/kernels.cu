/* Small kernels, each with one habit of memory or control flow, whose hardware counters are in
 * counters.csv.  launches.txt says how each is launched. */

enum { TILE = 32, ROWS = 8, THREADS = 128, REPEATS = 8, STEP = 32, UNITS = STEP * (REPEATS + 3) };

/* --- transposition of an n×n matrix, n a multiple of 32, by blocks of 32×8 --------------------- */

extern "C" __global__ void transpose_naive(float *out, const float *in, int n)
{
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
#pragma unroll
    for (int j = 0; j < TILE; j += ROWS)
        out[x * n + y + j] = in[(y + j) * n + x];
}

template <int WIDTH, bool SWIZZLE>
__device__ __forceinline__ void transpose_tile(float *out, const float *in, int n)
{
    __shared__ float tile[TILE * WIDTH];
    int x = threadIdx.x, y = threadIdx.y;
    int column = blockIdx.x * TILE, row = blockIdx.y * TILE;
#pragma unroll
    for (int j = 0; j < TILE; j += ROWS)
        tile[(y + j) * WIDTH + (SWIZZLE ? x ^ (y + j) : x)] = in[(row + y + j) * n + column + x];
    __syncthreads();
#pragma unroll
    for (int j = 0; j < TILE; j += ROWS)
        out[(column + y + j) * n + row + x] = tile[x * WIDTH + (SWIZZLE ? x ^ (y + j) : y + j)];
}

extern "C" __global__ void transpose_tiled(float *out, const float *in, int n)
{
    transpose_tile<TILE, false>(out, in, n);
}

extern "C" __global__ void transpose_padded(float *out, const float *in, int n)
{
    transpose_tile<TILE + 1, false>(out, in, n);
}

extern "C" __global__ void transpose_swizzled(float *out, const float *in, int n)
{
    transpose_tile<TILE, true>(out, in, n);
}

/* --- copies ------------------------------------------------------------------------------------ */

extern "C" __global__ void copy_strided(float *out, const float *in, int stride)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i * stride];
}

extern "C" __global__ void copy_offset(float *out, const float *in, int offset)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i + offset] = in[i + offset];
}

extern "C" __global__ void copy_float4(float4 *out, const float4 *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[i];
}

extern "C" __global__ void copy_double(double *out, const double *in, int stride)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i * stride] = in[i];
}

/* --- control flow ------------------------------------------------------------------------------ */

/* `ways` different paths in every warp, each with a loop of its own. */
extern "C" __global__ void divergent_switch(float *out, const float *in, int ways)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = in[i];
    switch (threadIdx.x % ways) {
    case 0:
#pragma unroll 1
        for (int k = 0; k < 10; k++)
            x = x * x + 1;
        break;
    case 1:
#pragma unroll 1
        for (int k = 0; k < 20; k++)
            x = sqrtf(fabsf(x) + 2);
        break;
    case 2:
#pragma unroll 1
        for (int k = 0; k < 30; k++)
            x = 3 / (x + 4);
        break;
    default:
#pragma unroll 1
        for (int k = 0; k < 40; k++)
            x = fmaxf(x, 5) - x * 6;
        break;
    }
    out[i] = x;
}

/* Lane l goes round l + 1 times. */
extern "C" __global__ void divergent_loop(float *out, const float *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = in[i];
#pragma unroll 1
    for (unsigned k = 0; k <= threadIdx.x % 32; k++)
        x = x * x + 1;
    out[i] = x;
}

/* --- reductions of 256 numbers a block --------------------------------------------------------- */

extern "C" __global__ void reduce_near(float *out, const float *in)
{
    __shared__ float sum[256];
    unsigned t = threadIdx.x;
    sum[t] = in[blockIdx.x * 256 + t];
    __syncthreads();
#pragma unroll 1
    for (unsigned apart = 128; apart > 0; apart /= 2) {
        if (t < apart)
            sum[t] += sum[t + apart];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = sum[0];
}

/* The same with the threads that still work spread out: bank conflicts. */
extern "C" __global__ void reduce_far(float *out, const float *in)
{
    __shared__ float sum[256];
    unsigned t = threadIdx.x;
    sum[t] = in[blockIdx.x * 256 + t];
    __syncthreads();
#pragma unroll 1
    for (unsigned apart = 1; apart < 256; apart *= 2) {
        unsigned i = 2 * apart * t;
        if (i < 256)
            sum[i] += sum[i + apart];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = sum[0];
}

extern "C" __global__ void reduce_shuffle(float *out, const float *in)
{
    __shared__ float sum[8];
    unsigned t = threadIdx.x;
    float x = in[blockIdx.x * 256 + t];
#pragma unroll
    for (int apart = 16; apart > 0; apart /= 2)
        x += __shfl_xor_sync(0xffffffff, x, apart);
    if (t % 32 == 0)
        sum[t / 32] = x;
    __syncthreads();
    if (t < 8) {
        x = sum[t];
#pragma unroll
        for (int apart = 4; apart > 0; apart /= 2)
            x += __shfl_xor_sync(0xff, x, apart);
        if (t == 0)
            out[blockIdx.x] = x;
    }
}

/* --- patterns of shared memory ----------------------------------------------------------------- *
 *
 * Lane l of every warp accesses unit ((l >> shift) * times) & mask, and the units 32, 64, …, 224
 * after it.  Units are of 4, 8 or 16 bytes; mask is at most 127. */

__device__ __forceinline__ unsigned place(int shift, int times, int mask)
{
    return (threadIdx.x % 32 >> shift) * times & mask;
}

__device__ __forceinline__ void add(float &a, float b) { a += b; }
__device__ __forceinline__ void add(float2 &a, float2 b) { a.x += b.x, a.y += b.y; }
__device__ __forceinline__ void add(float4 &a, float4 b)
{
    a.x += b.x, a.y += b.y, a.z += b.z, a.w += b.w;
}

template <typename T>
__device__ __forceinline__ void load_pattern(T *out, const T *in, int shift, int times, int mask)
{
    __shared__ T unit[UNITS + THREADS];
#pragma unroll
    for (int i = 0; i < UNITS; i += THREADS)
        unit[i + threadIdx.x] = in[i + threadIdx.x];
    __syncthreads();
    unsigned at = place(shift, times, mask);
    T sum = unit[at];
#pragma unroll
    for (int r = 1; r < REPEATS; r++)
        add(sum, unit[at + r * STEP]);
    out[blockIdx.x * THREADS + threadIdx.x] = sum;
}

template <typename T>
__device__ __forceinline__ void store_pattern(T *out, const T *in, int shift, int times, int mask)
{
    __shared__ T unit[UNITS];
    unsigned at = place(shift, times, mask);
#pragma unroll
    for (int r = 0; r < REPEATS; r++)
        unit[at + r * STEP] = in[r * THREADS + threadIdx.x];
    __syncthreads();
    out[blockIdx.x * THREADS + threadIdx.x] = unit[threadIdx.x];
}

#define PATTERN(kind, bytes, T)                                                                    \
    extern "C" __global__ void kind##_##bytes(T *out, const T *in, int shift, int times, int mask) \
    {                                                                                              \
        kind##_pattern<T>(out, in, shift, times, mask);                                            \
    }

PATTERN(load, 4, float)
PATTERN(load, 8, float2)
PATTERN(load, 16, float4)
PATTERN(store, 4, float)
PATTERN(store, 8, float2)
PATTERN(store, 16, float4)

/* The product of two tiles as a matrix multiply with 8 threads in x reads them: a row of 16-byte
 * words that 8 neighbours read side by side, a column that they share. */
extern "C" __global__ void tile_product(float4 *out, const float4 *in)
{
    __shared__ float4 a[16 * 16], b[16 * 8];
    unsigned x = threadIdx.x, y = threadIdx.y, t = y * 8 + x;
    a[t] = in[t];
    a[t + 128] = in[t + 128];
    b[t] = in[t + 256];
    __syncthreads();
    float4 sum = {0, 0, 0, 0};
#pragma unroll 4
    for (int k = 0; k < 16; k++) {
        float4 u = a[k * 16 + y], v = b[k * 8 + x];
        sum.x += u.x * v.x, sum.y += u.y * v.y, sum.z += u.z * v.z, sum.w += u.w * v.w;
    }
    out[blockIdx.x * 128 + t] = sum;
}
