/* The plain sums that tuned kernels are compared with: one thread per voxel, all samples in one
 * launch, in double precision.
 *
 *     mri_fhd_reference(out fr, out fi, in x, in y, in z, voxels)      constant  samples[K]
 *     grid  ceil(voxels / 256)      block  256 */

#ifndef K
#define K 1280
#endif

struct Sample {
    float kx, ky, kz, re, im;
};

__constant__ Sample samples[K];

extern "C" __global__ void mri_fhd_reference(float *fr, float *fi, const float *x, const float *y,
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
        re += samples[k].re * c - samples[k].im * s;
        im += samples[k].im * c + samples[k].re * s;
    }
    fr[voxel] = (float)re, fi[voxel] = (float)im;
}
