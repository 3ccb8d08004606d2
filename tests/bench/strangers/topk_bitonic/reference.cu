extern "C" __global__ void collect_reference(const float *x, float *list, int *count, float limit)
{
    float v = x[blockIdx.x * blockDim.x + threadIdx.x];
    if (v > limit) list[atomicAdd(count, 1)] = v;
}

extern "C" __global__ void rank_reference(const float *list, float *largest, const int *count, int k)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, n = *count, rank = 0;
    if (i >= n) return;
    for (int j = 0; j < n; j++)
        rank += list[j] > list[i] || list[j] == list[i] && j < i;
    if (rank < k) largest[rank] = list[i];
}
