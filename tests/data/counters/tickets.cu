/* Kernels that take tickets of a counter, and tell each other through shared memory: written for these counters, in
 * the style of public ones. */

/* The last block adds up what all have left. */
__device__ float sum_of_block(float v, float *warps)
{
    for (int step = 16; step > 0; step /= 2)
        v += __shfl_down_sync(~0u, v, step);
    if (threadIdx.x % 32 == 0)
        warps[threadIdx.x / 32] = v;
    __syncthreads();
    v = threadIdx.x < blockDim.x / 32 ? warps[threadIdx.x] : 0;
    for (int step = 16; step > 0 && threadIdx.x < 32; step /= 2)
        v += __shfl_down_sync(~0u, v, step);
    return v;
}

extern "C" __global__ void last_block(const float *in, volatile float *parts, unsigned *counter, float *out, int count)
{
    __shared__ float warps[32];
    __shared__ bool last;
    float v = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
        v += in[i];
    v = sum_of_block(v, warps);
    if (threadIdx.x == 0) {
        parts[blockIdx.x] = v;
        __threadfence();
        last = atomicInc(counter, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (!last)
        return;
    v = 0;
    for (int i = threadIdx.x; i < gridDim.x; i += blockDim.x)
        v += parts[i];
    v = sum_of_block(v, warps);
    if (threadIdx.x == 0)
        *out = v;
}

/* The same with a counter of the module, in two dimensions of blocks. */
__device__ unsigned int arrived;

extern "C" __global__ void last_of_plane(const float *in, float *out, int columns)
{
    __shared__ unsigned ticket;
    const int block = blockIdx.y * gridDim.x + blockIdx.x;
    out[1 + block * blockDim.x + threadIdx.x] = in[block * blockDim.x + threadIdx.x] * columns;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0)
        ticket = atomicAdd(&arrived, 1u);
    __syncthreads();
    if (ticket == gridDim.x * gridDim.y - 1) {
        float sum = 0;
        for (int i = threadIdx.x; i < columns; i += blockDim.x)
            sum += in[i];
        atomicAdd(out, sum);
    }
}

/* A block's tile is that of its ticket. */
extern "C" __global__ void tile_of_ticket(const float *in, float *out, unsigned *counter, int count)
{
    __shared__ int tile;
    if (threadIdx.x == 0)
        tile = atomicAdd(counter, 1u);
    __syncthreads();
    const int i = tile * blockDim.x + threadIdx.x;
    if (i < count)
        out[i] = in[i] * 2;
}

/* Blocks that take one tile after the other as long as there are some. */
extern "C" __global__ void queue_of_blocks(const float *in, float *out, unsigned *counter, int tiles)
{
    __shared__ int next;
    for (;;) {
        if (threadIdx.x == 0)
            next = atomicAdd(counter, 1u);
        __syncthreads();
        const int tile = next;
        __syncthreads();
        if (tile >= tiles)
            break;
        out[tile * blockDim.x + threadIdx.x] = in[tile * blockDim.x + threadIdx.x] + 1;
    }
}

/* Warps that do so, told by a shuffle. */
extern "C" __global__ void queue_of_warps(const float *in, float *out, unsigned *counter, int rows, int columns)
{
    for (;;) {
        int row = 0;
        if (threadIdx.x % 32 == 0)
            row = atomicAdd(counter, 1u);
        row = __shfl_sync(~0u, row, 0);
        if (row >= rows)
            break;
        float sum = 0;
        for (int i = threadIdx.x % 32; i < columns; i += 32)
            sum += in[row * columns + i];
        out[row * 32 + threadIdx.x % 32] = sum;
    }
}

/* What is kept goes where a counter says, lane by lane. */
extern "C" __global__ void compact(const int *in, int *out, unsigned *counter, int most)
{
    const int v = in[blockIdx.x * blockDim.x + threadIdx.x];
    if (v < most)
        out[atomicAdd(counter, 1u)] = v;
}
