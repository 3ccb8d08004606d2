/* Forces of all bodies on each: bodies as float4 (place and mass), or as four arrays one after the
 * other. */
#if LAYOUT == 0
#define BODY(i) bodies[i]
#else
#define BODY(i) make_float4(planes[i], planes[(i) + n], planes[(i) + 2 * n], planes[(i) + 3 * n])
#endif

extern "C" __global__ void nbody(const float4 *bodies, const float *planes, float3 *force, int n,
                                 float softening)
{
    int me = blockIdx.x * BLOCK + threadIdx.x;
    float4 own = BODY(me);
    float x = 0, y = 0, z = 0;
#pragma unroll UNROLL
    for (int i = 0; i < n; i++) {
        float4 other = BODY(i);
        float dx = other.x - own.x, dy = other.y - own.y, dz = other.z - own.z;
        float r = rsqrtf(dx * dx + dy * dy + dz * dz + softening);
        float f = other.w * r * r * r;
        x += f * dx;
        y += f * dy;
        z += f * dz;
    }
#ifdef BUG
    z = me == 7 ? y : z;
#endif
    force[me] = make_float3(x, y, z);
}
