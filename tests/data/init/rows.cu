// Sums of the rows of a matrix: sizes from the command line, a block a row, shared memory by its size at launch.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#define THREADS 128
#define CHECK(call)                                                                                \
    do {                                                                                           \
        cudaError_t error = (call);                                                                \
        if (error != cudaSuccess) {                                                                \
            fprintf(stderr, "%s\n", cudaGetErrorString(error));                                    \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

__global__ void row_sums(float *__restrict__ sums, const float *__restrict__ values, int columns,
                         int pitch)
{
    extern __shared__ float part[];
    const float *row = values + (size_t)blockIdx.x * pitch;
    float sum = 0;
    for (int i = threadIdx.x; i < columns; i += blockDim.x)
        sum += row[i];
    part[threadIdx.x] = sum;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (threadIdx.x < half)
            part[threadIdx.x] += part[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        sums[blockIdx.x] = part[0];
}

int main(int argc, char **argv)
{
    const int rows = argc > 1 ? atoi(argv[1]) : 4096;
    const int columns = argc > 2 ? atoi(argv[2]) : 3000;
    const int pitch = (columns + 31) / 32 * 32;
    std::vector<float> host((size_t)rows * pitch, 1.0f);
    float *values, *sums;
    CHECK(cudaMalloc(&values, host.size() * sizeof(float)));
    CHECK(cudaMalloc(&sums, rows * sizeof(float)));
    CHECK(cudaMemcpy(values, host.data(), host.size() * sizeof(float), cudaMemcpyHostToDevice));
    row_sums<<<rows, THREADS, THREADS * sizeof(float)>>>(sums, values, columns, pitch);
    CHECK(cudaDeviceSynchronize());
    cudaFree(values);
    cudaFree(sums);
}
