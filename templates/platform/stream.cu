/* Reading and writing an array, with so many bytes under way.
 *
 *     stream(good, to, from)
 *     grid  SMS × blocks of an SM      block  BLOCK
 *
 * A block moves CHUNK elements at a time: each of its threads LOADS vectors of VEC words, all asked for
 * before the first is used.  Blocks take turns: RUN chunks in a row, then the next block's
 *
 *     RUN 1    block 0 │ block 1 │ block 2 │ block 0 │ block 1 │ block 2 │
 *     RUN 2    block 0   block 0 │ block 1   block 1 │ block 2   block 2 │ block 0 …
 *
 * so that all blocks together are busy within BLOCKS × RUN × CHUNK elements.  With a FOOTPRINT every
 * block goes round and round through so much of the array.  MODE is 0 read, 1 write, 2 copy,
 * 3 reading the array's halves and writing a third one of that size. */

#ifndef MODE
#define MODE 0
#endif
#ifndef BLOCK
#define BLOCK 256
#endif
#ifndef LOADS
#define LOADS 4
#endif
#ifndef VEC
#define VEC 4
#endif
#ifndef RUN
#define RUN 1
#endif
#ifndef PER_BLOCK
#define PER_BLOCK 1048576 /* words that a block moves */
#endif
#ifndef FOOTPRINT
#define FOOTPRINT 0 /* words; 0: all of the array */
#endif

struct alignas(4 * VEC) Vector {
    unsigned word[VEC];
};

constexpr unsigned CHUNK = BLOCK * LOADS; /* vectors */
constexpr unsigned CHUNKS = PER_BLOCK / VEC / CHUNK;

static_assert(PER_BLOCK % (VEC * CHUNK) == 0, "a block has whole chunks");
static_assert(CHUNKS % RUN == 0, "and whole runs of them");

/* Where a block's chunk begins. */
__device__ __forceinline__ unsigned start_of(unsigned chunk)
{
    if (FOOTPRINT > 0) /* each block all of it, from another place on */
        return (chunk + blockIdx.x * (FOOTPRINT / VEC / CHUNK) / gridDim.x) * CHUNK %
               (FOOTPRINT > 0 ? FOOTPRINT / VEC : 1);
    const unsigned place = chunk / RUN * gridDim.x + blockIdx.x;
    return (place * RUN + chunk % RUN) * CHUNK;
}

extern "C" __global__ void __launch_bounds__(BLOCK)
    stream(unsigned *good, Vector *to, const Vector *from)
{
    constexpr int loads = LOADS, vec = VEC;
    constexpr unsigned chunks = MODE == 3 ? CHUNKS / 2 : CHUNKS;
    unsigned sum = 0;
    Vector seven;
#pragma unroll vec
    for (int k = 0; k < vec; k++)
        seven.word[k] = 7;
#pragma unroll 1
    for (unsigned chunk = 0; chunk < chunks; chunk++) {
        const unsigned at = start_of(chunk) + threadIdx.x;
        Vector got[LOADS];
#pragma unroll loads
        for (int l = 0; l < loads; l++)
            got[l] = MODE == 1 ? seven : from[at + l * BLOCK];
        if (MODE == 3) {
            const unsigned other = start_of(chunks + chunk) + threadIdx.x;
            Vector more[LOADS];
#pragma unroll loads
            for (int l = 0; l < loads; l++)
                more[l] = from[other + l * BLOCK];
#pragma unroll loads
            for (int l = 0; l < loads; l++)
#pragma unroll vec
                for (int k = 0; k < vec; k++)
                    got[l].word[k] &= more[l].word[k];
        }
#pragma unroll loads
        for (int l = 0; l < loads; l++) {
            if (MODE > 0)
                to[at + l * BLOCK] = got[l];
#pragma unroll vec
            for (int k = 0; k < vec; k++)
                sum += MODE == 0 ? got[l].word[k] : 0;
        }
    }
    bool right = MODE > 0 || sum == 7u * CHUNKS * LOADS * VEC;
    if (MODE > 0) /* the last of what it has written */
        right = *(volatile unsigned *)&to[start_of(chunks - 1) + threadIdx.x] == 7;
    right = __syncthreads_and(right);
    if (threadIdx.x == 0)
        good[blockIdx.x] = right;
}
