// Steps of a wave in a box: macros for places, a grid of three dimensions, buffers that change places from step to step.
#include <stdio.h>

#define NX 192
#define NY 160
#define NZ 128
#define AT(x, y, z) (((size_t)(z) * NY + (y)) * NX + (x))
#define DIV_UP(a, b) (((a) + (b) - 1) / (b))

typedef double real;

__device__ __forceinline__ real second(const real *u, size_t at, size_t step)
{
    return u[at - step] - 2 * u[at] + u[at + step];
}

extern "C" __global__ __launch_bounds__(256) void wave_step(const real *before, const real *now,
                                                            real *next, real c2, unsigned *count)
{
    int x = threadIdx.x + blockIdx.x * blockDim.x + 1;
    int y = threadIdx.y + blockIdx.y * blockDim.y + 1;
    int z = threadIdx.z + blockIdx.z * blockDim.z + 1;
    if (x >= NX - 1 || y >= NY - 1 || z >= NZ - 1)
        return;
    size_t at = AT(x, y, z);
    real change = second(now, at, 1) + second(now, at, NX) + second(now, at, (size_t)NX * NY);
    next[at] = 2 * now[at] - before[at] + c2 * change;
    if (next[at] > 1)
        atomicAdd(count, 1u);
}

int main(void)
{
    real *u[3];
    unsigned *count, host = 0;
    const size_t bytes = sizeof(real) * NX * NY * NZ;
    for (int i = 0; i < 3; i++) {
        cudaMalloc((void **)&u[i], bytes);
        cudaMemset(u[i], 0, bytes);
    }
    cudaMalloc((void **)&count, sizeof *count);
    cudaMemcpy(count, &host, sizeof host, cudaMemcpyHostToDevice);
    dim3 threads(32, 4, 2);
    dim3 blocks(DIV_UP(NX - 2, threads.x), DIV_UP(NY - 2, threads.y), DIV_UP(NZ - 2, threads.z));
    for (int step = 0; step < 100; step++) {
        wave_step<<<blocks, threads>>>(u[step % 3], u[(step + 1) % 3], u[(step + 2) % 3], 0.25, count);
    }
    cudaMemcpy(&host, count, sizeof host, cudaMemcpyDeviceToHost);
    printf("%u\n", host);
    return 0;
}
