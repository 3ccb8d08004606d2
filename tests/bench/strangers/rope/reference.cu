#include <cuda_fp16.h>

extern "C" __global__ void rope_reference(const half *q, const half *k, half *q_out, half *k_out, const float *table,
                                          const int *positions, int heads, int kv_heads)
{
    int token = blockIdx.x, head = blockIdx.y, lane = threadIdx.x;
    bool is_query = head < heads;
    size_t row = is_query ? (size_t)token * heads + head : (size_t)token * kv_heads + head - heads;
    const half *in = (is_query ? q : k) + row * 128;
    half *out = (is_query ? q_out : k_out) + row * 128;
    const float *angles = table + (size_t)positions[token] * 128;
    float other = lane < 64 ? -__half2float(in[lane + 64]) : __half2float(in[lane - 64]);
    out[lane] = __float2half(__half2float(in[lane]) * angles[lane % 64] + other * angles[64 + lane % 64]);
}
