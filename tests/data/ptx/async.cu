// Asynchronous copies into shared memory, two stages, and a tensor-core product.
#include <cuda_pipeline.h>
#include <mma.h>

extern "C" __global__ void async(const float4 *in, float *out, const __half *a, const __half *b, int steps)
{
    __shared__ __align__(16) float4 stage[2][128];
    const int t = threadIdx.x;
    float sum = 0;
    __pipeline_memcpy_async(&stage[0][t], in + t, 16);
    __pipeline_commit();
#pragma unroll 1
    for (int s = 1; s <= steps; s++) {
        __pipeline_memcpy_async(&stage[s & 1][t], in + s * 128 + t, 16);
        __pipeline_commit();
        __pipeline_wait_prior(1);
        __syncthreads();
        sum += stage[(s + 1) & 1][(t + 1) & 127].x;
        __syncthreads();
    }
    using namespace nvcuda;
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
    wmma::fill_fragment(fc, sum);
    wmma::load_matrix_sync(fa, a, 16);
    wmma::load_matrix_sync(fb, b, 16);
    wmma::mma_sync(fc, fa, fb, fc);
    wmma::store_matrix_sync(out, fc, 16, wmma::mem_row_major);
}
