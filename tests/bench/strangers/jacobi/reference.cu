extern "C" __global__ void jacobi_reference(const float *du0, const float *dv0, const float *Ix, const float *Iy,
                                            const float *Iz, int w, int h, int s, float alpha, float *du1, float *dv1)
{
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    if (x >= w || y >= h)
        return;
    int at = x + y * s, left = max(x - 1, 0) + y * s, right = min(x + 1, w - 1) + y * s;
    int up = x + min(y + 1, h - 1) * s, down = x + max(y - 1, 0) * s;
    double u = ((double)du0[left] + du0[right] + du0[up] + du0[down]) / 4;
    double v = ((double)dv0[left] + dv0[right] + dv0[up] + dv0[down]) / 4;
    double frac = (Ix[at] * u + Iy[at] * v + Iz[at]) / ((double)Ix[at] * Ix[at] + (double)Iy[at] * Iy[at] + alpha);
    du1[at] = u - Ix[at] * frac;
    dv1[at] = v - Iy[at] * frac;
}
