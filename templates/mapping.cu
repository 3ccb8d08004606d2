/* Which thread has which element: a copy with some work on each element, by blocks of every size.
 *
 *     mapping(out, in, width, height, gain, shift)
 *     DIMENSIONS 1:  grid  ceil(width · height / (BLOCK_X * ELEMENTS))
 *     DIMENSIONS 2:  grid  ceil(width / BLOCK_X), ceil(height / (BLOCK_Y * ELEMENTS))
 *     block  BLOCK_X, BLOCK_Y
 *
 * The three kernels of J. Cornelis's thesis, chapter 6, in one: on one dimension, on two, and with
 * more than one element per thread.  A block has a tile of its own size, ELEMENTS times:
 *
 *     DIMENSIONS 1                                DIMENSIONS 2     BLOCK_X
 *                                                                ┌───────┐
 *       BLOCK_X                                          BLOCK_Y │ e = 0 │    thread (x, y) has the
 *     ┌───────┬───────┬───────┐                                  ├───────┤    element (x, y) of
 *     │ e = 0 │ e = 1 │ e = 2 │                                  │ e = 1 │    each part of the
 *     └───────┴───────┴───────┘                                  ├───────┤    tile
 *       thread x has element x of each part                      │ e = 2 │
 *                                                                └───────┘
 *
 * Block sizes need not be multiples of a warp, nor divide the sizes of the data: what lies outside
 * is left out, element by element.
 *
 * Work on an element is WORK multiply-adds, one after the other, v = v · gain + shift.  Gain is 1
 * and shift is 0, but that only the caller knows: whatever the work, a copy must come out. */

/* --- what is tuned --------------------------------------------------------------------------- */

#ifndef DIMENSIONS
#define DIMENSIONS 1 /* of the data, as the kernel sees them: 1 or 2 */
#endif
#ifndef BLOCK_X
#define BLOCK_X 256 /* threads of a block side by side along a row */
#endif
#ifndef BLOCK_Y
#define BLOCK_Y 1 /* … and along a column */
#endif
#ifndef ELEMENTS
#define ELEMENTS 1 /* elements that a thread works on */
#endif
#ifndef WORK
#define WORK 0 /* multiply-adds on an element */
#endif

/* --- what follows from it -------------------------------------------------------------------- */

static_assert(DIMENSIONS == 2 || BLOCK_Y == 1, "one dimension has one row");
static_assert(BLOCK_X * BLOCK_Y <= 1024, "more threads than a block can have");

/* The data, and the first of the thread's elements. */
struct Place {
    unsigned width, height;
    unsigned x, y;
};

__device__ __forceinline__ Place first_place(unsigned width, unsigned height)
{
    if (DIMENSIONS == 1)
        return Place{width * height, 1, blockIdx.x * (BLOCK_X * ELEMENTS) + threadIdx.x, 0};
    return Place{width, height, blockIdx.x * BLOCK_X + threadIdx.x,
                 blockIdx.y * (BLOCK_Y * ELEMENTS) + threadIdx.y};
}

__device__ __forceinline__ unsigned element_x(const Place &p, int e)
{
    return p.x + (DIMENSIONS == 1 ? e * BLOCK_X : 0);
}

__device__ __forceinline__ unsigned element_y(const Place &p, int e)
{
    return p.y + (DIMENSIONS == 2 ? e * BLOCK_Y : 0);
}

__device__ __forceinline__ bool is_inside(const Place &p, int e)
{
    return element_x(p, e) < p.width && (DIMENSIONS == 1 || element_y(p, e) < p.height);
}

__device__ __forceinline__ size_t index_of(const Place &p, int e)
{
    return (size_t)element_y(p, e) * p.width + element_x(p, e);
}

__device__ __forceinline__ float work_on(float value, float gain, float shift)
{
    constexpr int work = WORK;
#pragma unroll
    for (int k = 0; k < work; k++)
        value = value * gain + shift;
    return value;
}

/* --- the kernel ------------------------------------------------------------------------------ */

extern "C" __global__ void __launch_bounds__(BLOCK_X *BLOCK_Y)
    mapping(float *__restrict__ out, const float *__restrict__ in, unsigned width, unsigned height,
            float gain, float shift)
{
    constexpr int elements = ELEMENTS;
    const Place p = first_place(width, height);
    float value[ELEMENTS] = {};
#pragma unroll elements
    for (int e = 0; e < elements; e++)
        if (is_inside(p, e))
            value[e] = in[index_of(p, e)];
#pragma unroll elements
    for (int e = 0; e < elements; e++)
        value[e] = work_on(value[e], gain, shift);
#pragma unroll elements
    for (int e = 0; e < elements; e++)
        if (is_inside(p, e))
            out[index_of(p, e)] = value[e];
}
