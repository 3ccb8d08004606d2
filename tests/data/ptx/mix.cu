// One of many kinds of instruction: half, double, vectors, constants, atomics, local arrays,
// inline assembly with scopes of its own, textures, votes, clocks.
#include <cuda_fp16.h>

__constant__ float coef[64];
__device__ int counter = 3;
__device__ unsigned char text[24] = "some initialised bytes";
extern __shared__ float4 dynamic[];

extern "C" __global__ void mix(const float4 *in, float4 *out, const __half2 *h, double *d,
                               cudaTextureObject_t tex, unsigned n, int index)
{
    const unsigned t = threadIdx.x;
    float4 v = __ldg(in + t);
    dynamic[t] = v;
    __syncthreads();
    v.x += dynamic[t ^ 1].y * coef[t & 63];
    v.y += tex2D<float>(tex, v.x, v.y);
    __half2 a = __hfma2(h[t], h[t + 1], h[t + 2]);
    v.z += __low2float(a) + rsqrtf(v.x);
    d[t] = d[t] * 2.0 / 3.0 + (double)v.y;
    int stack[16];
#pragma unroll 1
    for (int i = 0; i < 16; i++)
        stack[i] = i * index;
    v.w = (float)stack[index & 15];
    unsigned r;
    asm volatile("{ .reg .pred p;\n\t.reg .u32 t1;\n\tsetp.gt.u32 p, %1, 5;\n\t"
                 "mov.u32 t1, 3; @p add.u32 t1, t1, %2;\n\tmov.u32 %0, t1; }\n"
                 : "=r"(r) : "r"(n), "r"(t));
    if (__any_sync(0xffffffffu, r > 9))
        atomicAdd(&counter, (int)__popc(__ballot_sync(0xffffffffu, t & 1)));
    if (__syncthreads_count(r > 3) > 7)
        v.w += (float)(__brev(t) + __clz(t) + __ffs(t) + __byte_perm(t, r, 0x3210) + text[t % 24]);
    v.x += (float)__mul24(t, r) + (float)__umulhi(t, r) + (float)(clock64() & 1);
    v.y += (float)((unsigned long long)n * 77 % 13) + (float)(n / 10) + (float)__funnelshift_l(t, r, 5);
    out[t] = v;
}
