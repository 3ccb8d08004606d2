/* Kernels that use each resource once, to compare what we read in a cubin with what ptxas says. */

__constant__ float coefficients[4];
__device__ int counter = 5;

struct Wide {
    int x[1500]; /* over 4 KB: the other form of parameter record */
};

/* Static shared memory and one barrier. */
extern "C" __global__ void tile(float *out, const float *in, int n)
{
    __shared__ float s[32][33];
    s[threadIdx.y][threadIdx.x] = in[threadIdx.y * n + threadIdx.x];
    __syncthreads();
    out[threadIdx.y * n + threadIdx.x] = s[threadIdx.x][threadIdx.y] * coefficients[1];
}

/* Only dynamic shared memory. */
extern "C" __global__ void dynamic(float *out)
{
    extern __shared__ float d[];
    d[threadIdx.x] = out[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = d[threadIdx.x ^ 1];
}

/* More live values than 32 registers hold: spills, and no local array. */
extern "C" __global__ void __launch_bounds__(1024, 2) spill(float *out, const float4 *in, int n)
{
    float4 v[12];
#pragma unroll
    for (int i = 0; i < 12; i++)
        v[i] = in[i * 32 + threadIdx.x];
    for (int k = 0; k < n; k++) {
#pragma unroll
        for (int i = 0; i < 12; i++) {
            v[i].x = fmaf(v[i].y, v[(i + 5) % 12].z, v[i].w);
            v[i].y = fmaf(v[i].z, v[(i + 7) % 12].w, v[i].x);
            v[i].z = fmaf(v[i].w, v[(i + 1) % 12].x, v[i].y);
            v[i].w = fmaf(v[i].x, v[(i + 11) % 12].y, v[i].z);
        }
    }
#pragma unroll
    for (int i = 0; i < 12; i++)
        out[i * 32 + threadIdx.x] = v[i].x + v[i].y + v[i].z + v[i].w;
}

/* A local array: stack frame without spills. */
extern "C" __global__ void local(int *out, int n)
{
    int a[40];
    for (int i = 0; i < 40; i++)
        a[i] = out[i];
    for (int i = 0; i < n; i++)
        a[out[i + 40] % 40] += a[out[i + 41] % 40];
    out[threadIdx.x] = a[threadIdx.x % 40];
}

/* Parameters of several sizes, a call (of the division), launch bounds, a global. */
extern "C" __global__ void __launch_bounds__(128) params(double *out, char c, short s, double d)
{
    if (c > s)
        atomicAdd(&counter, 1);
    out[threadIdx.x] = out[threadIdx.x + c] / d;
}

/* A large parameter and a named barrier. */
extern "C" __global__ void wide(int *out, const __grid_constant__ Wide w, int k)
{
    out[threadIdx.x] = w.x[k];
    asm volatile("bar.sync 3, 64;");
    out[threadIdx.x ^ 1] = k;
}
