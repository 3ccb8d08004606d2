extern "C" __global__ void nbody_reference(const float4 *p, float4 *v, float dt, int n)
{
    int i = blockIdx.x * 128 + threadIdx.x;
    double x = 0, y = 0, z = 0;
    for (int j = 0; j < n; j++) {
        float dx = p[j].x - p[i].x, dy = p[j].y - p[i].y, dz = p[j].z - p[i].z;
        float square = dx * dx + dy * dy + dz * dz + 1e-9f;
        float inverse = 1 / sqrtf(square);
        float cube = inverse * inverse * inverse;
        x += dx * cube;
        y += dy * cube;
        z += dz * cube;
    }
    v[i].x += dt * (float)x;
    v[i].y += dt * (float)y;
    v[i].z += dt * (float)z;
}
