#include <cuda_fp16.h>

// A block for a head of a sequence: all logits, then a thread for each of the head's 128 elements.
extern "C" __global__ void attention_reference(const half *query, const half *keys, const half *values, const int *table,
    const int *lengths, half *out, int kv, int pages)
{
    __shared__ double logit[2048];
    int head = blockIdx.x, seq = blockIdx.y, heads = gridDim.x, n = lengths[seq], t = threadIdx.x;
    int h = head / (heads / kv);
    const half *q = query + (seq * heads + head) * 128;
    for (int i = t; i < n; i += 128) {
        const half *k = keys + ((size_t)table[seq * pages + i / 16] * kv + h) * 2048;   // 16 groups of 8 elements, 16 tokens, 8
        double s = 0;
        for (int d = 0; d < 128; d++)
            s += (double)__half2float(q[d]) * (double)__half2float(k[d / 8 * 128 + i % 16 * 8 + d % 8]);
        logit[i] = s / sqrt(128.0);
    }
    __syncthreads();
    double most = logit[0], sum = 0, o = 0;
    for (int i = 1; i < n; i++) most = logit[i] > most ? logit[i] : most;
    for (int i = 0; i < n; i++) {
        const half *v = values + ((size_t)table[seq * pages + i / 16] * kv + h) * 2048;  // 128 elements, 16 tokens
        double e = exp(logit[i] - most);
        sum += e;
        o += e * (double)__half2float(v[t * 16 + i % 16]);
    }
    out[(seq * heads + head) * 128 + t] = __float2half((float)(o / sum));
}
