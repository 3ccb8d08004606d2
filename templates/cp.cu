/* The electric potential of point charges on a grid of points, by direct summation:
 *
 *     energy[k][j][i] = Σ over atoms of charge / distance to the point (i, j, k)·spacing
 *
 *     cp(out energy, nx, ny, nz, spacing)      constant  atoms[ATOMS] of x, y, z, charge
 *     grid  ceil(nx / (BLOCK_X·POINTS)), ceil(ny / BLOCK_Y), nz      block  BLOCK_X, BLOCK_Y
 *
 * Every point needs every atom, and all threads walk through the atoms in step: a warp reads one
 * address at a time, which constant memory gives to all its lanes at once.  A thread computes
 * POINTS points of a row of the grid.  They share the parts of the distance along y and z, so that
 * a further point costs a subtraction, two multiply-adds and a reciprocal square root.
 *
 * Which points are a thread's own?  A row of a block with BLOCK_X = 4 and POINTS = 3:
 *
 *     COALESCED 0    0 0 0 1 1 1 2 2 2 3 3 3      together
 *     COALESCED 1    0 1 2 3 0 1 2 3 0 1 2 3      dealt round
 *
 * Dealt round, the threads of a warp write neighbouring words; together, words POINTS apart.
 * The kernel is that of Ryoo's thesis, 5.3.3; its parameters are in his table 6.1.
 *
 * There are always ATOMS atoms: fewer are filled up with charges of 0.  The grid may have any size.
 * */

/* --- what is tuned --------------------------------------------------------------------------- */

#ifndef BLOCK_X
#define BLOCK_X 32 /* threads of a block side by side along a row of points */
#endif
#ifndef BLOCK_Y
#define BLOCK_Y 4 /* rows of threads of a block */
#endif
#ifndef POINTS
#define POINTS 8 /* points of a row that a thread computes */
#endif
#ifndef COALESCED
#define COALESCED 1 /* 0: a thread's points lie together; 1: dealt round the threads of the row */
#endif
#ifndef UNROLL
#define UNROLL 4 /* copies of the body of the loop over the atoms */
#endif

/* --- the size -------------------------------------------------------------------------------- */

#ifndef ATOMS
#define ATOMS 4000 /* 16 bytes each: 4096 fill the constant memory */
#endif

/* --- what follows from it -------------------------------------------------------------------- */

constexpr int THREADS = BLOCK_X * BLOCK_Y;   /* in a block */
constexpr int ROW_POINTS = BLOCK_X * POINTS; /* of a row of the grid that a block computes */

static_assert(THREADS <= 1024, "more threads than a block can have");
static_assert(ATOMS % UNROLL == 0, "the unrolled body fills the loop");
static_assert(ATOMS <= 4096, "constant memory ends at 64 KB");

struct alignas(16) Atom {
    float x, y, z, charge;
};

__constant__ Atom atoms[ATOMS];

/* --- where things lie ------------------------------------------------------------------------ */

/* The thread's point number p: its place along the row of the grid. */
__device__ __forceinline__ int own_column(int p)
{
    int first = (int)blockIdx.x * ROW_POINTS, thread = (int)threadIdx.x;
    return first + (COALESCED ? p * BLOCK_X + thread : thread * POINTS + p);
}

/* --- the arithmetic -------------------------------------------------------------------------- */

/* Adds what one atom contributes to the thread's points, which are at (x[p], y, z). */
__device__ __forceinline__ void add_atom(float energy[POINTS], const float x[POINTS], float y,
                                         float z, const Atom &atom)
{
    constexpr int points = POINTS;
    float dy = y - atom.y, dz = z - atom.z;
    float dyz2 = dy * dy + dz * dz;
#pragma unroll points
    for (int p = 0; p < points; p++) {
        float dx = x[p] - atom.x;
        energy[p] += atom.charge * rsqrtf(dx * dx + dyz2);
    }
}

/* --- the kernel ------------------------------------------------------------------------------ */

extern "C" __global__ void __launch_bounds__(THREADS)
    cp(float *__restrict__ energy, int nx, int ny, int nz, float spacing)
{
    constexpr int points = POINTS, unroll = UNROLL;
    int row = (int)(blockIdx.y * BLOCK_Y + threadIdx.y), slice = (int)blockIdx.z;
    float y = spacing * (float)row, z = spacing * (float)slice;
    float x[POINTS], sum[POINTS] = {};

#pragma unroll points
    for (int p = 0; p < points; p++)
        x[p] = spacing * (float)own_column(p);

#pragma unroll unroll
    for (int n = 0; n < ATOMS; n++)
        add_atom(sum, x, y, z, atoms[n]);

#pragma unroll points
    for (int p = 0; p < points; p++)
        if (own_column(p) < nx && row < ny && slice < nz)
            energy[((size_t)slice * ny + row) * nx + own_column(p)] = sum[p];
}
