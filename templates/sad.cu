/* Sums of absolute differences, the first kernel of an H.264 encoder's search for motion: every 4×4
 * block of a frame is compared with the 33×33 places around it in a reference frame.
 *
 *     sad[by][bx][oy][ox] = Σ |reference[4·by + oy + y][4·bx + ox + x] - frame[4·by + y][4·bx + x]|
 *                           0 <= y, x < 4;  0 <= oy, ox < 33
 *
 *     sad(out sums, in frame, in reference, width, height)
 *     grid   ceil(width / 4 / BLOCKS), height / 4
 *     block  33 / TILE_X, 33 / TILE_Y, BLOCKS
 *
 * The reference carries its margin with it: 16 pels on each side, so that offset 16 is the place of
 * the block itself, and 4 more at the end of each row, so that a row may be read in words.
 *
 *          reference                                          frame
 *       ┌────────────────────┐   36×36 pels of the             ┌──┬──┬──
 *       │┌────┐              │   reference for one 4×4         │  │  │      a thread block takes
 *       ││4×4 │ ──►  33      │   block, and 4 columns          ├──┼──┼──    BLOCKS neighbouring
 *       │└────┘      places  │   more for each one             │  │  │      ones of a row
 *       │  │                 │   beside it
 *       │  ▼  33 places      │
 *       └────────────────────┘
 *
 * The places of a 4×4 block are given out to threads in tiles of TILE_X × TILE_Y.  Where the loops
 * over a tile are unrolled, its places share the pels that they have in common, in registers; but
 * neighbouring threads then read pels, and write sums, TILE_X apart.
 *
 * Pels come from global memory as they are, or those of the frame, or of both, from a copy in
 * shared memory (STAGE).  They are compared one at a time, or a row of four with one instruction
 * (PACKED): four pels at any place are cut out of the two aligned words that hold them.
 *
 * The kernel is that of Ryoo's thesis, 4.2.1; its parameters are in his table 6.1.  Width and
 * height are multiples of 4. */

/* --- what is tuned --------------------------------------------------------------------------- */

#ifndef TILE_X
#define TILE_X 3 /* places of a thread side by side: a divisor of 33 */
#endif
#ifndef TILE_Y
#define TILE_Y 3 /* … and above each other */
#endif
#ifndef BLOCKS
#define BLOCKS 4 /* 4×4 blocks of a row that a thread block works on */
#endif
#ifndef UNROLL_X
#define UNROLL_X TILE_X /* copies of the body of the loop over a tile's columns */
#endif
#ifndef UNROLL_Y
#define UNROLL_Y 1 /* … over its rows */
#endif
#ifndef UNROLL_PELS
#define UNROLL_PELS 4 /* … over the four rows of a block */
#endif
#ifndef STAGE
#define STAGE 2 /* in shared memory: 0: nothing; 1: the frame's blocks; 2: and the reference's */
#endif
#ifndef PACKED
#define PACKED 1 /* 0: one pel is compared at a time; 1: four */
#endif

/* --- what follows from it -------------------------------------------------------------------- */

constexpr int SIDE = 4;                                 /* of a block, in pels */
constexpr int PLACES = 33;                              /* of a search, along x and along y */
constexpr int THREADS_X = PLACES / TILE_X;              /* for one 4×4 block */
constexpr int THREADS_Y = PLACES / TILE_Y;              /* likewise */
constexpr int THREADS = THREADS_X * THREADS_Y * BLOCKS; /* in a thread block */
constexpr int MARGIN = PLACES - 1 + 4;                  /* pels by which the reference is wider */
constexpr int WINDOW_WORDS = BLOCKS + PLACES / 4 + 1;   /* of four pels, in a row of the window */
constexpr int WINDOW_ROWS = SIDE + PLACES - 1;          /* rows of it */

static_assert(PLACES % TILE_X == 0 && PLACES % TILE_Y == 0, "tiles fill the 33×33 places");
static_assert(THREADS <= 1024, "more threads than a block can have");
static_assert(TILE_X % UNROLL_X == 0 && TILE_Y % UNROLL_Y == 0, "unrolled bodies fill the loops");
static_assert(SIDE % UNROLL_PELS == 0, "the unrolled body fills the loop");
static_assert(0 <= STAGE && STAGE <= 2, "there are three ways to read");

typedef unsigned char Pel;
typedef unsigned Word; /* four pels, the first one lowest */

/* What a thread block keeps in shared memory. */
struct Stage {
    Word frame[STAGE >= 1 ? SIDE * BLOCKS : 1];
    Word window[STAGE == 2 ? WINDOW_ROWS * WINDOW_WORDS : 1];
};

/* Rows of pels, of the whole image or of its copy in shared memory. */
struct Pels {
    const Pel *first;
    int pitch; /* pels from one row to the next: a multiple of 4 */
};

/* --- from global to shared memory ------------------------------------------------------------ */

/* All threads of the block, side by side, copy `rows` rows of `words` words.  Words that lie behind
 * `words_left` are not there: the last thread block of a row may hang over. */
template <int rows, int words>
__device__ __forceinline__ void copy_words(Word *to, Pels from, int words_left)
{
    int thread = (int)((threadIdx.z * THREADS_Y + threadIdx.y) * THREADS_X + threadIdx.x);
#pragma unroll
    for (int s = 0; s < rows * words; s += THREADS) {
        int row = (s + thread) / words, word = (s + thread) % words;
        if (row < rows && word < words_left)
            to[s + thread] = ((const Word *)(from.first + (size_t)row * from.pitch))[word];
    }
}

/* --- reading --------------------------------------------------------------------------------- */

__device__ __forceinline__ int read_pel(Pels pels, int y, int x)
{
    return pels.first[(size_t)y * pels.pitch + x];
}

/* Four pels of a row, from any place on. */
__device__ __forceinline__ Word read_word(Pels pels, int y, int x)
{
    const Word *row = (const Word *)(pels.first + (size_t)y * pels.pitch);
    return __funnelshift_r(row[x / 4], row[x / 4 + 1], 8 * (x % 4));
}

/* … from the start of a word on. */
__device__ __forceinline__ Word read_aligned_word(Pels pels, int y, int x)
{
    return *(const Word *)(pels.first + (size_t)y * pels.pitch + x);
}

/* --- the arithmetic -------------------------------------------------------------------------- */

/* The sum for one place: rows y and columns x of the reference from (oy, ox) on, and of the frame
 * from (0, fx) on. */
__device__ __forceinline__ unsigned compare(Pels reference, int oy, int ox, Pels frame, int fx)
{
    constexpr int unroll = UNROLL_PELS, side = SIDE;
    unsigned sum = 0;
#pragma unroll unroll
    for (int y = 0; y < side; y++) {
        if (PACKED) {
            sum += __vsadu4(read_word(reference, oy + y, ox), read_aligned_word(frame, y, fx));
        } else {
#pragma unroll side
            for (int x = 0; x < side; x++)
                sum = __usad(read_pel(reference, oy + y, ox + x), read_pel(frame, y, fx + x), sum);
        }
    }
    return sum;
}

/* --- the kernel ------------------------------------------------------------------------------ */

extern "C" __global__ void __launch_bounds__(THREADS)
    sad(unsigned short *__restrict__ sums, const Pel *__restrict__ frame,
        const Pel *__restrict__ reference, int width, int height)
{
    constexpr int unroll_x = UNROLL_X, unroll_y = UNROLL_Y;
    __shared__ Stage stage;
    int block0 = (int)blockIdx.x * BLOCKS, block_y = (int)blockIdx.y, columns = width / SIDE;
    Pels own_frame = {frame + (size_t)block_y * SIDE * width + block0 * SIDE, width};
    Pels own_reference = {reference + (size_t)block_y * SIDE * (width + MARGIN) + block0 * SIDE,
                          width + MARGIN};

#if STAGE >= 1
    copy_words<SIDE, BLOCKS>(stage.frame, own_frame, columns - block0);
    own_frame = {(const Pel *)stage.frame, BLOCKS * SIDE};
#endif
#if STAGE == 2
    copy_words<WINDOW_ROWS, WINDOW_WORDS>(stage.window, own_reference,
                                          columns - block0 + MARGIN / 4);
    own_reference = {(const Pel *)stage.window, WINDOW_WORDS * 4};
#endif
#if STAGE >= 1
    __syncthreads(); /* the copies are complete */
#endif
    if (block0 + (int)threadIdx.z >= columns)
        return;

    int own_x = (int)threadIdx.z * SIDE; /* of the thread's 4×4 block in the rows of pels */
    int ox0 = (int)threadIdx.x * TILE_X, oy0 = (int)threadIdx.y * TILE_Y;
    size_t own_block = (size_t)block_y * columns + block0 + threadIdx.z;
    unsigned short *to = sums + own_block * (PLACES * PLACES) + oy0 * PLACES + ox0;
#pragma unroll unroll_y
    for (int y = 0; y < TILE_Y; y++)
#pragma unroll unroll_x
        for (int x = 0; x < TILE_X; x++)
            to[y * PLACES + x] =
                (unsigned short)compare(own_reference, oy0 + y, own_x + ox0 + x, own_frame, own_x);
    (void)height, (void)stage;
}
