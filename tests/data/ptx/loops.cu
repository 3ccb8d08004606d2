// Loop shapes: nested with a triangular bound, count from memory, one with two exits, a downward one.
extern "C" __global__ void loops(const int *in, int *out, int n, unsigned stride)
{
    int sum = 0;
#pragma unroll 1
    for (int i = 0; i < n; i++)
#pragma unroll 1
        for (int j = i; j < n; j++)
            sum += in[i * n + j];
    const int m = in[0];
#pragma unroll 1
    for (int i = 0; i < m; i++)
        sum ^= in[i] * 3;
#pragma unroll 1
    for (int i = 0; i < 100; i++) {
        if (in[i] == sum)
            break;
        sum += i;
    }
#pragma unroll 1
    for (unsigned s = stride; s > 0; s >>= 1) {
        sum += in[s];
        __syncthreads();
    }
#pragma unroll 1
    for (int i = n; i >= 4; i -= 4)
        sum -= in[i];
    out[threadIdx.x] = sum;
}
