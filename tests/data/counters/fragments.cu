/* Fragments of matrices (wmma) from and to shared and global memory, and tables with a copy for each bank. */
#include <mma.h>

using namespace nvcuda;

/* A block of 4 warps multiplies 64 × 64 by 64 × 64; warp w makes rows 16 w on. PAD: halves added to a row. */
template <int PAD, typename LayoutA, typename LayoutB>
__device__ __forceinline__ void shared_tiles(const half *a, const half *b, float *c)
{
    constexpr int N = 64, ROW = N + PAD;
    __shared__ __align__(32) half tiles[2][N * ROW];
    for (int i = threadIdx.x; i < N * N; i += blockDim.x) {
        tiles[0][i / N * ROW + i % N] = a[i];
        tiles[1][i / N * ROW + i % N] = b[i];
    }
    __syncthreads();
    const int row = threadIdx.x / 32 * 16;
    constexpr bool a_rows = std::is_same<LayoutA, wmma::row_major>::value;
    constexpr bool b_rows = std::is_same<LayoutB, wmma::row_major>::value;
    for (int column = 0; column < N; column += 16) {
        wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
        wmma::fill_fragment(sum, 0.0f);
        for (int k = 0; k < N; k += 16) {
            wmma::fragment<wmma::matrix_a, 16, 16, 16, half, LayoutA> fa;
            wmma::fragment<wmma::matrix_b, 16, 16, 16, half, LayoutB> fb;
            wmma::load_matrix_sync(fa, &tiles[0][a_rows ? row * ROW + k : k * ROW + row], ROW);
            wmma::load_matrix_sync(fb, &tiles[1][b_rows ? k * ROW + column : column * ROW + k], ROW);
            wmma::mma_sync(sum, fa, fb, sum);
        }
        wmma::store_matrix_sync(c + blockIdx.x * N * N + row * N + column, sum, N, wmma::mem_row_major);
    }
}

#define SHARED_TILES(name, pad, layout_a, layout_b)                                                \
    extern "C" __global__ void name(const half *a, const half *b, float *c)                        \
    {                                                                                              \
        shared_tiles<pad, wmma::layout_a, wmma::layout_b>(a, b, c);                                \
    }

SHARED_TILES(rows_in_conflict, 0, row_major, row_major)
SHARED_TILES(rows_padded, 8, row_major, row_major)
SHARED_TILES(columns_half_padded, 16, col_major, col_major)

/* One fragment of each kind a warp, by tiles beside each other; results in shared memory, then to global memory. */
template <int M, int N, int K, typename T, typename Element, typename Sum, typename Layout>
__device__ __forceinline__ void global_tiles(const Element *a, const Element *b, Sum *c, int n,
                                             wmma::layout_t stored)
{
    __shared__ __align__(32) Sum room[4][M * (N + 8) > N * (M + 8) ? M * (N + 8) : N * (M + 8)];
    const int warp = threadIdx.x / 32, at = 32 * (blockIdx.x * 4 + warp);
    wmma::fragment<wmma::matrix_a, M, N, K, T, Layout> fa;
    wmma::fragment<wmma::matrix_b, M, N, K, T, Layout> fb;
    wmma::fragment<wmma::accumulator, M, N, K, Sum> sum;
    wmma::load_matrix_sync(fa, a + at, n);
    wmma::load_matrix_sync(fb, b + at, n);
    wmma::load_matrix_sync(sum, c + at, n, stored);
    wmma::mma_sync(sum, fa, fb, sum);
    const int row = stored == wmma::mem_row_major ? N + 8 : M + 8;
    wmma::store_matrix_sync(room[warp], sum, row, stored);
    __syncwarp();
    for (int i = threadIdx.x % 32; i < M * N; i += 32)
        c[at + i % 32 + i / 32 * n] = room[warp][i];
}

#define GLOBAL_TILES(name, m, n_, k, type, element, sum, layout, stored)                           \
    extern "C" __global__ void name(const element *a, const element *b, sum *c, int n)             \
    {                                                                                              \
        global_tiles<m, n_, k, type, element, sum, wmma::layout>(a, b, c, n, wmma::stored);        \
    }

GLOBAL_TILES(halves, 16, 16, 16, half, half, float, row_major, mem_row_major)
GLOBAL_TILES(half_sums, 32, 8, 16, half, half, half, col_major, mem_col_major)
GLOBAL_TILES(wide_halves, 8, 32, 16, half, half, float, row_major, mem_col_major)
GLOBAL_TILES(short_floats, 16, 16, 16, __nv_bfloat16, __nv_bfloat16, float, col_major, mem_col_major)
GLOBAL_TILES(bytes, 16, 16, 16, signed char, signed char, int, row_major, mem_row_major)
GLOBAL_TILES(tall_bytes, 32, 8, 16, signed char, signed char, int, col_major, mem_row_major)
GLOBAL_TILES(tensor_floats, 16, 16, 8, wmma::precision::tf32, float, float, row_major, mem_row_major)
GLOBAL_TILES(doubles, 8, 8, 4, double, double, double, col_major, mem_row_major)

/* Look-ups by data in a table of 256 words, of which COPIES lie beside each other: of 32 each lane has its own bank. */
template <int COPIES>
__device__ __forceinline__ void look_up(const unsigned *keys, const unsigned *table, unsigned *out, int n)
{
    extern __shared__ unsigned copies[];
    for (int i = threadIdx.x; i < 256 * COPIES; i += blockDim.x)
        copies[i] = table[i / COPIES];
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        unsigned x = keys[i];
        for (int round = 0; round < 8; round++)
            x ^= copies[(x >> 3 * round & 255) * COPIES + threadIdx.x % COPIES] >> round;
        out[i] = x;
    }
}

#define LOOK_UP(copies)                                                                            \
    extern "C" __global__ void look_up_##copies(const unsigned *keys, const unsigned *table,       \
                                                unsigned *out, int n)                              \
    {                                                                                              \
        look_up<copies>(keys, table, out, n);                                                      \
    }

LOOK_UP(32)
LOOK_UP(8)
LOOK_UP(1)
