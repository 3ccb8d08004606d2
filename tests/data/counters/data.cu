/* Kernels whose work follows from data, and what else kernels.cu has not: written for these counters,
 * in the style of public ones. */
extern "C" __global__ void rows(const int *start, const int *column, const float *value, const float *x,
                                float *y, int count)
{
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= count)
        return;
    float sum = 0;
    for (int i = start[row]; i < start[row + 1]; i++)
        sum += value[i] * x[column[i]];
    y[row] = sum;
}

/* A warp for each row, the sum by shuffles. */
extern "C" __global__ void rows_of_warps(const int *start, const int *column, const float *value,
                                         const float *x, float *y, int count)
{
    const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= count)
        return;
    float sum = 0;
    for (int i = start[row] + lane; i < start[row + 1]; i += 32)
        sum += value[i] * x[column[i]];
    for (int step = 16; step > 0; step /= 2)
        sum += __shfl_down_sync(~0u, sum, step);
    if (lane == 0)
        y[row] = sum;
}

extern "C" __global__ void gather(const int *index, const float *in, float *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[index[i]];
}

/* Private counts in shared memory. */
extern "C" __global__ void histogram(const int *in, int *bins, int count)
{
    __shared__ int mine[256];
    for (int i = threadIdx.x; i < 256; i += blockDim.x)
        mine[i] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
        atomicAdd(&mine[in[i]], 1);
    __syncthreads();
    for (int i = threadIdx.x; i < 256; i += blockDim.x)
        atomicAdd(&bins[i], mine[i]);
}

/* A program of eight kinds of steps, each lane its own: a divergent switch. */
extern "C" __global__ void interpret(const unsigned *program, unsigned *out, int steps)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned v = i;
    for (int k = 0; k < steps; k++) {
        switch (program[i * steps + k]) {
        case 0:
            v = v * 3 + 1;
            break;
        case 1:
            v ^= v >> 7;
            break;
        case 2:
            for (unsigned n = 0; n < 5; n++)
                v = __umulhi(v, 0x9e3779b1u) + n * v;
            break;
        case 3:
            v = __popc(v) + (v << 5);
            break;
        case 4:
            v = v / 7;
            break;
        case 5:
            v = __brev(v);
            break;
        case 6:
            out[i] = v;
            break;
        case 7:
            v = v % 1000003u;
            break;
        }
    }
    out[i] = v;
}

/* Jumps through a table: brx.idx. */
extern "C" __global__ void jump(const unsigned *which, unsigned *out)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned v = i;
    asm volatile("{ .reg .u32 t;\n"
                 " ts: .branchtargets A, B, C, D;\n"
                 " and.b32 t, %1, 3;\n"
                 " brx.idx t, ts;\n"
                 " A: mad.lo.u32 %0, %0, 17, 3; bra E;\n"
                 " B: popc.b32 %0, %0; add.u32 %0, %0, 7; xor.b32 %0, %0, 99; bra E;\n"
                 " C: brev.b32 %0, %0; bra E;\n"
                 " D: shl.b32 %0, %0, 3; not.b32 %0, %0; mul.lo.u32 %0, %0, %0; add.u32 %0, %0, 1;\n"
                 " E: }"
                 : "+r"(v)
                 : "r"(which[i]));
    out[i] = v;
}

/* A local array that is indexed by data. */
extern "C" __global__ void shuffle_bytes(const unsigned *in, unsigned *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned state[16];
    for (int k = 0; k < 16; k++)
        state[k] = k * 77 + i;
    for (int k = 0; k < 32; k++) {
        const unsigned at = in[k] & 15, with = in[k + 32] & 15, old = state[at];
        state[at] = state[with] + k;
        state[with] = old;
    }
    unsigned sum = 0;
    for (int k = 0; k < 16; k++)
        sum = sum * 31 + state[k];
    out[i] = sum;
}

/* The thread's number is read from its stack each time. */
extern "C" __global__ void volatile_number(const float *in, float *out, int count)
{
    volatile int me = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < 8; k++)
        if (me + k < count)
            sum += in[me + k];
    out[me] = sum;
}

/* 32 × 32 words as 16-byte parts, each row's parts exchanged by the row's number. */
extern "C" __global__ void swizzle(const float4 *in, float4 *out)
{
    __shared__ float4 tile[32 * 8];
    const int row = threadIdx.x / 8, part = threadIdx.x % 8, block = blockIdx.x * 256;
    tile[row * 8 + (part ^ (row & 7))] = in[block + threadIdx.x];
    __syncthreads();
    const int column = threadIdx.x / 32, other = threadIdx.x % 32;
    out[block + threadIdx.x] = tile[other * 8 + (column ^ (other & 7))];
}

/* Elements above a bound are worked on: a branch by a float. */
extern "C" __global__ void above(const float *in, float *out, float bound)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = in[i];
    if (v > bound)
        for (int k = 0; k < 10; k++)
            v = v * v + 0.25f;
    out[i] = v;
}
