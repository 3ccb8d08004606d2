/* The plain sums that tuned kernels are compared with: one thread per voxel, all samples in one
 * launch, in double precision.
 *
 *     mri_q_reference(out qr, out qi, in x, in y, in z, voxels)      constant  samples[K]
 *     grid  ceil(voxels / 256)      block  256 */

#ifndef K
#define K 1536
#endif

struct alignas(16) Sample {
    float kx, ky, kz, power;
};

__constant__ Sample samples[K];

extern "C" __global__ void mri_q_reference(float *qr, float *qi, const float *x, const float *y,
                                           const float *z, int voxels)
{
    int voxel = blockIdx.x * blockDim.x + threadIdx.x;
    if (voxel >= voxels)
        return;
    double re = 0.0, im = 0.0;
#pragma unroll 1
    for (int k = 0; k < K; k++) {
        double turns = (double)samples[k].kx * x[voxel] + (double)samples[k].ky * y[voxel] +
                       (double)samples[k].kz * z[voxel];
        double c = cospi(2.0 * turns), s = sinpi(2.0 * turns);
        re += samples[k].power * c;
        im += samples[k].power * s;
    }
    qr[voxel] = (float)re, qi[voxel] = (float)im;
}
