// Puts each of the k largest in its place.
extern "C" __global__ void rank_rest(const float *x, float *largest, int n, int k)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, rank = 0;
    float v = x[i];
    for (int j = 0; j < n; j++)
        rank += x[j] > v || x[j] == v && j < i;
    if (rank < k) largest[rank] = v;
}
