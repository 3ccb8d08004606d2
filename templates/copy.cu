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
 * BULK 0: threads move them through their registers, UNROLL vectors at a time.
 * BULK 1: bulk copies, of compute capability 9.0 on, move them through STAGES places in shared
 * memory; one thread starts them, and the next load into a place once its store has been read out.
 */

/* --- what is tuned --------------------------------------------------------------------------- */

#ifndef BULK
#define BULK 0 /* 0: through registers; 1: bulk copies through shared memory */
#endif
#ifndef BLOCK
#define BLOCK 512 /* threads of a block */
#endif
#ifndef UNROLL
#define UNROLL 4 /* vectors of 16 bytes that a thread has in a piece */
#endif
#ifndef STAGES
#define STAGES 2 /* BULK 1: pieces that are on their way at a time */
#endif
#ifndef SPREAD
#define SPREAD 0 /* a block's pieces: 0: one behind the other; 1: in turn with other blocks' */
#endif
#ifndef STREAM
#define STREAM 0 /* BULK 0: 1: loads and stores say that nothing is used again; 2: stores alone */
#endif

/* --- what follows from it -------------------------------------------------------------------- */

constexpr unsigned PIECE = BLOCK * UNROLL * 4; /* elements of 4 bytes */
constexpr unsigned PIECE_BYTES = 4 * PIECE;

static_assert(BLOCK <= 1024 && BLOCK % 32 == 0, "a block is of 1 to 32 whole warps");
static_assert(STREAM == 0 || BULK == 0, "bulk copies have no such hint");
static_assert(STAGES > 1 || BULK == 0, "a place is filled again while another one is stored");

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

/* --- through registers ----------------------------------------------------------------------- */

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

/* --- by bulk copies -------------------------------------------------------------------------- */

#if BULK == 1
__device__ __forceinline__ unsigned shared_address(const void *p)
{
    return (unsigned)__cvta_generic_to_shared(p);
}

/* Barriers for one thread that says how many bytes it waits for. */
__device__ __forceinline__ void barrier_new(unsigned long long *barrier)
{
    asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(shared_address(barrier)) : "memory");
}

__device__ __forceinline__ void barrier_wait(unsigned long long *barrier, unsigned parity)
{
    asm volatile("{\n\t"
                 ".reg .pred done;\n\t"
                 "again:\n\t"
                 "mbarrier.try_wait.parity.shared.b64 done, [%0], %1;\n\t"
                 "@!done bra again;\n\t"
                 "}" ::"r"(shared_address(barrier)),
                 "r"(parity)
                 : "memory");
}

__device__ __forceinline__ void start_load(Vector *place, const float *from,
                                           unsigned long long *barrier)
{
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(shared_address(barrier)),
                 "r"(PIECE_BYTES)
                 : "memory");
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, "
        "[%3];" ::"r"(shared_address(place)),
        "l"(from), "r"(PIECE_BYTES), "r"(shared_address(barrier))
        : "memory");
}

__device__ __forceinline__ void start_store(float *to, const Vector *place)
{
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to),
                 "r"(shared_address(place)), "r"(PIECE_BYTES)
                 : "memory");
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

/* By one thread. */
__device__ __forceinline__ void copy_share(float *out, const float *in, const Share &s)
{
    extern __shared__ __align__(128) Vector places[];
    __shared__ unsigned long long full[STAGES];
    constexpr int stages = STAGES;
#pragma unroll stages
    for (int k = 0; k < stages; k++)
        barrier_new(&full[k]);
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
#pragma unroll 1
    for (unsigned k = 0; k < s.count && k < STAGES; k++)
        start_load(places + k * (PIECE / 4), in + piece_start(s, k), &full[k]);
#pragma unroll 1
    for (unsigned k = 0; k < s.count; k++) {
        unsigned stage = k % STAGES;
        barrier_wait(&full[stage], k / STAGES & 1);
        start_store(out + piece_start(s, k), places + stage * (PIECE / 4));
        if (k == 0 || k - 1 + STAGES >= s.count)
            continue;
        /* the store before this one has been read out: its place is free */
        asm volatile("cp.async.bulk.wait_group.read 1;" ::: "memory");
        stage = (k - 1) % STAGES;
        start_load(places + stage * (PIECE / 4), in + piece_start(s, k - 1 + STAGES), &full[stage]);
    }
    asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}
#endif

/* --- the kernel ------------------------------------------------------------------------------ */

extern "C" __global__ void __launch_bounds__(BLOCK)
    copy(float *__restrict__ out, const float *__restrict__ in, unsigned n)
{
    const Share s = own_share(n);
#if BULK == 1
    if (threadIdx.x == 0)
        copy_share(out, in, s);
#else
#pragma unroll 1
    for (unsigned k = 0; k < s.count; k++)
        copy_piece(out, in, piece_start(s, k));
#endif
    if (blockIdx.x == gridDim.x - 1)
        copy_rest(out, in, n);
}
