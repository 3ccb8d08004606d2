/* The vector Fᴴd of a reconstruction of magnetic resonance images: the scanner's data, carried back
 * to the voxels.
 *
 *     fr[i] = Σ over k of re[k]·cos φ - im[k]·sin φ
 *     fi[i] = Σ over k of im[k]·cos φ + re[k]·sin φ
 *                                                   φ = 2π(kx[k]·x[i] + ky[k]·y[i] + kz[k]·z[i])
 *
 *     mri_fhd(out fr, out fi, in x, in y, in z, voxels, first)      constant  planes or samples
 *     grid  ceil(voxels / (BLOCK·POINTS))      block  BLOCK      once for each SAMPLES of K samples
 *
 * Every voxel needs every sample of the scanner's path.  All threads walk through the samples in
 * step, so that a warp reads one address at a time, which constant memory gives to all its lanes at
 * once; a thread keeps the coordinates and the sums of its POINTS voxels in registers:
 *
 *                  samples ───►                        BLOCK = 4, POINTS = 2: a block's voxels
 *        launch 0      launch 1      …
 *      ┌─────────────┬─────────────┬──                     0 1 2 3 0 1 2 3
 *      │ k k k k k k │ k k k k k k │    ─► each voxel
 *      └─────────────┴─────────────┴──                 dealt round, so that a warp reads and
 *          SAMPLES       SAMPLES                       writes neighbouring words
 *
 * A launch goes through SAMPLES samples from number `first` on and adds to what the launches before
 * it have left in fr and fi; the first one starts at zero.  In constant memory the numbers of a
 * sample lie together or in an array each (LAYOUT), here those of samples 0, 1, 2, …:
 *
 *     LAYOUT 0    kx0 kx1 …  ky0 ky1 …  kz0 kz1 …  re0 re1 …  im0 im1 …
 *     LAYOUT 1    kx0 ky0 kz0 re0 im0   kx1 ky1 kz1 re1 im1   …
 *
 * The kernel is that of Ryoo's thesis, 4.2.3; the parameters are in table 6.1, the layout in figure
 * 6.10. There are always K samples: fewer are filled up with zeros.  Voxels may be any number. */

/* --- what is tuned --------------------------------------------------------------------------- */

#ifndef BLOCK
#define BLOCK 256 /* threads of a block */
#endif
#ifndef POINTS
#define POINTS 1 /* voxels of a thread */
#endif
#ifndef SAMPLES
#define SAMPLES 640 /* that a launch goes through */
#endif
#ifndef UNROLL
#define UNROLL 4 /* copies of the body of the loop over them */
#endif
#ifndef LAYOUT
#define LAYOUT 1 /* 0: an array for each number of a sample; 1: an array of samples */
#endif

/* --- the size -------------------------------------------------------------------------------- */

#ifndef K
#define K 1280 /* samples: 20 bytes each, of 64 KB of constant memory */
#endif

/* --- what follows from it -------------------------------------------------------------------- */

static_assert(BLOCK <= 1024, "more threads than a block can have");
static_assert(K % SAMPLES == 0, "launches cover the samples");
static_assert(SAMPLES % UNROLL == 0, "the unrolled body fills the loop");

/* A place of the scanner's path, in cycles per unit of length, and what was measured there. */
struct Sample {
    float kx, ky, kz, re, im;
};

#if LAYOUT == 0
__constant__ float planes[5 * K];

__device__ __forceinline__ Sample read_sample(int k)
{
    return {planes[k], planes[K + k], planes[2 * K + k], planes[3 * K + k], planes[4 * K + k]};
}
#else
__constant__ Sample samples[K];

__device__ __forceinline__ Sample read_sample(int k)
{
    return samples[k];
}
#endif

/* A thread's voxels: where they are, and their sums. */
struct Voxels {
    float x[POINTS], y[POINTS], z[POINTS];
    float re[POINTS], im[POINTS];
};

/* --- global memory --------------------------------------------------------------------------- */

/* Number of the thread's voxel p. */
__device__ __forceinline__ int own_voxel(int p)
{
    return (int)(blockIdx.x * POINTS + p) * BLOCK + (int)threadIdx.x;
}

/* --- the arithmetic -------------------------------------------------------------------------- */

/* Adds what one sample contributes to the thread's voxels. */
__device__ __forceinline__ void add_sample(Voxels &own, const Sample &sample)
{
    constexpr int points = POINTS;
    const float two_pi = 6.2831853f;
#pragma unroll points
    for (int p = 0; p < points; p++) {
        float phase = two_pi * (sample.kx * own.x[p] + sample.ky * own.y[p] + sample.kz * own.z[p]);
        float c = __cosf(phase), s = __sinf(phase);
        own.re[p] += sample.re * c - sample.im * s;
        own.im[p] += sample.im * c + sample.re * s;
    }
}

/* --- the kernel ------------------------------------------------------------------------------ */

extern "C" __global__ void __launch_bounds__(BLOCK)
    mri_fhd(float *__restrict__ fr, float *__restrict__ fi, const float *__restrict__ x,
            const float *__restrict__ y, const float *__restrict__ z, int voxels, int first)
{
    constexpr int points = POINTS, unroll = UNROLL;
    Voxels own;
#pragma unroll points
    for (int p = 0; p < points; p++) {
        int voxel = own_voxel(p), near = min(voxel, voxels - 1);
        own.x[p] = x[near], own.y[p] = y[near], own.z[p] = z[near];
        own.re[p] = own.im[p] = 0.0f;
        if (first > 0)
            own.re[p] = fr[near], own.im[p] = fi[near];
    }

#pragma unroll unroll
    for (int k = 0; k < SAMPLES; k++)
        add_sample(own, read_sample(first + k));

#pragma unroll points
    for (int p = 0; p < points; p++)
        if (own_voxel(p) < voxels)
            fr[own_voxel(p)] = own.re[p], fi[own_voxel(p)] = own.im[p];
}
