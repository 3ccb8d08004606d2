/* y = A x for a sparse matrix in rows (CSR): row r has the elements first[r] to first[r + 1] - 1.
 *
 * LANES threads work on a row, ROWS rows one after the other; each thread has UNROLL elements under
 * way.  SPREAD 1: a thread's rows lie a whole grid apart, so that long rows, which lie together, go
 * to many blocks; 0: they are neighbours.
 *
 * BLOCK, LANES, ROWS, UNROLL, SPREAD are macros. */
extern "C" __global__ void __launch_bounds__(BLOCK)
    spmv(const int *__restrict__ first, const int *__restrict__ column,
         const float *__restrict__ value, const float *__restrict__ x, float *__restrict__ y, int rows)
{
    const int lane = threadIdx.x % LANES;
    const int team = (blockIdx.x * BLOCK + threadIdx.x) / LANES;
    const int teams = gridDim.x * (BLOCK / LANES);
#pragma unroll 1
    for (int r = 0; r < ROWS; r++) {
        const int row = SPREAD ? r * teams + team : team * ROWS + r;
        const bool inside = row < rows;
        const int begin = inside ? first[row] : 0, end = inside ? first[row + 1] : 0;
        float sum = 0;
        int k = begin + lane;
#pragma unroll 1
        for (; k + (UNROLL - 1) * LANES < end; k += UNROLL * LANES) {
            float product[UNROLL];
#pragma unroll
            for (int u = 0; u < UNROLL; u++)
                product[u] = value[k + u * LANES] * x[column[k + u * LANES]];
#pragma unroll
            for (int u = 0; u < UNROLL; u++)
                sum += product[u];
        }
#pragma unroll 1
        for (; UNROLL > 1 && k < end; k += LANES)
            sum += value[k] * x[column[k]];
#pragma unroll
        for (int half = LANES / 2; half > 0; half /= 2)
            sum += __shfl_down_sync(0xffffffff, sum, half, LANES);
        if (inside && lane == 0)
            y[row] = sum;
    }
}
