/* The plain Coulomb potential that tuned kernels are compared with: one thread per point of the
 * grid.
 *
 *     cp_reference(out energy, nx, ny, nz, spacing)      constant  atoms[ATOMS]
 *     grid  ceil(nx / 32), ceil(ny / 8), nz      block  32, 8
 *
 * The point's coordinates are rounded to float, as they are in the kernel: close to an atom that
 * alone would make a difference.  From there on everything is in double precision. */

#ifndef ATOMS
#define ATOMS 4000
#endif

struct alignas(16) Atom {
    float x, y, z, charge;
};

__constant__ Atom atoms[ATOMS];

extern "C" __global__ void cp_reference(float *energy, int nx, int ny, int nz, float spacing)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
    int k = blockIdx.z;
    if (i >= nx || j >= ny || k >= nz)
        return;
    float x = spacing * (float)i, y = spacing * (float)j, z = spacing * (float)k;
    double sum = 0.0;
#pragma unroll 1
    for (int n = 0; n < ATOMS; n++) {
        double dx = (double)x - atoms[n].x, dy = (double)y - atoms[n].y;
        double dz = (double)z - atoms[n].z;
        sum += atoms[n].charge / sqrt(dx * dx + dy * dy + dz * dz);
    }
    energy[((size_t)k * ny + j) * nx + i] = (float)sum;
}
