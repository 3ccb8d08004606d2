/* The copy of an array: out[i] = in[i].  What a kernel that reads and writes as much can be
 * measured against.
 *
 *     copy(out, in, n)
 *     grid  any number of blocks          block  BLOCK
 *
 * The array is cut into pieces of BLOCK·UNROLL vectors of 16 bytes.  A block has several:
 *
 *                 ┌──────────┬──────────┬──────────┬──────────┬──
 *     SPREAD 0    │ block 0  │ block 0  │ block 1  │ block 1  │    one behind the other
 *     SPREAD 1    │ block 0  │ block 1  │ block 0  │ block 1  │    in turn with other blocks'
 *                 └──────────┴──────────┴──────────┴──────────┴──
 *
 * Threads move them through their registers, UNROLL vectors at a time.  (Bulk copies through shared
 * memory, of compute capability 9.0 on, were 2 % slower than these on an H200.) */

/* --- what is tuned --------------------------------------------------------------------------- */

#ifndef BLOCK
#define BLOCK 512 /* threads of a block */
#endif
#ifndef UNROLL
#define UNROLL 4 /* vectors of 16 bytes that a thread has in a piece */
#endif
#ifndef SPREAD
#define SPREAD 0 /* a block's pieces: 0: one behind the other; 1: in turn with other blocks' */
#endif
#ifndef STREAM
#define STREAM 0 /* 1: loads and stores say that nothing is used again; 2: stores alone */
#endif

/* --- what follows from it -------------------------------------------------------------------- */

constexpr unsigned PIECE = BLOCK * UNROLL * 4; /* elements of 4 bytes */

static_assert(BLOCK <= 1024 && BLOCK % 32 == 0, "a block is of 1 to 32 whole warps");

struct alignas(16) Vector {
    float at[4];
};

/* The pieces of one block. */
struct Share {
    unsigned first, step, count;
};

__device__ __forceinline__ Share own_share(unsigned n)
{
    unsigned pieces = n / PIECE; /* whole ones */
    if (SPREAD) {
        unsigned left = pieces > blockIdx.x ? pieces - blockIdx.x : 0;
        return Share{blockIdx.x, gridDim.x, left / gridDim.x + (left % gridDim.x != 0)};
    }
    unsigned each = pieces / gridDim.x + (pieces % gridDim.x != 0);
    unsigned first = blockIdx.x * each;
    unsigned left = pieces > first ? pieces - first : 0;
    return Share{first, 1, left < each ? left : each};
}

__device__ __forceinline__ size_t piece_start(const Share &s, unsigned k)
{
    return (size_t)(s.first + k * s.step) * PIECE;
}

/* What is behind the last whole piece. */
__device__ __forceinline__ void copy_rest(float *out, const float *in, unsigned n)
{
    constexpr unsigned piece = PIECE, block = BLOCK;
    size_t start = (size_t)(n / PIECE) * PIECE;
#pragma unroll 1
    for (unsigned s = 0; s < piece; s += block)
        if (start + s + threadIdx.x < n)
            out[start + s + threadIdx.x] = in[start + s + threadIdx.x];
}

/* --- a piece --------------------------------------------------------------------------------- */

__device__ __forceinline__ Vector load(const float *from)
{
    Vector v;
    if (STREAM != 1)
        return *(const Vector *)from;
    asm volatile("ld.global.cs.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(v.at[0]), "=f"(v.at[1]), "=f"(v.at[2]), "=f"(v.at[3])
                 : "l"(from));
    return v;
}

__device__ __forceinline__ void store(float *to, const Vector &v)
{
    if (STREAM == 0)
        *(Vector *)to = v;
    else
        asm volatile("st.global.cs.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(to), "f"(v.at[0]),
                     "f"(v.at[1]), "f"(v.at[2]), "f"(v.at[3])
                     : "memory");
}

__device__ __forceinline__ void copy_piece(float *out, const float *in, size_t start)
{
    constexpr int unroll = UNROLL;
    Vector own[UNROLL];
#pragma unroll unroll
    for (int u = 0; u < unroll; u++)
        own[u] = load(in + start + (u * BLOCK + threadIdx.x) * 4);
#pragma unroll unroll
    for (int u = 0; u < unroll; u++)
        store(out + start + (u * BLOCK + threadIdx.x) * 4, own[u]);
}

/* --- the kernel ------------------------------------------------------------------------------ */

extern "C" __global__ void __launch_bounds__(BLOCK)
    copy(float *__restrict__ out, const float *__restrict__ in, unsigned n)
{
    const Share s = own_share(n);
#pragma unroll 1
    for (unsigned k = 0; k < s.count; k++)
        copy_piece(out, in, piece_start(s, k));
    if (blockIdx.x == gridDim.x - 1)
        copy_rest(out, in, n);
}
