/* The prefix sum of an array in one pass over it: out[i] = in[0] + … + in[i − 1], and with in[i]
 * where INCLUSIVE is 1.
 *
 *     scan(out, state, in, n)
 *     grid  ceil(n / TILE)          block  BLOCK
 *
 * A block has a tile of BLOCK·ITEMS elements.  Each of its warps has a part of its own, which it
 * reads in rounds of 32 vectors, so that lanes are neighbours in memory:
 *
 *                   lane 0   lane 1   …  lane 31
 *                 ┌────────┬────────┬─┬────────┐
 *     round 0     │ VEC    │ VEC    │ │ VEC    │     sums of the vectors are scanned by shuffles;
 *     round 1     │        │        │ │        │     a round begins with the sum of those above it
 *                 └────────┴────────┴─┴────────┘
 *
 * What comes before the tile is found by looking back (D. Merrill and M. Garland, "Single-pass
 * Parallel Prefix Scan with Decoupled Look-back", 2016).  Each tile has a word of state:
 *
 *     nothing yet   ►   the sum of this tile   ►   the sum of all tiles up to this one
 *
 * The first warp reads the words of the WINDOW tiles before its own at once and adds up, from the
 * nearest on, to the first that has the sum of all, waiting where one still says nothing; if none
 * has the sum of all, it goes on with the WINDOW tiles before these.  As many tiles as the device
 * works on at a time may lie between, so a small window takes several ways to memory, one after the
 * other.
 *
 *     state[0]        launches so far in the upper half; in the lower one how many blocks of this
 *                     one have begun
 *     state[1 + t]    of tile t: in the upper half 2·launches + 1 with the tile's own sum in the
 *                     lower half, 2·launches + 2 with the sum of all
 *
 * So a word that an earlier launch left says nothing, and no launch has to clear anything: `state`
 * is zero before the first launch, of whatever size and configuration, and is then left alone.
 * (A word would have to stay unwritten for 2^31 launches to be taken for a new one.)
 *
 * ORDER says which tile a block has: that of its index, for the device gives blocks out in rising
 * order; or, where one would not rely on that, of the order in which blocks begin.  Either way no
 * block waits for one that has not begun. */

/* --- what is tuned --------------------------------------------------------------------------- */

#ifndef BLOCK
#define BLOCK 512 /* threads of a block */
#endif
#ifndef ITEMS
#define ITEMS 32 /* elements per thread */
#endif
#ifndef VEC
#define VEC 4 /* elements per load and store: 1, 2 or 4 */
#endif
#ifndef ORDER
#define ORDER 0 /* a block's tile: 0: by its index; 1: by when it begins */
#endif
#ifndef WINDOW
#define WINDOW 128 /* tiles that are looked back at together, whole warps of them */
#endif
#ifndef EARLY
#define EARLY 1 /* 1: a tile's sum is told before its elements are scanned, not after */
#endif
#ifndef STREAM
#define STREAM 0 /* 1: loads and stores say that nothing is used again */
#endif

/* --- what is computed ------------------------------------------------------------------------ */

#ifndef TYPE
#define TYPE int /* of the elements: 32 bits */
#endif
#ifndef INCLUSIVE
#define INCLUSIVE 0 /* 1: an element counts into its own sum */
#endif

/* --- what follows from it -------------------------------------------------------------------- */

constexpr int TILE = BLOCK * ITEMS;
constexpr int WARPS = BLOCK / 32;
constexpr int ROUNDS = ITEMS / VEC; /* of a warp over its part of the tile */
constexpr int ROUND = 32 * VEC;     /* elements of a round */
constexpr int LOOKS = WINDOW / 32;  /* tiles that a lane looks at together */
constexpr unsigned ALL_LANES = 0xffffffff;

static_assert(BLOCK % 32 == 0 && BLOCK <= 1024, "a block is of 1 to 32 whole warps");
static_assert(VEC == 1 || VEC == 2 || VEC == 4, "there are loads of 4, 8 and 16 bytes");
static_assert(ITEMS % VEC == 0, "a thread's elements are whole vectors");
static_assert(WINDOW % 32 == 0, "all lanes look back at as many tiles");
static_assert(sizeof(TYPE) == 4, "a sum is half of a word of state");

typedef unsigned long long Word;

/* VEC elements that move as one. */
struct alignas(sizeof(TYPE) * VEC) Vector {
    TYPE at[VEC];
};

/* What a thread has of the tile. */
struct Own {
    Vector round[ROUNDS];
    TYPE before[ROUNDS]; /* the sum of what comes before this thread's vector in the warp's part */
};

/* --- words of state -------------------------------------------------------------------------- */

__device__ __forceinline__ unsigned bits_of(TYPE sum)
{
    return *(unsigned *)&sum;
}

__device__ __forceinline__ TYPE sum_of(Word word)
{
    unsigned low = (unsigned)word;
    return *(TYPE *)&low;
}

__device__ __forceinline__ unsigned status_of(Word word)
{
    return (unsigned)(word >> 32);
}

/* A word moves as a whole: status and sum need no fence between them. */
__device__ __forceinline__ void publish(Word *state, int tile, unsigned status, TYPE sum)
{
    Word word = (Word)status << 32 | bits_of(sum);
    asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(state + 1 + tile), "l"(word)
                 : "memory");
}

__device__ __forceinline__ Word look(const Word *state, int tile)
{
    Word word;
    asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];"
                 : "=l"(word)
                 : "l"(state + 1 + tile)
                 : "memory");
    return word;
}

/* --- which tile, and which launch ------------------------------------------------------------ */

struct Turn {
    unsigned launch; /* launches before this one */
    int tile;
};

/* By one thread.  The last block to begin gets the word ready for the next launch. */
__device__ __forceinline__ Turn take_turn(Word *state)
{
    Word word = atomicAdd(state, 1ull);
    Turn t = {(unsigned)(word >> 32), (int)(unsigned)word};
    if ((unsigned)t.tile == gridDim.x - 1)
        *state = (Word)(t.launch + 1) << 32;
    return t;
}

/* --- moving ---------------------------------------------------------------------------------- */

/* First element of the warp's part of the tile. */
__device__ __forceinline__ size_t part_start(int tile)
{
    return (size_t)tile * TILE + (size_t)(threadIdx.x / 32) * (32 * ITEMS);
}

__device__ __forceinline__ size_t own_start(int tile, int round)
{
    return part_start(tile) + round * ROUND + threadIdx.x % 32 * VEC;
}

__device__ __forceinline__ Vector load(const TYPE *from)
{
    Vector v;
    if (STREAM == 0)
        return *(const Vector *)from;
#if VEC == 4
    asm volatile("ld.global.cs.v4.b32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(*(int *)&v.at[0]), "=r"(*(int *)&v.at[1]), "=r"(*(int *)&v.at[2]),
                   "=r"(*(int *)&v.at[3])
                 : "l"(from));
#endif
    return v;
}

__device__ __forceinline__ void store(TYPE *to, const Vector &v)
{
    if (STREAM == 0)
        *(Vector *)to = v;
#if VEC == 4
    else
        asm volatile("st.global.cs.v4.b32 [%0], {%1, %2, %3, %4};" ::"l"(to),
                     "r"(*(const int *)&v.at[0]), "r"(*(const int *)&v.at[1]),
                     "r"(*(const int *)&v.at[2]), "r"(*(const int *)&v.at[3])
                     : "memory");
#endif
}

__device__ __forceinline__ void load_tile(Own &own, const TYPE *in, int tile)
{
    constexpr int rounds = ROUNDS;
#pragma unroll rounds
    for (int r = 0; r < rounds; r++)
        own.round[r] = load(in + own_start(tile, r));
}

__device__ __forceinline__ void store_tile(TYPE *out, const Own &own, int tile)
{
    constexpr int rounds = ROUNDS;
#pragma unroll rounds
    for (int r = 0; r < rounds; r++)
        store(out + own_start(tile, r), own.round[r]);
}

/* The last tile, which may end anywhere: zeros follow. */
__device__ __forceinline__ void load_last(Own &own, const TYPE *in, int tile, unsigned n)
{
    constexpr int rounds = ROUNDS, vec = VEC;
#pragma unroll rounds
    for (int r = 0; r < rounds; r++)
#pragma unroll vec
        for (int v = 0; v < vec; v++) {
            size_t at = own_start(tile, r) + v;
            own.round[r].at[v] = at < n ? in[at] : TYPE(0);
        }
}

__device__ __forceinline__ void store_last(TYPE *out, const Own &own, int tile, unsigned n)
{
    constexpr int rounds = ROUNDS, vec = VEC;
#pragma unroll rounds
    for (int r = 0; r < rounds; r++)
#pragma unroll vec
        for (int v = 0; v < vec; v++) {
            size_t at = own_start(tile, r) + v;
            if (at < n)
                out[at] = own.round[r].at[v];
        }
}

/* --- sums within the tile -------------------------------------------------------------------- */

/* The sum of the values of a warp's lanes up to this one, itself included. */
__device__ __forceinline__ TYPE scan_warp(TYPE value)
{
    const int lane = threadIdx.x % 32;
#pragma unroll
    for (int distance = 1; distance < 32; distance *= 2) {
        TYPE left = __shfl_up_sync(ALL_LANES, value, distance);
        value += lane >= distance ? left : TYPE(0);
    }
    return value;
}

__device__ __forceinline__ TYPE sum_warp(TYPE value)
{
#pragma unroll
    for (int distance = 16; distance > 0; distance /= 2)
        value += __shfl_xor_sync(ALL_LANES, value, distance);
    return value;
}

/* What scan_warp gave, without the lane's own value.  Integers are exact; of other numbers the sum
 * of the lane before is taken, for a difference would lose digits, or all of them to an infinity.
 */
__device__ __forceinline__ TYPE without(TYPE up_to, TYPE value)
{
    if (TYPE(0.5) == TYPE(0))
        return up_to - value;
    TYPE left = __shfl_up_sync(ALL_LANES, up_to, 1);
    return threadIdx.x % 32 > 0 ? left : TYPE(0);
}

/* Sets `before`; gives the sum of the warp's part, to all lanes. */
__device__ __forceinline__ TYPE scan_part(Own &own)
{
    constexpr int rounds = ROUNDS, vec = VEC;
    TYPE above = 0;
#pragma unroll rounds
    for (int r = 0; r < rounds; r++) {
        TYPE sum = own.round[r].at[0];
#pragma unroll vec
        for (int v = 1; v < vec; v++)
            sum += own.round[r].at[v];
        TYPE up_to = scan_warp(sum);
        own.before[r] = above + without(up_to, sum);
        above += __shfl_sync(ALL_LANES, up_to, 31);
    }
    return above;
}

/* The sum of the warp's part alone, to all lanes. */
__device__ __forceinline__ TYPE sum_part(const Own &own)
{
    constexpr int rounds = ROUNDS, vec = VEC;
    TYPE sum = 0;
#pragma unroll rounds
    for (int r = 0; r < rounds; r++)
#pragma unroll vec
        for (int v = 0; v < vec; v++)
            sum += own.round[r].at[v];
    return sum_warp(sum);
}

/* Each element becomes its sum; `before` is that of all before the warp's part. */
__device__ __forceinline__ void finish(Own &own, TYPE before)
{
    constexpr int rounds = ROUNDS, vec = VEC;
#pragma unroll rounds
    for (int r = 0; r < rounds; r++) {
        TYPE sum = before + own.before[r];
#pragma unroll vec
        for (int v = 0; v < vec; v++) {
            TYPE element = own.round[r].at[v];
            own.round[r].at[v] = INCLUSIVE ? sum + element : sum;
            sum += element;
        }
    }
}

/* --- looking back ---------------------------------------------------------------------------- */

/* Words of the WINDOW tiles up to `last`; the first lane's is the nearest. */
struct View {
    Word of[LOOKS];
};

/* Before the first tile the sum of all is 0. */
__device__ __forceinline__ Word look_at(const Word *state, int tile, unsigned all)
{
    return tile >= 0 ? look(state, tile) : (Word)all << 32;
}

__device__ __forceinline__ void view(View &v, const Word *state, int last, unsigned all)
{
    constexpr int looks = LOOKS;
#pragma unroll looks
    for (int k = 0; k < looks; k++)
        v.of[k] = look_at(state, last - 32 * k - (int)threadIdx.x % 32, all);
}

/* The lanes up to the nearest whose tile has the sum of all; all lanes where there is none. */
__device__ __forceinline__ unsigned up_to_end(unsigned ends)
{
    return ends ? ends ^ (ends - 1) : ALL_LANES;
}

/* The sum of all tiles before this one, by one warp. */
__device__ __forceinline__ TYPE look_back(const Word *state, Turn turn)
{
    constexpr int looks = LOOKS;
    const int lane = threadIdx.x % 32;
    const unsigned nothing = 2 * turn.launch, all = nothing + 2;
    TYPE before = 0; /* this lane's part of it */
    bool complete = false;
#pragma unroll 1
    for (int last = turn.tile - 1; last >= 0 && !complete; last -= WINDOW) {
        View v;
        view(v, state, last, all);
#pragma unroll looks
        for (int k = 0; k < looks; k++) {
            if (complete)
                continue;
            unsigned ends = __ballot_sync(ALL_LANES, status_of(v.of[k]) == all);
            unsigned missing = __ballot_sync(ALL_LANES, (int)(status_of(v.of[k]) - nothing) <= 0);
#pragma unroll 1
            while (missing & up_to_end(ends)) {
                v.of[k] = look_at(state, last - 32 * k - lane, all);
                ends = __ballot_sync(ALL_LANES, status_of(v.of[k]) == all);
                missing = __ballot_sync(ALL_LANES, (int)(status_of(v.of[k]) - nothing) <= 0);
            }
            before += up_to_end(ends) >> lane & 1 ? sum_of(v.of[k]) : TYPE(0);
            complete = ends != 0;
        }
    }
    return sum_warp(before);
}

/* --- the kernel ------------------------------------------------------------------------------ */

extern "C" __global__ void __launch_bounds__(BLOCK)
    scan(TYPE *__restrict__ out, Word *state, const TYPE *__restrict__ in, unsigned n)
{
    __shared__ TYPE warp_sums[32];
    __shared__ TYPE tile_before;
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    Turn turn = {0, (int)blockIdx.x};
    Own own;

#if ORDER == 1
    __shared__ int shared_tile;
    if (threadIdx.x == 0) {
        turn = take_turn(state);
        shared_tile = turn.tile;
    }
    __syncthreads(); /* the tile is known */
    turn.tile = shared_tile;
#else
    if (threadIdx.x == 0) /* its answer is on its way while the tile is loaded */
        turn.launch = take_turn(state).launch;
#endif
    const bool whole = (size_t)(turn.tile + 1) * TILE <= n;
    if (whole)
        load_tile(own, in, turn.tile);
    else
        load_last(own, in, turn.tile, n);

    TYPE sum = EARLY ? sum_part(own) : scan_part(own);
    if (lane == 0)
        warp_sums[warp] = sum;
    __syncthreads(); /* all warps' sums are there */
    TYPE own_sum = lane < WARPS ? warp_sums[lane] : TYPE(0);
    TYPE up_to = scan_warp(own_sum);
    TYPE warps_before = __shfl_sync(ALL_LANES, without(up_to, own_sum), warp);
    TYPE total = __shfl_sync(ALL_LANES, up_to, 31);
    if (warp == 0) {
        turn.launch = __shfl_sync(ALL_LANES, turn.launch, 0);
        if (lane == 0 && turn.tile > 0)
            publish(state, turn.tile, 2 * turn.launch + 1, total);
    }
    if (EARLY)
        scan_part(own);
    if (warp == 0) {
        TYPE before = look_back(state, turn);
        if (lane == 0) {
            publish(state, turn.tile, 2 * turn.launch + 2, before + total);
            tile_before = before;
        }
    }
    __syncthreads(); /* what comes before the tile is known */
    finish(own, tile_before + warps_before);
    if (whole)
        store_tile(out, own, turn.tile);
    else
        store_last(out, own, turn.tile, n);
}
