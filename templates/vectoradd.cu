/* C = A + B, element by element, in single precision.
 *
 *     vectoradd(out C, in A, in B, n)
 *     grid  ceil(n / (BLOCK * ELEMENTS))      block  BLOCK
 *
 *             BLOCK·ELEMENTS
 *          ┌────────┬────────┬────────┬───         A block adds one stretch of the arrays, a thread
 *       A  │block 0 │block 1 │block 2 │ …          ELEMENTS of it, in vectors of VEC: that is one
 *          └────────┴────────┴────────┴───         load of A, one of B and one store for each.
 *       B  │   +    │   +    │   +    │            A thread starts all its loads before it waits
 *          └────────┴────────┴────────┴───         for the first of them.
 *       C  │   =    │   =    │   =    │
 *
 * Which elements are a thread's own?  Here 4 threads, ELEMENTS = 4 and VEC = 2:
 *
 *     STRIDED 0    0 0 0 0 1 1 1 1 2 2 2 2 3 3 3 3      one run of ELEMENTS each
 *     STRIDED 1    0 0 1 1 2 2 3 3 0 0 1 1 2 2 3 3      runs of VEC, dealt round
 *
 * Dealt round, what a warp loads at one time lies together; in one run each, it lies ELEMENTS
 * words apart, and a sector is fetched for a part of its words at a time.
 *
 * A stretch that hangs over the end of the arrays is added element by element.  One test, the
 * same for all threads of the block, tells. */

/* --- what is tuned --------------------------------------------------------------------------- */

#ifndef BLOCK
#define BLOCK 256 /* threads of a block */
#endif
#ifndef ELEMENTS
#define ELEMENTS 4 /* elements that a thread adds */
#endif
#ifndef VEC
#define VEC 4 /* floats per load and store: 1, 2 or 4 */
#endif
#ifndef STRIDED
#define STRIDED 1 /* 0: a thread's elements lie together; 1: in runs of VEC, dealt round */
#endif

/* --- what follows from it -------------------------------------------------------------------- */

constexpr int STRETCH = BLOCK * ELEMENTS; /* elements of a block */
constexpr int VECTORS = ELEMENTS / VEC;   /* loads of each array per thread */

static_assert(VEC == 1 || VEC == 2 || VEC == 4, "there are loads of 4, 8 and 16 bytes");
static_assert(ELEMENTS % VEC == 0, "a thread's elements are whole vectors");
static_assert(BLOCK <= 1024, "more threads than a block can have");

/* VEC floats that move as one. */
struct alignas(4 * VEC) Vector {
    float at[VEC];
};

/* Where a thread's vector number v starts, from the beginning of the block's stretch. */
__device__ __forceinline__ unsigned own_place(int v)
{
    return STRIDED ? (v * BLOCK + threadIdx.x) * VEC : threadIdx.x * ELEMENTS + v * VEC;
}

__device__ __forceinline__ Vector add(const Vector &a, const Vector &b)
{
    constexpr int vec = VEC;
    Vector sum;
#pragma unroll vec
    for (int i = 0; i < vec; i++)
        sum.at[i] = a.at[i] + b.at[i];
    return sum;
}

/* --- at the end of the arrays ---------------------------------------------------------------- */

__device__ __forceinline__ void add_edge(float *C, const float *A, const float *B, unsigned start,
                                         unsigned n)
{
#pragma unroll 1
    for (unsigned s = 0; s < STRETCH; s += BLOCK) {
        unsigned i = start + s + threadIdx.x;
        if (i < n)
            C[i] = A[i] + B[i];
    }
}

/* --- the kernel ------------------------------------------------------------------------------ */

extern "C" __global__ void __launch_bounds__(BLOCK)
    vectoradd(float *__restrict__ C, const float *__restrict__ A, const float *__restrict__ B,
              unsigned n)
{
    constexpr int vectors = VECTORS;
    unsigned start = blockIdx.x * STRETCH;
    if (start + STRETCH > n) {
        add_edge(C, A, B, start, n);
        return;
    }

    Vector a[VECTORS], b[VECTORS];
#pragma unroll vectors
    for (int v = 0; v < vectors; v++) {
        a[v] = *(const Vector *)&A[start + own_place(v)];
        b[v] = *(const Vector *)&B[start + own_place(v)];
    }
#pragma unroll vectors
    for (int v = 0; v < vectors; v++)
        *(Vector *)&C[start + own_place(v)] = add(a[v], b[v]);
}
