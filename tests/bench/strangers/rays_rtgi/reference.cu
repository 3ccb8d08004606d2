// All triangles for each ray (Möller and Trumbore, one side only).
__device__ float3 less(float4 a, float4 b) { return make_float3(a.x - b.x, a.y - b.y, a.z - b.z); }
__device__ float inner(float3 a, float3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
__device__ float3 outer(float3 a, float3 b) { return make_float3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x); }

extern "C" __global__ void closest_reference(const float4 *rays, const float4 *vertices, const uint4 *triangles, float4 *hits, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 o = rays[2 * i], d4 = rays[2 * i + 1];
    float3 d = make_float3(d4.x, d4.y, d4.z);
    float4 best = make_float4(3.402823466e38f, -1, -1, 0);
    for (int j = 0; j < n; j++) {
        uint4 t = triangles[j];
        float4 a = vertices[t.x];
        float3 e = less(vertices[t.y], a), f = less(vertices[t.z], a), p = outer(d, f), s = less(o, a);
        float det = inner(e, p), u = inner(s, p);
        if (det < 1e-6f || u < 0 || u > det) continue;
        float3 q = outer(s, e);
        float v = inner(d, q);
        if (v < 0 || u + v > det) continue;
        float x = inner(f, q) / det;
        if (x > o.w && x < best.x) best = make_float4(x, u / det, v / det, __int_as_float(j));
    }
    hits[i] = best;
}
